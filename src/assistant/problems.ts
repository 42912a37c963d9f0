import { existsSync } from 'node:fs';
import { Failure } from '../failure.ts';
import type { Problem } from '../feature.ts';
import { createStore, locate, type Store } from '../store/store.ts';
import { addressesOf } from './channels/channel-address.ts';
import type { Reader } from './entities/entity-access.ts';

/** People that a message names. */
const maxNamed = 5;

/** Problems with the database, its calendars and its people. Does not create a SQLite database that does not exist yet. */
export async function findProblems(store: Store): Promise<readonly Problem[]> {
  if (store.engine === 'sqlite' && !existsSync(store.place)) return [];
  try {
    return await store.read(async (db) => [...(await staleCalendars(db)), ...(await withoutZone(db, store))]);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [{ file: store.place, severity: 'error', message: error.message }];
  }
}

async function staleCalendars(db: Reader): Promise<readonly Problem[]> {
  const calendars = await db
    .selectFrom('calendars')
    .select(['name', 'location', 'error'])
    .where('error', 'is not', null)
    .execute();
  return calendars.map(({ name, location, error }) => ({
    file: location,
    severity: 'warning',
    message: `Calendar "${name}" is not up to date: ${error}`,
  }));
}

/** Earlier versions stored no time zone unless one was given. */
async function withoutZone(db: Reader, { place }: Store): Promise<readonly Problem[]> {
  const users = await db
    .selectFrom('users')
    .select('id')
    .where('timezone', 'is', null)
    .orderBy('id')
    .execute();
  const [first] = users;
  if (first === undefined) return [];
  const named = users.slice(0, maxNamed).map(({ id }) => id);
  const people = users.length === 1 ? '1 person has' : `${users.length} people have`;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return [
    {
      file: place,
      severity: 'warning',
      message: `${people} no time zone and ${users.length === 1 ? 'uses' : 'use'} UTC: ${named.join(', ')}${users.length > maxNamed ? ', …' : ''}`,
      remedy: `Set their time zone, e.g.: adjutant users update ${first.id} --timezone ${zone}`,
    },
  ];
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
