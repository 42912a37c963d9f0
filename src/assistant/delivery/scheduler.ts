import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import { WakeSignal } from '../../pace.ts';
import type { Clock, Store } from '../../store/store.ts';
import { nextDue } from './claim.ts';
import type { Worker } from './worker.ts';

/** Upper limit, because the clock may be changed and change messages may be lost. */
const maxSleepMs = 60_000;
const firstPauseMs = 250;
const maxPauseMs = 5000;

export interface SchedulerOptions {
  readonly store: Store;
  readonly worker: Worker;
  readonly clock?: Clock;
  /** How long `stop` waits for deliveries in progress. */
  readonly shutdownTimeoutMs?: number;
}

/** Runs a worker: sleeps until the next notification is due, and wakes up when notifications change. */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #clock: Clock;
  #stopped = false;
  readonly #signal = new WakeSignal();
  #running: Promise<void> | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? Date.now;
    options.worker.circuitBreaker.onRelease = () => this.wake();
  }

  start(): void {
    if (this.#running !== undefined || this.#stopped) return;
    const { store } = this.#options;
    const unsubscribe = store.subscribe((changes) => {
      if (changes.some(({ kind }) => kind === 'notification')) this.wake();
    });
    this.#running = this.#run().finally(unsubscribe);
  }

  /** Makes the scheduler check for due notifications now. */
  wake(): void {
    this.#signal.notify();
  }

  /** Stops claiming and resolves when the deliveries in progress have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.wake();
    await this.#running;
    await this.#options.worker.finish(this.#options.shutdownTimeoutMs ?? 30_000);
  }

  /** Handles everything that is due now. Returns the number of notifications handled. */
  async once(): Promise<number> {
    const { worker } = this.#options;
    let handled = 0;
    for (;;) {
      const { changed } = worker.circuitBreaker;
      const claimed = (await worker.followUp()) + (await worker.claimDue());
      handled += claimed;
      if (claimed > 0) {
        await worker.untilOnlySlowReceivers();
        continue;
      }
      // A finished delivery may make others due, and a slow receiver that answered may be sent to again.
      const { idle } = worker;
      await worker.finish(this.#options.shutdownTimeoutMs ?? 30_000, changed);
      if (idle) return handled;
    }
  }

  async #run(): Promise<void> {
    for (let pauseMs = firstPauseMs; !this.#stopped; ) {
      try {
        await this.#step();
        pauseMs = firstPauseMs;
      } catch (error) {
        log('warning', `delivery failed and is retried in ${pauseMs} ms: ${messageOf(error)}`);
        await this.#signal.wait(pauseMs);
        pauseMs = Math.min(pauseMs * 2, maxPauseMs);
      }
    }
  }

  async #step(): Promise<void> {
    const { store, worker } = this.#options;
    await worker.untilSlotFree();
    if (this.#stopped) return;
    const capacity = worker.freeSlots;
    const claimed = await worker.claimDue();
    // All slots were filled, so more notifications may be due.
    if (claimed === capacity) return;
    const slow = worker.circuitBreaker.slowReceivers;
    const { sendMs, followUpMs: overdueMs } = await nextDue(store, this.#clock(), slow, worker.only);
    const followUpMs = worker.only === undefined ? overdueMs : undefined;
    if (followUpMs !== undefined && followUpMs <= this.#clock()) {
      await worker.followUp();
      return;
    }
    const claimMs = (sendMs ?? Number.POSITIVE_INFINITY) - worker.claimAheadMs;
    const dueMs = Math.min(claimMs, followUpMs ?? Number.POSITIVE_INFINITY);
    await this.#signal.wait(Math.min(Math.ceil(dueMs - this.#clock()), maxSleepMs));
  }
}
