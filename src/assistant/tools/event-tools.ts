import type { Client } from '../../context.ts';
import { type PageRequest, pageArguments, pageOf, wholeList } from '../../paging.ts';
import { defineTool, hints } from '../../tool.ts';
import { type AssistantData, findEvent, findUser, type Reader } from '../entities/entity-access.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { deletedShape, eventShape, listShape } from '../entities/shapes.ts';
import { type EventView, eventView, occurrenceView, type Placed } from '../entities/view.ts';
import { withDate } from '../entities/written-time.ts';
import type { CalendarEvent } from '../store/schema.ts';
import {
  eventFields,
  eventId,
  eventTitle,
  eventWindow,
  newEventId,
  onlyUser,
  reminderOccurrence,
  unsetEventFields,
  userId,
} from './fields.ts';
import { localTimesLength } from './local-times.ts';

const dayMs = 86_400_000;

/** `unpaged` lists everything at once, as the document of the contract assistant says. */
export function eventTools(data: AssistantData, timeoutMs: number, unpaged = false) {
  return [
    defineTool({
      name: 'get_event',
      title: 'Get Event',
      description: 'Gets all fields of an event or series by id, e.g. before changing it.',
      inputSchema: { type: 'object', properties: { event_id: eventId }, required: ['event_id'] },
      outputSchema: eventShape,
      annotations: hints.reads,
      timeoutMs,
      async call({ event_id }) {
        return { structured: await viewOf(data, await data.store.read((db) => findEvent(db, event_id))) };
      },
    }),
    defineTool({
      name: 'list_events',
      title: 'List Events',
      description:
        'Lists events around now by start, each occurrence of a series apart. Use it for questions about a schedule and to find ids. At most 2,000 events.',
      inputSchema: {
        type: 'object',
        properties: {
          user_id: onlyUser,
          ...eventWindow,
          ...pageArguments,
        },
      },
      outputSchema: listShape('events', eventShape),
      annotations: hints.reads,
      timeoutMs,
      async call({ user_id, days_back = 2, days_forward = 30, limit, cursor }) {
        const page = unpaged ? wholeList : { limit, cursor };
        return { structured: await eventList(data, user_id, days_back, days_forward, page) };
      },
    }),
    defineTool({
      name: 'create_event',
      title: 'Create Event',
      description: "Adds an event or series to a user's calendar. Returns it with its id.",
      inputSchema: {
        type: 'object',
        properties: { user_id: userId, title: eventTitle, ...eventFields, id: newEventId },
        required: ['user_id', 'title', 'start_ts'],
        additionalProperties: false,
      },
      outputSchema: eventShape,
      annotations: hints.adds,
      timeoutMs,
      async call({ user_id, id, ...written }, { client }) {
        const input = await withDates(data, client, user_id, written);
        const { createEvent } = await import('../editing/event-edit.ts');
        return { structured: await viewOf(data, await createEvent(data, user_id, input, id)) };
      },
    }),
    defineTool({
      name: 'update_event',
      title: 'Update Event',
      description:
        'Changes an event or a whole series; planned reminders follow. Returns the event. Other fields stay.',
      inputSchema: {
        type: 'object',
        properties: {
          event_id: eventId,
          title: eventTitle,
          ...eventFields,
          occurrence: reminderOccurrence,
          unset: unsetEventFields,
        },
        required: ['event_id'],
        additionalProperties: false,
      },
      outputSchema: eventShape,
      annotations: hints.replaces,
      timeoutMs,
      async call({ event_id, unset = [], occurrence, ...written }, { client }) {
        const { user_id } = await data.store.read((db) => findEvent(db, event_id));
        const input = await withDates(data, client, user_id, written);
        const { updateEvent } = await import('../editing/event-edit.ts');
        return {
          structured: await viewOf(data, await updateEvent(data, event_id, input, unset, occurrence)),
        };
      },
    }),
    defineTool({
      name: 'delete_event',
      title: 'Delete Event',
      description: 'Deletes an event, a series or one occurrence for good, and cancels the reminders.',
      inputSchema: {
        type: 'object',
        properties: {
          event_id: eventId,
          occurrence: {
            type: 'string',
            description: 'Only this one, from list_events',
          },
        },
        required: ['event_id'],
      },
      outputSchema: deletedShape,
      annotations: hints.replaces,
      timeoutMs,
      async call({ event_id, occurrence }) {
        const { deleteEvent } = await import('../editing/event-edit.ts');
        await deleteEvent(data, event_id, occurrence);
        return { structured: { deleted: occurrence === undefined ? event_id : `${event_id} ${occurrence}` } };
      },
    }),
  ];
}

/** The in-process client of the command line, where people write `tomorrow 09:30`. */
const commandLine = 'adjutant';

async function withDates<Input extends { start_ts?: string; end_ts?: string; timezone?: string }>(
  { store, clock }: AssistantData,
  client: Client,
  userId: string,
  input: Input,
): Promise<Input> {
  if (client.name !== commandLine) return input;
  const user = await store.read((db) => findUser(db, userId));
  const zone = input.timezone ?? preferencesOf(user).timezone;
  const { start_ts, end_ts } = input;
  return {
    ...input,
    ...(start_ts !== undefined && { start_ts: withDate(start_ts, zone, clock()) }),
    ...(end_ts !== undefined && { end_ts: withDate(end_ts, zone, clock()) }),
  };
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
  page: PageRequest,
) {
  const { listOccurrences } = await import('../entities/occurrence-list.ts');
  const now = data.clock();
  const window = { fromMs: now - daysBack * dayMs, toMs: now + daysForward * dayMs, reachMs };
  const { listed: found, truncated } = await data.store.read(async (db) => {
    if (user !== undefined) await findUser(db, user);
    return listOccurrences(data, db, window, user);
  });
  const { items: events, next } = pageOf(
    found,
    ({ event, occurrence, zone }) => occurrenceView(event, occurrence, zone),
    page,
    localTimesLength,
  );
  return { events, count: found.length, ...next, ...(truncated && { truncated }) };
}
