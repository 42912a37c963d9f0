import type { Contract, Offer } from '../contracts/contract.ts';
import type { Change, Context, Feature, Method, Tool, ToolResult } from '../feature.ts';
import type { JsonObject } from '../json.ts';
import { log } from '../log.ts';
import type { Seal } from './seal.ts';
import { type Outlet, Session, type SessionOptions } from './session.ts';

export interface ServerOptions {
  readonly contract: Contract;
  readonly features: readonly Feature[];
  /** Shared by processes that answer for one another; otherwise each process signs with its own. */
  readonly stateKey?: Buffer;
  /** Told of every answered request. */
  readonly observe?: (event: RequestEvent) => void;
}

export interface RequestEvent {
  readonly method: string;
  readonly milliseconds: number;
  readonly failed: boolean;
}

/** Features behind one contract, and the connections that talk to them. */
export class Server {
  readonly contract: Contract;
  readonly features: readonly Feature[];
  readonly sessions = new Set<Session>();
  readonly observe: (event: RequestEvent) => void;
  readonly #unsubscribe: readonly (() => void)[];
  readonly #stateKey: Buffer | undefined;
  #capabilities: JsonObject | undefined;
  #seal: Promise<Seal> | undefined;

  constructor(options: ServerOptions) {
    this.contract = options.contract;
    this.features = options.features;
    this.#stateKey = options.stateKey;
    this.observe = options.observe ?? (() => {});
    this.#unsubscribe = this.features.flatMap(
      (feature) => feature.subscribe?.((change) => this.publish(change)) ?? [],
    );
  }

  /** Made when first needed: most processes never ask, and loading the cipher costs start-up time. */
  get seal(): Promise<Seal> {
    this.#seal ??= import('./seal.ts')
      .then(({ Seal }) => new Seal(this.#stateKey))
      .catch((error) => {
        // Not kept: a load that failed with too many open files succeeds later.
        this.#seal = undefined;
        throw error;
      });
    return this.#seal;
  }

  get offer(): Offer {
    const has = (test: (feature: Feature) => unknown) =>
      this.features.some((feature) => Boolean(test(feature)));
    return {
      tools: has((feature) => feature.tools),
      prompts: has((feature) => feature.prompts),
      resources: has((feature) => feature.resources),
      completions: has((feature) => feature.prompts?.complete ?? feature.resources?.complete),
      extensions: Object.assign({}, ...this.features.map((feature) => feature.extensions ?? {})),
    };
  }

  get capabilities(): JsonObject {
    this.#capabilities ??= this.contract.capabilities(this.offer);
    return this.#capabilities;
  }

  get tools(): readonly Tool[] {
    const shown = this.contract.tools;
    const all = this.features.flatMap((feature) => feature.tools ?? []);
    return shown === undefined ? all : all.filter((tool) => shown.has(tool.name));
  }

  get instructions(): string | undefined {
    return this.contract.instructions?.(new Set(this.tools.map(({ name }) => name)));
  }

  method(name: string): Method | undefined {
    for (const feature of this.features) {
      if (feature.methods !== undefined && Object.hasOwn(feature.methods, name)) return feature.methods[name];
    }
    return undefined;
  }

  /** Calls a tool from inside the process: validated and timed like a call of a client; failures are thrown. */
  async call(name: string, args: object, context: Context): Promise<ToolResult> {
    const { findTool, runTool } = await import('./tool-call.ts');
    return runTool(findTool(this.tools, name), args, context);
  }

  connect(outlet: Outlet, options?: SessionOptions): Session {
    const session = new Session(this, outlet, options);
    this.sessions.add(session);
    return session;
  }

  publish(change: Change): void {
    for (const session of this.sessions) session.announce(change);
  }

  async close(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    for (const session of this.sessions) session.close();
    for (const feature of this.features) {
      try {
        await feature.close?.();
      } catch (error) {
        log('error', `feature ${feature.name} did not close cleanly`, error);
      }
    }
  }
}
