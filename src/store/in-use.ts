import { existsSync } from 'node:fs';
import { sql } from 'kysely';
import { Failure } from '../failure.ts';
import { isBusy, SqliteFile } from './sqlite-file.ts';
import { createStore, locate } from './store.ts';

/**
 * Throws if another process has the database open. Call it before this process opens the database. A copy of a database
 * in use would lack the changes made after the copy.
 */
export async function refuseInUse(url: string): Promise<void> {
  const { engine, place, target } = locate(url);
  const used = engine === 'sqlite' ? await isOpenElsewhere(target) : await hasOtherSessions(url);
  if (!used) return;
  throw new Failure(
    'refused',
    `${place} is in use; stop the servers, workers and clients that use it, then try again.`,
  );
}

/** Every connection to a SQLite file in WAL mode holds a shared lock, so leaving WAL mode needs to be alone. */
async function isOpenElsewhere(file: string): Promise<boolean> {
  if (!existsSync(file)) return false;
  const database = await SqliteFile.open(file, 500);
  const journalMode = (change = '') => database.all(`pragma journal_mode ${change}`)[0]!['journal_mode'];
  try {
    if (journalMode() !== 'wal') return false;
    if (journalMode('= delete') === 'wal') return true;
    journalMode('= wal');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    database.close();
  }
}

async function hasOtherSessions(url: string): Promise<boolean> {
  const store = createStore(url);
  try {
    // One session asks; it is the only one of its pool so far.
    const rows = await store.run(sql<{ pid: number }>`select pid from pg_stat_activity
      where datname = current_database() and application_name = 'adjutant' and pid <> pg_backend_pid()`);
    return rows.length > 0;
  } finally {
    await store.close();
  }
}
