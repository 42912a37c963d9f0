import type { Store } from '../../store/store.ts';

/** All events and notifications that the store holds for a user, at any time. */
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
