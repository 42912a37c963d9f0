import type { Context } from '../context.ts';
import type { Contract, Offer } from '../contracts/contract.ts';
import type { Change, Feature } from '../feature.ts';
import { isObject, type JsonObject } from '../json.ts';
import { log } from '../log.ts';
import type { Method, Tool, ToolResult } from '../tool.ts';
import type { Seal } from './seal.ts';
import { type Outlet, Session, type SessionOptions } from './session.ts';

export interface ServerOptions {
  readonly contract: Contract;
  readonly features: readonly Feature[];
  /** Key that signs request state. Processes behind one load balancer share it; the default is a random key. */
  readonly stateKey?: Buffer;
  /** Called after every answered request. */
  readonly observe?: (event: RequestEvent) => void;
}

export interface RequestEvent {
  readonly method: string;
  readonly milliseconds: number;
  readonly failed: boolean;
}

/** The features behind one contract, and the connections to them. */
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

  /** Created on first use: most processes never ask the client, and loading `node:crypto` slows down the start. */
  get seal(): Promise<Seal> {
    this.#seal ??= import('./seal.ts')
      .then(({ Seal }) => new Seal(this.#stateKey))
      .catch((error) => {
        // A failed load is not cached: after EMFILE, for example, a later attempt can succeed.
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

  /** True if a capability is announced with this flag, for example `prompts` with `listChanged`. */
  declares(capability: string, flag: string): boolean {
    const declared = this.capabilities[capability];
    return isObject(declared) && declared[flag] === true;
  }

  get tools(): readonly Tool[] {
    const { tools: visible, toolNames } = this.contract;
    const all = this.features.flatMap((feature) => feature.tools ?? []);
    const shown = visible === undefined ? all : all.filter((tool) => visible.has(tool.name));
    if (toolNames === undefined) return shown;
    return shown.map((tool) => ({ ...tool, name: toolNames[tool.name] ?? tool.name }));
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

  /** Calls a tool from inside the process, with the same validation and time limit as a client's call. Throws failures. */
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
        log('error', `feature ${feature.name} could not be closed`, error);
      }
    }
  }
}
