/** Local date and time of day in a time zone. */
export interface WallTime {
  /** YYYY-MM-DD */
  readonly day: string;
  /** Minutes since midnight. */
  readonly minutes: number;
}

/** Keeps the results of a slow function. A full calendar needs the same times over and over again. */
function remembered<Value>(compute: (first: string, second: string) => Value) {
  const known = new Map<string, Value>();
  return (first: string, second: string): Value => {
    const key = `${first}\n${second}`;
    const found = known.get(key) ?? compute(first, second);
    if (known.size > 50_000) known.clear();
    known.set(key, found);
    return found;
  };
}

const wallFormat = remembered(
  (zone) =>
    new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }),
);

export const wallTime = remembered((iso, zone): WallTime => {
  const parts = Object.fromEntries(
    wallFormat(zone, '')
      .formatToParts(new Date(iso))
      .map(({ type, value }) => [type, value]),
  );
  return {
    day: `${parts['year']}-${parts['month']}-${parts['day']}`,
    minutes: Number(parts['hour']) * 60 + Number(parts['minute']),
  };
});

/** Seven days, starting today plus `weeks` weeks. Starts today because upcoming events matter most. */
export function weekDays(today: string, weeks: number): readonly string[] {
  const first = Date.parse(`${today}T00:00:00Z`) / 86_400_000 + weeks * 7;
  return Array.from({ length: 7 }, (_, index) =>
    new Date((first + index) * 86_400_000).toISOString().slice(0, 10),
  );
}

const dayStyles = {
  weekday: { weekday: 'short' },
  day: { day: 'numeric', month: 'short' },
  short: { weekday: 'short', day: 'numeric', month: 'short' },
  long: { weekday: 'long', day: 'numeric', month: 'long' },
} as const;

const titleOf = remembered((day, style) =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString(undefined, {
    ...dayStyles[style as keyof typeof dayStyles],
    timeZone: 'UTC',
  }),
);

export function dayTitle(day: string, style: keyof typeof dayStyles = 'short'): string {
  return titleOf(day, style);
}

const clockText = remembered((minutes, locale) =>
  new Date(Number(minutes) * 60_000).toLocaleTimeString(locale, { timeStyle: 'short', timeZone: 'UTC' }),
);

/** A time of day as messages in that language show it. */
export function clock(minutes: number, locale: string): string {
  return clockText(String(minutes), locale);
}

/** The quiet hours of one day as [from, to] in minutes. Quiet hours that span midnight give two ranges. */
export function quietSpans(start: string, end: string): readonly (readonly [number, number])[] {
  if (start === end) return [];
  const [from, to] = [toMinutes(start), toMinutes(end)];
  return from < to
    ? [[from, to]]
    : [
        [0, to],
        [from, 24 * 60],
      ];
}

function toMinutes(text: string): number {
  const [hours = '0', minutes = '0'] = text.split(':');
  return Number(hours) * 60 + Number(minutes);
}

/** The time of day. Adds the date if it is not today, and the year if it is not this year. */
export function shortTime(iso: string, zone?: string, locale?: string): string {
  const [date, now] = [new Date(iso), new Date()];
  const options = zone === undefined ? {} : { timeZone: zone };
  const day = (value: Date) => value.toLocaleDateString(locale, { ...options, dateStyle: 'short' });
  return date.toLocaleString(locale, {
    ...options,
    minute: '2-digit',
    ...(locale === undefined ? { hour: '2-digit', hourCycle: 'h23' } : { hour: 'numeric' }),
    ...(day(date) !== day(now) && { day: 'numeric', month: 'short' }),
    ...(date.getFullYear() !== now.getFullYear() && { year: 'numeric' }),
  });
}
