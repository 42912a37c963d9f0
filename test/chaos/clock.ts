import { existsSync, globSync, writeFileSync } from 'node:fs';

const library = globSync('/{usr/lib,usr/lib/*,usr/local/lib}/faketime/libfaketimeMT.so.1')[0];

/** The largest difference between the clock of a world and the real time. */
const maxOffsetMs = 60 * 60_000;

/** A clock for the processes of one world, which can jump. Needs libfaketime. */
export class Clock {
  static readonly isAvailable = library !== undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly #file: string;
  #offsetMs = 0;

  constructor(file: string) {
    this.#file = file;
    this.env =
      library === undefined
        ? {}
        : {
            LD_PRELOAD: library,
            FAKETIME_TIMESTAMP_FILE: file,
            FAKETIME_CACHE_DURATION: '1',
            // Timers follow the monotonic clock, which never jumps.
            FAKETIME_DONT_FAKE_MONOTONIC: '1',
            FAKETIME_DISABLE_SHM: '1',
          };
    this.set(0);
  }

  get nowMs(): number {
    return Date.now() + this.#offsetMs;
  }

  /** `to` is a share of the largest difference, from -1 to 1. */
  set(to: number): void {
    this.#offsetMs = Math.round(to * maxOffsetMs);
    if (existsSync(this.#file) || library !== undefined)
      writeFileSync(this.#file, `${this.#offsetMs < 0 ? '' : '+'}${this.#offsetMs / 1000}\n`);
  }
}
