import { existsSync } from 'node:fs';
import { Failure } from '../failure.ts';
import type { Problem } from '../feature.ts';
import type { Store } from './store/store.ts';

/** What a person should know about the diary. A database that was never used has no problems and is not made for this. */
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
      message: `The calendar "${name}" is not up to date: ${error}`,
    }));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [{ file: store.place, severity: 'error', message: error.message }];
  }
}
