/**
 * Keeps slow webhook receivers from blocking other deliveries. A delivery to a slow receiver does not occupy a worker
 * slot, and the worker claims nothing more for that receiver until it answers.
 */
export class WebhookCircuitBreaker {
  readonly #slowAfterMs: number;
  readonly #waiting = new Map<string, number>();
  #count = 0;
  #changed = Promise.withResolvers<void>();
  /** Called when a receiver has answered and may be sent to again. */
  onRelease: () => void = () => {};

  constructor(slowAfterMs: number) {
    this.#slowAfterMs = slowAfterMs;
  }

  /** Number of deliveries that wait for slow receivers. */
  get count(): number {
    return this.#count;
  }

  /** Origins of the slow receivers. */
  get slowReceivers(): readonly string[] {
    return [...this.#waiting.keys()];
  }

  /** Resolves at the next change of `count`. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  /** Awaits the answer and treats the receiver as slow once the answer takes too long. */
  async track<Value>(url: string, answer: Promise<Value>): Promise<Value> {
    const address = originOf(url);
    let slow = false;
    const timer = setTimeout(() => {
      slow = true;
      this.#add(address, 1);
    }, this.#slowAfterMs);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
      if (slow) this.#add(address, -1);
    }
  }

  #add(address: string, change: 1 | -1): void {
    const waiting = (this.#waiting.get(address) ?? 0) + change;
    this.#count += change;
    if (waiting > 0) this.#waiting.set(address, waiting);
    else this.#waiting.delete(address);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
    if (waiting === 0) this.onRelease();
  }
}

/** The URL up to its path. `claim` compares it with the beginning of other webhook URLs. */
function originOf(url: string): string {
  return (/^\w+:\/\/[^/?#]*/.exec(url)?.[0] ?? url).toLowerCase();
}
