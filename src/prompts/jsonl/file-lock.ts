import type { DatabaseSync } from 'node:sqlite';
import { Failure } from '../../failure.ts';
import { createPrivateFile } from '../../regular-file.ts';

const timeoutMs = 15_000;
const sqliteBusy = 5;

/**
 * Lets one writer work at a time, within this process and across processes. Uses SQLite's lock on an empty database,
 * which the kernel releases when the process ends, even after a crash.
 */
export class FileLock {
  readonly #path: string;
  #database: DatabaseSync | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** Runs the work while holding the lock. The work is synchronous, so the lock is held only briefly. */
  run<Value>(work: () => Value): Promise<Value> {
    const turn = this.#last.then(() => this.#locked(work));
    this.#last = turn.catch(() => {});
    return turn;
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  async #locked<Value>(work: () => Value): Promise<Value> {
    const database = await this.#open();
    const deadline = performance.now() + timeoutMs;
    while (!tryLock(database)) {
      if (performance.now() > deadline)
        throw new Failure('unavailable', 'The prompts are locked by another process. Try again later.');
      // A random delay keeps waiting processes from retrying at the same moment.
      await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * 8));
    }
    try {
      return work();
    } finally {
      database.exec('ROLLBACK');
    }
  }

  async #open(): Promise<DatabaseSync> {
    if (this.#database !== undefined) return this.#database;
    const { DatabaseSync } = await import('node:sqlite');
    createPrivateFile(this.#path);
    const database = new DatabaseSync(this.#path);
    database.exec('PRAGMA busy_timeout = 0');
    this.#database = database;
    return database;
  }
}

function tryLock(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === sqliteBusy) return false;
    throw error;
  }
}
