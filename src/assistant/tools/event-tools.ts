import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { present } from '../../json.ts';
import type { Outreach } from '../../outreach.ts';
import { pageArguments, wholeList } from '../../paging.ts';
import { type CalendarEvent, unverifiedEtag } from '../../store/schema.ts';
import { defineTool, hints } from '../../tool.ts';
import type { CalendarOptions } from '../calendar/sync.ts';
import type { EventTraits } from '../editing/users.ts';
import { reachableBy } from '../entities/channels.ts';
import { type AssistantData, findEvent, findUser, type Reader } from '../entities/entity-access.ts';
import { readLeads } from '../entities/lead-times.ts';
import { preferencesOf } from '../entities/preferences.ts';
import {
  deletedEventShape,
  eventShape,
  listShape,
  notVerified,
  savedEventShape,
  storedEventShape,
} from '../entities/shapes.ts';
import { type EventView, eventView, type Placed } from '../entities/view.ts';
import { checkedPrompt } from './checked-prompt.ts';
import { eventList, ownAnswer } from './event-list.ts';
import {
  addedAttendees,
  confirmField,
  deleteFields,
  eventCursor,
  eventFields,
  eventId,
  eventRange,
  eventTitle,
  eventWindow,
  newEventId,
  onlyUser,
  remoteFields,
  scopeFields,
  unsetEventFields,
  userId,
} from './fields.ts';
import { homeOf, onlyHere } from './home-calendar.ts';
import { withDigits } from './local-times.ts';
import { changedOccurrence, namedOccurrence } from './named-occurrence.ts';
import { type Planning, planWritten } from './saved-event.ts';

/** Extra time for calendars on a server, and for the user to confirm that invitations go out. */
const remoteTimeoutMs = 5 * 60_000;

/** Clients with older instructions still pass days, which are not listed any more. */
const { days_back, days_forward } = eventWindow;
const accepted = {
  type: 'object',
  properties: {
    user_id: onlyUser,
    ...eventRange,
    days_back: { type: 'integer', minimum: days_back.minimum, maximum: days_back.maximum },
    days_forward: { type: 'integer', minimum: days_forward.minimum, maximum: days_forward.maximum },
    ...pageArguments,
    cursor: eventCursor,
  },
} as const;
/** What the document of the contract assistant accepts. */
const documented = {
  type: 'object',
  properties: { user_id: onlyUser, ...eventWindow, ...pageArguments },
} as const;
const listed = {
  user_id: onlyUser,
  ...eventRange,
  limit: pageArguments.limit,
  cursor: eventCursor,
} as const;

const newEvent = {
  type: 'object',
  properties: { user_id: userId, title: eventTitle, ...eventFields, id: newEventId, ...remoteFields },
  required: ['title', 'start_ts'],
  additionalProperties: false,
} as const;
/** The tool is in the default list, so what new events seldom have is left out there. */
const { organizer: _o, status: _s, kind: _k, id: _i, ...listedOfNew } = newEvent.properties;
/** For a timed event, a day alone is a new day at the same time. */
const newStart = {
  ...eventFields.start_ts,
  description: 'As in create_event. A day alone keeps the time, unless end_ts is a day too',
} as const;

/** `unpaged` lists everything at once, as the document of the contract assistant says. */
export function eventTools(
  data: AssistantData,
  options: CalendarOptions,
  outreach: Outreach,
  timeoutMs: number,
  unpaged = false,
  planning?: Planning,
) {
  const calendars = { data, options };
  // The document of the contract assistant has no such field.
  const shown = (event: CalendarEvent) =>
    unpaged ? {} : { ...present({ show_as: event.show_as }), ...ownAnswer(event) };
  /** Shows the event, or the occurrence that was changed: a model that saw the series would think that nothing changed. */
  const savedView = async (event: CalendarEvent, context: Context, key?: string) => {
    const { findConflicts } = await import('../availability/busy-times.ts');
    const { conflicts, omitted } = await findConflicts(data, event, options.intervalMs, key);
    const view =
      key === undefined
        ? { ...(await viewOf(data, event)), ...shown(event) }
        : await changedOccurrence(data, event, key);
    const because = view.reminders?.length ? await unreachable(data, event) : undefined;
    const { invitedBy, tellGuests } = await import('./guest-news.ts');
    await tellGuests(data, outreach, event);
    return {
      ...view,
      ...(!unpaged && (await invitedBy(data, event, context.actor))),
      ...(conflicts.length > 0 && { conflicts }),
      ...(!unpaged && omitted > 0 && { omitted: { conflicts: omitted } }),
      ...(because !== undefined && { no_reminders_because: because }),
      ...(planning && (await planWritten(planning, event, context, key))),
    };
  };
  /** A past time is a warning, not an error: people also record past events, but may have meant a later time. */
  const passed = ({ end_ms, last_ms }: CalendarEvent) =>
    planning === undefined || Math.max(end_ms, last_ms) > data.clock()
      ? []
      : [
          'This time has passed: the event is stored, but no reminder comes. Tell the user, who may mean another day.',
        ];
  const watch = async ({ actor }: Context, event: CalendarEvent) => {
    if (planning === undefined) return undefined;
    const { watchOwnChange } = await import('./own-change.ts');
    return watchOwnChange(data, planning.me, actor, event);
  };
  const withTraits = async (event: CalendarEvent, traits: EventTraits) => {
    if (traits.kind === undefined && traits.important === undefined) return event;
    const { setEventTraits } = await import('../editing/users.ts');
    return setEventTraits(data, event.id, traits);
  };
  return [
    defineTool({
      name: 'get_event',
      toolsets: ['calendar'],
      scope: 'calendar:USER',
      title: 'Get Event',
      description: 'Gets all fields of an event or series by id, e.g. before changing it.',
      phrases:
        'details of one event meeting appointment location place where room address time attendees who is coming invited guests attending participants link dial-in join video call more about notes agenda lunch dentist doctor party long last organizer full information specific that',
      inputSchema: { type: 'object', properties: { event_id: eventId }, required: ['event_id'] },
      outputSchema: storedEventShape,
      annotations: hints.reads,
      timeoutMs,
      async call({ event_id }, { actor }) {
        const event = await data.store.read((db) => findEvent(db, event_id));
        const { answersOf } = await import('./guest-news.ts');
        const answers = unpaged ? {} : await answersOf(data, event, actor);
        return { structured: { ...(await viewOf(data, event)), ...shown(event), ...answers } };
      },
    }),
    defineTool({
      name: 'list_events',
      toolsets: ['calendar'],
      scope: 'calendar:USER',
      core: true,
      view: 'calendar',
      title: 'List Events',
      description:
        'Lists or searches events by start, each occurrence of a series apart. Use it for questions about a schedule and to find ids.',
      phrases:
        'calendar agenda schedule diary meetings appointments tomorrow today tonight week weekend free busy available take place where when next on my plate to-do tasks overdue due what is coming up planned doctor dentist look like day month program timetable have anything time monday tuesday wednesday thursday friday saturday sunday afternoon morning evening see do',
      inputSchema: { type: 'object', properties: listed } as unknown as typeof accepted,
      acceptedSchema: unpaged ? documented : accepted,
      outputSchema: listShape('events', eventShape),
      annotations: hints.reads,
      timeoutMs,
      async call({ user_id: userId, from, to, query, tasks, days_back, days_forward, limit, cursor }) {
        const range = unpaged ? {} : { from, to, query, tasks };
        const page = unpaged ? wholeList : { limit, cursor };
        const request = { userId, daysBack: days_back, daysForward: days_forward, page, documented: unpaged };
        return { structured: await eventList(data, { ...request, ...range }) };
      },
    }),
    defineTool({
      name: 'create_event',
      toolsets: ['calendar'],
      scope: 'calendar:USER',
      core: true,
      title: 'Create Event',
      description:
        'Adds an event, series or to-do; invites attendees known here. Returns conflicts and reminders.',
      phrases:
        'add schedule book plan new meeting appointment lunch dinner calendar diary put invite pencil in set up enter arrange organize make date visit haircut dentist doctor party birthday reserve slot block time note weekly recurring every monday tuesday wednesday thursday friday write down jot trip holiday call with fix',
      inputSchema: { ...newEvent, properties: listedOfNew as unknown as typeof newEvent.properties },
      acceptedSchema: newEvent,
      outputSchema: savedEventShape,
      annotations: hints.adds,
      timeoutMs: timeoutMs + remoteTimeoutMs,
      async call({ user_id, id, calendar_id, confirm, kind, important, ...written }, context) {
        const input = await withDigits(data, user_id, await withLeads(data, user_id, written));
        const traits = { kind, important };
        const { place, warnings } =
          calendar_id === undefined
            ? await homeOf(data, user_id, input, context.actor)
            : { place: calendar_id, warnings: [] };
        if (place === onlyHere) {
          const prompt = await checkedPrompt(data, input, context);
          const { createEvent } = await import('../editing/events.ts');
          const made = await withTraits(
            await createEvent(data, user_id, { ...input, ...prompt }, id),
            traits,
          );
          if (input.task !== 'done')
            return {
              structured: withWarnings([...warnings, ...passed(made)], await savedView(made, context)),
            };
          const { setTask } = await import('../writeback/task.ts');
          return { structured: await savedView(await setTask(calendars, made, 'done', undefined), context) };
        }
        if (input.task !== undefined)
          throw new Failure('refused', 'New tasks are stored only here. Leave calendar_id out.');
        const { createRemote } = await import('../writeback/writeback.ts');
        const { reminders, ...fields } = input;
        const made = await createRemote(calendars, place, user_id, { ...fields, id }, { confirm, context });
        const { updateEvent } = await import('../editing/events.ts');
        const event = reminders === undefined ? made : await updateEvent(data, made.id, { reminders }, []);
        const saved = await savedView(await withTraits(event, traits), context);
        return { structured: withWarnings(passed(event), saved) };
      },
    }),
    defineTool({
      name: 'update_event',
      toolsets: ['calendar'],
      scope: 'calendar:USER',
      title: 'Update Event',
      description:
        'Moves or changes an event, a series or dates of it, also on a CalDAV server; reminders follow. Other fields stay.',
      phrases:
        'move reschedule change edit rename event meeting appointment time location place push shift back forward postpone hour longer shorter extend prolong another different room day earlier later delay swap lunch dentist party call diary monday tuesday wednesday thursday friday bring forward add guest instead relocated start begins ends',
      inputSchema: {
        type: 'object',
        properties: {
          event_id: eventId,
          title: eventTitle,
          ...eventFields,
          start_ts: newStart,
          add_attendees: addedAttendees,
          ...scopeFields,
          unset: unsetEventFields,
          confirm: confirmField,
        },
        required: ['event_id'],
        additionalProperties: false,
      },
      outputSchema: savedEventShape,
      annotations: hints.replaces,
      timeoutMs: timeoutMs + remoteTimeoutMs,
      async call(
        { event_id, unset = [], occurrence, following, confirm, kind, important, add_attendees, ...fields },
        context,
      ) {
        const event = await data.store.read((db) => findEvent(db, event_id));
        const written = add_attendees === undefined ? fields : withAttendees(event, fields, add_attendees);
        const { changeEvent } = await import('../writeback/writeback.ts');
        const key = await namedOccurrence(data, event, occurrence);
        const read = await withLeads(data, event.user_id, written);
        const input = await withDigits(data, event.user_id, read, event, key);
        const scope = { occurrence: key, following };
        const prompt = event.provider === 'local' ? await checkedPrompt(data, input, context) : {};
        const isChanged = Object.keys(written).length > 0 || unset.length > 0;
        const { guestsExpecting, tellCancelled } = await import('./guest-news.ts');
        const expecting = input.status === 'cancelled' ? await guestsExpecting(data, event, scope) : [];
        const withdrawOwn = isChanged ? await watch(context, event) : undefined;
        const edited = isChanged
          ? await changeEvent(calendars, event, { ...input, ...prompt }, unset, scope, { confirm, context })
          : event;
        await withdrawOwn?.(edited);
        await tellCancelled(data, outreach, event, expecting);
        const changed = await withTraits(edited, { kind, important });
        const saved = await savedView(changed, context, following ? undefined : key);
        if (unpaged || key !== undefined || written.start_ts === undefined) return { structured: saved };
        const { lostDates } = await import('./lost-dates.ts');
        return { structured: withWarnings(await lostDates(data, event, changed), saved) };
      },
    }),
    defineTool({
      name: 'delete_event',
      toolsets: ['calendar'],
      scope: 'calendar:USER',
      title: 'Delete Event',
      description:
        'Deletes an event, a series or occurrences for good, also on a CalDAV server, and cancels the reminders. If several fit, ask the user which one.',
      phrases:
        'delete remove cancel call off event meeting appointment occurrence series scrap drop take out of diary calendar lunch dinner dentist party concert lesson class skip once no longer happening not going clear day cross out forget axe monday tuesday wednesday thursday friday fell through ill weekly',
      inputSchema: {
        type: 'object',
        properties: {
          event_id: eventId,
          ...deleteFields,
        },
        required: ['event_id'],
      },
      outputSchema: deletedEventShape,
      annotations: hints.replaces,
      timeoutMs: timeoutMs + remoteTimeoutMs,
      async call({ event_id, occurrence, following, confirm }, context) {
        const event = await data.store.read((db) => findEvent(db, event_id));
        const { removeEvent } = await import('../writeback/writeback.ts');
        const key = await namedOccurrence(data, event, occurrence);
        const { title, start_ts } =
          key === undefined ? await viewOf(data, event) : await changedOccurrence(data, event, key);
        const { guestsExpecting, tellCancelled } = await import('./guest-news.ts');
        const scope = { occurrence: key, following };
        const expecting = await guestsExpecting(data, event, scope);
        const withdrawOwn = await watch(context, event);
        await removeEvent(calendars, event, scope, { confirm, context });
        await withdrawOwn?.();
        const told = await tellCancelled(data, outreach, event, expecting);
        const deleted = key === undefined ? event_id : `${event_id} ${key}`;
        const isTold = (event.provider === 'local' && event.attendees !== null) || told.length > 0;
        const more = { user_id: event.user_id, title, start_ts, ...(isTold && { told: [...told] }) };
        return { structured: { deleted, ...(!unpaged && more) } };
      },
    }),
  ];
}

function withWarnings<Saved extends { readonly warnings?: readonly string[] | undefined }>(
  more: readonly string[],
  saved: Saved,
): Saved {
  return more.length === 0 ? saved : { ...saved, warnings: [...more, ...(saved.warnings ?? [])] };
}

async function withLeads<Input extends { readonly reminders?: readonly string[] }>(
  { store }: AssistantData,
  userId: string,
  input: Input,
): Promise<Input> {
  if (input.reminders === undefined) return input;
  const user = await store.read((db) => findUser(db, userId));
  return { ...input, reminders: readLeads(user, input.reminders) };
}

function withAttendees<Fields extends { attendees?: readonly string[] }>(
  event: CalendarEvent,
  fields: Fields,
  added: readonly string[],
) {
  const before = fields.attendees ?? (JSON.parse(event.attendees ?? '[]') as string[]);
  const isNew = (name: string) => !before.some((one) => one.toLowerCase() === name.toLowerCase());
  return { ...fields, attendees: [...before, ...added.filter(isNew)] };
}

/** Why no reminder of an event reaches its user, or undefined if one can. */
async function unreachable(
  { store }: AssistantData,
  { user_id: id }: CalendarEvent,
): Promise<string | undefined> {
  const user = await store.read((db) => findUser(db, id));
  if (reachableBy(user).length > 0) return undefined;
  return `${user.name} has no address on any channel. Add one with update_user, for instance email.`;
}

async function viewOf({ store }: AssistantData, event: CalendarEvent): Promise<EventView> {
  return {
    ...eventView(await store.read((db) => placeEvent(db, event))),
    ...(event.etag === unverifiedEtag && { on_server: notVerified }),
  };
}

/** Adds the user's time zone and the first start and end to an event. */
export async function placeEvent(db: Reader, event: CalendarEvent): Promise<Placed> {
  const zone = preferencesOf(await findUser(db, event.user_id)).timezone;
  const { firstTimes } = await import('../calendar/expand-event.ts');
  return { event, zone, ...(await firstTimes(event, zone)) };
}
