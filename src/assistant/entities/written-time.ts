import { Failure } from '../../failure.ts';
import { instantOf, offsetsOf, wallOf } from '../icalendar/zone.ts';

export interface WrittenTime {
  readonly ms: number;
  /** A date without a time. */
  readonly wholeDay: boolean;
  /** What the clock in the zone shows, as a series keeps it. */
  readonly wall: string;
}

const form = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,3})?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;
/** Far beyond any diary, and well within what a date can hold. */
const [earliestMs, latestMs] = [Date.UTC(1900, 0, 1), Date.UTC(2200, 0, 1)];

/** A time as people and programs write it; without an offset it is one of the zone's clock. */
export function parseTime(written: string, zone: string, field: string, nowMs: number): WrittenTime {
  const offsets = offsetsOf(zone) ?? (() => 0);
  const dated = written.trim().replace(/^(today|tomorrow)\b/i, (word) => {
    const day = wallOf(nowMs, offsets) + (word.toLowerCase() === 'today' ? 0 : 86_400_000);
    return new Date(day).toISOString().slice(0, 10);
  });
  const [, date, time, seconds = ':00', offset] = form.exec(dated) ?? [];
  const wallMs = date === undefined ? Number.NaN : Date.parse(`${date}T${time ?? '00:00'}${seconds}Z`);
  // A day that the month does not have is silently the next month's to some parsers.
  const exists = !Number.isNaN(wallMs) && new Date(wallMs).toISOString().startsWith(date!);
  const shift = offset === undefined ? undefined : offsetMs(offset);
  const ms = !exists ? Number.NaN : shift === undefined ? instantOf(wallMs, offsets) : wallMs - shift;
  if (!exists || ms < earliestMs || ms > latestMs) {
    throw new Failure(
      'invalid-params',
      `${field} must be a time like 2026-03-01T09:30:00Z, 2026-03-01T09:30 or "tomorrow 09:30", or a date like 2026-03-01, not "${written}".`,
      {
        issues: [
          { path: [field], keyword: 'format', expected: 'date-time', message: 'is not a date and time' },
        ],
      },
    );
  }
  const wall = new Date(ms + offsets(ms)).toISOString();
  return {
    ms,
    wholeDay: time === undefined,
    wall: time === undefined ? wall.slice(0, 10) : wall.slice(0, 19),
  };
}

function offsetMs(written: string): number {
  if (written.toUpperCase() === 'Z') return 0;
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(written)!;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
