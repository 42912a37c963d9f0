import type { ResourceContents } from '../content.ts';
import type { Failure, FailureKind } from '../failure.ts';
import type { Prompt, RenderedPrompt, Resource, ResourceTemplate } from '../feature.ts';
import type { JsonObject } from '../json.ts';
import type { ToolDescription, ToolResult } from '../tool.ts';

export const contractNames = ['standard', 'commands', 'jsonl', 'twig', 'delegate', 'assistant'] as const;
export type ContractName = (typeof contractNames)[number];

/** The wire format of a connection: pure functions that turn neutral values into JSON. */
export interface Contract {
  readonly name: ContractName;
  readonly server: { readonly name: string; readonly version: string; readonly title?: string };
  /** Instructions for models in the initialize result, depending on the available tools. */
  instructions?(tools: ReadonlySet<string>): string | undefined;
  /** Whether the contract supports revision 2026-07-28 besides the older ones. */
  readonly modern: boolean;
  /** Names of the supported methods. */
  readonly methods: ReadonlySet<string>;
  /** Names of the offered tools. Default: all. */
  readonly tools?: ReadonlySet<string>;
  /** Names of tools on the wire, where they differ from the tool's own name. */
  readonly toolNames?: Readonly<Record<string, string>>;
  readonly pageSize: number;

  negotiate(requested: unknown): string;
  capabilities(offer: Offer): JsonObject;
  /** Adapts the initialize result to this contract. */
  initialized(result: JsonObject, params: JsonObject): JsonObject;
  /** Index of the first item of the requested page. */
  startOf(cursor: unknown): number;
  /** The field for the start of the next page. `cursor` is the one that the client sent. */
  nextCursor(next: string | undefined, cursor: unknown): JsonObject;

  /** The entry depends on the capabilities of the client, if they are known. */
  toolItem(tool: ToolDescription, capabilities?: Readonly<Record<string, unknown>>): JsonObject;
  /** Whether a client with these capabilities shows views inside the chat. Absent: the contract has no views. */
  showsViews?(capabilities: Readonly<Record<string, unknown>>): boolean;
  toolResult(result: ToolResult): JsonObject;
  promptItem(prompt: Prompt): JsonObject;
  prompt(rendered: RenderedPrompt): JsonObject;
  resourceItems(
    resources: readonly Resource[],
    templates: readonly ResourceTemplate[],
  ): readonly JsonObject[];
  contents(contents: ResourceContents, hash: string): JsonObject;

  readonly codes: Readonly<Record<FailureKind, number>>;
  /** Kinds that a tool call returns as a result with `isError` instead of a protocol error. */
  readonly toolErrors: ReadonlySet<FailureKind>;
  /** Whether failed tool calls carry their kind and issues in `_meta`. */
  readonly failureDetails: boolean;
  /** Kinds for which no reply is sent. */
  readonly silent: ReadonlySet<FailureKind>;
  error(failure: Failure, code: number, method: string): WireError;
}

/** What the features provide. The capabilities are derived from it. */
export interface Offer {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
  readonly completions: boolean;
  readonly extensions: Readonly<Record<string, JsonObject>>;
}

export interface WireError {
  readonly code: number;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The result of `initialize`. The parameters are valid. */
export function initializeResult(
  contract: Contract,
  capabilities: JsonObject,
  instructions: string | undefined,
  params: JsonObject,
): JsonObject {
  const result = {
    protocolVersion: contract.negotiate(params['protocolVersion'] as string | undefined),
    capabilities,
    serverInfo: contract.server,
    ...(instructions !== undefined && { instructions }),
  };
  return contract.initialized(result, params);
}
