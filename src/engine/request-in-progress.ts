import { Failure } from '../failure.ts';
import { isObject, messageOf } from '../json.ts';
import type { RequestId } from './message.ts';

/** Cancels one request. Creates the signal only for handlers that use it: a controller costs more than a small request. */
export class RequestInProgress {
  // Not `performance.now()`: loading it takes longer than most requests.
  readonly #startedAt = process.hrtime.bigint();
  #controller: AbortController | undefined;
  #reason: Failure | undefined;
  #reject: ((reason: Failure) => void) | undefined;

  get milliseconds(): number {
    return Number(process.hrtime.bigint() - this.#startedAt) / 1e6;
  }

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

interface PendingQuestion {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Requests of the server to its client (legacy revisions) that are not answered yet. */
export class Questions {
  readonly #pending = new Map<RequestId, PendingQuestion>();
  #count = 0;

  /** Sends a question with a new id and waits for the answer. Withdraws the question when the signal is aborted. */
  ask(
    signal: AbortSignal,
    send: (id: RequestId) => void,
    withdraw: (id: RequestId, reason: string) => void,
  ): Promise<unknown> {
    const id = `adjutant-${++this.#count}`;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      this.#pending.set(id, { resolve, reject });
      signal.addEventListener('abort', () => {
        if (!this.#pending.delete(id)) return;
        withdraw(id, messageOf(signal.reason));
        reject(new Failure('cancelled', 'The request was cancelled before the client answered a question.'));
      });
      send(id);
    });
  }

  answer(id: RequestId, result: unknown, error: unknown): void {
    const question = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) question?.resolve(result);
    else {
      const message = isObject(error) ? error['message'] : error;
      const reason = typeof message === 'string' ? message : 'it has no message';
      question?.reject(new Failure('unavailable', `The client answered with an error: ${reason}`));
    }
  }

  /** Fails every open question, since no answer can arrive any more. */
  rejectAll(reason: string): void {
    for (const { reject } of this.#pending.values()) reject(new Failure('unavailable', reason));
    this.#pending.clear();
  }
}
