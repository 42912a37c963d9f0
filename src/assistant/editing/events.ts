import { Failure } from '../../failure.ts';
import { messageOf, present } from '../../json.ts';
import { parseTime, type WrittenTime } from '../../recurrence/written-time.ts';
import { newId } from '../../store/id.ts';
import type { CalendarEvent, EventStatus, NewEvent, ShowAs, User } from '../../store/schema.ts';
import type { Writer } from '../../store/store.ts';
import { attendTimes } from '../attention/store-attention.ts';
import { audit, auditChange } from '../entities/decision-log.ts';
import {
  type AssistantData,
  findEvent,
  findUser,
  lockUser,
  notFound,
  revisionOf,
  rowOf,
} from '../entities/entity-access.ts';
import { invitation } from '../entities/occurrence.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { timestamp } from '../entities/view.ts';
import { extentOf, RuleChecks } from '../icalendar/rule-thread.ts';
import type { Answer, Series } from '../icalendar/series.ts';
import { readRule, Unreadable } from '../icalendar/written-value.ts';
import { lastMessage, planChange } from '../planning/change-notice.ts';
import { cancelAll } from '../planning/plan-occurrence.ts';
import { applySteps, dueTimes, rowsOf } from '../planning/plan-rows.ts';
import { handOver } from '../planning/plan-subjects.ts';
import { replanEvent } from '../planning/replanning.ts';
import { answerTo, guestsOf, hasEvent, invitationFields, invitationsTo } from './guests.ts';
import { checkZone, setEventReminders, withReminders } from './users.ts';

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
  /** The description, if its reminders are to say what the prompt says that it names. */
  readonly prompt?: string;
  readonly status?: EventStatus;
  readonly show_as?: ShowAs;
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
    if (await rowOf(writer.db, 'events', id))
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
  prompt: null,
  status: 'confirmed',
  show_as: null,
  task: null,
  etag: null,
  last_seen_ms: null,
} as const satisfies Partial<EventFields>;

function refuseImported(event: CalendarEvent): void {
  if (event.provider === 'local') return;
  if (event.provider === invitation) throw organizedByOther(event);
  throw new Failure('refused', 'This event comes from an imported calendar; change it in that calendar.');
}

export function organizedByOther({ organizer }: CalendarEvent): Failure {
  return new Failure(
    'refused',
    `${organizer} organizes this event, so only ${organizer} can change it. Answer it with answer_invitation.`,
  );
}

function toDetails(input: EventInput): Partial<EventFields> {
  const { title, location, conf_link, organizer, attendees, description, prompt, status, show_as } = input;
  const people = attendees && JSON.stringify(attendees);
  const fields = { title, location, conf_link, organizer, description, prompt, status, show_as };
  return present({ ...fields, attendees: people });
}

const dayMs = 86_400_000;
/** Latest valid timestamp, used for series without an end. */
const never = 8.64e15;

/** Times of an event, as the user wrote them. */
export interface WrittenTimes {
  readonly start_ts?: string;
  readonly end_ts?: string;
  /** Used if there is no `end_ts`. */
  readonly length_ms?: number;
  readonly timezone?: string;
  readonly rrule?: string;
}

/** Merges an update into the existing times, as if the event were created with all of them. */
export function mergedTimes(
  before: CalendarEvent,
  input: WrittenTimes,
  unset: readonly string[],
): WrittenTimes & { start_ts: string } {
  const series = before.series === null ? undefined : (JSON.parse(before.series) as Series);
  const start = input.start_ts ?? series?.start.wall ?? timestamp(before.start_ms);
  const timezone = input.timezone ?? before.timezone ?? undefined;
  const rrule = unset.includes('rrule') ? undefined : (input.rrule ?? series?.rules?.[0]);
  const allDay = !start.includes(':');
  const lengthMs = before.end_ms - before.start_ms;
  // A moved event keeps its duration, unless it changes between all-day and timed.
  const kept = allDay === (before.all_day === 1) ? lengthMs : undefined;
  const { end_ts } = input;
  const length_ms = end_ts === undefined ? kept : undefined;
  return present({ start_ts: start, timezone, rrule, end_ts, length_ms });
}

export async function timesOf(input: WrittenTimes & { start_ts: string }, user: User, nowMs: number) {
  checkZone(input.timezone);
  const zone = input.timezone ?? preferencesOf(user).timezone;
  const start = parseTime(input.start_ts, zone, 'start_ts', nowMs, input.timezone !== undefined);
  const endMs = resolveEnd(input, start, zone, nowMs);
  if (endMs < start.ms)
    throw new Failure(
      'invalid-params',
      `The event would end before it starts (end_ts ${input.end_ts} is before start_ts ${input.start_ts}).`,
      {
        issues: [
          { path: ['end_ts'], keyword: 'minimum', expected: input.start_ts, message: 'is before start_ts' },
        ],
      },
    );
  const times = {
    start_ms: start.ms,
    end_ms: endMs,
    all_day: start.allDay ? 1 : 0,
    timezone: start.allDay ? null : zone,
  };
  if (!start.allDay && input.rrule === undefined)
    return { ...times, series: null, first_ms: start.ms, last_ms: start.ms };
  const series: Series = {
    start: { wall: start.wall, ...(!start.allDay && { zone }) },
    duration: start.allDay
      ? { days: Math.max(1, Math.round((endMs - start.ms) / dayMs)), seconds: 0 }
      : { days: 0, seconds: (endMs - start.ms) / 1000 },
    ...(input.rrule !== undefined && { rules: [await checkRule(input.rrule, start)] }),
  };
  const { firstMs, lastMs = never } = await extentOf(series);
  return { ...times, series: JSON.stringify(series), first_ms: firstMs, last_ms: lastMs };
}

function resolveEnd(input: WrittenTimes, start: WrittenTime, zone: string, nowMs: number): number {
  if (input.end_ts === undefined)
    return start.ms + (input.length_ms || (start.allDay ? dayMs : (input.length_ms ?? dayMs / 24)));
  return parseTime(input.end_ts, zone, 'end_ts', nowMs, input.timezone !== undefined).ms;
}

/** Returns the normalized rule; throws a `Failure` if it is invalid or yields too many occurrences. */
async function checkRule(written: string, start: WrittenTime): Promise<string> {
  try {
    const rule = readRule(written.replace(/^RRULE:/i, ''));
    const checks = new RuleChecks(start.ms);
    const use = { rule, start: { wall: start.wall } };
    await checks.check([use]);
    if (!checks.isUsable(use))
      throw new Unreadable('it yields too many occurrences or takes too long to compute');
    return rule;
  } catch (error) {
    throw new Failure('invalid-params', `The recurrence rule "${written}" is invalid: ${messageOf(error)}.`, {
      issues: [
        { path: ['rrule'], keyword: 'format', expected: 'recurrence-rule', message: messageOf(error) },
      ],
      cause: error,
    });
  }
}

/** Event fields without those that the store sets. */
export type EventFields = Omit<NewEvent, 'id' | 'user_id' | 'revision' | 'created_ms' | 'updated_ms'>;

/**
 * Inserts or updates an event, identified by its provider and the provider's id, and replans its notifications in the
 * same transaction. An unchanged event is not replanned.
 */
export async function saveEvent(
  writer: Writer,
  data: Pick<AssistantData, 'occurrences'>,
  user: User,
  fields: EventFields,
  now: number,
  requestedId?: string,
): Promise<{ readonly event: CalendarEvent; readonly outcome: 'created' | 'changed' | 'same' }> {
  const { db } = writer;
  const known = await db
    .selectFrom('events')
    .selectAll()
    .where('user_id', '=', user.id)
    .where('provider', '=', fields.provider)
    .where('provider_event_id', '=', fields.provider_event_id)
    .executeTakeFirst();
  const id = known?.id ?? requestedId ?? newId(now);
  const row = { ...fields, id, user_id: user.id, updated_ms: now };
  const revision = revisionOf({ ...row, created_ms: now });
  const same = known?.revision === revision;
  const { etag = null, last_seen_ms = null } = fields;
  const event = await (known === undefined
    ? db.insertInto('events').values({ ...row, revision, created_ms: now })
    : db
        .updateTable('events')
        .set(same ? { etag, last_seen_ms } : { ...row, revision })
        .where('id', '=', id)
  )
    .returningAll()
    .executeTakeFirstOrThrow();
  if (same) return { event, outcome: 'same' };
  writer.changed({ kind: 'event', id, userId: user.id });
  await updateInvitations(writer, data, user, event, now);
  if (known === undefined) return { event, outcome: 'created' };
  await replanEvent(writer, data, user, event, now);
  return { event, outcome: 'changed' };
}

/**
 * Gives the guests of an event the new version of their invitation. Removed guests lose their invitation. With `invites`,
 * new guests get one, unless one of their calendars already has the event.
 */
export async function updateInvitations(
  writer: Writer,
  data: Pick<AssistantData, 'occurrences'>,
  organizer: User,
  event: CalendarEvent,
  now: number,
  invites = event.provider === 'local',
): Promise<void> {
  if (event.provider === invitation) return;
  const invitations = await invitationsTo(writer.db, event.id);
  if (invitations.length === 0 && (event.attendees === null || !invites)) return;
  const guests = await guestsOf(writer.db, event);
  for (const { user } of guests) {
    const known = invitations.find(({ user_id }) => user_id === user.id);
    if (known === undefined && (!invites || (await hasEvent(writer.db, user, event)))) continue;
    const answer = known === undefined ? 'needs-action' : answerTo(known);
    await saveEvent(writer, data, user, invitationFields(event, organizer, user, answer), now);
  }
  for (const one of invitations)
    if (!guests.some(({ user }) => user.id === one.user_id))
      await removeEvent(writer, one, 'the person is not invited any more', now);
}

/** Stores the answer of a guest to an invitation of somebody on this server. */
export function answerHere(
  data: AssistantData,
  { id }: CalendarEvent,
  answer: Answer | 'accepted',
): Promise<CalendarEvent> {
  const now = data.clock();
  return data.store.write(async (writer) => {
    const event = await findEvent(writer.db, id);
    const user = await lockUser(writer.db, event.user_id);
    const source = await rowOf(writer.db, 'events', event.provider_event_id);
    if (source === undefined) notFound('event');
    const organizer = await findUser(writer.db, source.user_id);
    const fields = invitationFields(source, organizer, user, answer);
    const answered = await saveEvent(writer, data, user, fields, now);
    await audit(writer, now, [
      { action: 'event.answered', userId: user.id, eventId: id, detail: { answer } },
    ]);
    return answered.event;
  });
}

/**
 * Deletes an event and cancels its planned notifications. Sent notifications stay on record. If the user already
 * received one, a notice says that the event was cancelled, unless the calendar was merely removed (`unfollowed`). If the
 * event is also in another calendar, the notifications go to that copy.
 */
export async function removeEvent(
  writer: Writer,
  event: CalendarEvent,
  reason: string,
  now: number,
  unfollowed = false,
): Promise<void> {
  if (event.provider !== invitation)
    for (const one of await invitationsTo(writer.db, event.id))
      await removeEvent(writer, one, reason, now, unfollowed);
  const rowsBefore = await rowsOf(writer.db, event.id);
  const all = (await handOver(writer, event, rowsBefore, now)) ? [] : rowsBefore;
  const user = all.length === 0 || unfollowed ? undefined : await findUser(writer.db, event.user_id);
  const times: number[] = [];
  for (const [key, rows] of Map.groupBy(all, ({ occurrence }) => occurrence)) {
    const { event_start_ms: startMs } = lastMessage(rows) ?? rows[0]!;
    const notice = user && planChange({ user, event, rows, nowMs: now });
    const steps = [...cancelAll(rows, reason), ...(notice?.steps ?? [])];
    await applySteps(writer, event, { key, startMs }, steps, now);
    times.push(...steps.flatMap(dueTimes));
  }
  if (!unfollowed) await attendTimes(writer, event.user_id, times, now);
  await writer.db.deleteFrom('plans').where('event_id', '=', event.id).execute();
  await writer.db.deleteFrom('events').where('id', '=', event.id).execute();
  const subject = { userId: event.user_id, eventId: event.id };
  await auditChange(writer, now, { action: 'event.deleted', ...subject, detail: { reason } });
}
