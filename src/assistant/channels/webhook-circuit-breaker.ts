/**
 * Receivers of webhooks that keep us waiting. Users name them, so one of them must not hold up the others: what waits
 * there takes no slot, and nothing more goes there meanwhile.
 */
export class WebhookCircuitBreaker {
  readonly #afterMs: number;
  readonly #waiting = new Map<string, number>();
  #count = 0;
  #changed = Promise.withResolvers<void>();
  /** Told when one of them may be sent to again. */
  onRelease: () => void = () => {};

  constructor(afterMs: number) {
    this.#afterMs = afterMs;
  }

  /** How many deliveries wait. */
  get count(): number {
    return this.#count;
  }

  get addresses(): readonly string[] {
    return [...this.#waiting.keys()];
  }

  /** Resolves when there are more or fewer of them. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  /** Waits for an answer, and knows of the receiver once that takes long. */
  async during<Value>(url: string, answer: Promise<Value>): Promise<Value> {
    const address = receiverOf(url);
    let silent = false;
    const timer = setTimeout(() => {
      silent = true;
      this.#add(address, 1);
    }, this.#afterMs);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
      if (silent) this.#add(address, -1);
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

/** Everything up to the path; the database is asked for others that begin like this. */
function receiverOf(url: string): string {
  return (/^\w+:\/\/[^/?#]*/.exec(url)?.[0] ?? url).toLowerCase();
}
