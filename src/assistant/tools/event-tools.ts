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

export function eventTools(data: AssistantData, timeoutMs: number) {
  return [
    defineTool({
      name: 'get_event',
      title: 'Get Event',
      description: 'Get event details by ID',
      inputSchema: { type: 'object', properties: { event_id: eventId }, required: ['event_id'] },
      outputSchema: eventShape,
      annotations: { readOnlyHint: true, openWorldHint: false },
      timeoutMs,
      async call({ event_id }) {
        return { structured: await viewOf(data, await data.store.read((db) => findEvent(db, event_id))) };
      },
    }),
    defineTool({
      name: 'list_events',
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
        return { structured: await eventList(data, user_id, days_back, days_forward) };
      },
    }),
    defineTool({
      name: 'create_event',
      title: 'Create Event',
      description: 'Add an event to the calendar of a user',
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
        return { structured: await viewOf(data, await createEvent(data, user_id, input, id)) };
      },
    }),
    defineTool({
      name: 'update_event',
      title: 'Update Event',
      description: 'Change an event; what is planned for it moves or is cancelled with it',
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
        return { structured: await viewOf(data, await updateEvent(data, event_id, input, unset)) };
      },
    }),
    defineTool({
      name: 'delete_event',
      title: 'Delete Event',
      description: 'Remove an event, or one occurrence of a series, and cancel what is planned for it',
      inputSchema: {
        type: 'object',
        properties: {
          event_id: eventId,
          occurrence: {
            type: 'string',
            description: 'Only this one of a series, as returned by list_events',
          },
        },
        required: ['event_id'],
      },
      outputSchema: deletedShape,
      annotations: { destructiveHint: true, openWorldHint: false },
      timeoutMs,
      async call({ event_id, occurrence }) {
        const { deleteEvent } = await import('../editing/event-edit.ts');
        await deleteEvent(data, event_id, occurrence);
        return { structured: { deleted: occurrence === undefined ? event_id : `${event_id} ${occurrence}` } };
      },
    }),
  ];
}

async function viewOf({ store }: AssistantData, event: CalendarEvent): Promise<EventView> {
  return eventView(await store.read((db) => placeEvent(db, event)));
}

/** Adds the user's time zone and the first start and end to an event. */
export async function placeEvent(db: Reader, event: CalendarEvent): Promise<Placed> {
  const zone = preferencesOf(await findUser(db, event.user_id)).timezone;
  const { firstTimes } = await import('../calendar/expand-event.ts');
  return { event, zone, ...(await firstTimes(event, zone)) };
}

/** Long events that started up to this long before the window are listed too. A longer reach would slow every call. */
const reachMs = 31 * dayMs;

/** Lists the occurrences around now, for the tool and the resource. */
export async function eventList(
  data: AssistantData,
  user: string | undefined,
  daysBack: number,
  daysForward: number,
) {
  const { listOccurrences, maxListed } = await import('../entities/occurrence-list.ts');
  const now = data.clock();
  const window = { fromMs: now - daysBack * dayMs, toMs: now + daysForward * dayMs, reachMs };
  const listed = await data.store.read(async (db) => {
    if (user !== undefined) await findUser(db, user);
    return listOccurrences(data, db, window, user);
  });
  const events = listed
    .slice(0, maxListed)
    .map(({ event, occurrence, zone }) => occurrenceView(event, occurrence, zone));
  return { events, count: events.length, ...(listed.length > maxListed && { truncated: true }) };
}
