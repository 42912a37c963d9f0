import { instantOf, offsetsOf, wallOf } from '../icalendar/zone.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

/**
 * When to remind, as people write it: `10m`, `2h` or `1d` before the start; `17:00` on the day; `1d 17:00` on the day
 * before. A reminder for one event may also be a local time, `2026-03-01T17:00`, and may end in `!`, which permits it in
 * quiet hours.
 */
export const leadPattern = '^([0-9]{1,5}[mhd]|([0-9]{1,2}d )?([01][0-9]|2[0-3]):[0-5][0-9])$';
export const eventLeadPattern =
  '^([0-9]{1,5}[mhd]|(([0-9]{1,2}d )|([0-9]{4}-[0-9]{2}-[0-9]{2}T))?([01][0-9]|2[0-3]):[0-5][0-9])!?$';

/** The instant of a reminder, in the user's time zone. */
export function leadTime(lead: string, startMs: number, zone: string): number {
  const offsets = offsetsOf(zone) ?? (() => 0);
  const written = lead.replace(/!$/, '');
  const [, amount, unit] = /^(\d+)([mhd])$/.exec(written) ?? [];
  if (unit === 'm' || unit === 'h') return startMs - Number(amount) * (unit === 'h' ? 60 : 1) * minuteMs;
  const wall = wallOf(startMs, offsets);
  if (unit === 'd') return instantOf(wall - Number(amount) * dayMs, offsets);
  if (written.includes('T')) return instantOf(Date.parse(`${written}:00Z`), offsets);
  const [, days = '0', hour, minute] = /^(?:(\d+)d )?(\d\d):(\d\d)$/.exec(written)!;
  const day = Math.floor(wall / dayMs) * dayMs - Number(days) * dayMs;
  return instantOf(day + (Number(hour) * 60 + Number(minute)) * minuteMs, offsets);
}

/** Whole minutes from the start to a reminder; negative before the start. */
export function offsetOf(atMs: number, startMs: number): number {
  return Math.floor((atMs - startMs) / minuteMs) + 0;
}

/** Local days from the start to a reminder after it; 0 on the same day and before. */
export function daysAfter(offsetMinutes: number, startMs: number, zone: string): number {
  const offsets = offsetsOf(zone) ?? (() => 0);
  const dayOf = (ms: number) => Math.floor(wallOf(ms, offsets) / dayMs);
  return Math.max(0, dayOf(startMs + offsetMinutes * minuteMs) - dayOf(startMs));
}
