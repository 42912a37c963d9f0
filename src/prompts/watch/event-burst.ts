/** A few events are one save of an editor; many are a checkout, which pauses now and then. */
const shortQuietMs = 60;
const longQuietMs = 250;
const manyEvents = 20;
/** A burst that goes on for longer is reported at this interval. */
const longestMs = 5000;

/** Tells once when a burst of events is over. */
export class EventBurst {
  readonly #over: () => void;
  #timer: NodeJS.Timeout | undefined;
  #events = 0;
  #since = 0;
  #closed = false;

  constructor(over: () => void) {
    this.#over = over;
  }

  event(): void {
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
    return performance.now() - this.#since >= longestMs;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        const seen = this.#events;
        // After a time without processor the timer comes first, and events that happened before it come next.
        setImmediate(() => {
          if (this.#closed) return;
          // The newer events have set the timer again, except in a long burst, which never gets quiet.
          if (seen !== this.#events && !this.#isLong) return;
          clearTimeout(this.#timer);
          this.#events = 0;
          this.#timer = undefined;
          this.#over();
        });
      },
      this.#events < manyEvents ? shortQuietMs : longQuietMs,
    );
    this.#timer.unref();
  }
}
