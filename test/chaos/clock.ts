import { spawn } from 'node:child_process';
import { existsSync, globSync, rmSync, writeFileSync } from 'node:fs';

const library = globSync('/{usr/lib,usr/lib/*,usr/local/lib}/faketime/libfaketimeMT.so.1')[0];

/** The largest difference between the clock of a world and the real time. */
const maxOffsetMs = 60 * 60_000;

/** A clock for the processes of one world, which can jump. Needs libfaketime. */
export class Clock {
  static readonly isAvailable = library !== undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly #file: string;
  readonly #shared: SharedState | undefined;
  #offsetMs = 0;

  constructor(file: string) {
    this.#file = file;
    this.#shared = library === undefined ? undefined : startSharedState(library);
    this.env =
      this.#shared === undefined
        ? {}
        : {
            LD_PRELOAD: library!,
            FAKETIME_SHARED: this.#shared.names,
            FAKETIME_TIMESTAMP_FILE: file,
            FAKETIME_CACHE_DURATION: '1',
            // Timers follow the monotonic clock, which never jumps.
            FAKETIME_DONT_FAKE_MONOTONIC: '1',
          };
    this.set(0);
  }

  get nowMs(): number {
    return Date.now() + this.#offsetMs;
  }

  close(): void {
    this.#shared?.end();
    rmSync(this.#file, { force: true });
  }

  /** `to` is a share of the largest difference, from -1 to 1. */
  set(to: number): void {
    this.#offsetMs = Math.round(to * maxOffsetMs);
    if (existsSync(this.#file) || library !== undefined)
      writeFileSync(this.#file, `${this.#offsetMs < 0 ? '' : '+'}${this.#offsetMs / 1000}\n`);
  }
}

interface SharedState {
  /** The names of the semaphore and of the shared memory, as the value of FAKETIME_SHARED. */
  readonly names: string;
  end(): void;
}

/**
 * Starts a process that owns the semaphore and the memory that libfaketime shares between processes. Without it, the first server
 * would own them and remove them when it exits, and processes that start at that moment would fail.
 */
function startSharedState(preload: string): SharedState {
  // Ends with this process, however it ends.
  const args = ['--pid', String(process.pid), '-f', '/dev/null'];
  const owner = spawn('tail', args, { env: { LD_PRELOAD: preload }, stdio: 'ignore' });
  const files = [`sem.faketime_sem_${owner.pid}`, `faketime_shm_${owner.pid}`].map(
    (name) => `/dev/shm/${name}`,
  );
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  for (let tries = 0; tries < 200 && !files.every((file) => existsSync(file)); tries++)
    Atomics.wait(sleeper, 0, 0, 10);
  return {
    names: `/faketime_sem_${owner.pid} /faketime_shm_${owner.pid}`,
    end() {
      owner.kill('SIGKILL');
      for (const file of files) rmSync(file, { force: true });
    },
  };
}
