import { Failure } from '../../failure.ts';
import { newId } from '../../store/id.ts';
import type { CalendarEvent, EventStatus } from '../../store/schema.ts';
import { audit } from '../entities/decision-log.ts';
import { type AssistantData, findEvent, findUser } from '../entities/entity-access.ts';
import { mergedTimes, timesOf } from './event-times.ts';
import { type EventFields, removeEvent, saveEvent } from './events.ts';
import { setEventReminders, withReminders } from './reminder-settings.ts';

/** Fields of an event that a user can set. */
export interface EventInput {
  readonly title?: string;
  readonly start_ts?: string;
  readonly end_ts?: string;
  readonly timezone?: string;
  readonly location?: string;
  readonly conf_link?: string;
  readonly organizer?: string;
  readonly attendees?: readonly string[];
  readonly description?: string;
  readonly status?: EventStatus;
  readonly rrule?: string;
  readonly reminders?: readonly string[];
  /** Makes a new event a task, which is due when it starts. */
  readonly task?: 'open' | 'done';
}

export function createEvent(
  data: AssistantData,
  userId: string,
  input: EventInput & { readonly title: string; readonly start_ts: string },
  requestedId?: string,
): Promise<CalendarEvent> {
  const now = data.clock();
  const id = requestedId ?? newId(now);
  return data.store.write(async (writer) => {
    const user = await findUser(writer.db, userId);
    const taken = await writer.db.selectFrom('events').select('id').where('id', '=', id).executeTakeFirst();
    if (taken !== undefined)
      throw new Failure(
        'conflict',
        `An event with the id "${id}" already exists; choose another id or update that event.`,
      );
    const reminders = input.reminders && { reminders: withReminders({ reminders: null }, input.reminders) };
    const task = input.task && { task: 'open' as const };
    const fields = {
      ...blank,
      ...task,
      ...toDetails(input),
      ...reminders,
      title: input.title,
      provider_event_id: id,
    };
    const times = await timesOf(input.task === undefined ? input : { length_ms: 0, ...input }, user, now);
    const { event } = await saveEvent(writer, data, user, { ...fields, ...times }, now, id);
    await audit(writer, now, [{ action: 'event.created', userId, eventId: id }]);
    return event;
  });
}

/** Changes a whole event. Of an imported one, or of one occurrence, only the reminders. */
export async function updateEvent(
  data: AssistantData,
  id: string,
  { reminders, ...input }: EventInput,
  unset: readonly (keyof EventInput)[],
  occurrence?: string,
): Promise<CalendarEvent> {
  const others = unset.filter((name) => name !== 'reminders');
  const changesEvent = Object.keys(input).length > 0 || others.length > 0;
  const changed = changesEvent ? await updateFields(data, id, input, others) : undefined;
  if (reminders !== undefined || unset.includes('reminders'))
    return setEventReminders(data, id, reminders, occurrence);
  return changed ?? data.store.read((db) => findEvent(db, id));
}

function updateFields(
  data: AssistantData,
  id: string,
  input: EventInput,
  unset: readonly (keyof EventInput)[],
): Promise<CalendarEvent> {
  const now = data.clock();
  return data.store.write(async (writer) => {
    const before = await findEvent(writer.db, id);
    refuseImported(before);
    const user = await findUser(writer.db, before.user_id);
    const { id: _, user_id, revision, created_ms, updated_ms, ...known } = before;
    const cleared = Object.fromEntries(unset.filter((name) => name !== 'rrule').map((name) => [name, null]));
    const fields = { ...known, ...toDetails(input), ...cleared };
    const timed = input.start_ts ?? input.end_ts ?? input.timezone ?? input.rrule;
    const times =
      timed === undefined && !unset.includes('rrule')
        ? {}
        : await timesOf(mergedTimes(before, input, unset), user, now);
    const { event, outcome } = await saveEvent(writer, data, user, { ...fields, ...times }, now);
    if (outcome === 'changed') {
      const detail = { changed: [...Object.keys(input), ...unset] };
      await audit(writer, now, [{ action: 'event.updated', userId: user.id, eventId: id, detail }]);
    }
    return event;
  });
}

export function deleteEvent(data: AssistantData, id: string): Promise<void> {
  return data.store.write(async (writer) => {
    const event = await findEvent(writer.db, id);
    refuseImported(event);
    await removeEvent(writer, event, 'the event was deleted', data.clock());
  });
}

const blank = {
  provider: 'local',
  calendar_id: null,
  location: null,
  conf_link: null,
  organizer: null,
  attendees: null,
  description: null,
  status: 'confirmed',
  task: null,
  etag: null,
  last_seen_ms: null,
} as const satisfies Partial<EventFields>;

function refuseImported(event: CalendarEvent): void {
  if (event.provider === 'local') return;
  throw new Failure('refused', 'This event comes from an imported calendar; change it in that calendar.');
}

function toDetails(input: EventInput): Partial<EventFields> {
  const { title, location, conf_link, organizer, attendees, description, status } = input;
  const given = { title, location, conf_link, organizer, description, status };
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    ...(attendees !== undefined && { attendees: JSON.stringify(attendees) }),
  };
}
