import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { Failure } from '../../failure.ts';
import type { JsonObject } from '../../json.ts';
import { log } from '../../log.ts';
import type { NewNotification, Notification, NotificationStatus } from '../../store/schema.ts';
import type { Clock, Store, Writer } from '../../store/store.ts';
import { type AuditEntry, auditRows } from '../entities/decision-log.ts';

/** New state of a claimed notification, with its audit entry. */
export interface OutcomeRecord {
  readonly notification: Notification;
  readonly status: NotificationStatus;
  /** A new key, which releases the old one for another notification. */
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
  /** True if the message carried reminders of other events, which are sent with it. */
  readonly carries?: boolean;
  /** Notification to add on the next channel. */
  readonly followUp?: NewNotification | undefined;
}

/**
 * Records outcomes and ends the claims. Only the current holder of a claim may do so; the fence identifies it. On
 * PostgreSQL, records without a follow-up take one statement. All other records, and those whose claim was lost, go
 * through a transaction.
 */
export async function recordOutcomes(
  store: Store,
  owner: string,
  nowMs: number,
  records: readonly OutcomeRecord[],
): Promise<void> {
  // If the clock jumps, a worker can claim a notification again while it delivers it. Only the last claim counts.
  const last = new Map(records.map((one) => [one.notification.id, one]));
  const simple =
    store.engine === 'postgres'
      ? records.filter(
          (one) => one.followUp === undefined && !one.carries && last.get(one.notification.id) === one,
        )
      : [];
  const recorded = new Set(
    simple.length === 0 ? [] : await recordInOneStatement(store, owner, nowMs, simple),
  );
  const rest = records.filter((one) => !(recorded.has(one.notification.id) && simple.includes(one)));
  if (rest.length > 0)
    await store.write((writer) => recordInTransaction(writer, store.engine, owner, nowMs, rest));
}

async function recordInOneStatement(
  store: Store,
  owner: string,
  nowMs: number,
  records: readonly OutcomeRecord[],
): Promise<readonly string[]> {
  const entries = JSON.stringify(auditRows(nowMs, records.map(auditEntry)));
  const rows = await store.run(sql<{
    id: string;
  }>`with updated as (${update('postgres', owner, nowMs, records)}),
    logged as (insert into audit select entries.* from jsonb_populate_recordset(null::audit, ${entries}::jsonb) as entries
      where entries.notification_id in (select id from updated))
    select id from updated`);
  return rows.map(({ id }) => id);
}

/** Leaves a notification unchanged if its claim was lost, and adds an audit entry for the superseded outcome. */
export async function recordInTransaction(
  writer: Writer,
  engine: Store['engine'],
  owner: string,
  nowMs: number,
  records: readonly OutcomeRecord[],
): Promise<void> {
  const { db } = writer;
  const { rows } = await update(engine, owner, nowMs, records).execute(db);
  const fences = new Map(rows.map(({ id, fence }) => [id, fence]));
  const isOurs = ({ notification: { id, fence } }: OutcomeRecord) => fences.get(id) === fence;
  const others = records.filter((one) => !isOurs(one));
  const done = await alreadyRecorded(db, others);
  const followUps = records.flatMap((one) => (one.followUp && isOurs(one) ? [one.followUp] : []));
  await addNotifications(writer, followUps);
  const carried = await recordCarried(
    writer,
    records.filter((one) => one.carries && isOurs(one)),
    nowMs,
  );
  const entries = records
    .filter((one) => !done.has(one))
    .map((one) => (isOurs(one) ? auditEntry(one) : superseded(one)))
    .concat(carried);
  if (entries.length > 0) await db.insertInto('audit').values(auditRows(nowMs, entries)).execute();
}

/** Marks the reminders as sent that the messages of others carried. */
async function recordCarried(
  { db, changed }: Writer,
  leaders: readonly OutcomeRecord[],
  nowMs: number,
): Promise<AuditEntry[]> {
  if (leaders.length === 0) return [];
  const rows = await db
    .updateTable('notifications')
    .set({ status: 'sent', sent_ms: nowMs, updated_ms: nowMs })
    .where(
      'leader_id',
      'in',
      leaders.map(({ notification }) => notification.id),
    )
    .where('status', '=', 'planned')
    .returning(['id', 'user_id', 'event_id', 'leader_id', 'attention_why'])
    .execute();
  return rows.map(({ id, user_id: userId, event_id: eventId, leader_id: into, attention_why: reason }) => {
    changed({ kind: 'notification', id, userId });
    return { action: 'notification.said', userId, eventId, notificationId: id, detail: { into, reason } };
  });
}

/**
 * Finds records that an earlier attempt committed although its answer was lost. No other worker can have the same fence,
 * so a row with our fence that is no longer claimed was recorded by us.
 */
async function alreadyRecorded(
  db: Writer['db'],
  records: readonly OutcomeRecord[],
): Promise<ReadonlySet<OutcomeRecord>> {
  if (records.length === 0) return new Set();
  const ids = records.map(({ notification }) => notification.id);
  const rows = await db.selectFrom('notifications').select(['id', 'fence']).where('id', 'in', ids).execute();
  const fences = new Map(rows.map(({ id, fence }) => [id, fence]));
  return new Set(records.filter(({ notification: { id, fence } }) => fences.get(id) === fence));
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

function update(engine: Store['engine'], owner: string, nowMs: number, records: readonly OutcomeRecord[]) {
  const values = records.map(
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
  return sql<{ id: string; fence: number }>`update notifications
    set key = v.key, status = v.status, reason = v.reason, next_ms = v.next_ms, attempts = v.attempts,
      sent_ms = v.sent_ms, result = v.result, error = v.error, escalate_ms = v.escalate_ms, owner = null,
      lease_ms = null, updated_ms = ${nowMs}
    from ${table(engine, JSON.stringify(values))} as v
    where notifications.id = v.id and notifications.fence = v.fence and notifications.owner = ${owner}
      and notifications.status = 'sending'
    returning notifications.id, notifications.fence`;
}

/** Turns a JSON list into a table, in the SQL of each engine. */
function table(engine: Store['engine'], values: string) {
  const names = Object.entries(columns);
  return engine === 'postgres'
    ? sql`(select * from jsonb_to_recordset(${values}::jsonb) as j(${sql.raw(names.map(([name, type]) => `${name} ${type}`).join(', '))}))`
    : sql`(select ${sql.raw(names.map(([name]) => `value ->> '${name}' as ${name}`).join(', '))} from json_each(${values}))`;
}

function auditEntry({ notification, action, detail }: OutcomeRecord): AuditEntry {
  const { id, user_id, event_id, attempts, channel } = notification;
  return {
    action,
    userId: user_id,
    eventId: event_id === '' ? undefined : event_id,
    notificationId: id,
    detail: { channel, attempt: attempts, ...detail },
  };
}

function superseded(record: OutcomeRecord): AuditEntry {
  const original = auditEntry(record);
  return {
    ...original,
    action: 'notification.superseded',
    detail: { instead_of: original.action, ...original.detail },
  };
}

/** Adds notifications and skips those that exist: two workers may add the same follow-up. */
export async function addNotifications(writer: Writer, rows: readonly NewNotification[]): Promise<void> {
  if (rows.length === 0) return;
  await writer.db
    .insertInto('notifications')
    .values([...rows])
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  for (const { id, user_id } of rows) writer.changed({ kind: 'notification', id, userId: user_id });
}

/** Delay that lets outcomes of the same moment share a transaction. */
const batchDelayMs = 5;
const firstPauseMs = 100;
const maxPauseMs = 5000;
const publishDelayMs = 200;

/**
 * Records the outcomes of deliveries in batches. Outcomes that arrive during a transaction go into the next one. If the
 * database is unavailable, the recorder retries until it succeeds, because a delivery cannot be undone.
 */
export class Recorder {
  readonly #store: Store;
  readonly #owner: string;
  readonly #clock: Clock;
  #pending: PendingRecord[] = [];
  #writing: Promise<void> | undefined;
  #abandoned = false;
  #unpublished: Notification[] = [];
  #publishTimer: NodeJS.Timeout | undefined;

  constructor(store: Store, owner: string, clock: Clock) {
    this.#store = store;
    this.#owner = owner;
    this.#clock = clock;
  }

  record(record: OutcomeRecord): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#pending.push({ record, done: resolve });
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return promise;
  }

  /** Stops retrying if the database stays unavailable. */
  abandon(): void {
    this.#abandoned = true;
  }

  async #write(): Promise<void> {
    await pause(batchDelayMs);
    for (let pauseMs = firstPauseMs; this.#pending.length > 0; ) {
      const batch = this.#pending;
      this.#pending = [];
      const error = await this.#recordOutcomes(batch);
      if (error === undefined) {
        pauseMs = firstPauseMs;
        for (const { done } of batch) done();
      } else if (this.#abandoned || !(error instanceof Failure && error.kind === 'unavailable')) {
        log('error', `outcomes of ${batch.length} deliveries could not be recorded`, error);
        for (const { done } of batch) done();
      } else {
        log('warning', `outcomes of ${batch.length} deliveries are not recorded yet; retrying`, error);
        this.#pending = [...batch, ...this.#pending];
        await pause(pauseMs);
        pauseMs = Math.min(pauseMs * 2, maxPauseMs);
      }
    }
  }

  /** Publishes the recorded changes to subscribers of the store. */
  async publishChanges(): Promise<void> {
    clearTimeout(this.#publishTimer);
    this.#publishTimer = undefined;
    const changes = this.#unpublished;
    if (changes.length === 0) return;
    this.#unpublished = [];
    try {
      await this.#store.write(async ({ changed }) => {
        for (const { id, user_id } of changes) changed({ kind: 'notification', id, userId: user_id });
      });
    } catch (error) {
      log('debug', 'changes of notifications could not be published', error);
    }
  }

  async #recordOutcomes(batch: readonly PendingRecord[]): Promise<unknown> {
    try {
      const records = batch.map(({ record }) => record);
      await recordOutcomes(this.#store, this.#owner, this.#clock(), records);
      this.#unpublished.push(...records.map(({ notification }) => notification));
      // Delayed, because each publication is a write transaction that other writers wait for.
      this.#publishTimer ??= setTimeout(() => void this.publishChanges(), publishDelayMs);
      return undefined;
    } catch (error) {
      return error;
    }
  }
}

interface PendingRecord {
  readonly record: OutcomeRecord;
  readonly done: () => void;
}
