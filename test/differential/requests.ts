import type { JsonObject } from '../../src/json.ts';

export interface Request {
  readonly what: string;
  readonly method: string;
  readonly params?: JsonObject;
}

const request = (what: string, method: string, params?: JsonObject): Request => ({
  what,
  method,
  ...(params && { params }),
});

/** Valid and invalid requests that mean the same in every revision. */
export const common: readonly Request[] = [
  request('lists tools', 'tools/list'),
  request('lists tools with an invalid cursor', 'tools/list', { cursor: 'made up' }),
  request('lists prompts', 'prompts/list'),
  request('lists resources', 'resources/list'),
  request('lists resource templates', 'resources/templates/list'),
  request('calls a tool', 'tools/call', { name: 'add', arguments: { a: 1, b: 2 } }),
  request('calls a tool with an invalid argument', 'tools/call', {
    name: 'add',
    arguments: { a: 'one', b: 2 },
  }),
  request('calls a tool without a required argument', 'tools/call', { name: 'add', arguments: { a: 1 } }),
  request('calls a tool without arguments', 'tools/call', { name: 'report' }),
  request('calls a tool that fails', 'tools/call', { name: 'fail', arguments: {} }),
  request('calls an unknown tool', 'tools/call', { name: 'subtract', arguments: {} }),
  request('calls a tool without a name', 'tools/call', { arguments: {} }),
  request('calls a tool with a list of arguments', 'tools/call', { name: 'add', arguments: [1, 2] }),
  request('calls a tool with a progress token', 'tools/call', {
    name: 'report',
    arguments: {},
    _meta: { progressToken: 'p' },
  }),
  request('gets a prompt', 'prompts/get', { name: 'greet', arguments: { name: 'Ada' } }),
  request('gets a prompt without a required argument', 'prompts/get', { name: 'greet', arguments: {} }),
  request('gets an unknown prompt', 'prompts/get', { name: 'part', arguments: {} }),
  request('gets a prompt without a name', 'prompts/get', {}),
  request('reads a resource', 'resources/read', { uri: 'note://one' }),
  request('reads an unknown resource', 'resources/read', { uri: 'other://two' }),
  request('reads a resource without a URI', 'resources/read', {}),
  request('completes an argument', 'completion/complete', {
    ref: { type: 'ref/prompt', name: 'greet' },
    argument: { name: 'name', value: 'A' },
  }),
  request('completes an argument of an unknown prompt', 'completion/complete', {
    ref: { type: 'ref/prompt', name: 'part' },
    argument: { name: 'name', value: 'A' },
  }),
  request('completes without parameters', 'completion/complete', {}),
  request('calls an unknown method', 'tools/destroy'),
];

export const legacyOnly: readonly Request[] = [
  request('pings', 'ping'),
  request('sets the log level', 'logging/setLevel', { level: 'warning' }),
  request('sets an unknown log level', 'logging/setLevel', { level: 'loud' }),
  request('calls a method of a later revision', 'server/discover'),
  request('subscribes with the method of a later revision', 'subscriptions/listen', { notifications: {} }),
];

export const modernOnly: readonly Request[] = [
  request('calls server/discover', 'server/discover'),
  request('calls ping of earlier revisions', 'ping'),
  request('sets the log level with the method of earlier revisions', 'logging/setLevel', {
    level: 'warning',
  }),
  request('subscribes with the method of earlier revisions', 'resources/subscribe', { uri: 'note://one' }),
  request('calls a tool that asks a question', 'tools/call', { name: 'ask', arguments: {} }),
  request('calls a tool that asks a question, with the answer', 'tools/call', {
    name: 'ask',
    arguments: {},
    inputResponses: { name: { action: 'accept', content: { name: 'Ada' } } },
  }),
];
