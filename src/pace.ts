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

/** Wakes a loop that sleeps before its time is up. */
export class WakeSignal {
  #wake: (() => void) | undefined;
  #notified = false;

  notify(): void {
    this.#notified = true;
    this.#wake?.();
  }

  /** Resolves on the next `notify`, at once if there was one since the last wait, or after the timeout. */
  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        this.#notified = false;
        resolve();
      };
      const timer = setTimeout(done, Math.max(0, milliseconds));
      this.#wake = done;
      if (this.#notified) done();
    });
  }
}

/** Resolves to the value, or to `undefined` if it takes longer than these milliseconds. */
export async function within<Value>(value: Promise<Value>, milliseconds: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, milliseconds, undefined);
  });
  return Promise.race([value, late]).finally(() => clearTimeout(timer));
}

/**
 * How long a list may take when a client connects. Claude Code waits less than two seconds, with its own start in them; after
 * that, it knows no command of the server. `undefined` for clients that wait long enough.
 */
export function patienceOf(client: string | undefined): number | undefined {
  return client === 'claude-code' ? 500 : undefined;
}
