import type { Offer } from '../contracts/contract.ts';
import { modernVersion } from '../contracts/standard.ts';
import { Failure } from '../failure.ts';
import {
  type Client,
  type CompletionContext,
  type Context,
  type Prompt,
  type PromptProvider,
  protocolLogLevels,
  type ResourceProvider,
  type Tool,
  type ToolResult,
} from '../feature.ts';
import { isObject, type JsonObject, type JsonSchema } from '../json.ts';
import { InputRequired } from './context.ts';
import { kindOf, reportFailure } from './failure-report.ts';
import { notification, type RequestMessage } from './message.ts';
import { metaKeys } from './modern.ts';
import { parseValue } from './schema.ts';
import type { Server } from './server.ts';
import type { Session } from './session.ts';

export interface Call {
  readonly session: Session;
  readonly server: Server;
  readonly request: RequestMessage;
  readonly params: Readonly<Record<string, unknown>>;
  readonly client: Client;
  readonly context: Context;
}

export interface Builtin {
  /** The only era it belongs to; absent for both. */
  readonly era?: 'legacy' | 'modern';
  readonly schema?: JsonSchema;
  readonly writes?: boolean;
  offered?(offer: Offer): boolean;
  call(call: Call): Promise<JsonObject> | JsonObject;
}

const name = { type: 'string', minLength: 1 };
const optionalObject = { anyOf: [{ type: 'object' }, { type: 'null' }] };
const paged = { type: 'object', properties: { cursor: { anyOf: [{ type: 'string' }, { type: 'null' }] } } };
const named = { type: 'object', required: ['name'], properties: { name, arguments: optionalObject } };
const addressed = {
  type: 'object',
  required: ['uri'],
  properties: { uri: { type: 'string', minLength: 1 } },
};

/** The methods of the specification, by name. What a contract does not list is not served. */
export const builtins: Readonly<Record<string, Builtin>> = {
  initialize: { era: 'legacy', call: initialize },
  ping: { era: 'legacy', call: () => ({}) },
  'logging/setLevel': {
    era: 'legacy',
    schema: { type: 'object', required: ['level'], properties: { level: { enum: protocolLogLevels } } },
    call({ session, params }) {
      session.logLevel = params['level'] as (typeof protocolLogLevels)[number];
      return {};
    },
  },
  'server/discover': {
    era: 'modern',
    call: ({ server: { contract, capabilities } }) => ({
      supportedVersions: [modernVersion],
      capabilities,
      ...(contract.instructions !== undefined && { instructions: contract.instructions }),
    }),
  },
  'subscriptions/listen': {
    era: 'modern',
    schema: {
      type: 'object',
      required: ['notifications'],
      properties: { notifications: { type: 'object' } },
    },
    call: listen,
  },
  'tools/list': {
    schema: paged,
    offered: (offer) => offer.tools,
    call: ({ server, params }) => page(server, 'tools', server.tools, server.contract.toolItem, params),
  },
  'tools/call': { schema: named, offered: (offer) => offer.tools, call: callTool },
  'prompts/list': { schema: paged, offered: (offer) => offer.prompts, call: listPrompts },
  'prompts/get': { schema: named, offered: (offer) => offer.prompts, call: getPrompt },
  'completion/complete': {
    schema: {
      type: 'object',
      required: ['ref', 'argument'],
      properties: {
        ref: {
          type: 'object',
          required: ['type'],
          properties: { type: { enum: ['ref/prompt', 'ref/resource'] } },
        },
        argument: {
          type: 'object',
          required: ['name', 'value'],
          properties: { name: { type: 'string' }, value: { type: 'string' } },
        },
      },
    },
    offered: (offer) => offer.completions,
    call: complete,
  },
  'resources/list': {
    schema: paged,
    offered: (offer) => offer.resources,
    async call({ server, params, context }) {
      const providers = server.features.flatMap((feature) => feature.resources ?? []);
      const lists = await Promise.all(providers.map((provider) => provider.list?.(context) ?? []));
      const templates = providers.flatMap((provider) => provider.templates ?? []);
      return page(server, 'resources', server.contract.resourceItems(lists.flat(), templates), asIs, params);
    },
  },
  'resources/templates/list': {
    schema: paged,
    offered: (offer) => offer.resources,
    call: ({ server, params }) => {
      const templates = server.features.flatMap((feature) => feature.resources?.templates ?? []);
      return page(server, 'resourceTemplates', templates as unknown as JsonObject[], asIs, params);
    },
  },
  'resources/read': {
    schema: {
      ...addressed,
      properties: {
        ...addressed.properties,
        offset: { type: 'integer', minimum: 0 },
        limit: { type: 'integer', minimum: 1 },
      },
    },
    offered: (offer) => offer.resources,
    call: readResource,
  },
  'resources/subscribe': {
    era: 'legacy',
    schema: addressed,
    offered: (offer) => offer.resources,
    call({ session, params }) {
      session.watchedResources.add(String(params['uri']));
      return {};
    },
  },
  'resources/unsubscribe': {
    era: 'legacy',
    schema: addressed,
    offered: (offer) => offer.resources,
    call({ session, params }) {
      session.watchedResources.delete(String(params['uri']));
      return {};
    },
  },
};

/** Checked by hand and at once: the very next message may rely on it, and start-up pays for no validator. */
function initialize({ session, server, params }: Call): JsonObject {
  const { contract } = server;
  const { protocolVersion, capabilities, clientInfo } = params;
  if (protocolVersion !== undefined && typeof protocolVersion !== 'string') {
    throw new Failure('invalid-params', 'protocolVersion must be a string', {
      issues: [{ path: ['protocolVersion'], keyword: 'type', expected: 'string', message: 'must be string' }],
    });
  }
  const info = isObject(clientInfo) ? clientInfo : {};
  const version = contract.negotiate(protocolVersion);
  session.begin({
    name: String(info['name'] ?? ''),
    version: String(info['version'] ?? ''),
    protocolVersion: version,
    capabilities: isObject(capabilities) ? capabilities : {},
  });
  const result = {
    protocolVersion: version,
    capabilities: server.capabilities,
    serverInfo: contract.server,
    ...(contract.instructions !== undefined && { instructions: contract.instructions }),
  };
  return contract.initialized(result, params as JsonObject);
}

function listen({ session, server, request, params, context }: Call): Promise<JsonObject> | JsonObject {
  const asked = params['notifications'] as Readonly<Record<string, unknown>>;
  const declares = (kind: string, flag: string) => {
    const capability = server.capabilities[kind];
    return isObject(capability) && capability[flag] === true;
  };
  const uris = asked['resourceSubscriptions'];
  const kinds = ['tools', 'prompts', 'resources'].filter(
    (kind) => asked[`${kind}ListChanged`] === true && declares(kind, 'listChanged'),
  );
  const filter: JsonObject = {
    ...Object.fromEntries(kinds.map((kind) => [`${kind}ListChanged`, true])),
    ...(Array.isArray(uris) &&
      uris.length > 0 &&
      declares('resources', 'subscribe') && { resourceSubscriptions: uris.map(String) }),
  };
  const _meta = { [metaKeys.subscriptionId]: request.id };
  session.send(
    notification('notifications/subscriptions/acknowledged', { notifications: filter, _meta }),
    request.id,
  );
  if (Object.keys(filter).length === 0) return { _meta };
  return new Promise((resolve) => {
    const end = () => {
      session.listens.delete(request.id);
      resolve({ _meta });
    };
    session.listens.set(request.id, { filter, end });
    context.signal.addEventListener('abort', end, { once: true });
  });
}

function page<Item>(
  { contract }: Server,
  key: string,
  items: readonly Item[],
  shape: (item: Item) => JsonObject,
  params: Readonly<Record<string, unknown>>,
): JsonObject {
  const start = contract.startOf(params['cursor']);
  const end = start + contract.pageSize;
  return {
    [key]: items.slice(start, end).map(shape),
    ...contract.nextCursor(end < items.length ? String(end) : undefined),
  };
}

function asIs(item: JsonObject): JsonObject {
  return item;
}

async function callTool({ server: { contract, tools }, params, context }: Call): Promise<JsonObject> {
  const tool = tools.find((candidate) => candidate.name === params['name']);
  if (tool === undefined) throw new Failure('tool-not-found', `Unknown tool: ${params['name']}`);
  try {
    const args = await parseValue(
      tool.acceptedSchema ?? tool.inputSchema,
      params['arguments'] ?? {},
      `${tool.name} arguments`,
    );
    const result = await withinTime(tool, args, context);
    if (result.task !== undefined) return { resultType: 'task', ...result.task };
    return contract.toolResult(result);
  } catch (error) {
    // From here on the request itself was right, so what went wrong is for the model to read.
    if (error instanceof InputRequired || !contract.toolErrors.has(kindOf(error))) throw error;
    const { message } = reportFailure(error, tool.name);
    return contract.toolResult({ content: [{ type: 'text', text: message }], failed: true });
  }
}

async function withinTime(tool: Tool, args: unknown, context: Context): Promise<ToolResult> {
  if (tool.timeoutMs === undefined) return tool.call(args as never, context);
  const { timeoutMs } = tool;
  const limit = new AbortController();
  const timer = setTimeout(() => {
    limit.abort(new Failure('timeout', `${tool.name} took longer than ${timeoutMs / 1000} s.`));
  }, timeoutMs);
  const signal = AbortSignal.any([context.signal, limit.signal]);
  const late = new Promise<never>((_, reject) =>
    limit.signal.addEventListener('abort', () => reject(limit.signal.reason)),
  );
  try {
    return await Promise.race([tool.call(args as never, derive(context, { signal })), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The same context with some of it replaced; private state stays with the original. */
function derive<Extra extends object>(context: Context, extra: Extra): Context & Extra {
  return {
    signal: context.signal,
    client: context.client,
    meta: context.meta,
    progress: (...given) => context.progress(...given),
    log: (...given) => context.log(...given),
    can: (capability) => context.can(capability),
    ask: (requests) => context.ask(requests),
    ...extra,
  };
}

async function listPrompts({ server, params, context }: Call): Promise<JsonObject> {
  const providers = server.features.flatMap((feature) => feature.prompts ?? []);
  const lists = await Promise.all(providers.map((provider) => provider.list(context)));
  const prompts: readonly Prompt[] = lists.length === 1 ? lists[0]! : uniqueByName(lists.flat());
  return page(server, 'prompts', prompts, server.contract.promptItem, params);
}

function uniqueByName(prompts: readonly Prompt[]): readonly Prompt[] {
  return [...new Map(prompts.toReversed().map((prompt) => [prompt.name, prompt])).values()].reverse();
}

async function getPrompt({ server, params, context }: Call): Promise<JsonObject> {
  const wanted = String(params['name']);
  const args = (params['arguments'] ?? {}) as Readonly<Record<string, unknown>>;
  for (const { prompts } of server.features) {
    if (prompts === undefined) continue;
    try {
      return server.contract.prompt(await prompts.get(wanted, args, context));
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'prompt-not-found') throw error;
    }
  }
  throw new Failure('prompt-not-found', `Prompt not found: ${wanted}`);
}

async function complete({ server, params, context }: Call): Promise<JsonObject> {
  const ref = params['ref'] as Readonly<Record<string, unknown>>;
  const argument = params['argument'] as { name: string; value: string };
  const given =
    isObject(params['context']) && isObject(params['context']['arguments'])
      ? params['context']['arguments']
      : {};
  const completion: CompletionContext = derive(context, { given: given as Record<string, string> });
  const target = String(ref['type'] === 'ref/prompt' ? ref['name'] : ref['uri']);
  for (const { prompts, resources } of server.features) {
    const provider = ref['type'] === 'ref/prompt' ? prompts : resources;
    const values =
      provider === undefined || provider.complete
        ? await provider?.complete?.(target, argument.name, argument.value, completion)
        : await nothingFor(target, provider, context);
    if (values === undefined) continue;
    return {
      completion: { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 },
    };
  }
  throw new Failure(
    ref['type'] === 'ref/prompt' ? 'prompt-not-found' : 'resource-not-found',
    `Nothing to complete for: ${target}`,
  );
}

/** A provider without suggestions still knows what is its own. */
async function nothingFor(
  target: string,
  provider: PromptProvider | ResourceProvider,
  context: Context,
): Promise<readonly string[] | undefined> {
  const known =
    'get' in provider
      ? (await provider.list(context)).some(({ name }) => name === target)
      : provider.templates?.some(({ uriTemplate }) => uriTemplate === target);
  return known ? [] : undefined;
}

async function readResource({ server, params, context }: Call): Promise<JsonObject> {
  const { sliceContents } = await import('./slice.ts');
  const uri = String(params['uri']);
  for (const { resources } of server.features) {
    const contents = await resources?.read(uri, context);
    if (contents === undefined) continue;
    const slices = contents.map((one) =>
      sliceContents(one, params['offset'] as number | undefined, params['limit'] as number | undefined),
    );
    return { contents: slices.map((slice) => server.contract.contents(slice.contents, slice.hash)) };
  }
  throw new Failure('resource-not-found', `Resource not found: ${uri}`, { data: { uri } });
}
