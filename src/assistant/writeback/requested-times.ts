import type { CalendarEvent, User } from '../../store/schema.ts';
import { mergedTimes, timesOf, type WrittenTimes } from '../editing/event-times.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { timestamp } from '../entities/view.ts';
import type { Series } from '../icalendar/series.ts';
import { offsetsOf, wallOf } from '../icalendar/zone.ts';
import type { EventPatch } from './edit.ts';

type TimePatch = Pick<EventPatch, 'startMs' | 'endMs' | 'allDay' | 'zone' | 'rrule'>;

/**
 * Converts written times to a patch. `now` are the present times of the event or occurrence. Times without a zone are
 * in the zone of the event; an event in UTC has no zone of its own, so there the user's applies.
 */
export async function requestedTimes(
  event: CalendarEvent,
  now: { readonly startMs: number; readonly endMs: number },
  input: WrittenTimes,
  user: User,
  nowMs: number,
): Promise<TimePatch> {
  const { start_ts, end_ts, timezone, rrule } = input;
  if ((start_ts ?? end_ts ?? timezone ?? rrule) === undefined) return {};
  const userZone = preferencesOf(user).timezone;
  const ownZone = event.timezone === null || event.timezone === 'UTC' ? userZone : event.timezone;
  const zone = timezone ?? ownZone;
  const single = { ...event, series: null, timezone: zone, start_ms: now.startMs, end_ms: now.endMs };
  const start = start_ts ?? (event.all_day === 1 ? dateIn(userZone, now.startMs) : timestamp(now.startMs));
  const times = await timesOf(
    mergedTimes(single, { ...input, start_ts: start, timezone: zone }, []),
    user,
    nowMs,
  );
  const rules = times.series === null ? undefined : (JSON.parse(times.series) as Series).rules;
  const moved = start_ts !== undefined || timezone !== undefined;
  return {
    ...(moved && { startMs: times.start_ms }),
    ...((moved || end_ts !== undefined) && { endMs: times.end_ms, allDay: times.all_day === 1 }),
    ...(timezone !== undefined && { zone: timezone }),
    ...(rrule !== undefined && { rrule: rules![0]! }),
  };
}

function dateIn(zone: string, ms: number): string {
  return new Date(wallOf(ms, offsetsOf(zone) ?? (() => 0))).toISOString().slice(0, 10);
}
