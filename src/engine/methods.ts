import { isOwner, personOf, protocolLogLevels } from '../context.ts';
import { type Contract, initializeResult, type Offer } from '../contracts/contract.ts';
import { modernVersion } from '../contracts/standard.ts';
import { Failure } from '../failure.ts';
import { isObject, type JsonObject, type JsonSchema } from '../json.ts';
import { methodWays } from '../toolsets/other-ways.ts';
import { type Call, describeRequest } from './call.ts';
import {
  complete,
  followResource,
  getPrompt,
  listPrompts,
  listResources,
  listTemplates,
  page,
  readResource,
  subscribeResource,
} from './content-methods.ts';
import { clientNames, metaKeys } from './envelope.ts';
import { notification } from './message.ts';
import type { Surface } from './surface.ts';
import { callOutcome, callTool } from './tool-call.ts';

interface Builtin {
  /** The only era that has the method. Default: both. */
  readonly era?: 'legacy' | 'modern';
  readonly schema?: JsonSchema;
  readonly writes?: boolean;
  offered?(offer: Offer): boolean;
  call(call: Call): Promise<JsonObject>;
}

const name = { type: 'string', minLength: 1 };
const optionalObject = { anyOf: [{ type: 'object' }, { type: 'null' }] };
const pageParams = {
  type: 'object',
  properties: { cursor: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
};
const nameParams = { type: 'object', required: ['name'], properties: { name, arguments: optionalObject } };
const uriParams = {
  type: 'object',
  required: ['uri'],
  properties: { uri: { type: 'string', minLength: 1 } },
};

/** The methods of the specification, by name. A server offers those that its contract lists. */
const builtins: Readonly<Record<string, Builtin>> = {
  initialize: { era: 'legacy', call: initialize },
  ping: { era: 'legacy', call: async () => ({}) },
  'logging/setLevel': {
    era: 'legacy',
    schema: { type: 'object', required: ['level'], properties: { level: { enum: protocolLogLevels } } },
    async call({ session, params }) {
      session.logLevel = params['level'] as (typeof protocolLogLevels)[number];
      return {};
    },
  },
  'server/discover': {
    era: 'modern',
    async call({ session: { surface } }) {
      const { capabilities, instructions, access } = surface;
      const meta = {
        ...(access.isReadOnly && { 'adjutant/read-only': true }),
        // The page keeps drafts of each person apart, and a token may not call every tool.
        ...(!isOwner(access.actor) && {
          'adjutant/actor': personOf(access.actor),
          'adjutant/tools': surface.tools.map((tool) => tool.name),
        }),
      };
      return {
        supportedVersions: [modernVersion],
        capabilities,
        ...(instructions !== undefined && { instructions }),
        // Lets the page leave out or disable what would be refused.
        ...(Object.keys(meta).length > 0 && { _meta: meta }),
      };
    },
  },
  'subscriptions/listen': {
    era: 'modern',
    schema: {
      type: 'object',
      required: ['notifications'],
      properties: {
        notifications: {
          type: 'object',
          properties: { resourceSubscriptions: { type: 'array', items: { type: 'string' } } },
        },
      },
    },
    call: listen,
  },
  'tools/list': {
    schema: pageParams,
    offered: (offer) => offer.tools,
    async call({ session, server, params, client }) {
      const listed = await session.surface.listedTools();
      const forViews = server.contract.showsViews?.(client.capabilities)
        ? session.surface.viewTools(listed)
        : [];
      return page(
        server,
        'tools',
        [...listed, ...forViews],
        (tool) => server.contract.toolItem(tool, client.capabilities),
        params,
      );
    },
  },
  'tools/call': { schema: nameParams, offered: (offer) => offer.tools, call: callTool },
  'prompts/list': { schema: pageParams, offered: (offer) => offer.prompts, call: listPrompts },
  'prompts/get': { schema: nameParams, offered: (offer) => offer.prompts, call: getPrompt },
  'completion/complete': {
    schema: {
      type: 'object',
      required: ['ref', 'argument'],
      properties: {
        ref: {
          type: 'object',
          required: ['type'],
          properties: {
            type: { enum: ['ref/prompt', 'ref/resource'] },
            name: { type: 'string' },
            uri: { type: 'string' },
          },
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
    schema: pageParams,
    offered: (offer) => offer.resources,
    call: listResources,
  },
  'resources/templates/list': {
    schema: pageParams,
    offered: (offer) => offer.resources,
    call: listTemplates,
  },
  'resources/read': {
    schema: {
      ...uriParams,
      properties: {
        ...uriParams.properties,
        offset: { type: 'integer', minimum: 0 },
        limit: { type: 'integer', minimum: 1 },
      },
    },
    offered: (offer) => offer.resources,
    call: readResource,
  },
  'resources/subscribe': {
    era: 'legacy',
    schema: uriParams,
    offered: (offer) => offer.resources,
    call: subscribeResource,
  },
  'resources/unsubscribe': {
    era: 'legacy',
    schema: uriParams,
    offered: (offer) => offer.resources,
    async call({ session, params }) {
      session.watchedResources.delete(String(params['uri']));
      return {};
    },
  },
};

/** Finds a method by its wire name: one of the specification, or one that a feature adds. */
export function findMethod(surface: Surface, contract: Contract, name: string, modern: boolean): Builtin {
  const { offer } = surface;
  if (contract.methods.has(name)) {
    const builtin = Object.hasOwn(builtins, name) ? builtins[name] : undefined;
    if (
      builtin !== undefined &&
      builtin.era !== (modern ? 'legacy' : 'modern') &&
      (builtin.offered?.(offer) ?? true)
    )
      return builtin;
    const method = surface.method(name);
    if (method !== undefined) {
      return {
        schema: method.paramsSchema,
        ...(method.writes && { writes: true }),
        async call({ server, request, params, context }) {
          const work = async () => (await method.call(params as never, context)) as JsonObject;
          if (server.audit === undefined || !methodWays[name]?.writes) return work();
          const { actor, client } = context;
          return server.audit.run(
            { actor, client: client.name, ...describeRequest(request) },
            { work, outcome: (end) => callOutcome('value' in end ? { value: {} } : end) },
          );
        },
      };
    }
  }
  throw new Failure('method-not-found', `Method not found: ${name}`);
}

/** Runs without the validator, which would slow down the start. The types of the envelope are enough. */
async function initialize({ session, server, params }: Call): Promise<JsonObject> {
  const { contract } = server;
  const { capabilities: offered, instructions } = session.surface;
  const { protocolVersion, capabilities, clientInfo } = params;
  session.begin({
    ...clientNames(clientInfo),
    protocolVersion: contract.negotiate(protocolVersion),
    capabilities: isObject(capabilities) ? capabilities : {},
  });
  return initializeResult(contract, offered, instructions, params as JsonObject);
}

/** Subscribes to changes in revision 2026-07-28: the request stays open until the client cancels it. */
async function listen({ session, request, params, context }: Call): Promise<JsonObject> {
  const { surface } = session;
  const requested = params['notifications'] as Readonly<Record<string, unknown>>;
  const subscriptions = (requested['resourceSubscriptions'] ?? []) as readonly string[];
  const uris: string[] = [];
  for (const uri of subscriptions) if (await followResource(surface, uri, context)) uris.push(uri);
  const kinds = ['tools', 'prompts', 'resources'].filter(
    (kind) => requested[`${kind}ListChanged`] === true && surface.declares(kind, 'listChanged'),
  );
  const filter: JsonObject = {
    ...Object.fromEntries(kinds.map((kind) => [`${kind}ListChanged`, true])),
    ...(uris.length > 0 && surface.declares('resources', 'subscribe') && { resourceSubscriptions: uris }),
  };
  const _meta = { [metaKeys.subscriptionId]: request.id };
  session.send(
    notification('notifications/subscriptions/acknowledged', { notifications: filter, _meta }),
    request.id,
  );
  if (Object.keys(filter).length === 0 || context.signal.aborted) return { _meta };
  return new Promise((resolve) => {
    const end = () => {
      session.listens.delete(request.id);
      resolve({ _meta });
    };
    session.listens.set(request.id, { filter, end });
    context.signal.addEventListener('abort', end, { once: true });
  });
}
