import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import type { Clock, Store } from '../store/store.ts';
import { nextDue } from './claim.ts';
import type { Worker } from './worker.ts';

/** Also without a reason it looks again after this long: clocks are set, and news can be lost. */
const longestSleepMs = 60_000;
const firstPauseMs = 250;
const longestPauseMs = 5000;

export interface SchedulerOptions {
  readonly store: Store;
  readonly worker: Worker;
  readonly clock?: Clock;
  /** How long a stop waits for deliveries under way. */
  readonly patienceMs?: number;
}

/** Sleeps until the next thing is due, wakes when the diary changes, and keeps a worker busy meanwhile. */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #clock: Clock;
  #stopped = false;
  #wake: () => void = () => {};
  #woken = false;
  #running: Promise<void> | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? Date.now;
    options.worker.silent.onRelease = () => this.wake();
  }

  start(): void {
    if (this.#running !== undefined || this.#stopped) return;
    const { store } = this.#options;
    const unsubscribe = store.subscribe((changes) => {
      if (changes.some(({ kind }) => kind === 'notification')) this.wake();
    });
    this.#running = this.#run().finally(unsubscribe);
  }

  /** Looks again at what is due. */
  wake(): void {
    this.#woken = true;
    this.#wake();
  }

  /** Claims nothing more, and resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.wake();
    await this.#running;
    await this.#options.worker.finish(this.#options.patienceMs ?? 30_000);
  }

  /** Does all that is due now, and returns. */
  async once(): Promise<number> {
    const { worker } = this.#options;
    let done = 0;
    for (;;) {
      const { changed } = worker.silent;
      const taken = (await worker.followUp()) + (await worker.take());
      done += taken;
      if (taken > 0) {
        await worker.calm();
        continue;
      }
      // A delivery that ends may make others due, and a receiver that answers may be sent to again.
      const { idle } = worker;
      await worker.finish(this.#options.patienceMs ?? 30_000, changed);
      if (idle) return done;
    }
  }

  async #run(): Promise<void> {
    for (let pauseMs = firstPauseMs; !this.#stopped; ) {
      try {
        await this.#turn();
        pauseMs = firstPauseMs;
      } catch (error) {
        log('warning', `delivery pauses for ${pauseMs} ms: ${messageOf(error)}`);
        await this.#sleep(pauseMs);
        pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      }
    }
  }

  async #turn(): Promise<void> {
    const { store, worker } = this.#options;
    await worker.freed();
    if (this.#stopped) return;
    this.#woken = false;
    const room = worker.free;
    const taken = await worker.take();
    // Fewer than there was room for is all there is.
    if (taken === room) return;
    const { sendMs, followUpMs } = await nextDue(store, this.#clock(), worker.silent.addresses);
    if (followUpMs !== undefined && followUpMs <= this.#clock()) {
      await worker.followUp();
      return;
    }
    const takeMs = (sendMs ?? Number.POSITIVE_INFINITY) - worker.aheadMs;
    const dueMs = Math.min(takeMs, followUpMs ?? Number.POSITIVE_INFINITY);
    if (!this.#woken) await this.#sleep(Math.min(dueMs - this.#clock(), longestSleepMs));
  }

  async #sleep(ms: number): Promise<void> {
    if (ms <= 0 || this.#stopped) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.ceil(ms));
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
    this.#wake = () => {};
  }
}
