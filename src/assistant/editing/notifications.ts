import { Failure } from '../../failure.ts';
import { inDigits, parseTime } from '../../recurrence/written-time.ts';
import { newId } from '../../store/id.ts';
import type { CalendarEvent, Notification, NotificationStatus, User } from '../../store/schema.ts';
import type { Writer } from '../../store/store.ts';
import { reachableBy } from '../entities/channels.ts';
import { audit, auditChange } from '../entities/decision-log.ts';
import { type AssistantData, findEvent, findNotification, findUser } from '../entities/entity-access.ts';
import { parsePayload } from '../entities/payload.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { configOf, listRules, setRule, titleKey } from '../entities/rules.ts';
import { textsFor } from '../messages/catalog.ts';
import { afterMinutes } from '../planning/plan-occurrence.ts';
import { channelsAtNamedTime } from '../policy/guards.ts';

/** Maximum number of notifications in one result. */
export const maxNotifications = 2000;

export interface NotificationFilter {
  readonly userId?: string | undefined;
  readonly status?: NotificationStatus | undefined;
  readonly eventId?: string | undefined;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns up to `maxNotifications + 1` rows; the extra row shows that there are more. */
export function listNotifications(
  { store }: AssistantData,
  filter: NotificationFilter,
): Promise<readonly Notification[]> {
  return store.read((db) => {
    let query = db
      .selectFrom('notifications')
      .selectAll()
      .where('plan_ms', '>=', filter.fromMs)
      .where('plan_ms', '<=', filter.toMs);
    if (filter.userId !== undefined) query = query.where('user_id', '=', filter.userId);
    if (filter.eventId !== undefined) query = query.where('event_id', '=', filter.eventId);
    if (filter.status !== undefined) query = query.where('status', '=', filter.status);
    return query
      .orderBy('plan_ms')
      .orderBy('id')
      .limit(maxNotifications + 1)
      .execute();
  });
}

/** Cancels a planned notification at the user's request. Only a forced replan can plan it again. */
export function cancelNotification({ store, clock }: AssistantData, id: string): Promise<Notification> {
  const now = clock();
  return store.write(async (writer) => {
    const row = await findNotification(writer.db, id);
    if (row.status === 'cancelled') return row;
    const cancelled = await writer.db
      .updateTable('notifications')
      .set({ status: 'cancelled', reason: 'cancelled on request', escalate_ms: null, updated_ms: now })
      .where('id', '=', id)
      .where('status', '=', 'planned')
      .returningAll()
      .executeTakeFirst();
    if (cancelled === undefined)
      throw new Failure(
        'refused',
        `This notification is ${row.status}; only planned notifications can be cancelled.`,
      );
    const subject = { userId: row.user_id, eventId: row.event_id, notificationId: id };
    const detail = { reason: 'on request' };
    await auditChange(writer, now, { action: 'notification.cancelled', ...subject, detail });
    return cancelled;
  });
}

/**
 * Records that the user knows about this occurrence and cancels its other reminders on all channels, and the same for
 * the occurrences whose reminders its message carried. Notices of later changes are still sent.
 */
export function acknowledgeNotification(
  { store, clock }: AssistantData,
  id: string,
  by: string,
): Promise<Notification> {
  const now = clock();
  return store.write(async (writer) => {
    const row = await findNotification(writer.db, id);
    if (row.acknowledged_ms !== null) return row;
    if (row.status === 'cancelled')
      throw new Failure('refused', 'This notification was cancelled and cannot be acknowledged.');
    await markAcknowledged(writer, row, by, now);
    const carried = await writer.db
      .selectFrom('notifications')
      .selectAll()
      .where('leader_id', '=', id)
      .where('status', 'in', ['sent', 'delivered'])
      .where('acknowledged_ms', 'is', null)
      .execute();
    for (const one of carried) await markAcknowledged(writer, one, by, now);
    return findNotification(writer.db, id);
  });
}

async function markAcknowledged(writer: Writer, row: Notification, by: string, now: number): Promise<void> {
  const { db } = writer;
  const { id } = row;
  const root = row.parent_id ?? id;
  await db
    .updateTable('notifications')
    .set({ acknowledged_ms: now, acknowledged_by: by, escalate_ms: null, updated_ms: now })
    .where('event_id', '=', row.event_id)
    .where('occurrence', '=', row.occurrence)
    .where('user_id', '=', row.user_id)
    .where(({ eb, and, or }) =>
      or([
        eb('id', '=', id),
        // Notices without an event, such as a report of missed notifications, are acknowledged one by one.
        and([eb('event_id', '!=', ''), eb('status', 'in', ['sent', 'delivered', 'sending'])]),
      ]),
    )
    .where('acknowledged_ms', 'is', null)
    .execute();
  await db
    .updateTable('notifications')
    .set({ status: 'cancelled', reason: 'acknowledged', updated_ms: now })
    .where('user_id', '=', row.user_id)
    .where('event_id', '=', row.event_id)
    .where('occurrence', '=', row.occurrence)
    .where(({ eb, or }) => or([eb('change', 'is', null), eb('id', '=', id), eb('parent_id', '=', root)]))
    .where('status', '=', 'planned')
    .execute();
  const subject = { userId: row.user_id, eventId: row.event_id, notificationId: id };
  await auditChange(writer, now, { action: 'notification.acknowledged', ...subject, detail: { by } });
}

const minuteMs = 60_000;
/** How often one occurrence can be put off. */
const maxSnoozes = 10;

export interface SnoozeRequest {
  readonly minutes?: number | undefined;
  /** A local time, in digits or in words. */
  readonly until?: string | undefined;
}

/** Plans a reminder again at a later time that the user chooses. Ends its escalation. */
export async function snoozeNotification(
  { store, clock }: AssistantData,
  id: string,
  { minutes, until: written }: SnoozeRequest,
  by: string,
): Promise<Notification> {
  const now = clock();
  const until = written === undefined ? undefined : await untilInDigits(store, id, written, now);
  return store.write(async (writer) => {
    const { db } = writer;
    const row = await findNotification(db, id);
    if (row.event_id === '' || row.change !== null)
      throw new Failure('refused', 'Only reminders of events can be snoozed.');
    if (row.status === 'cancelled' || row.acknowledged_ms !== null)
      throw new Failure('refused', 'This reminder was cancelled or acknowledged and cannot be snoozed.');
    const user = await findUser(db, row.user_id);
    const event = await findEvent(db, row.event_id);
    const siblings = await db
      .selectFrom('notifications')
      .selectAll()
      .where('event_id', '=', row.event_id)
      .where('occurrence', '=', row.occurrence)
      .execute();
    const untilMs = snoozeTime({ minutes, until }, row, event, user, now);
    const snoozed = { ...snoozeRow(row, user, untilMs, now, siblings), status: 'planned' as const };
    const known = siblings.find(({ key }) => key === snoozed.key);
    if (known !== undefined) return known;
    if (siblings.filter(({ origin }) => origin === 'snooze').length >= maxSnoozes)
      throw new Failure('refused', `This event was already snoozed ${maxSnoozes} times.`);
    await db
      .updateTable('notifications')
      .set({ escalate_ms: null, updated_ms: now })
      .where('event_id', '=', row.event_id)
      .where('occurrence', '=', row.occurrence)
      .execute();
    await db
      .updateTable('notifications')
      .set({ status: 'cancelled', reason: 'snoozed', updated_ms: now })
      .where('event_id', '=', row.event_id)
      .where('occurrence', '=', row.occurrence)
      .where('status', '=', 'planned')
      .where(({ eb, or }) =>
        or([eb('parent_id', 'is not', null), eb('id', '=', id), eb('origin', '=', 'snooze')]),
      )
      .where('change', 'is', null)
      .execute();
    const added = await db
      .insertInto('notifications')
      .values(snoozed)
      .returningAll()
      .executeTakeFirstOrThrow();
    const detail = { by, until: new Date(untilMs).toISOString() };
    await audit(writer, now, [
      { action: 'notification.snoozed', userId: user.id, eventId: event.id, notificationId: id, detail },
    ]);
    writer.changed({ kind: 'notification', id: added.id, userId: user.id });
    return added;
  });
}

/** When to remind again; `until` is in digits. Not after the start of the event. The user names this time, so it may be in quiet hours. */
export function snoozeTime(
  { minutes = 10, until }: SnoozeRequest,
  row: Pick<Notification, 'event_start_ms'>,
  event: CalendarEvent,
  user: User,
  now: number,
): number {
  const { timezone } = preferencesOf(user);
  const latestMs =
    row.event_start_ms +
    (plainMinutes(event) ?? afterMinutes(event, { ...(event.task && { task: event.task }) })) * minuteMs;
  const wanted = until === undefined ? now + minutes * minuteMs : parseTime(until, timezone, 'until', now).ms;
  // A button cannot know when the event starts, so the last minute before it is good enough.
  const untilMs = until === undefined && wanted >= latestMs ? latestMs - minuteMs : wanted;
  if (untilMs <= now) throw new Failure('refused', 'It is too late to snooze: the event is about to start.');
  if (untilMs > latestMs)
    throw new Failure(
      'refused',
      `The event starts at ${new Date(latestMs).toISOString()}; snooze until a time before that.`,
    );
  return untilMs;
}

/** A reminder without a meeting, as `remind` sets it, can be put off after its time: a repeated one until the next day. */
function plainMinutes({ start_ms, end_ms, task, series }: CalendarEvent): number | undefined {
  if (end_ms !== start_ms || task !== null) return undefined;
  return (series === null ? 7 : 1) * 1440;
}

/** The new reminder, on the same channel if the user allows it at that time. */
export function snoozeRow(
  row: Notification,
  user: User,
  untilMs: number,
  now: number,
  siblings: readonly Notification[],
) {
  const preferences = preferencesOf(user);
  const calls = siblings.filter(
    ({ channel, status, event_start_ms }) =>
      channel === 'call' && status !== 'cancelled' && event_start_ms === row.event_start_ms,
  ).length;
  const allowed = channelsAtNamedTime(untilMs, preferences, reachableBy(user)).filter(
    (channel) => channel !== 'call' || calls < preferences.maxCallAttempts,
  );
  if (allowed.length === 0)
    throw new Failure('refused', `${calls} calls for this event were already made or planned.`);
  const quiet = allowed.filter((channel) => channel !== 'call');
  const channel =
    allowed.includes(row.channel) && row.channel !== 'call' ? row.channel : (quiet[0] ?? allowed[0]!);
  return {
    ...row,
    id: newId(now),
    key: JSON.stringify([row.event_id, row.occurrence, row.event_start_ms, 'snooze', untilMs]),
    origin: 'snooze' as const,
    slot: Math.floor((untilMs - row.event_start_ms) / minuteMs),
    channel,
    urgency: 'normal' as const,
    plan_ms: untilMs,
    next_ms: untilMs,
    reason: 'snoozed',
    payload: withWhy(row.payload, textsFor(preferences.locale).reasons.snooze),
    attempts: 0,
    owner: null,
    lease_ms: null,
    fence: 0,
    sent_ms: null,
    result: null,
    error: null,
    parent_id: null,
    level: 0,
    escalate_ms: null,
    attention: null,
    attention_why: null,
    leader_id: null,
    created_ms: now,
    updated_ms: now,
  };
}

function withWhy(payload: string, why: string): string {
  const { timing: _, ...rest } = parsePayload(payload);
  return JSON.stringify({ ...rest, why });
}

/** Reads words before the transaction, which must not wait for the library. */
async function untilInDigits(
  store: AssistantData['store'],
  id: string,
  written: string,
  now: number,
): Promise<string> {
  const user = await store.read(async (db) => findUser(db, (await findNotification(db, id)).user_id));
  const { timezone, locale } = preferencesOf(user);
  return inDigits(written, timezone, now, locale, 'until');
}

/**
 * "Less like this": a rule limits events with this title to one reminder; said again, to none. The rule is listed with the
 * other rules of the user and can be deleted. A planned reminder is cancelled as well.
 */
export async function preferFewer(data: AssistantData, id: string): Promise<Notification> {
  const row = await data.store.read((db) => findNotification(db, id));
  const { title } = await data.store.read((db) => findEvent(db, row.event_id));
  const known = (await listRules(data, row.user_id)).find(
    (rule) =>
      rule.rule_type === 'fewer_reminders' && titleKey(configOf(rule).title ?? '') === titleKey(title),
  );
  const max = known === undefined ? 1 : Math.max(0, (configOf(known).max ?? 1) - 1);
  await setRule(data, row.user_id, known?.id, {
    type: 'fewer_reminders',
    config: { title, max },
    priority: known?.priority ?? 0,
    enabled: true,
  });
  return row.status === 'planned' ? cancelNotification(data, id) : row;
}
