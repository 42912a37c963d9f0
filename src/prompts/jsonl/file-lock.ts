import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Failure } from '../../failure.ts';

const patienceMs = 15_000;
const busy = 5;

/**
 * One writer at a time, in this process and among all others. The lock is SQLite's on an empty database: the kernel holds
 * it for the process and takes it back when the process ends, however it ends.
 */
export class FileLock {
  readonly #path: string;
  #database: DatabaseSync | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** The work must not wait for anything: the lock is held while it runs. */
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
    const deadline = performance.now() + patienceMs;
    while (!tryLock(database)) {
      if (performance.now() > deadline)
        throw new Failure('unavailable', 'Another process keeps changing the prompts; try again later.');
      // Not all at the same moment again.
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
    mkdirSync(dirname(this.#path), { recursive: true });
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
    if ((error as { errcode?: number }).errcode === busy) return false;
    throw error;
  }
}
