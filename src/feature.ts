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

export const problemSchema = {
  type: 'object',
  required: ['file', 'severity', 'message'],
  properties: {
    file: { type: 'string' },
    line: { type: 'integer' },
    column: { type: 'integer' },
    severity: { enum: ['error', 'warning'] },
    message: { type: 'string' },
    prompts: { type: 'array', items: { type: 'string' }, description: 'Names of the affected prompts' },
  },
} as const;
export type Problem = ValueOf<typeof problemSchema>;

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

export interface ToolResult<Structured extends object = object> {
  /** The machine-readable answer. Where `content` is absent it is also the text, as JSON. */
  readonly structured?: Structured;
  readonly content?: readonly Content[];
  /** The call was valid, and its answer reports a failure. */
  readonly failed?: boolean;
  /** The call continues as a task (extension `io.modelcontextprotocol/tasks`); only for clients that declared it. */
  readonly task?: JsonObject;
  readonly meta?: JsonObject;
}

declare const toolTypes: unique symbol;

/** A tool that carries its argument and result types, so that `src/api.ts` can list them. */
export interface TypedTool<Name extends string, Arguments, Result> extends Tool {
  readonly name: Name;
  /** Exists in the type system only. */
  readonly [toolTypes]?: { readonly arguments: Arguments; readonly result: Result };
}

/** Name, arguments and result of every tool in a union of tools. */
export type ToolTypes<Tools extends Tool> = {
  readonly [T in Tools as T['name']]: T extends TypedTool<string, infer Arguments, infer Result>
    ? { readonly arguments: Arguments; readonly result: Result }
    : never;
};

/** Arguments as a handler receives them: every argument with a default is present. */
export type FilledArguments<Schema extends JsonSchema> = Schema extends {
  readonly properties: infer Properties;
}
  ? XStatic<Schema> & {
      readonly [Name in keyof Properties as Properties[Name] extends { readonly default: unknown }
        ? Name
        : never]-?: XStatic<Properties[Name]>;
    }
  : XStatic<Schema>;

/** A value of a JSON schema that nobody may change. */
export type ValueOf<Schema> = DeepReadonly<XStatic<Schema>>;
type DeepReadonly<Value> = Value extends object
  ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
  : Value;

/** Sent to clients as "any object", which keeps tool lists short; typed by the precise schema. */
export function anyObject<const Schema extends JsonSchema>(_precise: Schema): Schema {
  return { type: 'object' } as unknown as Schema;
}

/** The structured answer of a tool; a tool without an output schema answers with text. */
type ResultOf<Output> = Output extends JsonSchema ? ValueOf<Output> : { readonly text: string };

type ToolDefinition<Name extends string, Input extends JsonSchema, Output> = Omit<
  Tool,
  'name' | 'inputSchema' | 'outputSchema' | 'call'
> & {
  readonly name: Name;
  readonly inputSchema: Input;
  readonly outputSchema?: Output;
  call(
    args: FilledArguments<Input>,
    context: Context,
  ): MaybePromise<ToolResult<Output extends JsonSchema ? ValueOf<Output> & object : object>>;
};

type MaybePromise<Value> = Promise<Value> | Value;

/** Declares a tool. Its literal schemas type the arguments and the structured result. */
export function defineTool<
  const Name extends string,
  const Input extends JsonSchema,
  const Output extends JsonSchema | undefined = undefined,
>(tool: ToolDefinition<Name, Input, Output>): TypedTool<Name, ValueOf<Input>, ResultOf<Output>> {
  return tool as unknown as TypedTool<Name, ValueOf<Input>, ResultOf<Output>>;
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

export type ResourceContents = {
  readonly uri: string;
  readonly mimeType?: string;
  /** Sent as `_meta` instead of the contract's own; nothing is sent if it is empty. */
  readonly meta?: JsonObject;
} & ({ readonly text: string } | { readonly blob: string });

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
