import { Failure } from '../failure.ts';
import { isObject } from '../json.ts';
import type { RequestId } from './message.ts';

interface Open {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Requests of our own to a client (older revisions), until each is answered. */
export class Questions {
  readonly #open = new Map<RequestId, Open>();
  #count = 0;

  /** Gives the question a number, has it sent and waits for the answer. */
  ask(signal: AbortSignal, send: (id: RequestId) => void): Promise<unknown> {
    const id = `adjutant-${++this.#count}`;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      signal.addEventListener('abort', () => {
        if (this.#open.delete(id))
          reject(new Failure('cancelled', 'The request was cancelled while the client was asked.'));
      });
      send(id);
    });
  }

  settle(id: RequestId, result: unknown, error: unknown): void {
    const question = this.#open.get(id);
    this.#open.delete(id);
    if (error === undefined) question?.resolve(result);
    else {
      const reason = isObject(error) ? error['message'] : error;
      question?.reject(new Failure('unavailable', `The client refused: ${reason}`));
    }
  }

  /** No answer can come any more. */
  giveUp(reason: string): void {
    for (const { reject } of this.#open.values()) reject(new Failure('unavailable', reason));
    this.#open.clear();
  }
}
