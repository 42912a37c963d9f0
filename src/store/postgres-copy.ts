import { type Kysely, sql } from 'kysely';
import { Failure } from '../failure.ts';
import { messageOf } from '../json.ts';
import { migrations } from './migrations.ts';
import type { Tables } from './schema.ts';

const prefix = 'adjutant_schema_';
const keptCopies = 3;

/**
 * Copies the tables of an earlier version into a schema of their own, in the transaction of the update, so that nothing is lost
 * if the new schema has a fault. Keeps the last three copies.
 */
export async function copyBeforeUpdate(db: Kysely<Tables>, place: string): Promise<void> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass('adjutant.schema_version') is not null as exists`.execute(db);
  if (!rows[0]?.exists) return;
  const found = await db.selectFrom('schema_version').select('version').executeTakeFirst();
  // Another process has done the update, or creates the database.
  if (found === undefined || found.version >= migrations.length) return;
  try {
    await copyTables(db, found.version);
    await removeOld(db);
  } catch (error) {
    throw new Failure(
      'unavailable',
      `${place} is from an earlier version, and the copy that is made before its update failed: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

/** The migrations create the copy, so that it can take the place of the original under another name. */
async function copyTables(db: Kysely<Tables>, version: number): Promise<void> {
  const copy = prefix + version;
  await sql`drop schema if exists ${sql.id(copy)} cascade`.execute(db);
  await sql`create schema ${sql.id(copy)}`.execute(db);
  await sql`set local search_path = ${sql.id(copy)}`.execute(db);
  await sql`create table schema_version (version integer not null)`.execute(db);
  for (const statement of migrations.slice(0, version).flat()) await sql.raw(statement).execute(db);
  await sql`set local search_path = adjutant`.execute(db);
  // Tables refer only to older ones.
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relnamespace = ${copy}::regnamespace and relkind = 'r' order by oid`.execute(db);
  for (const { name } of rows)
    await sql`insert into ${sql.id(copy, name)} select * from ${sql.id('adjutant', name)}`.execute(db);
}

async function removeOld(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ name: string }>`select nspname as name from pg_namespace
    where nspname ~ ${`^${prefix}[0-9]+$`}`.execute(db);
  const numberOf = (name: string) => Number(name.slice(prefix.length));
  const copies = rows.map(({ name }) => name).sort((one, other) => numberOf(other) - numberOf(one));
  for (const old of copies.slice(keptCopies)) await sql`drop schema ${sql.id(old)} cascade`.execute(db);
}
