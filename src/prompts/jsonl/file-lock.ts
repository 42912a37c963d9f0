import { Failure } from '../../failure.ts';
import { isBusy, SqliteFile } from '../../store/sqlite-file.ts';

const timeoutMs = 15_000;

/**
 * Lets one writer work at a time, within this process and across processes. Uses SQLite's lock on an empty database,
 * which the kernel releases when the process ends, even after a crash.
 */
export class FileLock {
  readonly #path: string;
  #file: Promise<SqliteFile> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** Runs the work while holding the lock. The work should wait only for the disk, so that the lock is held briefly. */
  run<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(() => this.#locked(work));
    this.#last = turn.catch(() => {});
    return turn;
  }

  close(): void {
    void this.#file?.then(
      (file) => file.close(),
      () => {},
    );
    this.#file = undefined;
  }

  async #locked<Value>(work: () => Promise<Value>): Promise<Value> {
    const file = await this.#acquire();
    try {
      return await work();
    } finally {
      file.rollback();
    }
  }

  async #acquire(): Promise<SqliteFile> {
    for (;;) {
      this.#file ??= SqliteFile.open(this.#path, 0);
      try {
        const file = await this.#file;
        // SQLite cannot lock a file that was deleted. If it is deleted while this process waits, the lock keeps nobody out.
        if (!file.isReplaced) {
          await file.begin('exclusive', timeoutMs);
          if (!file.isReplaced) return file;
        }
        this.close();
      } catch (error) {
        this.close();
        if (!isBusy(error)) throw error;
        throw new Failure('unavailable', 'The prompts are locked by another process. Try again later.');
      }
    }
  }
}
