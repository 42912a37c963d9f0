import type { Offer } from '../contracts/contract.ts';
import { modernVersion } from '../contracts/standard.ts';
import { protocolLogLevels } from '../feature.ts';
import type { JsonObject, JsonSchema } from '../json.ts';
import type { Call } from './call.ts';
import { complete } from './completion.ts';
import { initialize, listen } from './opening.ts';
import { page } from './page.ts';
import { getPrompt, listPrompts } from './prompt-methods.ts';
import { listResources, listTemplates, readResource } from './resource-methods.ts';
import { callTool } from './tool-call.ts';

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
    call: ({ server: { capabilities, instructions } }) => ({
      supportedVersions: [modernVersion],
      capabilities,
      ...(instructions !== undefined && { instructions }),
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
    call: listResources,
  },
  'resources/templates/list': {
    schema: paged,
    offered: (offer) => offer.resources,
    call: listTemplates,
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
