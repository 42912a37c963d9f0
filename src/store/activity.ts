import { type Kysely, sql } from 'kysely';
import type { JsonObject } from '../json.ts';
import type { CurrentCall } from './current-call.ts';
import type { Tables } from './schema.ts';
import type { Store, StoreChange } from './store.ts';

/** A row of the security log. Several rows of one call describe its start, its change and its outcome. */
export interface ActivityRow {
  /** The same for all rows of one call. */
  readonly key: string;
  readonly entry: JsonObject;
}

/**
 * Adds an entry to the security log. Its numbers have no gaps: the row of `activity_logs` stays locked until the transaction
 * ends. Make it the last statement of the transaction, because other transactions wait for that lock.
 */
export async function appendActivity(
  db: Kysely<Tables>,
  callId: string | null,
  entry: JsonObject,
): Promise<void> {
  const { rows } = await sql<{ log: string; last: number }>`insert into activity_logs (log, first, last)
    select log, 1, 1 from schema_version where true
    on conflict (log) do update set last = activity_logs.last + 1 returning log, last`.execute(db);
  const { log, last: number } = rows[0]!;
  await db
    .insertInto('activity')
    .values({ log, number, at_ms: Date.now(), call_id: callId, entry: JSON.stringify(entry) })
    .execute();
}

/** Adds the call to the security log in the transaction of its change. */
export async function recordChanges(
  db: Kysely<Tables>,
  call: CurrentCall | undefined,
  changes: readonly StoreChange[],
): Promise<void> {
  if (call !== undefined) await appendActivity(db, call.id, call.describe(changes));
}

/** The entries since a time, oldest first. */
export async function readActivity(store: Store, sinceMs: number): Promise<readonly ActivityRow[]> {
  const rows = await store.read((db) =>
    db
      .selectFrom('activity')
      .select(['log', 'number', 'call_id', 'entry'])
      .where('at_ms', '>=', sinceMs)
      .orderBy('at_ms')
      .orderBy('number')
      .execute(),
  );
  return rows.map(({ log, number, call_id, entry }) => ({
    key: call_id ?? `${log} ${number}`,
    entry: JSON.parse(entry) as JsonObject,
  }));
}

/** A row of the security log as it is stored. */
export interface NumberedRow {
  readonly log: string;
  readonly number: number;
  readonly at_ms: number;
  readonly call_id: string | null;
  readonly entry: string;
}

const pageRows = 1000;

/** All rows in the order of their numbers, read in pages. */
export async function* numberedActivity(store: Store): AsyncGenerator<NumberedRow> {
  let after = { log: '', number: 0 };
  for (;;) {
    const { log, number } = after;
    const rows = await store.read((db) =>
      db
        .selectFrom('activity')
        .selectAll()
        .where((its) =>
          its.or([its('log', '>', log), its.and([its('log', '=', log), its('number', '>', number)])]),
        )
        .orderBy('log')
        .orderBy('number')
        .limit(pageRows)
        .execute(),
    );
    yield* rows;
    if (rows.length < pageRows) return;
    after = rows.at(-1)!;
  }
}

/** Numbers that are missing in a log, or that it should not have. */
export interface ActivityGap {
  readonly log: string;
  readonly from: number;
  /** Smaller than `from` if the log has entries that its counter does not know. */
  readonly to: number;
}

/** Compares the numbers of each log with the first and the last one that it should have, at one moment. */
export async function findActivityGaps(store: Store): Promise<readonly ActivityGap[]> {
  const { rows } = await store.read((db) =>
    sql<{ log: string; start: number; next: number }>`with numbers as (
        select log, number, lag(number) over (partition by log order by number) as before from activity
        union all
        select log, last + 1, (select max(number) from activity where activity.log = activity_logs.log) from activity_logs)
      select numbers.log, coalesce(before + 1, first, 1) as start, number as next
      from numbers left join activity_logs on activity_logs.log = numbers.log
      where number <> coalesce(before + 1, first, 1) or (first is null and before is null)
      order by numbers.log, number`.execute(db),
  );
  return rows.map(({ log, start, next }) => ({ log, from: Number(start), to: Number(next) - 1 }));
}

/** Removes the oldest entries, up to the first that is not older than the time, and notes the number of that entry. */
export function trimActivity(store: Store, beforeMs: number): Promise<void> {
  return store.write(async ({ db }) => {
    for (const { log, first, last } of await db.selectFrom('activity_logs').selectAll().execute()) {
      const kept = await db
        .selectFrom('activity')
        .select('number')
        .where('log', '=', log)
        .where('at_ms', '>=', beforeMs)
        .orderBy('number')
        .limit(1)
        .executeTakeFirst();
      const next = kept?.number ?? last + 1;
      if (next <= first) continue;
      await db.deleteFrom('activity').where('log', '=', log).where('number', '<', next).execute();
      await db.updateTable('activity_logs').set({ first: next }).where('log', '=', log).execute();
    }
  });
}
