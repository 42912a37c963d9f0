import type { Failure } from '../failure.ts';

/** Cancels one request. Creates the signal only for handlers that use it: a controller costs more than a small request. */
export class RequestInProgress {
  #controller: AbortController | undefined;
  #reason: Failure | undefined;
  #reject: ((reason: Failure) => void) | undefined;

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  abort(reason: Failure): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
    this.#reject?.(reason);
  }

  /** Rejects as soon as the request is aborted, even if the work ignores the signal. */
  untilAborted<Value>(work: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      if (this.#reason !== undefined) reject(this.#reason);
      this.#reject = reject;
      work.then(resolve, reject);
    });
  }
}

/** Lets the later requests of a connection wait for those that write. */
export class WriteOrder {
  /** The last request that writes, until it is finished. */
  last: Promise<void> | undefined;

  add(work: Promise<unknown>): void {
    const done = () => {
      if (this.last === write) this.last = undefined;
    };
    const write = work.then(done, done);
    this.last = write;
  }
}
