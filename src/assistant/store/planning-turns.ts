import { type Kysely, sql } from 'kysely';
import type { Tables } from './schema.ts';
import type { StoreChange } from './store.ts';

/** Records of this kind say until when a user has been planned for, as their position. */
export const planningTurns = 'planning';

/**
 * Makes it the turn of whose wishes or events have changed. It is part of the same transaction, so that it is not
 * forgotten where nobody plans at the moment, or nobody hears of the change.
 */
export async function callForPlanning(db: Kysely<Tables>, changes: readonly StoreChange[]): Promise<void> {
  const users = new Set(
    changes
      .filter(({ kind }) => kind === 'user' || kind === 'event' || kind === 'rule')
      .map(({ userId }) => userId),
  );
  if (users.size > 0) await giveTurns(db, [...users]);
}

export async function giveTurns(db: Kysely<Tables>, users: readonly string[]): Promise<void> {
  await sql`update records set position = 0
    where kind = ${planningTurns} and key in (${sql.join(users)}) and position > 0`.execute(db);
}
