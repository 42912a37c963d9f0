import type { Store } from '../store/store.ts';

/** Everything the store holds about a person's events, however far away in time. */
export interface StoredData {
  readonly eventIds: readonly string[];
  readonly notifications: readonly {
    readonly id: string;
    readonly event_id: string;
    readonly status: string;
  }[];
}

export async function storedData(store: Store, userId: string): Promise<StoredData> {
  return store.read(async (db) => ({
    eventIds: (await db.selectFrom('events').select('id').where('user_id', '=', userId).execute()).map(
      ({ id }) => id,
    ),
    notifications: await db
      .selectFrom('notifications')
      .select(['id', 'event_id', 'status'])
      .where('user_id', '=', userId)
      .execute(),
  }));
}
