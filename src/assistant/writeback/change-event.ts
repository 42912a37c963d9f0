import type { CalendarEvent } from '../../store/schema.ts';
import type { Calendars } from '../calendar/sync.ts';
import { deleteEvent, type EventInput, updateEvent } from '../editing/event-edit.ts';
import type { Series } from '../icalendar/series.ts';
import { deleteLocalOccurrence, updateLocalSeries } from './local-series.ts';
import type { Scope } from './scope.ts';
import { setTask } from './task.ts';
import { type Confirmed, deleteRemote, updateRemote } from './writeback.ts';

/** Changes an event where it is stored: only here, or on its server. Reminders are always stored here. */
export async function changeEvent(
  calendars: Calendars,
  event: CalendarEvent,
  { reminders, task, ...fields }: EventInput,
  unset: readonly (keyof EventInput)[],
  scope: Scope,
  confirmed: Confirmed,
): Promise<CalendarEvent> {
  const { data } = calendars;
  const cleared = unset.filter((name) => name !== 'reminders');
  const update = () => {
    if (Object.keys(fields).length === 0 && cleared.length === 0) return undefined;
    if (event.provider !== 'local') return updateRemote(calendars, event, fields, cleared, scope, confirmed);
    return isForSeries(event, fields, cleared, scope)
      ? updateLocalSeries(data, event, fields, cleared, scope)
      : updateEvent(data, event.id, fields, cleared);
  };
  const updated = (await update()) ?? event;
  const changed =
    task === undefined
      ? updated
      : await setTask(calendars, updated, task, scope.occurrence, confirmed.context.signal);
  if (reminders === undefined && !unset.includes('reminders')) return changed;
  // A change of later occurrences begins a new series, to which the reminders then belong.
  const key = scope.following ? undefined : scope.occurrence;
  const own = reminders === undefined ? {} : { reminders };
  return updateEvent(data, changed.id, own, reminders === undefined ? ['reminders'] : [], key);
}

/** Deletes an event where it is stored: all of it, one occurrence, or an occurrence and all later ones. */
export async function removeEvent(
  calendars: Calendars,
  event: CalendarEvent,
  scope: Scope,
  confirmed: Confirmed,
): Promise<void> {
  if (event.provider !== 'local') return deleteRemote(calendars, event, scope, confirmed);
  if (scope.occurrence === undefined) return deleteEvent(calendars.data, event.id);
  return deleteLocalOccurrence(calendars.data, event, scope);
}

/** True if a change concerns the dates of a series, not only the texts of all of it. */
function isForSeries(
  { series }: CalendarEvent,
  fields: EventInput,
  unset: readonly string[],
  { occurrence }: Scope,
): boolean {
  const timed = ['start_ts', 'end_ts', 'timezone', 'rrule'].some((name) => name in fields);
  const recurs = series !== null && (JSON.parse(series) as Series).rules !== undefined;
  return occurrence !== undefined || (recurs && (timed || unset.includes('rrule')));
}
