/** Wakes a waiting loop before its timeout. */
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
      const timer = setTimeout(done, milliseconds);
      this.#wake = done;
      if (this.#notified) done();
    });
  }
}
