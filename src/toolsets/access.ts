import { type Actor, owner } from '../context.ts';
import { Denied, Failure } from '../failure.ts';
import { nearest } from '../nearest.ts';
import { methodWays, promptWays, resourceWays } from './other-ways.ts';
import { isGranted, scopeFor } from './scopes.ts';
import { discoveryNames, isIn, successors, toolNames, toolsetNames, toolTraits } from './toolsets.ts';

/** What the settings of a server or the headers of a request ask for. */
export interface Selection {
  /** Without toolsets, the single tools are selected; without both, `default`. */
  readonly toolsets?: readonly string[];
  readonly tools?: readonly string[];
  readonly excludeTools?: readonly string[];
  readonly readOnly?: boolean;
}

interface ToolLike {
  readonly name: string;
  readonly annotations?: { readonly readOnlyHint?: boolean };
}

/** The tools that a connection may use, by whatever kind of request, and those that it lists. */
export class Access {
  /** Everything, listed in full. */
  static readonly full = new Access([], true);
  /** Who uses the connection. The scopes of the actor apply in addition to the selections. */
  readonly actor: Actor;
  /** True for the page and the command line. */
  readonly isPersonal: boolean;
  readonly #selections: readonly Selection[];
  readonly #listsAll: boolean;
  /** Decides what is listed: the last selection that names toolsets or tools. */
  readonly #listing: Selection;

  /**
   * A tool must be allowed by every selection, so each one can only take tools away. `listsAll` is for contracts without
   * discovery tools: they list every allowed tool.
   */
  constructor(selections: readonly Selection[], listsAll = false, actor: Actor = owner, isPersonal = false) {
    this.actor = actor;
    this.isPersonal = isPersonal;
    this.#selections = selections;
    this.#listsAll = listsAll;
    this.#listing = selections.findLast(namesTools) ?? {};
  }

  tightenedBy(selection: Selection): Access {
    return new Access([...this.#selections, selection], this.#listsAll, this.actor, this.isPersonal);
  }

  /** The same access for another actor. */
  heldBy(actor: Actor): Access {
    if (actor === this.actor) return this;
    return new Access(this.#selections, this.#listsAll, actor, this.isPersonal);
  }

  get isReadOnly(): boolean {
    return this.#selections.some((selection) => selection.readOnly);
  }

  /** For the page and the command line: toolsets do not apply, read-only and scopes do. */
  withoutToolsets(): Access {
    return new Access([{ readOnly: this.isReadOnly }], true, this.actor, true);
  }

  allows(tool: ToolLike): boolean {
    return this.#refusal(tool.name, tool.annotations?.readOnlyHint !== true) === undefined;
  }

  /** Throws the reason if the tool is not allowed. */
  demand(tool: ToolLike): void {
    const reason = this.#refusal(tool.name, tool.annotations?.readOnlyHint !== true);
    if (reason !== undefined) throw new Denied('tool-not-found', `${tool.name} is not available: ${reason}`);
  }

  /** `inUse` is false for tools of a feature that has no data yet. */
  lists(tool: ToolLike, inUse: boolean): boolean {
    if (!this.allows(tool)) return false;
    if (this.#listsAll) return !isDiscovery(tool.name);
    if (toolTraits.get(tool.name)?.audience !== undefined) return false;
    const { toolsets: named = [], tools = [] } = this.#listing;
    if (isDiscovery(tool.name)) return this.isPartial || tools.includes(tool.name);
    if (named.includes('all') || tools.includes(tool.name)) return true;
    if (named.some((name) => isIn(name, tool.name))) return true;
    const { core } = toolTraits.get(tool.name) ?? {};
    return this.isPartial && (core === 'always' || (inUse && core === true));
  }

  /** True if allowed tools are left out of the list and the discovery tools reach them. */
  get isPartial(): boolean {
    const { toolsets: named = [] } = this.#listing;
    if (this.#listsAll) return false;
    return !namesTools(this.#listing) || (named.includes('default') && !named.includes('all'));
  }

  /** Throws the reason if a method that a feature adds is not allowed. */
  demandMethod(name: string): void {
    const reason = this.#methodRefusal(name);
    if (reason !== undefined) throw new Denied('method-not-found', `${name} is not available: ${reason}`);
  }

  allowsMethod(name: string): boolean {
    return this.#methodRefusal(name) === undefined;
  }

  allowsPrompts(feature: string, way: 'list' | 'get'): boolean {
    return this.#allowsReading(promptWays[feature]?.[way]);
  }

  allowsResource(uri: string, way: 'list' | 'read'): boolean {
    return this.#allowsReading(resourceWays.find(({ pattern }) => pattern.test(uri))?.[way]);
  }

  /** What belongs to no tool is allowed unless the tools are restricted. */
  #allowsReading(tool: string | undefined): boolean {
    return this.#refusal(tool ?? '', false) === undefined;
  }

  /** A method without a tool counts as writing. */
  #methodRefusal(name: string): string | undefined {
    const way = Object.hasOwn(methodWays, name) ? methodWays[name]! : { tool: '', writes: true };
    return this.#refusal(way.tool, way.writes === true);
  }

  /** The scope that the actor needs for a tool, or `undefined` if the actor has it. */
  missingScope(tool: string): string | undefined {
    return isDiscovery(tool) || isGranted(this.actor, tool) ? undefined : scopeFor(tool);
  }

  #refusal(name: string, writes: boolean): string | undefined {
    const missing = this.missingScope(name);
    if (missing !== undefined) return `it needs a token with the scope ${missing}.`;
    const { audience, uses } = toolTraits.get(name) ?? {};
    if (audience === 'page' && !this.#listsAll) return 'it is for the page only.';
    for (const selection of this.#selections) {
      if (writes && selection.readOnly) return 'it changes data, and the server is read-only.';
      if (selection.excludeTools?.includes(name)) return 'it is excluded.';
      const used = uses?.find((one) => selection.excludeTools?.includes(one));
      if (used !== undefined) return `it uses ${used}, which is excluded.`;
      if (!selects(selection, name)) return 'it is in none of the enabled toolsets.';
    }
    return undefined;
  }
}

function namesTools({ toolsets: named = [], tools = [] }: Selection): boolean {
  return named.length > 0 || tools.length > 0;
}

function selects(selection: Selection, tool: string): boolean {
  const { toolsets: named = [], tools = [] } = selection;
  if (!namesTools(selection) || named.includes('all') || named.includes('default')) return true;
  // The discovery tools reach only tools that are allowed themselves, so listing them adds no access.
  if (isDiscovery(tool)) return true;
  return tools.includes(tool) || named.some((name) => isIn(name, tool));
}

function isDiscovery(tool: string): boolean {
  return discoveryNames.some((name) => name === tool);
}

const selectionHeaders = ['x-mcp-toolsets', 'x-mcp-tools', 'x-mcp-exclude-tools', 'x-mcp-readonly'];

/** Reads the headers with which an HTTP client tightens its own access. Throws if a name is unknown. */
export function selectionFromHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Selection | undefined {
  if (selectionHeaders.every((header) => headers[header] === undefined)) return undefined;
  const list = (header: string, known: readonly string[]) => {
    const names = String(headers[header] ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .map((name) => successors.get(name) ?? name);
    for (const name of names) {
      if (known.includes(name)) continue;
      const meant = nearest(name, known);
      throw new Failure(
        'invalid-request',
        `${header}: unknown name "${name}"${meant === undefined ? '' : `; did you mean ${meant}?`}`,
      );
    }
    return names;
  };
  const selection = {
    toolsets: list('x-mcp-toolsets', toolsetNames),
    tools: list('x-mcp-tools', toolNames),
    excludeTools: list('x-mcp-exclude-tools', toolNames),
    readOnly: readOnlyHeader(headers['x-mcp-readonly']),
  };
  return namesTools(selection) || selection.excludeTools.length > 0 || selection.readOnly
    ? selection
    : undefined;
}

function readOnlyHeader(value: string | string[] | undefined): boolean {
  const text = String(value ?? '')
    .trim()
    .toLowerCase();
  if (['', 'false', '0', 'no', 'off'].includes(text)) return false;
  if (['true', '1', 'yes', 'on'].includes(text)) return true;
  throw new Failure('invalid-request', `x-mcp-readonly must be true or false, not "${value}"`);
}
