import type { Store, StoreChange } from './store.ts';

/** Allows for clock differences between machines. */
const slackMs = 60_000;

/**
 * Returns everything that may have changed since `sinceMs`, possibly too much. Deletions leave no trace, so all
 * users are included; subscribers then reload the users' lists.
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
