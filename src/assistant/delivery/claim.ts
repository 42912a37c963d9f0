import { type RawBuilder, sql } from 'kysely';
import type { CalendarEvent, Notification, User } from '../store/schema.ts';
import type { Store, Writer } from '../store/store.ts';
import { type Case, dialling, type Relative } from './pre-send-checks.ts';

export interface Lease {
  readonly owner: string;
  readonly ms: number;
}

/**
 * Takes what is due by then under a lease and a new fence, earliest first, together with what the database knows about
 * it at that moment. What another worker holds is left alone until its lease has run out, and so is what would go to
 * receivers that keep us waiting already.
 */
export function claim(
  store: Store,
  lease: Lease,
  nowMs: number,
  limit: number,
  { dueMs = nowMs, silent = [] }: { readonly dueMs?: number; readonly silent?: readonly string[] } = {},
): Promise<readonly Case[]> {
  const due = sql`select id from notifications
    where status in ('planned', 'sending') and next_ms <= ${dueMs} and (status = 'planned' or lease_ms <= ${nowMs})
      ${elsewhere(silent)}
    order by next_ms limit ${limit}`;
  const taken = sql<Notification>`update notifications
    set owner = ${lease.owner}, lease_ms = ${nowMs + lease.ms}, fence = fence + 1, updated_ms = ${nowMs},
      attempts = attempts + case status when 'planned' then 1 else 0 end, status = 'sending'
    where ${among(store.engine, due)} returning *`;
  if (store.engine === 'sqlite')
    return store.write(async ({ db }) => circumstances({ db }, (await taken.execute(db)).rows));
  return claimAtOnce(store, taken);
}

interface Claimed extends Notification {
  readonly its_user: User | null;
  readonly its_event: CalendarEvent | null;
  readonly its_relatives: readonly Relative[] | null;
}

/** All that is wanted in one statement, since every way to the server and back takes its time. */
async function claimAtOnce(store: Store, taken: RawBuilder<Notification>): Promise<readonly Case[]> {
  const rows = await store.run(sql<Claimed>`with taken as (${taken}) select taken.*,
    (select to_jsonb(users) from users where users.id = taken.user_id) as its_user,
    (select to_jsonb(events) from events where events.id = taken.event_id) as its_event,
    (select jsonb_agg(to_jsonb(other) - 'payload') from notifications as other
      where other.event_id = taken.event_id and taken.event_id <> '') as its_relatives
    from taken order by next_ms`);
  return rows.map(({ its_user, its_event, its_relatives, ...notification }) => ({
    notification,
    user: its_user ?? undefined,
    event: its_event ?? undefined,
    relatives: its_relatives ?? [],
  }));
}

/** Without the webhooks that lead to one of these receivers. */
function elsewhere(silent: readonly string[]) {
  if (silent.length === 0) return sql``;
  const there = silent.map(
    (address) =>
      // What comes behind it keeps another host apart whose name only begins like this one.
      sql`lower(substr(users.webhook_url || '/', 1, ${[...address].length + 1})) in
        (${`${address}/`}, ${`${address}?`}, ${`${address}#`})`,
  );
  return sql`and not (channel = 'webhook' and exists (select 1 from users
    where users.id = notifications.user_id and (${sql.join(there, sql` or `)})))`;
}

/** PostgreSQL may run a plain subquery more than once, and then lock more than it was asked for. */
function among(engine: Store['engine'], due: ReturnType<typeof sql>) {
  return engine === 'postgres' ? sql`id = any(array(${due} for update skip locked))` : sql`id in (${due})`;
}

/** Writes down that the phone is about to ring; without that it does not. */
export async function announceCall(
  store: Store,
  owner: string,
  { id, fence }: Notification,
): Promise<boolean> {
  const { numUpdatedRows } = await store.write(({ db }) =>
    db
      .updateTable('notifications')
      .set({ result: dialling })
      .where('id', '=', id)
      .where('owner', '=', owner)
      .where('fence', '=', fence)
      .where('status', '=', 'sending')
      .executeTakeFirst(),
  );
  return numUpdatedRows > 0n;
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
    .select(['id', 'user_id', 'event_id', 'event_start_ms', 'occurrence', 'channel', 'change', 'status'])
    .select(['parent_id', 'acknowledged_ms'])
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

export interface Agenda {
  /** When the next notification is to be sent, or the next lease runs out. */
  readonly sendMs: number | undefined;
  /** When the next answer is overdue. */
  readonly followUpMs: number | undefined;
}

export async function nextDue(store: Store, nowMs: number, silent: readonly string[] = []): Promise<Agenda> {
  const { rows } = await store.read((db) =>
    sql<{ planned: number | null; held: number | null; overdue: number | null }>`select
      (select next_ms from notifications where status in ('planned', 'sending') and status = 'planned'
        ${elsewhere(silent)} order by next_ms limit 1) as planned,
      (select min(lease_ms) from notifications where status in ('planned', 'sending') and status = 'sending'
        and next_ms <= ${nowMs} ${elsewhere(silent)}) as held,
      (select min(escalate_ms) from notifications where escalate_ms is not null) as overdue`.execute(db),
  );
  const { planned = null, held = null, overdue = null } = rows[0] ?? {};
  const earliest = Math.min(planned ?? Number.POSITIVE_INFINITY, held ?? Number.POSITIVE_INFINITY);
  return { sendMs: Number.isFinite(earliest) ? earliest : undefined, followUpMs: overdue ?? undefined };
}
