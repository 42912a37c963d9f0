import type { Store, StoreChange } from './store.ts';

/** Clocks of other machines are a little different. */
const slackMs = 60_000;

/**
 * What may have changed while nobody told us: rather too much than too little. Whoever is gone leaves no trace, so all
 * users count, whose lists are then looked at again.
 */
export function missedChanges(store: Store, sinceMs: number): Promise<readonly StoreChange[]> {
  return store.read(async (db) => {
    const users = await db.selectFrom('users').select('id').execute();
    const events = await db
      .selectFrom('events')
      .select(['id', 'user_id'])
      .where('updated_ms', '>', sinceMs - slackMs)
      .execute();
    const kinds = await db.selectFrom('records').select('kind').distinct().execute();
    return [
      ...users.map(({ id }) => ({ kind: 'user', id, userId: id }) as const),
      ...events.map(({ id, user_id: userId }) => ({ kind: 'event', id, userId }) as const),
      ...kinds.map(({ kind: id }) => ({ kind: 'record', id, userId: '' }) as const),
    ];
  });
}
