import { statSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../json.ts';
import { createPrivateFile } from '../regular-file.ts';
import { showSchema } from './earlier-process.ts';

const maxCachedStatements = 200;
/** The path of a database that no file holds. */
export const inMemory = ':memory:';

export type SqliteRow = Record<string, unknown>;

/** `immutable`: SQLite creates no files beside the database. Nobody may change it, and it has no write-ahead log. */
export type SqliteMode = 'write' | 'read' | 'immutable';

/** One connection to a SQLite file. All databases of Adjutant are opened here: shared ones, local ones and locks. */
export class SqliteFile {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #inode: number;
  readonly #statements = new Map<string, StatementSync>();
  readonly #withResult = new Map<string, boolean>();

  /**
   * Creates the file if it does not exist, unless it is only read. `busyMs` is how long a statement blocks the event loop to wait
   * for a lock.
   */
  constructor(Database: typeof DatabaseSync, path: string, busyMs: number, mode: SqliteMode = 'write') {
    this.path = path;
    if (path !== inMemory && mode === 'write') createPrivateFile(path);
    const place = mode === 'immutable' ? new URL('?immutable=1', pathToFileURL(path)) : path;
    this.#database = new Database(place, { timeout: busyMs, readOnly: mode !== 'write' });
    this.#inode = path === inMemory ? 0 : statSync(path).ino;
  }

  static async open(path: string, busyMs: number, mode?: SqliteMode): Promise<SqliteFile> {
    const { DatabaseSync } = await import('node:sqlite');
    showSchema();
    return new SqliteFile(DatabaseSync, path, busyMs, mode);
  }

  /** True if the file was removed or replaced after it was opened: what is written here would be lost. */
  get isReplaced(): boolean {
    return statSync(this.path, { throwIfNoEntry: false })?.ino !== this.#inode;
  }

  /** The version of our tables; `undefined` if there are none yet. */
  get schemaVersion(): unknown {
    const tables = this.all("select 1 from sqlite_master where name = 'schema_version'");
    return tables.length === 0 ? undefined : this.all('select version from schema_version')[0]?.['version'];
  }

  /** Writes a consistent copy of the database, while other processes go on using it. */
  async copyTo(path: string): Promise<void> {
    const { backup } = await import('node:sqlite');
    createPrivateFile(path);
    // All pages in one step: SQLite starts again from the first page if another process writes between two steps.
    await backup(this.#database, path, { rate: 0x7f_ff_ff_ff });
  }

  /** What SQLite finds wrong in the whole file. Empty if nothing is. `quick` does not compare indexes with their tables. */
  findDamage(how: 'quick' | 'integrity' = 'integrity'): readonly string[] {
    try {
      const rows = this.all(`pragma ${how}_check(20)`);
      return rows.flatMap((row) => Object.values(row).map(String)).filter((line) => line !== 'ok');
    } catch (error) {
      // Some damage makes the check itself fail.
      if (isDamaged(error)) return [messageOf(error)];
      throw error;
    }
  }

  get isTransaction(): boolean {
    return this.#database.isTransaction;
  }

  exec(statements: string): void {
    this.#database.exec(statements);
  }

  all(statement: string, ...values: readonly SQLInputValue[]): SqliteRow[] {
    return this.#prepare(statement).all(...values);
  }

  /** Returns the number of changed rows. */
  run(statement: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#prepare(statement).run(...values).changes);
  }

  hasResult(statement: string): boolean {
    // A list of columns takes as long as a small query.
    const known = this.#withResult.get(statement);
    if (known !== undefined) return known;
    const result = this.#prepare(statement).columns().length > 0;
    this.#withResult.set(statement, result);
    return result;
  }

  /** Starts a transaction. Waits for the lock without blocking the event loop. */
  async begin(kind: 'immediate' | 'exclusive', timeoutMs: number): Promise<void> {
    await whileBusy(() => this.exec(`begin ${kind}`), timeoutMs);
  }

  /** SQLite itself may have ended the transaction, for example because the disk is full. */
  rollback(): void {
    if (this.isTransaction) this.exec('rollback');
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    if (this.#statements.size >= maxCachedStatements) {
      this.#statements.clear();
      this.#withResult.clear();
    }
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** Repeats a step until no other connection is in its way, at random intervals so that waiting processes do not collide. */
export async function whileBusy<Value>(step: () => Value, timeoutMs: number): Promise<Value> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return step();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      await pause(1 + Math.random() * 20);
    }
  }
}

export function isBusy(error: unknown): boolean {
  return isSqliteError(error, [5, 6]);
}

/** True if the file is not a database, or not a whole one. */
export function isDamaged(error: unknown): boolean {
  return isSqliteError(error, [11, 26]);
}

function isSqliteError(error: unknown, primaryCodes: readonly number[]): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === 'ERR_SQLITE_ERROR' && primaryCodes.includes(Number(errcode) & 0xff);
}
