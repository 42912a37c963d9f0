import { offsetsOf, wallOf } from '../icalendar/zone.ts';

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A time as people say it: `Tue 8 Dec 2026 15:00 Europe/Berlin, in 23 days`. */
export function localTime(ms: number, zone: string, nowMs: number, allDay = false): string {
  const offsets = offsetsOf(zone) ?? (() => 0);
  const wall = new Date(wallOf(ms, offsets));
  const date = `${days[wall.getUTCDay()]} ${wall.getUTCDate()} ${months[wall.getUTCMonth()]} ${wall.getUTCFullYear()}`;
  const time = allDay ? '' : ` ${wall.toISOString().slice(11, 16)} ${zone}`;
  const distance = allDay
    ? dayDistance(wall.getTime(), wallOf(nowMs, offsets))
    : relative(ms - nowMs, wall.getTime(), wallOf(nowMs, offsets));
  return `${date}${time}, ${distance}`;
}

let phrases: Intl.RelativeTimeFormat | undefined;

/** Created on first use: creating it takes longer than the rest of the start. */
function phrase(value: number, unit: Intl.RelativeTimeFormatUnit): string {
  phrases ??= new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  return phrases.format(value, unit);
}

function relative(distanceMs: number, wallMs: number, nowWallMs: number): string {
  const size = Math.abs(distanceMs);
  if (size < minuteMs) return 'now';
  if (size < 90 * minuteMs) return phrase(Math.round(distanceMs / minuteMs), 'minute');
  if (size < 24 * hourMs) return phrase(Math.round(distanceMs / hourMs), 'hour');
  return dayDistance(wallMs, nowWallMs);
}

/** Counts calendar days, so that the day after tomorrow is `in 2 days` at any hour. */
function dayDistance(wallMs: number, nowWallMs: number): string {
  return phrase(Math.floor(wallMs / dayMs) - Math.floor(nowWallMs / dayMs), 'day');
}
