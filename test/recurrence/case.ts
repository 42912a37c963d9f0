/** A calendar, a window to look at, and the starts that must be found there. */
export interface Case {
  readonly name: string;
  readonly calendar: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Where whoever looks is. */
  readonly zone: string;
  /** Each `2026-03-29T01:30:00Z`, then the title where that differs from the series' own. */
  readonly expected: readonly string[];
}

export function calendarOf(...lines: readonly string[]): string {
  const body = lines.some((line) => line === 'BEGIN:VEVENT')
    ? lines
    : ['BEGIN:VEVENT', 'UID:one', ...lines, 'END:VEVENT'];
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Adjutant//Tests//EN',
    ...body,
    'END:VCALENDAR',
    '',
  ].join('\r\n');
}
