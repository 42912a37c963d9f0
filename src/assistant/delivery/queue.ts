import { sql } from 'kysely';
import type { JsonObject } from '../../json.ts';
import { type AuditEntry, audit } from '../store/audit.ts';
import type { NewNotification, Notification, NotificationStatus } from '../store/schema.ts';
import type { Store, Writer } from '../store/store.ts';
import type { Case, Relative } from './checklist.ts';

export interface Lease {
  readonly owner: string;
  readonly ms: number;
}

/**
 * Takes what is due under a lease and a new fence, earliest first, together with what the database knows about it at
 * that moment. What another worker holds is left alone until its lease has run out.
 */
export async function claim(
  { db }: Writer,
  engine: Store['engine'],
  lease: Lease,
  nowMs: number,
  limit: number,
): Promise<Case[]> {
  const due = sql`select id from notifications
    where status in ('planned', 'sending') and next_ms <= ${nowMs} and (status = 'planned' or lease_ms <= ${nowMs})
    order by next_ms limit ${limit}`;
  const { rows } = await sql<Notification>`update notifications
    set status = 'sending', owner = ${lease.owner}, lease_ms = ${nowMs + lease.ms}, attempts = attempts + 1,
      fence = fence + 1, updated_ms = ${nowMs}
    where ${among(engine, due)} returning *`.execute(db);
  return circumstances({ db }, rows);
}

/** PostgreSQL may run a plain subquery more than once, and then lock more than it was asked for. */
function among(engine: Store['engine'], due: ReturnType<typeof sql>) {
  return engine === 'postgres' ? sql`id = any(array(${due} for update skip locked))` : sql`id in (${due})`;
}

/** Takes the notifications whose answer is overdue; each is taken once. */
export async function claimUnanswered(
  { db }: Writer,
  engine: Store['engine'],
  nowMs: number,
  limit: number,
): Promise<Case[]> {
  const due = sql`select id from notifications
    where escalate_ms is not null and escalate_ms <= ${nowMs} order by escalate_ms limit ${limit}`;
  const { rows } = await sql<Notification>`update notifications set escalate_ms = null, updated_ms = ${nowMs}
    where ${among(engine, due)} returning *`.execute(db);
  return circumstances({ db }, rows);
}

async function circumstances({ db }: Pick<Writer, 'db'>, rows: readonly Notification[]): Promise<Case[]> {
  if (rows.length === 0) return [];
  const eventIds = [...new Set(rows.map(({ event_id }) => event_id).filter((id) => id !== ''))];
  const userIds = [...new Set(rows.map(({ user_id }) => user_id))];
  const users = await db.selectFrom('users').selectAll().where('id', 'in', userIds).execute();
  const userOf = new Map(users.map((user) => [user.id, user]));
  if (eventIds.length === 0)
    return rows.map((notification) => ({
      notification,
      user: userOf.get(notification.user_id),
      event: undefined,
      relatives: [],
    }));
  const events = await db.selectFrom('events').selectAll().where('id', 'in', eventIds).execute();
  const relatives: Relative[] = await db
    .selectFrom('notifications')
    .select(['id', 'user_id', 'event_id', 'occurrence', 'channel', 'status', 'parent_id', 'acknowledged_ms'])
    .where('event_id', 'in', eventIds)
    .execute();
  const eventOf = new Map(events.map((event) => [event.id, event]));
  const relativesOf = Map.groupBy(relatives, ({ event_id }) => event_id);
  return rows.map((notification) => ({
    notification,
    user: userOf.get(notification.user_id),
    event: eventOf.get(notification.event_id),
    relatives: relativesOf.get(notification.event_id) ?? [],
  }));
}

/** How a claimed notification goes on. */
export interface Settlement {
  readonly notification: Notification;
  readonly status: NotificationStatus;
  /** Where what is called off gives its key back. */
  readonly key?: string;
  readonly reason?: string;
  readonly nextMs?: number;
  readonly attempts?: number;
  readonly sentMs?: number;
  readonly result?: string;
  readonly error?: string;
  readonly escalateMs?: number | undefined;
  readonly action: string;
  readonly detail?: JsonObject;
  /** What is to be sent instead or besides. */
  readonly follow?: NewNotification | undefined;
}

const columns = {
  id: 'text',
  fence: 'integer',
  key: 'text',
  status: 'text',
  reason: 'text',
  next_ms: 'bigint',
  attempts: 'integer',
  sent_ms: 'bigint',
  result: 'text',
  error: 'text',
  escalate_ms: 'bigint',
} as const;

/**
 * Ends claims, all in one statement. Only who still holds the claim can: the fence tells. What was taken away in the
 * meantime is left as it is, and the record says what had happened to it here. Tells which ones were ours.
 */
export async function settle(
  writer: Writer,
  engine: Store['engine'],
  owner: string,
  nowMs: number,
  settlements: readonly Settlement[],
): Promise<ReadonlySet<string>> {
  if (settlements.length === 0) return new Set();
  const { db } = writer;
  const values = JSON.stringify(
    settlements.map(
      (settlement): Record<keyof typeof columns, string | number | null> => ({
        id: settlement.notification.id,
        fence: settlement.notification.fence,
        key: settlement.key ?? settlement.notification.key,
        status: settlement.status,
        reason: settlement.reason ?? settlement.notification.reason,
        next_ms: settlement.nextMs ?? settlement.notification.next_ms,
        attempts: settlement.attempts ?? settlement.notification.attempts,
        sent_ms: settlement.sentMs ?? settlement.notification.sent_ms,
        result: settlement.result ?? null,
        error: settlement.error ?? null,
        escalate_ms: settlement.escalateMs ?? null,
      }),
    ),
  );
  const { rows } = await sql<{ id: string }>`update notifications
    set key = v.key, status = v.status, reason = v.reason, next_ms = v.next_ms, attempts = v.attempts, sent_ms = v.sent_ms, result = v.result,
      error = v.error, escalate_ms = v.escalate_ms, owner = null, lease_ms = null, updated_ms = ${nowMs}
    from ${table(engine, values)} as v
    where notifications.id = v.id and notifications.fence = v.fence and notifications.owner = ${owner}
      and notifications.status = 'sending'
    returning notifications.id`.execute(db);
  const ours = new Set(rows.map(({ id }) => id));
  const known = await settledBefore(db, settlements, ours);

  const follows = settlements.flatMap(({ notification, follow }) =>
    follow !== undefined && ours.has(notification.id) ? [follow] : [],
  );
  await addNotifications(writer, follows);
  await audit(
    writer,
    nowMs,
    settlements.flatMap((one) => (known.has(one.notification.id) ? [] : [entry(one, ours)])),
  );
  for (const { notification } of settlements)
    writer.changed({ kind: 'notification', id: notification.id, userId: notification.user_id });
  return ours;
}

/**
 * A commit whose answer was lost is tried again. Nobody else can have had our fence, so a row that still carries it
 * without being claimed was ended by us.
 */
async function settledBefore(
  db: Writer['db'],
  settlements: readonly Settlement[],
  ours: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const missing = settlements.map(({ notification }) => notification).filter(({ id }) => !ours.has(id));
  if (missing.length === 0) return new Set();
  const ids = missing.map(({ id }) => id);
  const rows = await db.selectFrom('notifications').select(['id', 'fence']).where('id', 'in', ids).execute();
  const fences = new Map(rows.map(({ id, fence }) => [id, fence]));
  return new Set(missing.filter(({ id, fence }) => fences.get(id) === fence).map(({ id }) => id));
}

/** A list of rows as a table, in the words of each engine. */
function table(engine: Store['engine'], values: string) {
  const names = Object.entries(columns);
  return engine === 'postgres'
    ? sql`(select * from jsonb_to_recordset(${values}::jsonb) as j(${sql.raw(names.map(([name, type]) => `${name} ${type}`).join(', '))}))`
    : sql`(select ${sql.raw(names.map(([name]) => `value ->> '${name}' as ${name}`).join(', '))} from json_each(${values}))`;
}

function entry({ notification, action, detail }: Settlement, ours: ReadonlySet<string>): AuditEntry {
  const { id, user_id, event_id, attempts, channel } = notification;
  return {
    action: ours.has(id) ? action : 'notification.superseded',
    userId: user_id,
    eventId: event_id === '' ? undefined : event_id,
    notificationId: id,
    detail: { channel, attempt: attempts, ...(!ours.has(id) && { instead_of: action }), ...detail },
  };
}

/** Adds what is not there yet: two workers may come to the same conclusion. */
export async function addNotifications(writer: Writer, rows: readonly NewNotification[]): Promise<void> {
  if (rows.length === 0) return;
  await writer.db
    .insertInto('notifications')
    .values([...rows])
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  for (const { id, user_id } of rows) writer.changed({ kind: 'notification', id, userId: user_id });
}

/** When there is next something to do: a notification to send, a lease that runs out, an answer overdue. */
export async function nextDue(store: Store, nowMs: number): Promise<number | undefined> {
  const { rows } = await store.read((db) =>
    sql<{ at: number | null }>`select min(at) as at from (
      select at from (select next_ms as at from notifications
        where status in ('planned', 'sending') and (status = 'planned' or next_ms > ${nowMs})
        order by next_ms limit 1) as planned
      union all
      select min(lease_ms) as at from notifications where status in ('planned', 'sending') and status = 'sending'
        and next_ms <= ${nowMs}
      union all
      select min(escalate_ms) as at from notifications where escalate_ms is not null
    ) as times`.execute(db),
  );
  return rows[0]?.at ?? undefined;
}
