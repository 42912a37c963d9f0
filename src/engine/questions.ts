import { Failure } from '../failure.ts';
import { isObject } from '../json.ts';
import type { RequestId } from './message.ts';

interface PendingQuestion {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Requests of the server to its client (legacy revisions) that are not answered yet. */
export class Questions {
  readonly #pending = new Map<RequestId, PendingQuestion>();
  #count = 0;

  /** Sends a question with a new id and waits for the answer. */
  ask(signal: AbortSignal, send: (id: RequestId) => void): Promise<unknown> {
    const id = `adjutant-${++this.#count}`;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      signal.addEventListener('abort', () => {
        if (this.#pending.delete(id))
          reject(
            new Failure('cancelled', 'The request was cancelled before the client answered a question.'),
          );
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
