import { protocolLogLevels } from '../context.ts';
import type { Offer } from '../contracts/contract.ts';
import { modernVersion } from '../contracts/standard.ts';
import type { JsonObject, JsonSchema } from '../json.ts';
import type { Call } from './call.ts';
import { complete } from './completion.ts';
import { initialize, listen } from './opening.ts';
import { page } from './page.ts';
import { getPrompt, listPrompts } from './prompt-methods.ts';
import { listResources, listTemplates, readResource, subscribeResource } from './resource-methods.ts';
import { callTool } from './tool-call.ts';

export interface Builtin {
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
export const builtins: Readonly<Record<string, Builtin>> = {
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
      return {
        supportedVersions: [modernVersion],
        capabilities,
        ...(instructions !== undefined && { instructions }),
        // Lets the page disable what would be refused.
        ...(access.isReadOnly && { _meta: { 'adjutant/read-only': true } }),
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
