import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../../failure.ts';
import { log } from '../../log.ts';
import type { Notification } from '../store/schema.ts';
import type { Clock, Store } from '../store/store.ts';
import { type OutcomeRecord, settle } from './record-outcome.ts';

/** As much longer a delivery is not on record yet. */
const gatherMs = 5;
const firstPauseMs = 100;
const longestPauseMs = 5000;
const newsMs = 200;

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
  #news: Notification[] = [];
  #telling: NodeJS.Timeout | undefined;

  constructor(store: Store, owner: string, clock: Clock) {
    this.#store = store;
    this.#owner = owner;
    this.#clock = clock;
  }

  record(settlement: OutcomeRecord): Promise<void> {
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
    // Deliveries that end about the same time share their transaction.
    await pause(gatherMs);
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

  /** Tells whoever watches what became of notifications. */
  async tell(): Promise<void> {
    clearTimeout(this.#telling);
    this.#telling = undefined;
    const news = this.#news;
    if (news.length === 0) return;
    this.#news = [];
    try {
      await this.#store.write(async ({ changed }) => {
        for (const { id, user_id } of news) changed({ kind: 'notification', id, userId: user_id });
      });
    } catch (error) {
      log('debug', 'nobody was told of deliveries', error);
    }
  }

  async #settle(batch: readonly Waiting[]): Promise<unknown> {
    try {
      const settlements = batch.map(({ settlement }) => settlement);
      await settle(this.#store, this.#owner, this.#clock(), settlements);
      this.#news.push(...settlements.map(({ notification }) => notification));
      // Now and then is often enough, since telling makes the writers of a database wait for each other.
      this.#telling ??= setTimeout(() => void this.tell(), newsMs);
      return undefined;
    } catch (error) {
      return error;
    }
  }
}

interface Waiting {
  readonly settlement: OutcomeRecord;
  readonly done: () => void;
}
