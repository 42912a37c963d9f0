/** A value that may be at hand already. Waiting for a promise costs more than most requests. */
export type Awaitable<Value> = Value | Promise<Value>;

/** Goes on with the value, at once if it is at hand. */
export function whenReady<Value, Result>(
  value: Awaitable<Value>,
  next: (value: Value) => Awaitable<Result>,
): Awaitable<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** A value that is loaded on first use. A failure is not kept: after EMFILE, for example, a later attempt can succeed. */
export class Lazy<Value> {
  readonly #load: () => Promise<Value>;
  #value: Promise<Value> | undefined;

  constructor(load: () => Promise<Value>) {
    this.#load = load;
  }

  get(): Promise<Value> {
    this.#value ??= this.#load().catch((error: unknown) => {
      this.#value = undefined;
      throw error;
    });
    return this.#value;
  }

  /** The value, or `undefined` if nobody has asked for it. */
  get current(): Promise<Value> | undefined {
    return this.#value;
  }
}

/** Like `then` with both callbacks, but at once if the work is done at once. */
export function attempt<Value, Result>(
  work: () => Awaitable<Value>,
  done: (value: Value) => Awaitable<Result>,
  failed: (error: unknown) => Awaitable<Result>,
): Awaitable<Result> {
  let value: Awaitable<Value>;
  try {
    value = work();
  } catch (error) {
    return failed(error);
  }
  return value instanceof Promise ? value.then(done, failed) : done(value);
}

/**
 * Resolves after the event loop has read new requests. A single immediate is not enough: if it is set while a request is
 * handled, it runs before the next one is read.
 */
export function turnOfEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

/** The longest a loop runs without a pause. A single iteration may take longer. */
const sliceMs = 8;

/** Yields to the event loop at intervals during long loops, so that other requests are served in between. */
export class Pace {
  #since = performance.now();

  /** Await this in every iteration. `undefined` if no pause is due yet. */
  get pause(): Promise<void> | undefined {
    if (performance.now() - this.#since < sliceMs) return undefined;
    return turnOfEventLoop().then(() => {
      this.#since = performance.now();
    });
  }
}

/**
 * Like `Pace`, for many short steps of unrelated work that wait only for promises at hand: they alone never let the event
 * loop turn. No pause is due before the loop has been kept busy.
 */
export class TurnPace {
  /** When the first step of this turn of the event loop ran. */
  #since: number | undefined;

  get pause(): Promise<void> | undefined {
    if (this.#since === undefined) {
      this.#since = performance.now();
      setImmediate(() => {
        this.#since = undefined;
      });
    }
    if (performance.now() - this.#since < sliceMs) return undefined;
    return turnOfEventLoop();
  }
}
