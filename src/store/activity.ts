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
