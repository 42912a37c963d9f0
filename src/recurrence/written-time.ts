import { Failure } from '../failure.ts';
import { instantOf, type OffsetAt, offsetsIn, wallOf } from './zone.ts';

export interface WrittenTime {
  readonly ms: number;
  /** True for a date without a time. */
  readonly allDay: boolean;
  /** Local time in the zone, in the format that `Series` uses. */
  readonly wall: string;
}

const form = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,3})?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;
/** Generous limits for calendar dates, well within the range of `Date`. */
const [earliestMs, latestMs] = [Date.UTC(1900, 0, 1), Date.UTC(2200, 0, 1)];

/**
 * Parses a time written by a program. Without an offset, it is local time in `zone`. A local time that does not exist or
 * exists twice is refused with both candidates, and so is an offset that contradicts a zone the caller named.
 */
export function parseTime(
  written: string,
  zone: string,
  field: string,
  nowMs: number,
  zoneIsNamed = false,
): WrittenTime {
  const offsets = offsetsIn(zone);
  const [, date, time, seconds = ':00', offset] = form.exec(written.trim()) ?? [];
  const wallMs = date === undefined ? Number.NaN : Date.parse(`${date}T${time ?? '00:00'}${seconds}Z`);
  // Date.parse turns February 30 into March 2.
  const exists = !Number.isNaN(wallMs) && new Date(wallMs).toISOString().startsWith(date!);
  const shift = offset === undefined ? undefined : offsetMs(offset);
  const ms = !exists ? Number.NaN : shift === undefined ? instantOf(wallMs, offsets) : wallMs - shift;
  if (!exists || ms < earliestMs || ms > latestMs)
    throw invalid(
      field,
      `must be a time like 2026-03-01T09:30 (local, ${zone}) or 2026-03-01T09:30:00Z, or a date like 2026-03-01, not "${written}". Now it is ${describeNow(nowMs, zone, offsets)}.`,
    );
  if (time !== undefined && shift === undefined) refuseAmbiguous(wallMs, zone, offsets, field, written);
  if (zoneIsNamed && shift !== undefined && !/z$/i.test(offset!) && offsets(ms) !== shift)
    throw invalid(
      field,
      `"${written}" has an offset that ${zone} does not have then. Write ${withOffset(ms, offsets)} for that instant, or ${withOffset(instantOf(wallMs, offsets), offsets)} for that local time.`,
    );
  const wall = new Date(ms + offsets(ms)).toISOString();
  return {
    ms,
    allDay: time === undefined,
    wall: time === undefined ? wall.slice(0, 10) : wall.slice(0, 19),
  };
}

/** Refuses the hour that is skipped in spring and the one that comes twice in autumn. */
function refuseAmbiguous(
  wallMs: number,
  zone: string,
  offsets: OffsetAt,
  field: string,
  written: string,
): void {
  const dayMs = 86_400_000;
  const before = wallMs - offsets(wallMs - dayMs);
  const after = wallMs - offsets(wallMs + dayMs);
  if (before === after) return;
  const [first, second] = [before, after].map((ms) => ms + offsets(ms) === wallMs);
  if (first !== second) return;
  const why = first ? 'occurs twice' : 'does not exist';
  throw invalid(
    field,
    `"${written}" ${why} in ${zone}, because the clocks change. Write ${withOffset(before, offsets)} or ${withOffset(after, offsets)}.`,
  );
}

function describeNow(nowMs: number, zone: string, offsets: OffsetAt): string {
  const iso = new Date(wallOf(nowMs, offsets)).toISOString().slice(0, 16);
  return `${localTime(nowMs, zone, nowMs).replace(/, now$/, '')} (${iso})`;
}

/** Formats an instant as `2026-03-29T03:30:00+02:00`. */
function withOffset(ms: number, offsets: OffsetAt): string {
  const minutes = Math.round(offsets(ms) / 60_000);
  const pad = (value: number) => String(value).padStart(2, '0');
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${new Date(wallOf(ms, offsets)).toISOString().slice(0, 19)}${minutes < 0 ? '-' : '+'}${pad(hours)}:${pad(rest)}`;
}

function invalid(field: string, problem: string, data?: Failure['data']): Failure {
  return new Failure('invalid-params', `${field} ${problem}`, {
    ...(data && { data }),
    issues: [{ path: [field], keyword: 'format', expected: 'date-time', message: problem }],
  });
}

function offsetMs(written: string): number {
  if (written.toUpperCase() === 'Z') return 0;
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(written)!;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/**
 * Writes a time in words, such as `friday 18:00`, in digits. A time in digits stays as it is. A time of day without a day and a
 * weekday are the next ones after `afterMs`. A time in the past is refused, unless `mayBePast` is true.
 */
export async function inDigits(
  written: string,
  zone: string,
  nowMs: number,
  locale: string,
  field: string,
  afterMs = nowMs,
  mayBePast = false,
): Promise<string> {
  // A date that is almost right gets the message of `parseTime`.
  if (/^\s*\d{4}-/.test(written)) return written;
  const { readTimeWords } = await import('./time-words.ts');
  try {
    return (await readTimeWords(written, zone, nowMs, locale, afterMs, mayBePast)).iso;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw invalid(
      field,
      `${error.message} Now it is ${describeNow(nowMs, zone, offsetsIn(zone))}.`,
      error.data,
    );
  }
}

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A time as people say it: `Tue 8 Dec 2026 15:00 Europe/Berlin, in 23 days`. */
export function localTime(ms: number, zone: string, nowMs: number, allDay = false): string {
  const offsets = offsetsIn(zone);
  const wall = new Date(wallOf(ms, offsets));
  const date = `${days[wall.getUTCDay()]} ${wall.getUTCDate()} ${months[wall.getUTCMonth()]} ${wall.getUTCFullYear()}`;
  const time = allDay ? '' : ` ${wall.toISOString().slice(11, 16)} ${zone}`;
  const distance = allDay
    ? dayDistance(wall.getTime(), wallOf(nowMs, offsets))
    : relative(ms - nowMs, wall.getTime(), wallOf(nowMs, offsets));
  return `${date}${time}, ${distance}`;
}

/** A time as it is said in a short line: `today 15:00`, `tomorrow 15:00`, `Tue 8 Dec 15:00`, with the year if it is another one. */
export function shortTime(ms: number, zone: string, nowMs: number, allDay = false): string {
  const offsets = offsetsIn(zone);
  const [wall, now] = [new Date(wallOf(ms, offsets)), new Date(wallOf(nowMs, offsets))];
  const away = Math.floor(wall.getTime() / dayMs) - Math.floor(now.getTime() / dayMs);
  const year = wall.getUTCFullYear() === now.getUTCFullYear() ? '' : ` ${wall.getUTCFullYear()}`;
  const date = `${days[wall.getUTCDay()]} ${wall.getUTCDate()} ${months[wall.getUTCMonth()]}${year}`;
  const day = away === 0 ? 'today' : away === 1 ? 'tomorrow' : away === -1 ? 'yesterday' : date;
  return allDay ? day : `${day} ${wall.toISOString().slice(11, 16)}`;
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
