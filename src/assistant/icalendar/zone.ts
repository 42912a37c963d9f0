import { windowsZones } from './windows-zones.ts';

const dayMs = 86_400_000;

/** Returns the UTC offset in milliseconds at an instant. */
export type OffsetAt = (instantMs: number) => number;

/** Returns the IANA name of a time zone in a calendar, or undefined if it is unknown. */
export function resolveZone(written: string): string | undefined {
  const name = written.trim().replace(/^"(.*)"$/, '$1');
  if (/^(z|utc|gmt|tzone:\/\/microsoft\/utc)$/i.test(name)) return 'UTC';
  const windows = windowsZones[name.toLowerCase()];
  if (windows !== undefined) return windows;
  // Some programs prefix the name: /mozilla.org/20050126_1/Europe/Berlin.
  // A zone has at most three parts, and a hostile name can have thousands.
  const parts = name.split('/').slice(-3);
  for (let first = 0; first < parts.length; first++) {
    const candidate = parts.slice(first).join('/');
    if (isZone(candidate)) return candidate;
  }
  return undefined;
}

export function isZone(name: string): boolean {
  return offsetsOf(name) !== undefined;
}

const known = new Map<string, OffsetAt | undefined>();

/** Returns the UTC offsets of an IANA time zone. */
export function offsetsOf(zone: string): OffsetAt | undefined {
  if (known.has(zone)) return known.get(zone);
  const offsets = createOffsets(zone);
  // Names come from untrusted calendars, so the cache must be bounded.
  if (known.size >= 1000) known.clear();
  known.set(zone, offsets);
  return offsets;
}

function createOffsets(zone: string): OffsetAt | undefined {
  if (zone === 'UTC') return () => 0;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return undefined;
  }
  const exact = (instantMs: number) => {
    const whole = Math.floor(instantMs / 1000) * 1000;
    const [month, day, year, era, hour, minute, second] = format.format(whole).split(/[^0-9A-Z]+/);
    const wall = new Date(0);
    wall.setUTCFullYear(era === 'B' ? 1 - Number(year) : Number(year), Number(month) - 1, Number(day));
    wall.setUTCHours(Number(hour), Number(minute), Number(second));
    return wall.getTime() - whole;
  };
  // If both ends of a day have the same offset, so does the whole day; only other days need an exact lookup.
  const days = new Map<number, number>();
  const edge = (day: number) => {
    let offset = days.get(day);
    if (offset === undefined) {
      offset = exact(day * dayMs);
      if (days.size >= 50_000) days.clear();
      days.set(day, offset);
    }
    return offset;
  };
  return (instantMs) => {
    const day = Math.floor(instantMs / dayMs);
    const offset = edge(day);
    return offset === edge(day + 1) ? offset : exact(instantMs);
  };
}

/**
 * Converts local time to an instant. If the local time occurs twice, the first one counts. If it is skipped, the offset
 * before the change applies: a meeting at 02:30 then takes place at 03:30.
 */
export function instantOf(wallMs: number, offsets: OffsetAt): number {
  const before = wallMs - offsets(wallMs - dayMs);
  if (before + offsets(before) === wallMs) return before;
  const after = wallMs - offsets(wallMs + dayMs);
  return after + offsets(after) === wallMs ? after : before;
}

export function wallOf(instantMs: number, offsets: OffsetAt): number {
  return instantMs + offsets(instantMs);
}
