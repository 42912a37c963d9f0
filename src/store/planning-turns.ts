import { type Kysely, sql } from 'kysely';
import type { Tables } from './schema.ts';
import type { StoreChange } from './store.ts';

/** Kind of the records that store, as `position`, the time until which a user's notifications are planned. */
export const planningTurns = 'planning';

/**
 * Marks the users whose preferences, events or rules changed as due for planning. Runs in the same transaction as the
 * change, so the request survives even if no process plans at that moment or receives the change.
 */
export async function requestPlanning(db: Kysely<Tables>, changes: readonly StoreChange[]): Promise<void> {
  const users = new Set(changes.filter(needsPlanning).map(({ userId }) => userId));
  if (users.size > 0) await makeDue(db, [...users]);
}

/** True for changes that the reminders of a user depend on. */
export function needsPlanning({ kind }: StoreChange): boolean {
  return kind === 'user' || kind === 'event' || kind === 'rule';
}

export async function makeDue(db: Kysely<Tables>, users: readonly string[]): Promise<void> {
  await sql`update records set position = 0
    where kind = ${planningTurns} and key in (${sql.join(users)}) and position > 0`.execute(db);
}
