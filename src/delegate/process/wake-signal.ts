/** Something to wait for that is rung from outside. */
export class WakeSignal {
  #wake: (() => void) | undefined;
  #rung = false;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Until it rings, or has rung since the last time; at most so long. */
  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        this.#rung = false;
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      this.#wake = done;
      if (this.#rung) done();
    });
  }
}
