/** Lets other work in now and then while many files are looked at in one go. */
export class Pace {
  #since = performance.now();

  /** To be awaited only where it is given. */
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
