import { statSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { Kysely } from 'kysely';
import { Failure } from '../../failure.ts';
import { log } from '../../log.ts';
import { isCurrent, migrate } from './migrate.ts';
import { callForPlanning } from './planning-turns.ts';
import type { Tables } from './schema.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import type { Engine, Store, StoreChange } from './store.ts';
import { isBusy, unavailable } from './unavailable.ts';

/** Older write-ahead logs lose commits when processes write and checkpoint at the same moment. */
const oldestSafe = [3, 51, 3] as const;
/** How long a writer waits for the others. The lock is not fair, so this is well above what one of them takes. */
const patienceMs = 10_000;
/** What a single statement may hold up the process; transactions wait without doing so. */
const statementWaitMs = 250;
/** As many messages are kept for processes that look later. */
const rememberedChanges = 1000;

/** Two connections to one file: readers see the last commit and never queue behind a writer. */
export async function openSqlite(file: string, store: Store): Promise<Engine> {
  const opened: DatabaseSync[] = [];
  const connect = async (readOnly: boolean) => {
    const database = new DatabaseSync(file, { timeout: patienceMs });
    opened.push(database);
    if (readOnly) database.exec('pragma query_only = 1');
    else await prepare(database, file);
    return new Kysely<Tables>({ dialect: sqliteDialect(database, patienceMs) });
  };
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    // The file holds personal data: it is its owner's alone.
    await (await open(file, 'a', 0o600)).close().catch(() => {});
    const writer = await connect(false);
    if (!(await isCurrent(writer, file))) await writer.transaction().execute((db) => migrate(db, file));
    const reader = await connect(true);
    for (const database of opened) database.exec(`pragma busy_timeout = ${statementWaitMs}`);
    const { ino } = statSync(file);
    const isGone = () => statSync(file, { throwIfNoEntry: false })?.ino !== ino;
    return { ...engineOf(reader, writer, file, store), isGone };
  } catch (error) {
    for (const database of opened) database.close();
    throw cannotOpen(error, file);
  }
}

function engineOf(reader: Kysely<Tables>, writer: Kysely<Tables>, file: string, store: Store): Engine {
  return {
    async read(work) {
      try {
        return await work(reader);
      } catch (error) {
        throw unavailable(error, file);
      }
    },
    async write(work) {
      const changes: StoreChange[] = [];
      try {
        const value = await writer.transaction().execute(async (db) => {
          const result = await work({ db, changed: (change) => changes.push(change) });
          if (changes.length > 0) await tell(db, store.origin, changes);
          await callForPlanning(db, changes);
          return result;
        });
        store.dispatch(changes);
        return value;
      } catch (error) {
        throw unavailable(error, file);
      }
    },
    async run(statement) {
      try {
        return await writer.transaction().execute(async (db) => (await statement.execute(db)).rows);
      } catch (error) {
        throw unavailable(error, file);
      }
    },
    async close() {
      await reader.destroy();
      await writer.destroy();
    },
  };
}

/** For the other processes, which look here when they see that the file has changed. */
async function tell(db: Kysely<Tables>, origin: string, changes: readonly StoreChange[]): Promise<void> {
  const { id } = await db
    .insertInto('changes')
    .values({ origin, changes: JSON.stringify(changes) })
    .returning('id')
    .executeTakeFirstOrThrow();
  await db
    .deleteFrom('changes')
    .where('id', '<=', id - rememberedChanges)
    .execute();
}

async function prepare(database: DatabaseSync, file: string): Promise<void> {
  const version = String(database.prepare('select sqlite_version() as version').get()?.['version']);
  if (isOlder(version.split('.').map(Number))) {
    throw new Failure(
      'unavailable',
      `SQLite ${version} can lose writes of several processes; run Adjutant on a Node with SQLite ${oldestSafe.join('.')} or newer.`,
    );
  }
  // What somebody has deleted is not to be read in the free pages of the file.
  database.exec('pragma secure_delete = 1');
  const mode = await writeAhead(database);
  if (mode === 'wal') database.exec('pragma synchronous = normal');
  else
    log('warning', `${file} cannot have a write-ahead log (journal mode ${mode}); keep it on a local disk`);
}

/** Changing the mode needs the file alone for a moment, and the busy timeout does not cover it. */
async function writeAhead(database: DatabaseSync): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return String(database.prepare('pragma journal_mode = wal').get()?.['journal_mode']);
    } catch (error) {
      if (!isBusy(error) || attempt === 50) throw error;
      await pause(20 + Math.random() * 40);
    }
  }
}

function isOlder(version: readonly number[]): boolean {
  const at = oldestSafe.findIndex((part, index) => part !== version[index]);
  return at >= 0 && (version[at] ?? 0) < oldestSafe[at]!;
}

const causes: Readonly<Record<string, string>> = {
  EACCES: 'cannot be written; check the permissions of the file and its folder',
  EPERM: 'cannot be written; check the permissions of the file and its folder',
  EROFS: 'lies on a disk that takes no writes; choose another file with assistant.database_url',
  ENOSPC: 'cannot grow: the disk is full; make room there',
  EISDIR: 'is a folder; name a file in it',
  ENOTDIR: 'cannot be opened: a file is where its folder should be; choose another place',
  EEXIST: 'cannot be opened: a file is where its folder should be; choose another place',
};

function cannotOpen(error: unknown, file: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof Failure || typeof code !== 'string') return error;
  const known = unavailable(error, file);
  if (known !== error) return known;
  const reason = causes[code] ?? `cannot be opened (${code})`;
  return new Failure('unavailable', `The database ${file} ${reason}.`, { cause: error });
}
