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

/** Requests that mean the same in every revision, right ones and wrong ones. */
export const common: readonly Request[] = [
  request('lists tools', 'tools/list'),
  request('lists tools from a cursor of its own making', 'tools/list', { cursor: 'made up' }),
  request('lists prompts', 'prompts/list'),
  request('lists resources', 'resources/list'),
  request('lists resource templates', 'resources/templates/list'),
  request('calls a tool', 'tools/call', { name: 'add', arguments: { a: 1, b: 2 } }),
  request('calls a tool with a wrong argument', 'tools/call', { name: 'add', arguments: { a: 'one', b: 2 } }),
  request('calls a tool without an argument', 'tools/call', { name: 'add', arguments: { a: 1 } }),
  request('calls a tool without arguments', 'tools/call', { name: 'report' }),
  request('calls a tool that fails', 'tools/call', { name: 'fail', arguments: {} }),
  request('calls a tool that is not there', 'tools/call', { name: 'subtract', arguments: {} }),
  request('calls a tool without its name', 'tools/call', { arguments: {} }),
  request('calls a tool with a list of arguments', 'tools/call', { name: 'add', arguments: [1, 2] }),
  request('calls a tool and follows its progress', 'tools/call', {
    name: 'report',
    arguments: {},
    _meta: { progressToken: 'p' },
  }),
  request('gets a prompt', 'prompts/get', { name: 'greet', arguments: { name: 'Ada' } }),
  request('gets a prompt without its argument', 'prompts/get', { name: 'greet', arguments: {} }),
  request('gets a prompt that is not there', 'prompts/get', { name: 'part', arguments: {} }),
  request('gets a prompt without its name', 'prompts/get', {}),
  request('reads a resource', 'resources/read', { uri: 'note://one' }),
  request('reads a resource that is not there', 'resources/read', { uri: 'other://two' }),
  request('reads a resource without its address', 'resources/read', {}),
  request('completes an argument', 'completion/complete', {
    ref: { type: 'ref/prompt', name: 'greet' },
    argument: { name: 'name', value: 'A' },
  }),
  request('completes an argument of nothing', 'completion/complete', {
    ref: { type: 'ref/prompt', name: 'part' },
    argument: { name: 'name', value: 'A' },
  }),
  request('completes without saying what', 'completion/complete', {}),
  request('asks for a method that is not there', 'tools/destroy'),
];

export const legacyOnly: readonly Request[] = [
  request('pings', 'ping'),
  request('sets the level of logs', 'logging/setLevel', { level: 'warning' }),
  request('sets a level that is none', 'logging/setLevel', { level: 'loud' }),
  request('asks for a method of a later revision', 'server/discover'),
  request('listens as a later revision does', 'subscriptions/listen', { notifications: {} }),
];

export const modernOnly: readonly Request[] = [
  request('discovers', 'server/discover'),
  request('pings as earlier revisions did', 'ping'),
  request('sets the level of logs as earlier revisions did', 'logging/setLevel', { level: 'warning' }),
  request('subscribes as earlier revisions did', 'resources/subscribe', { uri: 'note://one' }),
  request('calls a tool that asks', 'tools/call', { name: 'ask', arguments: {} }),
  request('calls a tool that asks, with the answer', 'tools/call', {
    name: 'ask',
    arguments: {},
    inputResponses: { name: { action: 'accept', content: { name: 'Ada' } } },
  }),
];
