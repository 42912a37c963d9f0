import { sql } from 'kysely';
import type { JsonObject } from '../../json.ts';
import { type AuditEntry, auditRows } from '../store/audit.ts';
import type { NewNotification, Notification, NotificationStatus } from '../store/schema.ts';
import type { Store, Writer } from '../store/store.ts';

/** How a claimed notification goes on. */
export interface OutcomeRecord {
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

/**
 * Ends claims. Only who still holds a claim can: the fence tells. On PostgreSQL the common case, a record that nothing
 * else follows from, takes one statement; whatever that one does not find in our hands any more is looked at closely.
 */
export async function settle(
  store: Store,
  owner: string,
  nowMs: number,
  settlements: readonly OutcomeRecord[],
): Promise<void> {
  const plain = store.engine === 'postgres' ? settlements.filter(({ follow }) => follow === undefined) : [];
  const settled = new Set(plain.length === 0 ? [] : await settleAtOnce(store, owner, nowMs, plain));
  const rest = settlements.filter(({ notification }) => !settled.has(notification.id));
  if (rest.length > 0) await store.write((writer) => settleClosely(writer, store.engine, owner, nowMs, rest));
}

async function settleAtOnce(
  store: Store,
  owner: string,
  nowMs: number,
  settlements: readonly OutcomeRecord[],
): Promise<readonly string[]> {
  const entries = JSON.stringify(auditRows(nowMs, settlements.map(entry)));
  const rows = await store.run(sql<{
    id: string;
  }>`with settled as (${update('postgres', owner, nowMs, settlements)}),
    noted as (insert into audit select entries.* from jsonb_populate_recordset(null::audit, ${entries}::jsonb) as entries
      where entries.notification_id in (select id from settled))
    select id from settled`);
  return rows.map(({ id }) => id);
}

/** What was taken away from us is left as it is, and the record says what had happened to it here. */
export async function settleClosely(
  writer: Writer,
  engine: Store['engine'],
  owner: string,
  nowMs: number,
  settlements: readonly OutcomeRecord[],
): Promise<void> {
  const { db } = writer;
  const { rows } = await update(engine, owner, nowMs, settlements).execute(db);
  const ours = new Set(rows.map(({ id }) => id));
  const known = await settledBefore(db, settlements, ours);
  const follows = settlements.flatMap(({ notification, follow }) =>
    follow !== undefined && ours.has(notification.id) ? [follow] : [],
  );
  await addNotifications(writer, follows);
  const entries = settlements
    .filter(({ notification }) => !known.has(notification.id))
    .map((one) => (ours.has(one.notification.id) ? entry(one) : superseded(one)));
  if (entries.length > 0) await db.insertInto('audit').values(auditRows(nowMs, entries)).execute();
}

/**
 * A commit whose answer was lost is tried again. Nobody else can have had our fence, so a row that still carries it
 * without being claimed was settled by us.
 */
async function settledBefore(
  db: Writer['db'],
  settlements: readonly OutcomeRecord[],
  ours: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const missing = settlements.map(({ notification }) => notification).filter(({ id }) => !ours.has(id));
  if (missing.length === 0) return new Set();
  const ids = missing.map(({ id }) => id);
  const rows = await db.selectFrom('notifications').select(['id', 'fence']).where('id', 'in', ids).execute();
  const fences = new Map(rows.map(({ id, fence }) => [id, fence]));
  return new Set(missing.filter(({ id, fence }) => fences.get(id) === fence).map(({ id }) => id));
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

function update(
  engine: Store['engine'],
  owner: string,
  nowMs: number,
  settlements: readonly OutcomeRecord[],
) {
  const values = settlements.map(
    ({ notification, ...to }): Record<keyof typeof columns, string | number | null> => ({
      id: notification.id,
      fence: notification.fence,
      key: to.key ?? notification.key,
      status: to.status,
      reason: to.reason ?? notification.reason,
      next_ms: to.nextMs ?? notification.next_ms,
      attempts: to.attempts ?? notification.attempts,
      sent_ms: to.sentMs ?? notification.sent_ms,
      result: to.result ?? null,
      error: to.error ?? null,
      escalate_ms: to.escalateMs ?? null,
    }),
  );
  return sql<{ id: string }>`update notifications
    set key = v.key, status = v.status, reason = v.reason, next_ms = v.next_ms, attempts = v.attempts,
      sent_ms = v.sent_ms, result = v.result, error = v.error, escalate_ms = v.escalate_ms, owner = null,
      lease_ms = null, updated_ms = ${nowMs}
    from ${table(engine, JSON.stringify(values))} as v
    where notifications.id = v.id and notifications.fence = v.fence and notifications.owner = ${owner}
      and notifications.status = 'sending'
    returning notifications.id`;
}

/** A list of rows as a table, in the words of each engine. */
function table(engine: Store['engine'], values: string) {
  const names = Object.entries(columns);
  return engine === 'postgres'
    ? sql`(select * from jsonb_to_recordset(${values}::jsonb) as j(${sql.raw(names.map(([name, type]) => `${name} ${type}`).join(', '))}))`
    : sql`(select ${sql.raw(names.map(([name]) => `value ->> '${name}' as ${name}`).join(', '))} from json_each(${values}))`;
}

function entry({ notification, action, detail }: OutcomeRecord): AuditEntry {
  const { id, user_id, event_id, attempts, channel } = notification;
  return {
    action,
    userId: user_id,
    eventId: event_id === '' ? undefined : event_id,
    notificationId: id,
    detail: { channel, attempt: attempts, ...detail },
  };
}

function superseded(settlement: OutcomeRecord): AuditEntry {
  const told = entry(settlement);
  return { ...told, action: 'notification.superseded', detail: { instead_of: told.action, ...told.detail } };
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
