import { defineTool } from '../../tool.ts';
import { type AssistantData, findEvent, findUser, type Reader } from '../entities/entity-access.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { deletedShape, eventShape, listShape } from '../entities/shapes.ts';
import { type EventView, eventView, occurrenceView, type Placed } from '../entities/view.ts';
import type { CalendarEvent } from '../store/schema.ts';
import {
  eventFields,
  eventId,
  eventTitle,
  eventWindow,
  newEventId,
  unsetEventFields,
  userId,
} from './fields.ts';

const dayMs = 86_400_000;

export function eventTools(diary: AssistantData, timeoutMs: number) {
  return [
    defineTool({
      name: 'getEvent',
      title: 'Get Event',
      description: 'Get event details by ID',
      inputSchema: { type: 'object', properties: { event_id: eventId }, required: ['event_id'] },
      outputSchema: eventShape,
      annotations: { readOnlyHint: true, openWorldHint: false },
      timeoutMs,
      async call({ event_id }) {
        return { structured: await shown(diary, await diary.store.read((db) => findEvent(db, event_id))) };
      },
    }),
    defineTool({
      name: 'listEvents',
      title: 'List Events',
      description: 'List calendar events with filters',
      inputSchema: {
        type: 'object',
        properties: {
          user_id: { type: 'string', description: 'Filter by user ID' },
          ...eventWindow,
        },
      },
      outputSchema: listShape('events', eventShape),
      annotations: { readOnlyHint: true, openWorldHint: false },
      timeoutMs,
      async call({ user_id, days_back = 2, days_forward = 30 }) {
        return { structured: await eventList(diary, user_id, days_back, days_forward) };
      },
    }),
    defineTool({
      name: 'createEvent',
      title: 'Create Event',
      description: 'Put an event into the diary of a user',
      inputSchema: {
        type: 'object',
        properties: { user_id: userId, title: eventTitle, ...eventFields, id: newEventId },
        required: ['user_id', 'title', 'start_ts'],
        additionalProperties: false,
      },
      outputSchema: eventShape,
      annotations: { destructiveHint: false, openWorldHint: false },
      timeoutMs,
      async call({ user_id, id, ...input }) {
        const { createEvent } = await import('../editing/event-edit.ts');
        return { structured: await shown(diary, await createEvent(diary, user_id, input, id)) };
      },
    }),
    defineTool({
      name: 'updateEvent',
      title: 'Update Event',
      description: 'Change an event; what is planned for it moves or is called off with it',
      inputSchema: {
        type: 'object',
        properties: {
          event_id: eventId,
          title: eventTitle,
          ...eventFields,
          unset: unsetEventFields,
        },
        required: ['event_id'],
        additionalProperties: false,
      },
      outputSchema: eventShape,
      annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: false },
      timeoutMs,
      async call({ event_id, unset = [], ...input }) {
        const { updateEvent } = await import('../editing/event-edit.ts');
        return { structured: await shown(diary, await updateEvent(diary, event_id, input, unset)) };
      },
    }),
    defineTool({
      name: 'deleteEvent',
      title: 'Delete Event',
      description: 'Remove an event, or one occurrence of a series, and call off what is planned for it',
      inputSchema: {
        type: 'object',
        properties: {
          event_id: eventId,
          occurrence: { type: 'string', description: 'Only this one of a series, as listEvents names it' },
        },
        required: ['event_id'],
      },
      outputSchema: deletedShape,
      annotations: { destructiveHint: true, openWorldHint: false },
      timeoutMs,
      async call({ event_id, occurrence }) {
        const { deleteEvent } = await import('../editing/event-edit.ts');
        await deleteEvent(diary, event_id, occurrence);
        return { structured: { deleted: occurrence === undefined ? event_id : `${event_id} ${occurrence}` } };
      },
    }),
  ];
}

async function shown({ store }: AssistantData, event: CalendarEvent): Promise<EventView> {
  return eventView(await store.read((db) => place(db, event)));
}

/** Finds an event's place on the clock of its user. */
export async function place(db: Reader, event: CalendarEvent): Promise<Placed> {
  const zone = preferencesOf(await findUser(db, event.user_id)).timezone;
  const { firstTimes } = await import('../calendar/expand-event.ts');
  return { event, zone, ...(await firstTimes(event, zone)) };
}

/** A journey that began so long ago may still go on. To look further back costs every call more than it finds. */
const reachMs = 31 * dayMs;

/** What takes place around now, as the tool and the resource show it. */
export async function eventList(
  diary: AssistantData,
  user: string | undefined,
  daysBack: number,
  daysForward: number,
) {
  const { listOccurrences, mostListed } = await import('../entities/occurrence-list.ts');
  const now = diary.clock();
  const window = { fromMs: now - daysBack * dayMs, toMs: now + daysForward * dayMs, reachMs };
  const listed = await diary.store.read(async (db) => {
    if (user !== undefined) await findUser(db, user);
    return listOccurrences(diary, db, window, user);
  });
  const events = listed
    .slice(0, mostListed)
    .map(({ event, occurrence, zone }) => occurrenceView(event, occurrence, zone));
  return { events, count: events.length, ...(listed.length > mostListed && { truncated: true }) };
}
