import type { XStatic } from 'typebox/schema';
import type { JsonObject, JsonSchema } from './json.ts';

/** What the product does. A feature declares; the engine serves; nothing in a feature knows the wire. */
export interface Feature {
  readonly name: string;
  /** Read on every request, so a feature may change it and report `{ kind: 'tools' }`. */
  readonly tools?: readonly Tool[];
  readonly prompts?: PromptProvider;
  readonly resources?: ResourceProvider;
  /** Methods beyond the specification, by their wire name (`prompts/create`). */
  readonly methods?: Readonly<Record<string, Method>>;
  /** Entries of `capabilities.extensions`. */
  readonly extensions?: Readonly<Record<string, JsonObject>>;
  /** Things a person should know: a broken file, a name clash. Never thrown, always listed. */
  problems?(): Promise<readonly Problem[]> | readonly Problem[];
  subscribe?(listener: (change: Change) => void): () => void;
  close?(): Promise<void> | void;
}

export type Change =
  | { readonly kind: 'tools' | 'prompts' | 'resources' }
  | { readonly kind: 'resource'; readonly uri: string };

export interface Problem {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** The names of the prompts that suffer from it: several where they share a template. */
  readonly prompts?: readonly string[];
}

// ── Tools ──────────────────────────────────────────────────────────────────────────────────────────────────

export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** What is taken, where that is wider than what `inputSchema` asks for. */
  readonly acceptedSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: ToolAnnotations;
  /** Longest time one call may take, in milliseconds; past it the call fails as `timeout`. */
  readonly timeoutMs?: number;
  /** Arguments are already valid against the schema, with its top-level defaults filled in. */
  call(args: never, context: Context): Promise<ToolResult> | ToolResult;
}

export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

export interface ToolResult {
  /** The machine's answer. Where `content` is absent it is also the text, as JSON. */
  readonly structured?: object;
  readonly content?: readonly Content[];
  /** The call worked as a call, and what it reports is a failure. */
  readonly failed?: boolean;
  /** The call goes on as a task (extension `io.modelcontextprotocol/tasks`); only for clients that declared it. */
  readonly task?: JsonObject;
  readonly meta?: JsonObject;
}

type ToolOf<Schema extends JsonSchema> = Omit<Tool, 'inputSchema' | 'call'> & {
  readonly inputSchema: Schema;
  call(args: XStatic<Schema>, context: Context): Promise<ToolResult> | ToolResult;
};

/** Declares a tool with its arguments typed by the literal schema. */
export function defineTool<const Schema extends JsonSchema>(tool: ToolOf<Schema>): Tool {
  return tool as unknown as Tool;
}

export interface Method {
  readonly paramsSchema: JsonSchema;
  /** Later requests of the same connection wait until this one is done. */
  readonly writes?: boolean;
  call(params: never, context: Context): Promise<object> | object;
}

export function defineMethod<const Schema extends JsonSchema>(method: {
  readonly paramsSchema: Schema;
  readonly writes?: boolean;
  call(params: XStatic<Schema>, context: Context): Promise<object> | object;
}): Method {
  return method as unknown as Method;
}

// ── Content ────────────────────────────────────────────────────────────────────────────────────────────────

export type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource'; readonly resource: ResourceContents }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly description?: string;
      readonly mimeType?: string;
    };

export type ResourceContents = { readonly uri: string; readonly mimeType?: string } & (
  | { readonly text: string }
  | { readonly blob: string }
);

// ── Prompts ────────────────────────────────────────────────────────────────────────────────────────────────

export interface PromptProvider {
  /** In the order to be listed; names unique. */
  list(context: Context): Promise<readonly Prompt[]> | readonly Prompt[];
  get(
    name: string,
    args: Readonly<Record<string, unknown>>,
    context: Context,
  ): Promise<RenderedPrompt> | RenderedPrompt;
  /** Candidate values for one argument, best first; `undefined` when the prompt is not of this provider. */
  complete?(
    name: string,
    argument: string,
    value: string,
    context: CompletionContext,
  ): Promise<readonly string[] | undefined> | readonly string[] | undefined;
}

export interface Prompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly PromptArgument[];
  readonly meta?: JsonObject;
}

export interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}

export interface RenderedPrompt {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
  readonly meta?: JsonObject;
}

export interface PromptMessage {
  /** `system` exists in one document only; `standard` sends it as `user`. */
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: Content;
}

export interface CompletionContext extends Context {
  /** Arguments the person has filled in so far. */
  readonly given: Readonly<Record<string, string>>;
}

// ── Resources ──────────────────────────────────────────────────────────────────────────────────────────────

export interface ResourceProvider {
  list?(context: Context): Promise<readonly Resource[]> | readonly Resource[];
  readonly templates?: readonly ResourceTemplate[];
  /** The whole contents; `undefined` when the address is not of this provider. Slicing is the engine's. */
  read(
    uri: string,
    context: Context,
  ): Promise<readonly ResourceContents[] | undefined> | readonly ResourceContents[] | undefined;
  complete?(
    uriTemplate: string,
    argument: string,
    value: string,
    context: CompletionContext,
  ): Promise<readonly string[] | undefined> | readonly string[] | undefined;
}

interface ResourceDescription {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}
export interface Resource extends ResourceDescription {
  readonly uri: string;
  readonly size?: number;
}
export interface ResourceTemplate extends ResourceDescription {
  readonly uriTemplate: string;
}

// ── What a handler may do while it works ───────────────────────────────────────────────────────────────────

export interface Context {
  /** Aborted when the client cancels, goes away, or the time is up. */
  readonly signal: AbortSignal;
  readonly client: Client;
  /** `_meta` of the request as it came. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** Dropped when the client did not ask for progress. `progress` must grow. */
  progress(progress: number, total?: number, message?: string): void;
  log(level: ProtocolLogLevel, data: unknown, logger?: string): void;
  /** Whether `ask` can reach the client for this kind of request. */
  can(capability: AskCapability): boolean;
  /**
   * Asks the client and waits for its answers. In protocol revisions without server requests the handler is run again
   * from its start once the answers are there, so whatever comes before `ask` must be free of effects.
   */
  ask(
    requests: Readonly<Record<string, AskRequest>>,
  ): Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>>;
}

export interface Client {
  readonly name: string;
  readonly version: string;
  readonly protocolVersion: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

export type AskCapability = 'elicitation' | 'sampling' | 'roots';
export interface AskRequest {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  readonly params: Readonly<Record<string, unknown>>;
}

export const protocolLogLevels = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;
export type ProtocolLogLevel = (typeof protocolLogLevels)[number];
