import { type Kysely, sql } from 'kysely';
import { Failure } from '../failure.ts';
import { newId } from './id.ts';
import { migrations } from './migrations.ts';
import type { Tables } from './schema.ts';
import { isBusy } from './sqlite-file.ts';
import { unavailable } from './unavailable.ts';

/** Brings the schema up to date. The caller must hold a lock against concurrent migrations. */
export async function migrate(db: Kysely<Tables>, place: string): Promise<void> {
  await sql`create table if not exists schema_version (version integer not null)`.execute(db);
  const found = await db.selectFrom('schema_version').select('version').executeTakeFirst();
  const version = found?.version ?? 0;
  refuseNewer(version, place);
  for (const statement of migrations.slice(version).flat()) await sql.raw(statement).execute(db);
  if (found === undefined)
    await db.insertInto('schema_version').values({ version: migrations.length, log: null }).execute();
  else if (version < migrations.length)
    await db.updateTable('schema_version').set({ version: migrations.length }).execute();
  const log = newId(Date.now());
  await db.updateTable('schema_version').set({ log }).where('log', 'is', null).execute();
}

/** True if there is nothing to migrate. Needs no lock, so an ordinary start does not block other processes. */
export async function isCurrent(
  db: Kysely<Tables>,
  place: string,
  oldest = migrations.length,
): Promise<boolean> {
  try {
    const { version } = await db.selectFrom('schema_version').select('version').executeTakeFirstOrThrow();
    refuseNewer(version, place);
    return version >= oldest;
  } catch (error) {
    // The migration waits for the lock, and finds out then.
    if (isBusy(error)) return false;
    const known = unavailable(error, place);
    if (known instanceof Failure) throw known;
    return false;
  }
}

function refuseNewer(version: number, place: string): void {
  if (version <= migrations.length) return;
  throw new Failure(
    'unavailable',
    `${place} was written by a newer version of Adjutant (schema ${version}; this version supports ${migrations.length}). Update Adjutant or choose another database.`,
  );
}
