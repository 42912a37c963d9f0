/** A caller that was quiet may send this many seconds' worth of requests at once. */
const burstSeconds = 10;
/** Callers that are remembered. Beyond them, the one that has been quiet longest is forgotten. */
const maxCallers = 10_000;

/** Limits the requests of each caller per second. */
export class RateLimit {
  readonly #perSecond: number;
  /** Remaining requests of each caller, the quietest caller first. A large batch may take it below zero. */
  readonly #callers = new Map<string, { remaining: number; atMs: number }>();

  /** 0 for no limit. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Returns 0 if the caller may send a request, otherwise the seconds after which it may try again. */
  take(caller: string, nowMs = Date.now()): number {
    if (this.#perSecond === 0) return 0;
    const most = this.#perSecond * burstSeconds;
    const before = this.#callers.get(caller);
    const elapsedMs = before === undefined ? 0 : Math.max(0, nowMs - before.atMs);
    const remaining = Math.min(most, (before?.remaining ?? most) + (elapsedMs / 1000) * this.#perSecond);
    const isAllowed = remaining >= 1;
    this.#callers.delete(caller);
    this.#callers.set(caller, { remaining: isAllowed ? remaining - 1 : remaining, atMs: nowMs });
    if (this.#callers.size > maxCallers) this.#callers.delete(this.#callers.keys().next().value!);
    return isAllowed ? 0 : Math.ceil((1 - remaining) / this.#perSecond);
  }

  /** Counts further requests of a caller that was allowed to send one. */
  add(caller: string, requests: number): void {
    const known = this.#callers.get(caller);
    if (known !== undefined) known.remaining -= requests;
  }
}
