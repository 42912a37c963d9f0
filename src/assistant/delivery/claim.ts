import { type RawBuilder, sql } from 'kysely';
import { isAmong, isUnchanged, takeRows } from '../../store/row-lease.ts';
import type { CalendarEvent, Notification, User } from '../../store/schema.ts';
import type { Store, Writer } from '../../store/store.ts';
import {
  type CarriedNotification,
  type ClaimedNotification,
  dialling,
  type RelatedNotification,
  relatedColumns,
} from './pre-send-checks.ts';

export interface Lease {
  readonly owner: string;
  readonly ms: number;
}

/**
 * Claims due notifications, earliest first, under a lease and a new fence. Returns each with its user, its event and its
 * related notifications as they are at that moment. Skips notifications that another worker has leased, and webhooks to
 * the given slow receivers.
 */
export function claim(
  store: Store,
  lease: Lease,
  nowMs: number,
  limit: number,
  {
    dueMs = nowMs,
    slowReceivers = [],
    only,
  }: {
    readonly dueMs?: number;
    readonly slowReceivers?: readonly string[];
    readonly only?: readonly string[] | undefined;
  } = {},
): Promise<readonly ClaimedNotification[]> {
  const due = sql`select id from notifications
    where status in ('planned', 'sending') and next_ms <= ${dueMs} and (status = 'planned' or lease_ms <= ${nowMs})
      ${excludeReceivers(slowReceivers)} ${onlyChannels(only)}
    order by next_ms limit ${limit}`;
  const taken = takeRows<Notification>(store.engine, 'notifications', due, {
    owner: lease.owner,
    endMs: nowMs + lease.ms,
    set: sql`updated_ms = ${nowMs}, attempts = attempts + case status when 'planned' then 1 else 0 end, status = 'sending'`,
  });
  if (store.engine === 'sqlite')
    return store.write(async ({ db }) => loadContext({ db }, (await taken.execute(db)).rows));
  return claimInOneStatement(store, taken);
}

interface ClaimedRow extends Notification {
  readonly its_user: User | null;
  readonly its_event: CalendarEvent | null;
  readonly its_relatives: readonly RelatedNotification[] | null;
  readonly its_leader: ClaimedNotification['leader'] | null;
  readonly its_carried: readonly CarriedNotification[] | null;
}

/** Claims and reads everything in one statement, to save round trips to the database server. */
async function claimInOneStatement(
  store: Store,
  taken: RawBuilder<Notification>,
): Promise<readonly ClaimedNotification[]> {
  const rows = await store.run(sql<ClaimedRow>`with taken as (${taken}) select taken.*,
    (select to_jsonb(users) from users where users.id = taken.user_id) as its_user,
    (select to_jsonb(events) from events where events.id = taken.event_id) as its_event,
    (select jsonb_agg(to_jsonb(other) - 'payload') from notifications as other
      where (other.event_id = taken.event_id and taken.event_id <> '') or other.about = taken.about) as its_relatives,
    (select jsonb_build_object('status', status, 'next_ms', next_ms) from notifications as leader
      where leader.id = taken.leader_id) as its_leader,
    (select jsonb_agg(to_jsonb(other)) from notifications as other
      where other.leader_id = taken.id and other.status in ('planned', 'sending')) as its_carried
    from taken order by next_ms`);
  return rows.map(({ its_user, its_event, its_relatives, its_leader, its_carried, ...notification }) => ({
    notification,
    user: its_user ?? undefined,
    event: its_event ?? undefined,
    related: its_relatives ?? [],
    leader: its_leader ?? undefined,
    carried: its_carried ?? [],
  }));
}

function onlyChannels(names: readonly string[] | undefined) {
  return names === undefined ? sql`` : sql`and channel in (${sql.join(names)})`;
}

/** Condition that excludes webhooks to these receivers. */
function excludeReceivers(origins: readonly string[]) {
  if (origins.length === 0) return sql``;
  const matches = origins.map(
    (origin) =>
      // The character after the origin tells it apart from a longer host name with the same beginning.
      sql`lower(substr(users.webhook_url || '/', 1, ${[...origin].length + 1})) in
        (${`${origin}/`}, ${`${origin}?`}, ${`${origin}#`})`,
  );
  return sql`and not (channel = 'webhook' and exists (select 1 from users
    where users.id = notifications.user_id and (${sql.join(matches, sql` or `)})))`;
}

/** Records that the phone is about to ring. The caller must not place the call if this returns false. */
export async function markDialling(
  store: Store,
  owner: string,
  notification: Notification,
): Promise<boolean> {
  const { numUpdatedRows } = await store.write(({ db }) =>
    db
      .updateTable('notifications')
      .set({ result: dialling })
      .where(isUnchanged(notification))
      .where('owner', '=', owner)
      .executeTakeFirst(),
  );
  return numUpdatedRows > 0n;
}

/** Claims the notifications that were not acknowledged in time. Each is claimed once. */
export async function claimUnanswered(
  { db }: Writer,
  engine: Store['engine'],
  nowMs: number,
  limit: number,
): Promise<ClaimedNotification[]> {
  const due = sql`select id from notifications
    where escalate_ms is not null and escalate_ms <= ${nowMs} order by escalate_ms limit ${limit}`;
  const { rows } = await sql<Notification>`update notifications set escalate_ms = null, updated_ms = ${nowMs}
    where ${isAmong(engine, due)} returning *`.execute(db);
  return loadContext({ db }, rows);
}

const leaderColumns = ['id', 'status', 'next_ms'] as const;
const carriedColumns = ['id', 'leader_id', 'event_start_ms', 'payload', 'slot'] as const;

async function loadContext(
  { db }: Pick<Writer, 'db'>,
  rows: readonly Notification[],
): Promise<ClaimedNotification[]> {
  if (rows.length === 0) return [];
  const eventIds = [...new Set(rows.map(({ event_id }) => event_id).filter((id) => id !== ''))];
  const userIds = [...new Set(rows.map(({ user_id }) => user_id))];
  const users = await db.selectFrom('users').selectAll().where('id', 'in', userIds).execute();
  const userOf = new Map(users.map((user) => [user.id, user]));
  const subjects = [...new Set(rows.flatMap(({ about }) => about ?? []))];
  const allEvents = db.selectFrom('events').selectAll();
  const relatedBy = (column: 'event_id' | 'about', values: readonly string[]) =>
    values.length === 0
      ? []
      : db.selectFrom('notifications').select(relatedColumns).where(column, 'in', values).execute();
  const events = eventIds.length === 0 ? [] : await allEvents.where('id', 'in', eventIds).execute();
  const related = [...(await relatedBy('event_id', eventIds)), ...(await relatedBy('about', subjects))];
  const leaderIds = rows.flatMap(({ leader_id }) => (leader_id === null ? [] : [leader_id]));
  const leaders =
    leaderIds.length === 0
      ? []
      : await db.selectFrom('notifications').select(leaderColumns).where('id', 'in', leaderIds).execute();
  const carried = await db
    .selectFrom('notifications')
    .select(carriedColumns)
    .where(
      'leader_id',
      'in',
      rows.map(({ id }) => id),
    )
    .where('status', 'in', ['planned', 'sending'])
    .execute();
  const leaderOf = new Map(leaders.map((leader) => [leader.id, leader]));
  const carriedBy = Map.groupBy(carried, ({ leader_id }) => leader_id);
  const eventOf = new Map(events.map((event) => [event.id, event]));
  const relativesOf = Map.groupBy(related, ({ event_id, about }) => about ?? event_id);
  return rows.map((notification) => ({
    notification,
    user: userOf.get(notification.user_id),
    event: eventOf.get(notification.event_id),
    related: relativesOf.get(notification.about ?? notification.event_id) ?? [],
    leader: leaderOf.get(notification.leader_id ?? ''),
    carried: carriedBy.get(notification.id) ?? [],
  }));
}

export interface DueTimes {
  /** When the next notification is due or the next lease expires. */
  readonly sendMs: number | undefined;
  /** When the next unacknowledged notification is due for escalation. */
  readonly followUpMs: number | undefined;
}

export async function nextDue(
  store: Store,
  nowMs: number,
  slowReceivers: readonly string[] = [],
  only?: readonly string[],
): Promise<DueTimes> {
  const { rows } = await store.read((db) =>
    sql<{ planned: number | null; held: number | null; overdue: number | null }>`select
      (select next_ms from notifications where status in ('planned', 'sending') and status = 'planned'
        ${excludeReceivers(slowReceivers)} ${onlyChannels(only)} order by next_ms limit 1) as planned,
      (select min(lease_ms) from notifications where status in ('planned', 'sending') and status = 'sending'
        and next_ms <= ${nowMs} ${excludeReceivers(slowReceivers)} ${onlyChannels(only)}) as held,
      (select min(escalate_ms) from notifications where escalate_ms is not null) as overdue`.execute(db),
  );
  const { planned = null, held = null, overdue = null } = rows[0] ?? {};
  const earliest = Math.min(planned ?? Number.POSITIVE_INFINITY, held ?? Number.POSITIVE_INFINITY);
  return { sendMs: Number.isFinite(earliest) ? earliest : undefined, followUpMs: overdue ?? undefined };
}
