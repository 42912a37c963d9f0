import { accessSync, constants, promises as disk, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Kysely } from 'kysely';
import { Failure } from '../failure.ts';
import { messageOf } from '../json.ts';
import { log } from '../log.ts';
import { recordChanges } from './activity.ts';
import { Checkpoints } from './checkpoints.ts';
import { unrecordedCall } from './current-call.ts';
import { checkLater, noteDatabase, refuseDamaged, refuseLost } from './damage.ts';
import { refuseEarlierProcess } from './earlier-process.ts';
import { isCurrent, migrate } from './migrate.ts';
import { migrations } from './migrations.ts';
import { requestPlanning } from './planning-turns.ts';
import type { Tables } from './schema.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { SqliteFile, whileBusy } from './sqlite-file.ts';
import type { Engine, Store, StoreChange } from './store.ts';
import { unavailable } from './unavailable.ts';

/** Older versions can corrupt the write-ahead log when processes write and checkpoint at the same moment. */
const oldestSafe = [3, 51, 3] as const;
/** Maximum wait for the write lock. SQLite's lock is not fair, so this is far longer than one transaction takes. */
const lockTimeoutMs = 10_000;
/** Maximum time a single statement may block the event loop. */
const statementWaitMs = 250;
/** Transactions wait for the lock asynchronously: this process itself may hold it in another connection. */
const beginWaitMs = 10;
const keptCopies = 3;
/** Number of change messages kept for processes that poll later. */
const keptChanges = 1000;

/** Opens two connections to one file: the reader sees the last commit and never waits for the writer. */
export async function openSqlite(file: string, store: Store, oldestSchema?: number): Promise<Engine> {
  const opened: SqliteFile[] = [];
  const update = async (writer: Kysely<Tables>) => {
    if (await isCurrent(writer, file, oldestSchema)) return;
    const earlier = await whileBusy(() => opened[0]!.schemaVersion, lockTimeoutMs);
    // Another process is creating or updating the database.
    const isEarlier = typeof earlier === 'number' && earlier < migrations.length;
    if (isEarlier) {
      await refuseEarlierProcess(file);
      await copyBeforeUpdate(opened[0]!, earlier);
    }
    await writer.transaction().execute(async (db) => {
      await migrate(db, file);
      // Such a process may have opened the file while it was copied.
      if (isEarlier) await refuseEarlierProcess(file);
    });
  };
  const connect = async (readOnly: boolean) => {
    const connection = await SqliteFile.open(file, readOnly ? statementWaitMs : beginWaitMs);
    opened.push(connection);
    if (opened.length === 1) await whileBusy(() => refuseForeign(connection), lockTimeoutMs);
    if (readOnly) connection.exec('pragma query_only = 1');
    else await prepare(connection);
    return new Kysely<Tables>({ dialect: sqliteDialect(connection, lockTimeoutMs) });
  };
  try {
    refuseLost(file);
    const writer = await connect(false);
    await whileBusy(() => refuseDamaged(opened[0]!), lockTimeoutMs);
    await update(writer);
    noteDatabase(file);
    const reader = await connect(true);
    const checkpoints = new Checkpoints(opened[0]!);
    const engine = createEngine(reader, writer, file, store, checkpoints);
    const cancelCheck = checkLater(opened[0]!);
    return {
      ...engine,
      close() {
        cancelCheck();
        return engine.close();
      },
      isOutdated: () => opened[0]!.isReplaced,
    };
  } catch (error) {
    for (const connection of opened) connection.close();
    const reason = explainOpenError(error, file);
    const { code = '' } = error as NodeJS.ErrnoException;
    const engine = notWritable.has(code) ? await openForReading(file, reason, oldestSchema) : undefined;
    if (engine === undefined) throw reason;
    return engine;
  }
}

const notWritable: ReadonlySet<string> = new Set(['EROFS', 'EACCES', 'EPERM']);

/**
 * Reads a database on a read-only disk, or one that belongs to another user. Writes are refused with the reason. `undefined` if it
 * cannot be read either. Each call opens the file again: another user may change it, and SQLite cannot write while a connection of
 * the process shares a write-ahead log that was read-only.
 */
async function openForReading(
  file: string,
  reason: unknown,
  oldestSchema?: number,
): Promise<Engine | undefined> {
  const connect = () => {
    const { size = 0 } = statSync(`${file}-wal`, { throwIfNoEntry: false }) ?? {};
    return SqliteFile.open(file, statementWaitMs, size > 0 ? 'read' : 'immutable');
  };
  const read = async <Value>(work: (db: Kysely<Tables>) => Promise<Value>) => {
    let connection: SqliteFile | undefined;
    try {
      connection = await connect();
      refuseForeign(connection);
      const reader = new Kysely<Tables>({ dialect: sqliteDialect(connection, lockTimeoutMs) });
      if (await isCurrent(reader, file, oldestSchema)) return await work(reader);
      const update = 'It is from an earlier version of Adjutant, and can be read after its update.';
      throw new Failure('unavailable', `${messageOf(reason)} ${update}`);
    } catch (error) {
      throw unavailable(error, file);
    } finally {
      connection?.close();
    }
  };
  const refuse = async () => {
    throw reason;
  };
  const found = await connect().catch(() => undefined);
  found?.close();
  return (
    found && { read, write: refuse, run: refuse, isOutdated: () => isWritable(file), close: async () => {} }
  );
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Refuses the database of another program before anything in it is changed. */
function refuseForeign(file: SqliteFile): void {
  const names = file
    .all("select name from sqlite_master where type = 'table'")
    .map(({ name }) => String(name));
  const own = names.filter((name) => !name.startsWith('sqlite_'));
  if (own.length === 0 || own.includes('schema_version')) return;
  const shown = `${own.slice(0, 3).join(', ')}${own.length > 3 ? ' and others' : ''}`;
  throw new Failure(
    'unavailable',
    `${file.path} is a database of another program, with the tables ${shown}. It was not changed; name another file with assistant.database_url.`,
  );
}

/** Copies a database of an earlier version, so that nothing is lost if its new schema has a fault. Keeps the last three copies. */
async function copyBeforeUpdate(database: SqliteFile, earlier: number): Promise<void> {
  const copy = `${database.path}.schema-${earlier}`;
  const unfinished = `${copy}.${process.pid}`;
  try {
    await database.copyTo(unfinished);
    // Another process may have updated the database in the meantime, and has made the copy.
    if ((await copiedVersion(unfinished)) === earlier) await disk.rename(unfinished, copy);
    else await disk.rm(unfinished);
  } catch (error) {
    // Report the original error even if the unfinished copy cannot be removed.
    await disk.rm(unfinished, { force: true }).catch(() => {});
    throw new Failure(
      'unavailable',
      `${database.path} is from an earlier version, and the copy that is made before its update failed: ${messageOf(error)}`,
      { cause: error },
    );
  }
  const name = `${basename(database.path)}.schema-`;
  const folder = dirname(database.path);
  const copies = (await disk.readdir(folder))
    .filter((one) => one.startsWith(name) && /^\d+$/.test(one.slice(name.length)))
    .sort((one, other) => Number(other.slice(name.length)) - Number(one.slice(name.length)));
  for (const old of copies.slice(keptCopies)) await disk.rm(join(folder, old), { force: true });
}

async function copiedVersion(path: string): Promise<unknown> {
  const copy = await SqliteFile.open(path, lockTimeoutMs);
  try {
    return copy.schemaVersion;
  } finally {
    copy.close();
  }
}

function createEngine(
  reader: Kysely<Tables>,
  writer: Kysely<Tables>,
  file: string,
  store: Store,
  checkpoints: Checkpoints,
): Engine {
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
      const call = unrecordedCall(store.place);
      try {
        const value = await writer.transaction().execute(async (db) => {
          const result = await work({ db, changed: (change) => changes.push(change) });
          if (changes.length > 0) await publish(db, store.origin, changes);
          await requestPlanning(db, changes);
          await recordChanges(db, call, changes);
          return result;
        });
        call?.recordedIn.add(store.place);
        checkpoints.afterWrite();
        store.dispatch(changes);
        return value;
      } catch (error) {
        throw unavailable(error, file);
      }
    },
    async run(statement) {
      try {
        const rows = await writer.transaction().execute(async (db) => (await statement.execute(db)).rows);
        checkpoints.afterWrite();
        return rows;
      } catch (error) {
        throw unavailable(error, file);
      }
    },
    async close() {
      await checkpoints.close();
      await reader.destroy();
      await writer.destroy();
    },
  };
}

/** Stores the changes for other processes, which read them when they notice a commit. */
async function publish(db: Kysely<Tables>, origin: string, changes: readonly StoreChange[]): Promise<void> {
  const { id } = await db
    .insertInto('changes')
    .values({ origin, changes: JSON.stringify(changes) })
    .returning('id')
    .executeTakeFirstOrThrow();
  await db
    .deleteFrom('changes')
    .where('id', '<=', id - keptChanges)
    .execute();
}

async function prepare(file: SqliteFile): Promise<void> {
  // Every statement reads the schema first, which waits for a process that is creating the file.
  const [row] = await whileBusy(() => file.all('select sqlite_version() as version'), lockTimeoutMs);
  const version = String(row?.['version']);
  if (isOlder(version.split('.').map(Number))) {
    throw new Failure(
      'unavailable',
      `SQLite ${version} can lose data when several processes write; run Adjutant on a Node.js version with SQLite ${oldestSafe.join('.')} or newer.`,
    );
  }
  // Switching to WAL needs exclusive access for a moment, and SQLite ignores the busy timeout here.
  const mode = await whileBusy(() => {
    // Overwrite deleted personal data instead of leaving it in free pages of the file.
    file.exec('pragma secure_delete = 1');
    const journal = file.all('pragma journal_mode = wal')[0]?.['journal_mode'];
    if (journal === 'wal') file.exec('pragma synchronous = normal');
    return journal;
  }, lockTimeoutMs);
  if (mode !== 'wal')
    log(
      'warning',
      `${file.path} does not support a write-ahead log (journal mode ${mode}); use a local disk`,
    );
}

function isOlder(version: readonly number[]): boolean {
  const at = oldestSafe.findIndex((part, index) => part !== version[index]);
  return at >= 0 && (version[at] ?? 0) < oldestSafe[at]!;
}

const openErrors: Readonly<Record<string, string>> = {
  EACCES: 'is not writable; check the permissions of the file and its folder',
  EPERM: 'is not writable; check the permissions of the file and its folder',
  EROFS: 'is on a read-only disk; choose another file with assistant.database_url',
  ENOSPC: 'cannot grow because the disk is full; free some space',
  EISDIR: 'is a folder; specify a file',
  ENOTDIR: 'cannot be opened because its parent path is a file; choose another path',
  EEXIST: 'cannot be opened because its parent path is a file; choose another path',
};

function explainOpenError(error: unknown, file: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof Failure || typeof code !== 'string') return error;
  const known = unavailable(error, file);
  if (known !== error) return known;
  const reason = openErrors[code] ?? `cannot be opened (${code})`;
  return new Failure('unavailable', `The database ${file} ${reason}.`, { cause: error });
}
