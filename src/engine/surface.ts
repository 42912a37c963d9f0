import type { Client } from '../context.ts';
import type { Contract, Offer } from '../contracts/contract.ts';
import { Failure } from '../failure.ts';
import type { Feature, PromptProvider, ResourceProvider } from '../feature.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Method, Tool, ToolDescription } from '../tool.ts';
import type { Access } from '../toolsets/access.ts';
import { type DiscoveryTool, discoveryTools, withEveryday } from '../toolsets/discovery-tools.ts';
import { extensionMethods } from '../toolsets/other-ways.ts';
import { isInViews, successors } from '../toolsets/toolsets.ts';

export interface OfferedTool {
  readonly feature: Feature;
  /** As the feature defines it. */
  readonly tool: Tool;
  /** With its name on the wire. */
  readonly named: Tool;
}

/** What a server offers, before the access of a connection narrows it. */
export interface Offering {
  readonly contract: Contract;
  readonly features: readonly Feature[];
  /** The tools of the contract, by their names on the wire. */
  readonly offeredTools: ReadonlyMap<string, OfferedTool>;
  method(name: string): Method | undefined;
}

/** What one connection sees of the server: the tools, prompts, resources and methods that its access allows. */
export class Surface {
  readonly access: Access;
  readonly #server: Offering;
  #offer: Offer | undefined;
  #allowed: ReadonlyMap<string, Tool> | undefined;
  #tools: readonly Tool[] | undefined;
  #capabilities: JsonObject | undefined;
  readonly #promptProviders: { list?: readonly PromptProvider[]; get?: readonly PromptProvider[] } = {};

  constructor(server: Offering, access: Access) {
    this.#server = server;
    this.access = access;
  }

  /** Every tool that the connection may call, listed or not. Without the discovery tools. The same array at every call. */
  get tools(): readonly Tool[] {
    this.#tools ??= [...this.#allowedTools.values()];
    return this.#tools;
  }

  /** By their names on the wire. */
  get #allowedTools(): ReadonlyMap<string, Tool> {
    this.#allowed ??= new Map(
      [...this.#server.offeredTools]
        .filter(([, { tool }]) => this.access.allows(tool))
        .map(([name, { named }]) => [name, named]),
    );
    return this.#allowed;
  }

  get discoveryTools(): readonly DiscoveryTool[] {
    return discoveryTools
      .filter((tool) => this.access.lists(tool, true))
      .map((tool) => withEveryday(tool, (name) => this.#allowedTools.has(name)));
  }

  async listedTools(): Promise<readonly ToolDescription[]> {
    const unused = new Set<Feature>();
    if (this.access.isPartial)
      for (const feature of this.#server.features)
        if ((await feature.inUse?.()) === false) unused.add(feature);
    const listed = [...this.#server.offeredTools.values()]
      .filter(({ tool, feature }) => this.access.lists(tool, !unused.has(feature)))
      .map(({ named }) => named);
    return [...listed, ...this.discoveryTools];
  }

  /** The tools that are not listed, but that views inside a chat use, and those that begin with a view. */
  viewTools(listed: readonly ToolDescription[]): readonly ToolDescription[] {
    const names = new Set(listed.map(({ name }) => name));
    return this.tools
      .filter(({ name }) => isInViews(name) && !names.has(name))
      .map((tool) => (names.has(tool.listedBeside ?? '') ? tool : { ...tool, appOnly: true }));
  }

  /** Throws the reason if the tool exists but is not allowed, or has a successor. `undefined` if there is no such tool. */
  findTool(name: unknown): Tool | undefined {
    const allowed = this.#allowedTools.get(String(name));
    if (allowed !== undefined) return allowed;
    const { offeredTools } = this.#server;
    const found = offeredTools.get(String(name));
    const successor = successors.get(String(name));
    if (found === undefined && successor !== undefined && offeredTools.has(successor))
      throw new Failure('tool-not-found', `Unknown tool: ${name}; ${successor} does its work now.`);
    if (found === undefined) return undefined;
    this.access.demand(found.tool);
    return found.named;
  }

  get offer(): Offer {
    this.#offer ??= this.#findOffer();
    return this.#offer;
  }

  #findOffer(): Offer {
    const { features } = this.#server;
    const prompts = [...this.promptProviders('list'), ...this.promptProviders('get')];
    const resources = this.resourceProviders;
    const extensions = Object.entries(
      Object.assign({}, ...features.map(({ extensions = {} }) => extensions)),
    );
    return {
      tools: features.some((feature) => feature.tools),
      prompts: prompts.length > 0,
      resources: resources.length > 0,
      completions: [...prompts, ...resources].some((provider) => provider.complete),
      extensions: Object.fromEntries(
        extensions.filter(([id]) => this.#allowsExtension(id)),
      ) as Offer['extensions'],
    };
  }

  get capabilities(): JsonObject {
    this.#capabilities ??= this.#server.contract.capabilities(this.offer);
    return this.#capabilities;
  }

  /** True if a capability is announced with this flag, for example `prompts` with `listChanged`. */
  declares(capability: string, flag: string): boolean {
    const declared = this.capabilities[capability];
    return isObject(declared) && declared[flag] === true;
  }

  get instructions(): string | undefined {
    const names = [...this.tools, ...this.discoveryTools].map(({ name }) => name);
    return this.#server.contract.instructions?.(new Set(names));
  }

  /** Throws the reason if a feature has the method but it is not allowed. */
  method(name: string): Method | undefined {
    const method = this.#server.method(name);
    if (method !== undefined) this.access.demandMethod(name);
    return method;
  }

  promptProviders(way: 'list' | 'get'): readonly PromptProvider[] {
    this.#promptProviders[way] ??= this.#server.features.flatMap(({ name, prompts }) =>
      prompts !== undefined && this.access.allowsPrompts(name, way) ? [prompts] : [],
    );
    return this.#promptProviders[way];
  }

  /** Providers with an allowed resource. Individual URIs are checked with `access.allowsResource`. */
  get resourceProviders(): readonly ResourceProvider[] {
    return this.#server.features.flatMap(({ resources }) =>
      resources !== undefined && this.#hasAllowed(resources) ? [resources] : [],
    );
  }

  /** Removes extensions that the connection may not use, so that no tool answers with a task that it cannot get. */
  visible(client: Client): Client {
    const { extensions } = client.capabilities;
    if (!isObject(extensions)) return client;
    const declared = Object.entries(extensions);
    const allowed = declared.filter(([id]) => this.#allowsExtension(id));
    if (allowed.length === declared.length) return client;
    return { ...client, capabilities: { ...client.capabilities, extensions: Object.fromEntries(allowed) } };
  }

  #allowsExtension(id: string): boolean {
    return !Object.hasOwn(extensionMethods, id) || this.access.allowsMethod(extensionMethods[id]!);
  }

  #hasAllowed({ templates = [] }: ResourceProvider): boolean {
    return (
      templates.length === 0 ||
      templates.some(
        ({ uriTemplate: uri }) =>
          this.access.allowsResource(uri, 'read') || this.access.allowsResource(uri, 'list'),
      )
    );
  }
}
