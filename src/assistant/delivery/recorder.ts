import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../../failure.ts';
import { log } from '../../log.ts';
import type { Clock, Store } from '../store/store.ts';
import { type Settlement, settle } from './queue.ts';

const firstPauseMs = 100;
const longestPauseMs = 5000;

/**
 * Writes down how deliveries ended. What ends while a transaction is under way goes into the next one together; a
 * database that does not answer is asked until it does, since what was delivered cannot be taken back.
 */
export class Recorder {
  readonly #store: Store;
  readonly #owner: string;
  readonly #clock: Clock;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #abandoned = false;

  constructor(store: Store, owner: string, clock: Clock) {
    this.#store = store;
    this.#owner = owner;
    this.#clock = clock;
  }

  record(settlement: Settlement): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ settlement, done: resolve });
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return promise;
  }

  /** Stops asking a database that does not answer. */
  abandon(): void {
    this.#abandoned = true;
  }

  async #write(): Promise<void> {
    // Deliveries that end in the same turn share their transaction.
    await Promise.resolve();
    for (let pauseMs = firstPauseMs; this.#waiting.length > 0; ) {
      const batch = this.#waiting;
      this.#waiting = [];
      const error = await this.#settle(batch);
      if (error === undefined) {
        pauseMs = firstPauseMs;
        for (const { done } of batch) done();
      } else if (this.#abandoned || !(error instanceof Failure && error.kind === 'unavailable')) {
        log('error', `${batch.length} deliveries could not be recorded`, error);
        for (const { done } of batch) done();
      } else {
        log('warning', `${batch.length} deliveries wait to be recorded`, error);
        this.#waiting = [...batch, ...this.#waiting];
        await pause(pauseMs);
        pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      }
    }
  }

  async #settle(batch: readonly Waiting[]): Promise<unknown> {
    try {
      const settlements = batch.map(({ settlement }) => settlement);
      await this.#store.write((writer) =>
        settle(writer, this.#store.engine, this.#owner, this.#clock(), settlements),
      );
      return undefined;
    } catch (error) {
      return error;
    }
  }
}

interface Waiting {
  readonly settlement: Settlement;
  readonly done: () => void;
}
