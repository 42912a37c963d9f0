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
