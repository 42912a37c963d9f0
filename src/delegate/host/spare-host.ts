import { type HostClient, startHost } from './host-client.ts';
import type { HostOptions } from './host-message.ts';

/** A command that runs one task ends before this time. */
const prepareDelayMs = 100;
/** A waiting host takes about as much memory as an empty Node process. */
const maxIdleMs = 5 * 60_000;

/**
 * Keeps one run host ready between runs, because a run would otherwise wait until Node has started. The first run starts its
 * host itself. The spare host ends with this server, and after some minutes without a run.
 */
export class SpareHost {
  readonly #options: HostOptions;
  #host: Promise<HostClient> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isReleased = false;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  /** Returns the spare host, or starts one, which loads while the server prepares its order. */
  async take(): Promise<HostClient> {
    const spare = this.#host;
    this.#forget();
    const host = await spare?.catch(() => undefined);
    if (host?.isConnected) return host;
    return startHost(this.#options);
  }

  /** Starts a host for the next run. Call it when a run has ended. */
  prepare(): void {
    if (this.#host !== undefined || this.#isReleased) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const host = startHost(this.#options);
      host.catch(() => {});
      this.#host = host;
      this.#timer = setTimeout(() => void this.#end(), maxIdleMs).unref();
    }, prepareDelayMs).unref();
  }

  /** Ends the spare host for good. */
  async release(): Promise<void> {
    this.#isReleased = true;
    await this.#end();
  }

  async #end(): Promise<void> {
    const spare = this.#host;
    this.#forget();
    await (await spare?.catch(() => undefined))?.release();
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.#host = undefined;
  }
}
