import { existsSync } from 'node:fs';
import { log } from '../log.ts';
import { locate, type Store } from '../store/store.ts';

export interface UserPresence {
  /** True once a user exists. A database that cannot be read counts as empty. */
  hasUsers(): Promise<boolean>;
  /** Reads again. Resolves to true if the result differs from the last one that was reported. */
  recheck(): Promise<boolean>;
}

export function createUserPresence(store: Store, databaseUrl: string): UserPresence {
  const { engine, target } = locate(databaseUrl);
  let known: boolean | undefined;
  const read = async () => {
    try {
      // Do not create the database only to find it empty.
      if (engine === 'sqlite' && !existsSync(target)) return false;
      const user = await store.read((db) => db.selectFrom('users').select('id').limit(1).executeTakeFirst());
      return user !== undefined;
    } catch (error) {
      log('warning', 'could not read whether the calendar has users', error);
      return false;
    }
  };
  return {
    async hasUsers() {
      const found = await read();
      known ??= found;
      return found;
    },
    async recheck() {
      if (known === undefined) return false;
      const before = known;
      known = await read();
      return known !== before;
    },
  };
}
