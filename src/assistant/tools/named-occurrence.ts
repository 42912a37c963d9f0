import { present } from '../../json.ts';
import type { CalendarEvent } from '../../store/schema.ts';
import { type AssistantData, findUser } from '../entities/entity-access.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { type EventView, occurrenceView } from '../entities/view.ts';

/** The key of the occurrence that a request names by its date, its local time or its key. A single event needs none. */
export async function namedOccurrence(
  data: AssistantData,
  event: CalendarEvent,
  written: string | undefined,
): Promise<string | undefined> {
  if (written === undefined) return undefined;
  const { occurrenceKey } = await import('../entities/occurrence-list.ts');
  const user = await data.store.read((db) => findUser(db, event.user_id));
  return (await occurrenceKey(data, event, written, preferencesOf(user))) || undefined;
}

/** One occurrence as it is now; one that no longer takes place is cancelled. */
export async function changedOccurrence(
  data: AssistantData,
  event: CalendarEvent,
  key: string,
): Promise<EventView> {
  const user = await data.store.read((db) => findUser(db, event.user_id));
  const zone = preferencesOf(user).timezone;
  const { findOccurrence, keyInstant } = await import('../entities/occurrence-list.ts');
  const found = await findOccurrence(data, event, key, zone).catch(() => undefined);
  if (found !== undefined)
    return { ...occurrenceView(event, found, zone), ...present({ show_as: found.showAs }) };
  const startMs = keyInstant(key, zone);
  const { title, location, description } = event;
  const gone = { key, startMs, endMs: startMs + event.end_ms - event.start_ms, title, location, description };
  return occurrenceView(event, { ...gone, status: 'cancelled' }, zone);
}
