/** How long to wait for silence. A few events come from one save; many come from a checkout, which can pause in between. */
const shortQuietMs = 60;
const longQuietMs = 250;
const manyEvents = 20;
/** A burst that does not end is reported at this interval. */
const maxBurstMs = 1000;

/** Debounces events: calls back once after each burst. */
export class EventBurst {
  readonly #onBurstEnd: () => void;
  #timer: NodeJS.Timeout | undefined;
  #events = 0;
  #since = 0;
  #closed = false;

  constructor(onBurstEnd: () => void) {
    this.#onBurstEnd = onBurstEnd;
  }

  recordEvent(): void {
    if (this.#closed) return;
    this.#events++;
    if (this.#events === 1) this.#since = performance.now();
    if (this.#timer === undefined || !this.#isLong) this.#wait();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  get #isLong(): boolean {
    return performance.now() - this.#since >= maxBurstMs;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        const seen = this.#events;
        // On a busy machine the timer can fire before earlier events are delivered, so wait for those first.
        setImmediate(() => {
          if (this.#closed) return;
          // Newer events have restarted the timer, except in a long burst, which is reported anyway.
          if (seen !== this.#events && !this.#isLong) return;
          clearTimeout(this.#timer);
          this.#events = 0;
          this.#timer = undefined;
          this.#onBurstEnd();
        });
      },
      this.#events < manyEvents ? shortQuietMs : longQuietMs,
    );
    this.#timer.unref();
  }
}
