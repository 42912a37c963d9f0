import { existsSync } from 'node:fs';
import { Failure } from '../failure.ts';
import type { Problem } from '../feature.ts';
import type { Store } from './store/store.ts';

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
