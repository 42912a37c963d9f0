import { statSync } from 'node:fs';
import { messageOf } from '../json.ts';
import { log } from '../log.ts';
import type { SqliteFile } from './sqlite-file.ts';
import { runInThread } from './sqlite-thread.ts';

/** A write-ahead log of this size is moved into the database. SQLite's own limit is the same: 1000 pages. */
const dueBytes = 4 * 1024 * 1024;
/** What is left of the file when its content was moved. It must be smaller, because its size says whether a checkpoint is due. */
const keptBytes = 1024 * 1024;
/** A reader that works for long keeps a checkpoint from finishing. */
const pauseMs = 1_000;

/**
 * Moves the write-ahead log into the database in a thread. SQLite does this in the transaction that fills the log, and flushes both
 * files to the disk, which all requests would wait for.
 */
export class Checkpoints {
  readonly #file: SqliteFile;
  #running: Promise<void> | undefined;
  #endedMs = Number.NEGATIVE_INFINITY;

  constructor(file: SqliteFile) {
    this.#file = file;
    file.exec(`pragma wal_autocheckpoint = 0; pragma journal_size_limit = ${keptBytes}`);
  }

  /** Starts a checkpoint if one is due. */
  afterWrite(): void {
    if (this.#running !== undefined || performance.now() - this.#endedMs < pauseMs) return;
    const { size = 0 } = statSync(`${this.#file.path}-wal`, { throwIfNoEntry: false }) ?? {};
    if (size < dueBytes) return;
    this.#running = runInThread(this.#file.path, 'pragma wal_checkpoint(passive)')
      .catch((error: unknown) =>
        log('warning', `the write-ahead log of ${this.#file.path} grows: ${messageOf(error)}`),
      )
      .then(() => {
        this.#running = undefined;
        this.#endedMs = performance.now();
      });
  }

  async close(): Promise<void> {
    await this.#running;
  }
}
