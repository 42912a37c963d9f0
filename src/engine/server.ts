import type { Audit } from '../audit/audit-entry.ts';
import type { Context } from '../context.ts';
import type { Contract } from '../contracts/contract.ts';
import { Failure } from '../failure.ts';
import type { Change, Feature } from '../feature.ts';
import { log } from '../log.ts';
import { Lazy } from '../pace.ts';
import type { Method, ToolResult } from '../tool.ts';
import { Access } from '../toolsets/access.ts';
import type { Host, Limits, Outlet, RequestEvent, SessionOptions } from './call.ts';
import type { Seal } from './seal.ts';
import { Session } from './session.ts';
import { type OfferedTool, Surface } from './surface.ts';

export interface ServerOptions {
  readonly contract: Contract;
  readonly features: readonly Feature[];
  /** Key that signs request state. Processes behind one load balancer share it; the default is a random key. */
  readonly stateKey?: Buffer;
  /** Called after every answered request. */
  readonly observe?: (event: RequestEvent) => void;
  /** What connections may use, unless the transport says otherwise. Default: everything. */
  readonly access?: Access;
  /** Records calls that change something, and denied ones. */
  readonly audit?: Audit;
  readonly limits?: Limits;
}

const defaultLimits: Limits = { batchReplyBytes: 8 * 1024 * 1024, nameLength: 256 };

/** The features behind one contract, and the connections to them. */
export class Server implements Host {
  readonly contract: Contract;
  readonly features: readonly Feature[];
  readonly access: Access;
  readonly limits: Limits;
  readonly audit: Audit | undefined;
  readonly sessions = new Set<Session>();
  readonly observe: (event: RequestEvent) => void;
  readonly #unsubscribe: readonly (() => void)[];
  readonly #stateKey: Buffer | undefined;
  readonly #seal = new Lazy(async () => new (await import('./seal.ts')).Seal(this.#stateKey));
  readonly #surfaces = new WeakMap<Access, Surface>();
  #offered: ReadonlyMap<string, OfferedTool> | undefined;

  constructor(options: ServerOptions) {
    this.contract = options.contract;
    this.features = options.features;
    this.access = options.access ?? Access.full;
    this.limits = options.limits ?? defaultLimits;
    this.audit = options.audit;
    this.#stateKey = options.stateKey;
    this.observe = options.observe ?? (() => {});
    this.#unsubscribe = this.features.flatMap(
      (feature) => feature.subscribe?.((change) => this.publish(change)) ?? [],
    );
  }

  /** Created on first use: most processes never ask the client, and loading `node:crypto` slows down the start. */
  get seal(): Promise<Seal> {
    return this.#seal.get();
  }

  get offeredTools(): ReadonlyMap<string, OfferedTool> {
    this.#offered ??= this.#collectTools();
    return this.#offered;
  }

  #collectTools(): ReadonlyMap<string, OfferedTool> {
    const { tools: visible, toolNames = {} } = this.contract;
    const offered = new Map<string, OfferedTool>();
    for (const feature of this.features)
      for (const tool of feature.tools ?? []) {
        const name = toolNames[tool.name] ?? tool.name;
        if ((visible === undefined || visible.has(tool.name)) && !offered.has(name))
          offered.set(name, { feature, tool, named: tool.name === name ? tool : { ...tool, name } });
      }
    return offered;
  }

  method(name: string): Method | undefined {
    for (const feature of this.features) {
      if (feature.methods !== undefined && Object.hasOwn(feature.methods, name)) return feature.methods[name];
    }
    return undefined;
  }

  /** Calls a tool from inside the process, with the same validation and time limit as a client's call. Throws failures. `audit` records it. */
  async call(name: string, args: object, context: Context, audit?: Audit): Promise<ToolResult> {
    const { runTool } = await import('./tool-call.ts');
    const found = this.offeredTools.get(name);
    if (found === undefined) throw new Failure('tool-not-found', `Unknown tool: ${name}`);
    return runTool(found.tool, args, context, audit);
  }

  /** Connections with the same access share what was collected for it. */
  surfaceOf(access: Access): Surface {
    const surface = this.#surfaces.get(access) ?? new Surface(this, access);
    this.#surfaces.set(access, surface);
    return surface;
  }

  connect(outlet: Outlet, options?: SessionOptions): Session {
    const session = new Session(this, outlet, options);
    this.sessions.add(session);
    return session;
  }

  publish(change: Change): void {
    for (const session of this.sessions) {
      if (change.kind !== 'use') session.announce(change);
      // The list of a connection that sees every tool does not depend on their use.
      else if (session.surface.access.isPartial) session.announce({ kind: 'tools' });
    }
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
    await this.audit?.close();
  }
}
