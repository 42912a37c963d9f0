import type { XStatic } from 'typebox/schema';
import type { Content } from './content.ts';
import type { Context } from './context.ts';
import type { JsonObject, JsonSchema } from './json.ts';

/** Views of the page that clients with MCP Apps show inside the chat. */
export const appViews = ['run', 'prompts', 'calendar'] as const;
export type AppView = (typeof appViews)[number];

/** The groups of tools that a server or a client can select. */
export const toolsets = [
  'prompts',
  'prompt_editing',
  'delegate',
  'runs',
  'routines',
  'calendar',
  'notifications',
  'people',
  'inbox',
  'admin',
] as const;

/** The scopes of tokens. `admin` has every tool, and so has the owner. */
export const scopes = [
  'read',
  'prompts:write',
  'calendar:USER',
  'calendar:*',
  'delegate:read-only',
  'delegate:workspace-write',
  'approvals',
  'routines',
  'metrics',
  'admin',
] as const;

/** Where a tool belongs, who may call it, and how it is found. `src/toolsets` derives every list of tools from this. */
export interface ToolTraits {
  readonly toolsets: readonly [(typeof toolsets)[number], ...(typeof toolsets)[number][]];
  /** The narrowest scope that has the tool. `any`: every token has it, because it shows only what its other scopes allow. */
  readonly scope: (typeof scopes)[number] | 'any';
  /** Words that people use for what the tool does, where its name and description lack them. Only search_tools reads them. */
  readonly phrases: string;
  /** Words of one kind, for search_tools: the names of channels. */
  readonly words?: { readonly channel: readonly string[] };
  /** The toolset `default` lists the tool: while its feature has data, or always. */
  readonly core?: true | 'always';
  /** Absent: everyone. `page`: only the page may call it. `views`: models may call it, but no list of theirs has it. */
  readonly audience?: 'page' | 'views';
  /** The views inside a chat call it. They may call every tool of the toolsets calendar and notifications. */
  readonly inViews?: true;
  /**
   * Clients with views list the tool beside this one: a client shows the view of a listed tool only, so its model could not
   * show the view otherwise.
   */
  readonly listedBeside?: string;
  /** Tools whose work it does. To exclude one of those excludes this tool as well. */
  readonly uses?: readonly string[];
  /** Names of former tools whose work it does. In settings and headers they mean this tool; a call of them fails and names it. */
  readonly replaces?: readonly string[];
}

export interface Tool extends Partial<ToolTraits> {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Schema for validation, if the tool accepts more than `inputSchema` announces. */
  readonly acceptedSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: ToolAnnotations;
  /** Further words to find the tool by, for clients with a tool search. */
  readonly searchHint?: string;
  /** Clients that load tools on demand load this one at the start. */
  readonly alwaysLoad?: true;
  /** The view that clients with MCP Apps show for a call. */
  readonly view?: AppView;
  /** Listed for views only, with its name: hosts let views call only listed tools. */
  readonly appOnly?: true;
  /** Time limit of one call, in milliseconds. A longer call fails with `timeout`. */
  readonly timeoutMs?: number;
  /**
   * `database`: a call changes nothing but the database, and the transaction of its change records the call. `less space`: a
   * call only ends work or deletes files, and is not refused on a full disk.
   */
  readonly changes?: 'database' | 'less space';
  /** Receives arguments that match the schema, with its top-level defaults filled in. */
  call(args: never, context: Context): Promise<ToolResult>;
}

/** A tool as clients see it. */
export type ToolDescription = Omit<Tool, 'call'>;

export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** Annotations of the usual kinds of tools. Clients decide by them whether to ask before a call. */
export const hints = {
  reads: { readOnlyHint: true, openWorldHint: false },
  /** Every call adds something new. */
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  /** Loses nothing that a person has entered, and a repeated call changes nothing more. */
  sets: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  /** Overwrites or removes what a person has entered. */
  replaces: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  /** Fetches from an address that the caller names. */
  fetches: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
} as const satisfies Readonly<Record<string, ToolAnnotations>>;

export interface ToolResult<Structured extends object = object> {
  /** The machine-readable result. If `content` is absent, the text is this value as JSON. */
  readonly structured?: Structured;
  readonly content?: readonly Content[];
  /** The call was valid, but its result reports a failure. */
  readonly failed?: boolean;
  /** The call continues as a task. Only for clients that declare the extension `io.modelcontextprotocol/tasks`. */
  readonly task?: JsonObject;
  readonly meta?: JsonObject;
  /** What the call changed, for the security log only. */
  readonly change?: { readonly before?: object | undefined; readonly after?: object | undefined };
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

/** The read-only type of the values of a JSON Schema. */
export type ValueOf<Schema> = DeepReadonly<XStatic<Schema>>;
type DeepReadonly<Value> = Value extends object
  ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
  : Value;

/** Announces "any object" to clients, which keeps tool lists short. The type still comes from the precise schema. */
export function anyObject<const Schema extends JsonSchema>(_precise: Schema): Schema {
  return { type: 'object' } as unknown as Schema;
}

/** The structured result of a tool. A tool without an output schema returns text. */
type ResultOf<Output> = Output extends JsonSchema ? ValueOf<Output> : { readonly text: string };

type BareDefinition<Name extends string, Input extends JsonSchema, Output> = Omit<
  Tool,
  'name' | 'inputSchema' | 'outputSchema' | 'call' | keyof ToolTraits
> & {
  readonly name: Name;
  readonly inputSchema: Input;
  readonly outputSchema?: Output;
  call(
    args: FilledArguments<Input>,
    context: Context,
  ): Promise<ToolResult<Output extends JsonSchema ? ValueOf<Output> & object : object>>;
};

/** Declares a tool of `standard`. Its literal schemas type the arguments and the structured result. */
export function defineTool<
  const Name extends string,
  const Input extends JsonSchema,
  const Output extends JsonSchema | undefined = undefined,
>(tool: BareDefinition<Name, Input, Output> & ToolTraits): TypedTool<Name, ValueOf<Input>, ResultOf<Output>> {
  return tool as unknown as TypedTool<Name, ValueOf<Input>, ResultOf<Output>>;
}

/**
 * Declares a tool that only a drop-in contract or a server of a test has. The tool of `standard` with the same name decides who
 * may call it.
 */
export const defineBareTool = defineTool as <
  const Name extends string,
  const Input extends JsonSchema,
  const Output extends JsonSchema | undefined = undefined,
>(
  tool: BareDefinition<Name, Input, Output>,
) => TypedTool<Name, ValueOf<Input>, ResultOf<Output>>;

export interface Method {
  readonly paramsSchema: JsonSchema;
  /** Later requests of the same connection wait until this one has finished. */
  readonly writes?: boolean;
  call(params: never, context: Context): Promise<object>;
}

export function defineMethod<const Schema extends JsonSchema>(method: {
  readonly paramsSchema: Schema;
  readonly writes?: boolean;
  call(params: XStatic<Schema>, context: Context): Promise<object>;
}): Method {
  return method as unknown as Method;
}
