import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../../failure.ts';
import type { CalendarEvent, Notification, Plan, Rule, User } from '../../store/schema.ts';
import type { Writer } from '../../store/store.ts';
import { attendPerson } from '../attention/store-attention.ts';
import { auditChange } from '../entities/decision-log.ts';
import { type AssistantData, findUser, lockUser, rowOf, updateRow } from '../entities/entity-access.ts';
import { replanEvent, replanUser } from '../planning/replanning.ts';
import { removeEvent, updateInvitations } from './events.ts';
import { type Difference, type KeptChange, type Pair, takeChange } from './kept-changes.ts';

/** The rows that a change can touch, by id. */
export interface TouchedRows {
  readonly users?: readonly User[];
  readonly events?: readonly CalendarEvent[];
  readonly notifications?: readonly Notification[];
  readonly rules?: readonly Rule[];
  /** The decisions of the policy about events that the change can delete. */
  readonly plans?: readonly Plan[];
}

/** Returns undefined if nothing changed. */
export function differenceOf(before: TouchedRows, after: TouchedRows): Difference | undefined {
  const difference = {
    users: pairs(before.users, after.users),
    events: pairs(before.events, after.events),
    notifications: pairs(before.notifications, after.notifications),
    rules: pairs(before.rules, after.rules),
    removedPlans: removed(before.plans, after.plans),
  };
  return Object.values(difference).some(({ length }) => length > 0) ? difference : undefined;
}

function pairs<Row extends { readonly id: string }>(
  before: readonly Row[] = [],
  after: readonly Row[] = [],
): readonly Pair<Row>[] {
  const old = new Map(before.map((row) => [row.id, row]));
  const kept = new Map(after.map((row) => [row.id, row]));
  return [...new Set([...old.keys(), ...kept.keys()])]
    .map((id) => ({ before: old.get(id), after: kept.get(id) }))
    .filter((pair) => JSON.stringify(pair.before) !== JSON.stringify(pair.after));
}

function removed(before: readonly Plan[] = [], after: readonly Plan[] = []): readonly Plan[] {
  const keyOf = ({ event_id, occurrence }: Plan) => JSON.stringify([event_id, occurrence]);
  const kept = new Set(after.map(keyOf));
  return before.filter((plan) => !kept.has(keyOf(plan)));
}

/**
 * Restores the rows as they were before a change, once. Planned notifications follow restored events and people. Returns how many
 * notifications of the change can no longer be taken back, because they were sent.
 */
export function undoChange(data: AssistantData, { key, difference }: KeptChange): Promise<number> {
  const now = data.clock();
  return data.store.write(async (writer) => {
    await takeChange(writer, key);
    const users: User[] = [];
    const events: CalendarEvent[] = [];
    for (const pair of difference.users) users.push(await restoreUser(writer, pair, now));
    for (const pair of difference.rules) await restoreRule(writer, pair, now);
    for (const pair of difference.events) events.push(...(await restoreEvent(writer, pair, now)));
    for (const plan of difference.removedPlans)
      await writer.db
        .insertInto('plans')
        .values(plan)
        .onConflict((conflict) => conflict.columns(['event_id', 'occurrence']).doNothing())
        .execute();
    const sent = await restoreNotifications(writer, difference.notifications, now);
    // Last, so that restored notifications are kept and not planned a second time.
    for (const user of users) {
      await replanUser(writer, data, user, now);
      await attendPerson(writer, await lockUser(writer.db, user.id), now);
    }
    for (const event of events) {
      const user = await findUser(writer.db, event.user_id);
      await updateInvitations(writer, data, user, event, now);
      await replanEvent(writer, data, user, event, now);
    }
    return sent;
  });
}

async function restoreUser(writer: Writer, { before, after }: Pair<User>, now: number): Promise<User> {
  const current = await findUser(writer.db, after!.id);
  if (!isUnchanged(current, after)) throw changedSince(current.name);
  const { id, created_ms, ...fields } = before!;
  const others = writer.db.selectFrom('users').select('name').where('id', '!=', id);
  const other = fields.email && (await others.where('email', '=', fields.email).executeTakeFirst());
  if (other) throw new Failure('conflict', `${other.name} uses the address ${fields.email} now.`);
  const row = { ...fields, updated_ms: now };
  await auditChange(writer, now, { action: 'user.updated', userId: id, detail: { undone: true } });
  return updateRow(writer.db, 'users', id, row);
}

async function restoreRule(writer: Writer, { before, after }: Pair<Rule>, now: number): Promise<void> {
  const { id, user_id: userId } = (after ?? before)!;
  const { db } = writer;
  const current = await rowOf(db, 'rules', id);
  if (!isUnchanged(current, after))
    throw new Failure('conflict', 'The rule was changed again since, so this change cannot be undone.');
  await db.deleteFrom('rules').where('id', '=', id).execute();
  if (before !== undefined)
    await db
      .insertInto('rules')
      .values({ ...before, updated_ms: now })
      .execute();
  const action = before === undefined ? 'rule.deleted' : 'rule.set';
  await auditChange(writer, now, { action, userId, detail: { rule: id, undone: true } });
}

/** Returns the event, unless the change has added it. */
async function restoreEvent(
  writer: Writer,
  { before, after }: Pair<CalendarEvent>,
  now: number,
): Promise<readonly CalendarEvent[]> {
  const { id, user_id: userId, title } = (after ?? before)!;
  const current = await rowOf(writer.db, 'events', id);
  if (!isUnchanged(current, after)) throw changedSince(title);
  // The event was added by the change, so nobody has to hear that it is cancelled.
  if (before === undefined) {
    await removeEvent(writer, current!, 'its creation was undone', now, true);
    return [];
  }
  const row = { ...before, updated_ms: now };
  if (current === undefined) await insertAgain(writer, row);
  else await updateRow(writer.db, 'events', id, row);
  await auditChange(writer, now, { action: 'event.updated', userId, eventId: id, detail: { undone: true } });
  return [row];
}

async function insertAgain({ db }: Writer, row: CalendarEvent): Promise<void> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('events')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_id', 'provider', 'provider_event_id']).doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 0n) throw changedSince(row.title);
}

/**
 * Added reminders are cancelled as on request, so that they are not planned again at once. An added notice of a change
 * releases its key, because the same change may be made and reported again.
 */
async function restoreNotifications(
  writer: Writer,
  changes: readonly Pair<Notification>[],
  now: number,
): Promise<number> {
  const { db } = writer;
  const open: Pair<Notification>[] = [];
  let sent = 0;
  for (const pair of changes) {
    const { before, after } = pair;
    if (after === undefined) continue;
    if (before !== undefined && before.status !== 'planned' && before.status !== 'cancelled') {
      await takeBackAcknowledgement(writer, before, after, now);
      continue;
    }
    const current = await rowOf(db, 'notifications', after.id);
    const isOpen = current?.status === 'planned' || current?.status === 'cancelled';
    if (isOpen && current.status === after.status) open.push(pair);
    else if (current !== undefined && !isOpen) sent++;
  }
  // Keys are unique, and a restored notification may need the key that another one has now.
  for (const { after } of open)
    await updateRow(db, 'notifications', after!.id, { key: `${after!.key}#undone ${after!.id}` });
  const taken = new Set(open.flatMap(({ before }) => before?.key ?? []));
  for (const { before, after } of open) {
    const { id, user_id: userId, event_id: eventId, key } = after!;
    const fields = before ?? {
      status: 'cancelled' as const,
      reason: 'undone',
      ...(after!.change === null && !taken.has(key) && { key }),
    };
    await updateRow(db, 'notifications', id, { ...fields, updated_ms: now });
    const action = before === undefined ? 'notification.cancelled' : 'notification.restored';
    const detail = { reason: 'undone' };
    await auditChange(writer, now, { action, userId, eventId, notificationId: id, detail });
  }
  return sent;
}

async function takeBackAcknowledgement(
  writer: Writer,
  { acknowledged_ms, acknowledged_by, escalate_ms }: Notification,
  { id, user_id: userId, event_id: eventId, acknowledged_ms: at }: Notification,
  now: number,
): Promise<void> {
  if (at === null || at === acknowledged_ms) return;
  await writer.db
    .updateTable('notifications')
    .set({ acknowledged_ms, acknowledged_by, escalate_ms, updated_ms: now })
    .where('id', '=', id)
    .where('acknowledged_ms', '=', at)
    .execute();
  const entry = { action: 'notification.restored', userId, eventId, notificationId: id };
  await auditChange(writer, now, { ...entry, detail: { reason: 'undone' } });
}

/** True also if a later change was undone: its rows are as before, except for the time of writing. */
function isUnchanged<Row extends { readonly updated_ms: number }>(
  current: Row | undefined,
  after: Row | undefined,
): boolean {
  if (current === undefined || after === undefined) return current === after;
  const { updated_ms } = current;
  return updated_ms === after.updated_ms || isDeepStrictEqual({ ...current }, { ...after, updated_ms });
}

function changedSince(name: string): Failure {
  return new Failure('conflict', `“${name}” was changed again since, so this change cannot be undone.`);
}
