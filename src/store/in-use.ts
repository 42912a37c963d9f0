import { existsSync } from 'node:fs';
import { sql } from 'kysely';
import { Failure } from '../failure.ts';
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
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(file, { timeout: 500 });
  try {
    const { journal_mode: before } = database.prepare('pragma journal_mode').get() as {
      journal_mode: string;
    };
    if (before !== 'wal') return false;
    const { journal_mode: now } = database.prepare('pragma journal_mode = delete').get() as {
      journal_mode: string;
    };
    if (now !== 'wal') database.exec('pragma journal_mode = wal');
    return now === 'wal';
  } catch (error) {
    if (/locked|busy/i.test(String(error))) return true;
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
