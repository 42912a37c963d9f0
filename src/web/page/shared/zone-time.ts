/** A moment as a clock on the wall of a zone shows it. */
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

/** Seven days from today, moved by some weeks: what comes is looked at more often than what was. */
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

export function clock(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

/** The quiet parts of one day, as minutes from and to; a night that begins in the evening has two. */
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

function toMinutes(written: string): number {
  const [hours = '0', minutes = '0'] = written.split(':');
  return Number(hours) * 60 + Number(minutes);
}

/** A moment near enough to need no more: the time of today, the day and time of another one. */
export function shortMoment(iso: string, zone?: string): string {
  const [moment, now] = [new Date(iso), new Date()];
  const place = zone === undefined ? {} : { timeZone: zone };
  const day = (date: Date) => date.toLocaleDateString(undefined, { ...place, dateStyle: 'short' });
  return moment.toLocaleString(undefined, {
    ...place,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(day(moment) !== day(now) && { day: 'numeric', month: 'short' }),
    ...(moment.getFullYear() !== now.getFullYear() && { year: 'numeric' }),
  });
}
