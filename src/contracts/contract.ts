import type { ResourceContents } from '../content.ts';
import type { Failure, FailureKind } from '../failure.ts';
import type { Prompt, RenderedPrompt, Resource, ResourceTemplate } from '../feature.ts';
import type { JsonObject } from '../json.ts';
import type { Tool, ToolResult } from '../tool.ts';

export const contractNames = ['standard', 'commands', 'jsonl', 'twig', 'delegate', 'assistant'] as const;
export type ContractName = (typeof contractNames)[number];

/** How a connection looks on the wire: pure functions from neutral values to JSON, and nothing else. */
export interface Contract {
  readonly name: ContractName;
  readonly server: { readonly name: string; readonly version: string; readonly title?: string };
  /** What models are told of the server in advance, by the names of its tools. */
  instructions?(tools: ReadonlySet<string>): string | undefined;
  /** Whether revision 2026-07-28 and its methods are spoken beside the older ones. */
  readonly modern: boolean;
  /** Method names served; what is absent is answered as not found. */
  readonly methods: ReadonlySet<string>;
  /** Tool names shown; `undefined` for all. */
  readonly tools?: ReadonlySet<string>;
  readonly pageSize: number;

  negotiate(requested: unknown): string;
  capabilities(offer: Offer): JsonObject;
  /** Adds what this contract says in its initialize result beyond the usual. */
  initialized(result: JsonObject, params: JsonObject): JsonObject;
  /** Start index of the page asked for. */
  startOf(cursor: unknown): number;
  nextCursor(next: string | undefined): JsonObject;

  toolItem(tool: Tool): JsonObject;
  toolResult(result: ToolResult): JsonObject;
  promptItem(prompt: Prompt): JsonObject;
  prompt(rendered: RenderedPrompt): JsonObject;
  resourceItems(
    resources: readonly Resource[],
    templates: readonly ResourceTemplate[],
  ): readonly JsonObject[];
  contents(contents: ResourceContents, hash: string): JsonObject;

  readonly codes: Readonly<Record<FailureKind, number>>;
  /** Kinds that a tool call reports as a result with `isError`, not as a protocol error. */
  readonly toolErrors: ReadonlySet<FailureKind>;
  /** Whether failed tool calls carry their kind and issues in `_meta`. */
  readonly failureDetails: boolean;
  /** Kinds that are not answered at all. */
  readonly silent: ReadonlySet<FailureKind>;
  error(failure: Failure, code: number, method: string): WireError;
}

/** What the features behind a contract have, from which capabilities follow. */
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
