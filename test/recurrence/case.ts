/** A calendar, a window, and the starts expected in that window. */
export interface Case {
  readonly name: string;
  readonly calendar: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** The viewer's time zone. */
  readonly zone: string;
  /** Starts like `2026-03-29T01:30:00Z`, followed by the title if it differs from that of the series. */
  readonly expected: readonly string[];
}

export function calendarOf(...lines: readonly string[]): string {
  const body = lines.some((line) => /^BEGIN:V(EVENT|TODO)$/.test(line))
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
