let locale: string | undefined;

/** Writes dates and times as people of that language do, from then on. Without a call: as the browser does. */
export function setPageLocale(chosen: string): void {
  try {
    locale = Intl.getCanonicalLocales(chosen)[0];
  } catch {
    // A host may name a locale that no browser knows.
  }
}

export const pageLocale = () => locale;

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
      second: '2-digit',
      hourCycle: 'h23',
    }),
);

const dayMs = 86_400_000;
const quarterMs = 900_000;

/** How far the clocks of a zone are ahead of UTC, in milliseconds. */
const offsetAt = remembered((at, zone) => {
  const ms = Number(at);
  const parts = Object.fromEntries(
    wallFormat(zone, '')
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  ) as Record<string, number>;
  const { year, month, day, hour, minute, second } = parts;
  return Date.UTC(year!, month! - 1, day, hour, minute, second) - ms;
});

/** Asks the slow formatter for two times a day. Only on days when the clocks change, for every quarter of an hour. */
function offsetOf(ms: number, zone: string): number {
  const day = Math.floor(ms / dayMs) * dayMs;
  const offset = offsetAt(String(day), zone);
  if (offset === offsetAt(String(day + dayMs), zone)) return offset;
  return offsetAt(String(Math.floor(ms / quarterMs) * quarterMs), zone);
}

export const wallTime = remembered((iso, zone): WallTime => {
  const ms = Date.parse(iso);
  const wall = new Date(ms + offsetOf(ms, zone));
  return {
    day: wall.toISOString().slice(0, 10),
    minutes: wall.getUTCHours() * 60 + wall.getUTCMinutes(),
  };
});

/** Seven days from a day on. */
export function weekDays(day: string): readonly string[] {
  const first = Date.parse(`${day}T00:00:00Z`) / dayMs;
  return Array.from({ length: 7 }, (_, index) =>
    new Date((first + index) * dayMs).toISOString().slice(0, 10),
  );
}

const dayStyles = {
  weekday: { weekday: 'short' },
  weekdayName: { weekday: 'long' },
  day: { day: 'numeric', month: 'short' },
  short: { weekday: 'short', day: 'numeric', month: 'short' },
  long: { weekday: 'long', day: 'numeric', month: 'long' },
} as const;

const titleOf = remembered((day, style) =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString(locale, {
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
export function shortTime(iso: string, zone?: string, language?: string): string {
  const [date, now] = [new Date(iso), new Date()];
  const options = zone === undefined ? {} : { timeZone: zone };
  const day = (value: Date) => value.toLocaleDateString(language, { ...options, dateStyle: 'short' });
  return date.toLocaleString(language ?? locale, {
    ...options,
    minute: '2-digit',
    ...(language === undefined ? { hour: '2-digit', hourCycle: 'h23' } : { hour: 'numeric' }),
    ...(day(date) !== day(now) && { day: 'numeric', month: 'short' }),
    ...(date.getFullYear() !== now.getFullYear() && { year: 'numeric' }),
  });
}
