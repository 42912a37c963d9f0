import { existsSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { log } from '../log.ts';
import { isDamaged, SqliteFile, type SqliteRow } from './sqlite-file.ts';
import { unavailable } from './unavailable.ts';

/** Creates the tables that a new connection does not find. */
type SetUp = (file: SqliteFile) => void;

/**
 * A SQLite file with the state of one machine: its runs, the folders that they use, and what they have spent. It is separate
 * from the shared database, so that runs work while that database cannot be reached. The rows describe live processes and
 * must not stop them: a damaged file is set aside, and a file that was removed is created again.
 */
export class LocalDatabase {
  readonly #connect: (mayReplace?: boolean) => SqliteFile;
  #file: SqliteFile;

  private constructor(Database: typeof DatabaseSync, path: string, setUp: SetUp, lockTimeoutMs: number) {
    this.#connect = (mayReplace = true) => {
      const file = new SqliteFile(Database, path, lockTimeoutMs);
      try {
        // Losing the rows in a power cut does no harm, because their processes are lost with them.
        // The journal keeps its size, so that a full disk does not prevent small changes.
        file.exec('pragma journal_mode = persist; pragma synchronous = off;');
        setUp(file);
        return file;
      } catch (error) {
        file.close();
        if (!mayReplace || !isDamaged(error)) throw unavailable(error, path);
        log('warning', `${path} is damaged; it is kept as ${path}.broken, and a new file is used`);
        // Another process may have set it aside already.
        if (!file.isReplaced) renameSync(path, `${path}.broken`);
        return this.#connect(false);
      }
    };
    this.#file = this.#connect();
  }

  /** `lockTimeoutMs` is how long to wait for another process that uses the file. Requests of this process wait as well. */
  static async open(path: string, setUp: SetUp, lockTimeoutMs = 10_000): Promise<LocalDatabase> {
    const { DatabaseSync } = await import('node:sqlite');
    return new LocalDatabase(DatabaseSync, path, setUp, lockTimeoutMs);
  }

  all(statement: string, ...values: readonly SQLInputValue[]): SqliteRow[] {
    return this.#use((file) => file.all(statement, ...values));
  }

  /** Returns the number of changed rows. */
  run(statement: string, ...values: readonly SQLInputValue[]): number {
    return this.#use((file) => file.run(statement, ...values));
  }

  /** Holds the write lock from the start. Steps within another transaction become part of it. */
  transaction<Value>(step: () => Value): Value {
    return this.#use((file) => {
      if (file.isTransaction) return step();
      file.exec('begin immediate');
      try {
        const value = step();
        file.exec('commit');
        return value;
      } catch (error) {
        file.rollback();
        throw error;
      }
    });
  }

  close(): void {
    this.#file.close();
  }

  #use<Value>(step: (file: SqliteFile) => Value): Value {
    try {
      this.#reconnect();
      return step(this.#file);
    } catch (error) {
      throw unavailable(error, this.#file.path);
    }
  }

  /** Leaves a deleted file. If its folder was deleted too, nobody wants the state any more. */
  #reconnect(): void {
    const { isTransaction, isReplaced, path } = this.#file;
    if (isTransaction || !isReplaced || !existsSync(dirname(path))) return;
    const file = this.#connect();
    this.#file.close();
    this.#file = file;
  }
}
