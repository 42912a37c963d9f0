/** The longest a loop runs without a pause. A single iteration may take longer. */
const sliceMs = 8;

/** Yields to the event loop at intervals during long loops, so that other requests are served in between. */
export class Pace {
  #since = performance.now();

  /** Await this in every iteration. `undefined` if no pause is due yet. */
  get pause(): Promise<void> | undefined {
    if (performance.now() - this.#since < sliceMs) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#since = performance.now();
        resolve();
      });
    });
  }
}
