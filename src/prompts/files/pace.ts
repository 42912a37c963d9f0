/** Yields to the event loop at intervals during long loops, so that other requests are served in between. */
export class Pace {
  #since = performance.now();

  /** Await this in every iteration. `undefined` if no pause is due yet. */
  get pause(): Promise<void> | undefined {
    if (performance.now() - this.#since < 15) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#since = performance.now();
        resolve();
      });
    });
  }
}
