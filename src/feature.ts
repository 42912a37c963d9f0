import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Content, ResourceContents } from './content.ts';
import type { CompletionContext, Context } from './context.ts';
import type { InboxSource } from './inbox.ts';
import type { JsonObject } from './json.ts';
import type { Method, Tool, ValueOf } from './tool.ts';

/** A part of the product: its tools, prompts and resources. The engine serves them; a feature knows nothing of the wire. */
export interface Feature {
  readonly name: string;
  /** Read on every request, so a feature may change its tools and report `{ kind: 'tools' }`. */
  readonly tools?: readonly Tool[];
  /** False while the feature has no data: its tools are then left out of the short tool list. Default: true. */
  inUse?(): Promise<boolean>;
  readonly prompts?: PromptProvider;
  readonly resources?: ResourceProvider;
  /** Methods that the specification does not have, by their wire name (`prompts/create`). */
  readonly methods?: Readonly<Record<string, Method>>;
  /** Entries of `capabilities.extensions`. */
  readonly extensions?: Readonly<Record<string, JsonObject>>;
  /** Problems that a person should fix, such as a broken file or a name clash. They are listed, never thrown. */
  problems?(): Promise<readonly Problem[]>;
  /** Numbers of this moment for monitoring, such as open runs. They must be cheap, and must not create files. */
  metrics?(): Promise<readonly Metric[]>;
  /** What waits for a person, such as a request for permission. */
  readonly inbox?: InboxSource | readonly InboxSource[];
  /** Answers requests outside MCP that prove by themselves that they are allowed, such as webhooks. */
  readonly http?: HttpRoutes;
  subscribe?(listener: (change: Change) => void): () => void;
  close?(): Promise<void>;
}

/** One value for monitoring, in the terms of Prometheus. */
export interface Metric {
  /** In snake case, with its unit, and without our prefix: `runs_open`, `memory_bytes`. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface HttpRoutes {
  /** True for the paths that the feature answers. */
  accepts(path: string): boolean;
  /** `address` is that of the client. */
  serve(path: string, request: IncomingMessage, response: ServerResponse, address?: string): Promise<void>;
}

/** The protocol extensions of each feature. Kept here because `initialize` declares them before the features are loaded. */
export const extensions = {
  prompts: { 'adjutant/prompt-management': {} },
  delegate: { 'io.modelcontextprotocol/tasks': {} },
  skills: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
  /** MCP Apps: a client that declares it too can show a view of the server inside the chat. */
  apps: { 'io.modelcontextprotocol/ui': {} },
} as const;

export type Change =
  | { readonly kind: 'tools' | 'prompts' }
  /** `user` is the person that the change is about. Others are not notified. */
  | { readonly kind: 'resources'; readonly user?: string }
  /** The result of `inUse` changed. */
  | { readonly kind: 'use' }
  | { readonly kind: 'resource'; readonly uri: string };

export const problemSchema = {
  type: 'object',
  required: ['file', 'severity', 'message'],
  properties: {
    file: { type: 'string' },
    line: { type: 'integer' },
    column: { type: 'integer' },
    severity: { enum: ['error', 'warning', 'note'] },
    message: { type: 'string' },
    remedy: { type: 'string', description: 'How to fix it' },
    rule: { type: 'string', description: 'Identifies the check' },
    topic: { type: 'string', description: 'What it is about, unless it is a file' },
    prompts: { type: 'array', items: { type: 'string' }, description: 'Names of the affected prompts' },
    source: { type: 'string', description: 'The source of the prompts' },
    omitted: { type: 'integer', description: 'Problems that are not listed' },
  },
} as const;
export type Problem = ValueOf<typeof problemSchema>;

export const findingSchema = {
  type: 'object',
  required: ['title', 'state', 'detail'],
  properties: {
    title: { type: 'string', description: 'What was checked' },
    state: { enum: ['good', 'warning', 'bad'] },
    detail: { type: 'string' },
    remedy: { type: 'string', description: 'How to fix it' },
    prompt: { type: 'string', description: 'The affected prompt' },
    client: { type: 'string', description: 'The client that was checked' },
  },
} as const;

/** The outcome of one check. `adjutant doctor`, the tool and the page report the same findings. */
export type Finding = ValueOf<typeof findingSchema>;

export interface PromptProvider {
  /** Prompts in listing order, with unique names. `continues` is true for a later page of a list. */
  list(context: Context, continues?: boolean): Promise<readonly Prompt[]>;
  get(name: string, args: Readonly<Record<string, unknown>>, context: Context): Promise<RenderedPrompt>;
  /** Candidate values for one argument, best first. `undefined` if the prompt belongs to another provider. */
  complete?(
    name: string,
    argument: string,
    value: string,
    context: CompletionContext,
  ): Promise<readonly string[] | undefined>;
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
  /** Only the contract `assistant` sends `system`; the others send it as `user`. */
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: Content;
}

/**
 * Expands a text of the form `:name text` with the prompt of that name: `name@label` and `library:name` are names too, and the
 * free text fills the arguments that are not given. Resolves to `undefined` for a text of any other form. Throws a failure if
 * there is no such prompt, if it cannot be rendered, or if the actor of the context may not use prompts. `asks`: ask the person
 * for missing arguments (the default), so call this before anything with a side effect.
 */
export type ExpandText = (
  text: string,
  args: Readonly<Record<string, string>>,
  context: Context,
  options?: { readonly asks?: boolean },
) => Promise<string | undefined>;

/** Expands a text as `ExpandText` does, without asking anybody: with the rights of a caller, or else of the owner. */
export type ExpandOwn = (
  text: string,
  args: Readonly<Record<string, string>>,
  context?: Context,
) => Promise<string | undefined>;

export interface ResourceProvider {
  list?(context: Context): Promise<readonly Resource[]>;
  readonly templates?: readonly ResourceTemplate[];
  /** Called when a client subscribes, for providers that report the changes of a resource only while somebody needs them. */
  follow?(uri: string, context: Context): Promise<void>;
  /** The whole contents, or `undefined` if the URI belongs to another provider. The engine cuts out the requested range. */
  read(uri: string, context: Context): Promise<readonly ResourceContents[] | undefined>;
  complete?(
    uriTemplate: string,
    argument: string,
    value: string,
    context: CompletionContext,
  ): Promise<readonly string[] | undefined>;
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
