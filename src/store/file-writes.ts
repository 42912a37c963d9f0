import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** How often the file is looked at while the system reports writes: an event can be lost, and a folder can be replaced. */
const watchedMs = 5_000;
/** A transaction consists of several writes. */
const joinMs = 10;

export interface FollowOptions {
  /** The shortest time from one look to the next, and the time between looks where the system does not report writes. */
  readonly apartMs: number;
  /** Whether the process may end meanwhile. */
  readonly isBackground?: boolean;
}

export interface FollowedFile {
  /** Watches the folder again, because it may be another one. */
  watchAgain(): void;
  close(): Promise<void>;
}

/** Calls `look` now, soon after each write to a SQLite file or its log, and now and then. `look` does not reject. */
export function followWrites(
  file: string,
  { apartMs, isBackground = false }: FollowOptions,
  look: () => Promise<void>,
): FollowedFile {
  let watcher: FSWatcher | undefined;
  let timer: NodeJS.Timeout | undefined;
  let dueMs = Infinity;
  let lookedMs = 0;
  let isClosed = false;
  let looking = Promise.resolve();
  /** Looks at this time, unless a look is due before. */
  const schedule = (atMs: number) => {
    if (isClosed || atMs >= dueMs) return;
    dueMs = atMs;
    clearTimeout(timer);
    timer = setTimeout(run, Math.ceil(atMs - performance.now()));
    if (isBackground) timer.unref();
  };
  const run = () => {
    dueMs = Infinity;
    looking = looking.then(async () => {
      await look();
      lookedMs = performance.now();
      const isWatched = watcher !== undefined;
      watcher ??= watchFile(
        file,
        () => schedule(Math.max(lookedMs + apartMs, performance.now() + joinMs)),
        () => {
          watcher = undefined;
        },
      );
      // A write before the watch began is found by one more look. All others of an idle process happen at the same time, because
      // waking up costs more than looking.
      schedule(isWatched ? (Math.floor(lookedMs / watchedMs) + 1) * watchedMs : lookedMs + apartMs);
    });
  };
  run();
  return {
    watchAgain() {
      watcher?.close();
      watcher = undefined;
    },
    async close() {
      isClosed = true;
      await looking;
      clearTimeout(timer);
      watcher?.close();
    },
  };
}

/** Reports writes to a SQLite file and its log. Returns nothing where the system cannot watch them. */
function watchFile(file: string, changed: () => void, failed: () => void): FSWatcher | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const name = basename(file);
    const watcher = watch(dirname(file), (_, changedName) => {
      if (changedName === name || changedName === `${name}-wal`) changed();
    });
    watcher.on('error', () => {
      watcher.close();
      failed();
    });
    return watcher.unref();
  } catch {
    // The folder does not exist yet, or the process has no watches left.
    return undefined;
  }
}
