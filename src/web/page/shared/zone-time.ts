/** Local date and time of day in a time zone. */
export interface WallTime {
  /** YYYY-MM-DD */
  readonly day: string;
  /** Minutes since midnight. */
  readonly minutes: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

export function wallTime(iso: string, zone: string): WallTime {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  formats.set(zone, format);
  const parts = Object.fromEntries(
    format.formatToParts(new Date(iso)).map(({ type, value }) => [type, value]),
  );
  return {
    day: `${parts['year']}-${parts['month']}-${parts['day']}`,
    minutes: Number(parts['hour']) * 60 + Number(parts['minute']),
  };
}

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

export function dayTitle(day: string, style: keyof typeof dayStyles = 'short'): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString(undefined, {
    ...dayStyles[style],
    timeZone: 'UTC',
  });
}

/** A time of day as messages in that language show it. */
export function clock(minutes: number, locale: string): string {
  return new Date(minutes * 60_000).toLocaleTimeString(locale, { timeStyle: 'short', timeZone: 'UTC' });
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
