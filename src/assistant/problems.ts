import { existsSync } from 'node:fs';
import { Failure } from '../failure.ts';
import type { Problem } from '../feature.ts';
import { addressesOf } from './channels/channel-address.ts';
import { createStore, locate, type Store } from './store/store.ts';

/** Problems with the database and its calendars. Does not create a SQLite database that does not exist yet. */
export async function findProblems(store: Store): Promise<readonly Problem[]> {
  if (store.engine === 'sqlite' && !existsSync(store.place)) return [];
  try {
    const calendars = await store.read((db) =>
      db
        .selectFrom('calendars')
        .select(['name', 'location', 'error'])
        .where('error', 'is not', null)
        .execute(),
    );
    return calendars.map(({ name, location, error }) => ({
      file: location,
      severity: 'warning',
      message: `Calendar "${name}" is not up to date: ${error}`,
    }));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [{ file: store.place, severity: 'error', message: error.message }];
  }
}

/** True if a user has an address that needs the program apprise. */
export async function usesApprise(databaseUrl: string): Promise<boolean> {
  const { engine, target } = locate(databaseUrl);
  if (engine === 'sqlite' && !existsSync(target)) return false;
  const store = createStore(databaseUrl);
  try {
    const users = await store.read((db) =>
      db.selectFrom('users').select('channels').where('channels', 'is not', null).execute(),
    );
    return users.some(({ channels }) => addressesOf(channels).some(({ channel }) => channel === 'apprise'));
  } catch {
    // Another check reports a database that cannot be read.
    return false;
  } finally {
    await store.close();
  }
}
