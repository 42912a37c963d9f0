import { Failure } from '../../failure.ts';
import { instantOf, offsetsOf, wallOf } from '../icalendar/zone.ts';

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

/** Parses a time written by a user or a program. Without an offset, it is local time in `zone`. */
export function parseTime(written: string, zone: string, field: string, nowMs: number): WrittenTime {
  const offsets = offsetsOf(zone) ?? (() => 0);
  const dated = written.trim().replace(/^(today|tomorrow)\b/i, (word) => {
    const day = wallOf(nowMs, offsets) + (word.toLowerCase() === 'today' ? 0 : 86_400_000);
    return new Date(day).toISOString().slice(0, 10);
  });
  const [, date, time, seconds = ':00', offset] = form.exec(dated) ?? [];
  const wallMs = date === undefined ? Number.NaN : Date.parse(`${date}T${time ?? '00:00'}${seconds}Z`);
  // Date.parse turns February 30 into March 2.
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
    allDay: time === undefined,
    wall: time === undefined ? wall.slice(0, 10) : wall.slice(0, 19),
  };
}

function offsetMs(written: string): number {
  if (written.toUpperCase() === 'Z') return 0;
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(written)!;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
