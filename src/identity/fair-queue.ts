import { ServerUnavailable } from './authorization-server.ts';

/** Work of one sender that may wait. */
const maxWaiting = 200;
const maxWaitMs = 20_000;

interface Waiting {
  start(): void;
  readonly timer: NodeJS.Timeout;
}

/** Runs a limited number of pieces of work at once. Senders take turns, so that a flood from one does not delay the others. */
export class FairQueue {
  readonly #most: number;
  #running = 0;
  /** The sender whose turn it is comes first. */
  readonly #senders = new Map<string, Waiting[]>();

  constructor(most: number) {
    this.#most = most;
  }

  async run<Value>(sender: string, work: () => Promise<Value>): Promise<Value> {
    if (this.#running < this.#most) this.#running += 1;
    else await this.#turn(sender);
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #turn(sender: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = this.#senders.get(sender) ?? [];
      if (waiting.length >= maxWaiting)
        return reject(
          new ServerUnavailable(`more than ${maxWaiting} tokens of ${sender} wait to be checked`),
        );
      const timer = setTimeout(() => {
        this.#leave(sender, one);
        reject(new ServerUnavailable('the authorization server answers too slowly'));
      }, maxWaitMs);
      const one: Waiting = { start: resolve, timer };
      waiting.push(one);
      this.#senders.set(sender, waiting);
    });
  }

  /** Gives the place of work that has ended to the next sender. */
  #next(): void {
    const [first] = this.#senders;
    if (first === undefined) {
      this.#running -= 1;
      return;
    }
    const [sender, [next]] = first;
    this.#leave(sender, next!);
    const rest = this.#senders.get(sender);
    if (rest !== undefined) {
      this.#senders.delete(sender);
      this.#senders.set(sender, rest);
    }
    clearTimeout(next!.timer);
    next!.start();
  }

  #leave(sender: string, one: Waiting): void {
    const rest = this.#senders.get(sender)?.filter((other) => other !== one) ?? [];
    if (rest.length === 0) this.#senders.delete(sender);
    else this.#senders.set(sender, rest);
  }
}
