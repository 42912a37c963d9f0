import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../../failure.ts';
import { log } from '../../log.ts';
import type { Notification } from '../../store/schema.ts';
import type { Clock, Store } from '../../store/store.ts';
import { type OutcomeRecord, recordOutcomes } from './record-outcome.ts';

/** Delay that lets outcomes of the same moment share a transaction. */
const batchDelayMs = 5;
const firstPauseMs = 100;
const maxPauseMs = 5000;
const publishDelayMs = 200;

/**
 * Records the outcomes of deliveries in batches. Outcomes that arrive during a transaction go into the next one. If the
 * database is unavailable, the recorder retries until it succeeds, because a delivery cannot be undone.
 */
export class Recorder {
  readonly #store: Store;
  readonly #owner: string;
  readonly #clock: Clock;
  #pending: PendingRecord[] = [];
  #writing: Promise<void> | undefined;
  #abandoned = false;
  #unpublished: Notification[] = [];
  #publishTimer: NodeJS.Timeout | undefined;

  constructor(store: Store, owner: string, clock: Clock) {
    this.#store = store;
    this.#owner = owner;
    this.#clock = clock;
  }

  record(record: OutcomeRecord): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#pending.push({ record, done: resolve });
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return promise;
  }

  /** Stops retrying if the database stays unavailable. */
  abandon(): void {
    this.#abandoned = true;
  }

  async #write(): Promise<void> {
    await pause(batchDelayMs);
    for (let pauseMs = firstPauseMs; this.#pending.length > 0; ) {
      const batch = this.#pending;
      this.#pending = [];
      const error = await this.#recordOutcomes(batch);
      if (error === undefined) {
        pauseMs = firstPauseMs;
        for (const { done } of batch) done();
      } else if (this.#abandoned || !(error instanceof Failure && error.kind === 'unavailable')) {
        log('error', `outcomes of ${batch.length} deliveries could not be recorded`, error);
        for (const { done } of batch) done();
      } else {
        log('warning', `outcomes of ${batch.length} deliveries are not recorded yet; retrying`, error);
        this.#pending = [...batch, ...this.#pending];
        await pause(pauseMs);
        pauseMs = Math.min(pauseMs * 2, maxPauseMs);
      }
    }
  }

  /** Publishes the recorded changes to subscribers of the store. */
  async publishChanges(): Promise<void> {
    clearTimeout(this.#publishTimer);
    this.#publishTimer = undefined;
    const changes = this.#unpublished;
    if (changes.length === 0) return;
    this.#unpublished = [];
    try {
      await this.#store.write(async ({ changed }) => {
        for (const { id, user_id } of changes) changed({ kind: 'notification', id, userId: user_id });
      });
    } catch (error) {
      log('debug', 'changes of notifications could not be published', error);
    }
  }

  async #recordOutcomes(batch: readonly PendingRecord[]): Promise<unknown> {
    try {
      const records = batch.map(({ record }) => record);
      await recordOutcomes(this.#store, this.#owner, this.#clock(), records);
      this.#unpublished.push(...records.map(({ notification }) => notification));
      // Delayed, because each publication is a write transaction that other writers wait for.
      this.#publishTimer ??= setTimeout(() => void this.publishChanges(), publishDelayMs);
      return undefined;
    } catch (error) {
      return error;
    }
  }
}

interface PendingRecord {
  readonly record: OutcomeRecord;
  readonly done: () => void;
}
