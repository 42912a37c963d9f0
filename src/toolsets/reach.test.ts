import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createServer } from '../app.ts';
import { loadConfig } from '../config.ts';
import { type ContractName, contractNames } from '../contracts/contract.ts';
import { Server } from '../engine/server.ts';
import type { Feature } from '../feature.ts';
import type { JsonObject } from '../json.ts';
import type { Tool } from '../tool.ts';
import { type HttpEndpoint, serveHttp } from '../transports/http.ts';
import { connectMemory } from '../transports/memory.ts';
import type { Access } from './access.ts';
import { toolsets } from './toolsets.ts';

/** What each request other than tools/call does, as the tool that does the same. */
const otherWays: readonly (readonly [tool: string, method: string, params: JsonObject])[] = [
  ['create_prompt', 'prompts/create', { name: 'a', text: 'b' }],
  ['update_prompt', 'prompts/update', { name: 'a', text: 'b' }],
  ['delete_prompt', 'prompts/delete', { name: 'a' }],
  ['list_prompts', 'prompts/list', {}],
  ['expand_prompt', 'prompts/get', { name: 'prompts-only' }],
  ['expand_prompt', 'completion/complete', completion({ type: 'ref/prompt', name: 'prompts-only' })],
  ['collect_run', 'tasks/get', { taskId: 'a' }],
  ['collect_run', 'tasks/update', { taskId: 'a' }],
  ['cancel_run', 'tasks/cancel', { taskId: 'a' }],
  ['show_run', 'resources/read', { uri: 'runs://a/result.json' }],
  ['get_user', 'resources/read', { uri: 'resources://users/a' }],
  ['get_event', 'resources/read', { uri: 'resources://events/a' }],
  ['list_events', 'resources/read', { uri: 'resources://users/a/events' }],
  ['list_notifications', 'resources/read', { uri: 'resources://users/a/notifications' }],
  ['list_users', 'resources/list', {}],
  ['list_users', 'completion/complete', resourceCompletion('resources://users/{user_id}')],
  ['list_events', 'completion/complete', resourceCompletion('resources://events/{event_id}')],
];

function completion(ref: JsonObject): JsonObject {
  return { ref, argument: { name: 'user_id', value: '' } };
}
function resourceCompletion(uri: string): JsonObject {
  return completion({ type: 'ref/resource', uri });
}

const schemes: Readonly<Record<string, string>> = { delegate: 'runs://', assistant: 'resources://' };

/** Keeps names, annotations and providers, but records what is reached instead of doing it. */
function recording(features: readonly Feature[], reached: Set<string>): readonly Feature[] {
  const record = <Answer>(what: string, answer: Answer): Answer => {
    reached.add(what);
    return answer;
  };
  return features.map((feature) => ({
    name: feature.name,
    extensions: feature.extensions ?? {},
    ...(feature.tools && {
      tools: feature.tools.map(({ acceptedSchema: _, ...tool }) => ({
        ...tool,
        inputSchema: { type: 'object' },
        call: () => record(tool.name, {}),
      })),
    }),
    ...(feature.methods && {
      methods: Object.fromEntries(
        Object.keys(feature.methods).map((name) => [
          name,
          { paramsSchema: { type: 'object' }, call: () => record(name, {}) },
        ]),
      ),
    }),
    ...(feature.prompts && {
      prompts: {
        list: () => record(`${feature.name} prompts/list`, []),
        get: () => record(`${feature.name} prompts/get`, { messages: [] }),
        complete: () => record(`${feature.name} prompts/complete`, []),
      },
    }),
    ...(feature.resources && {
      resources: {
        templates: feature.resources.templates ?? [],
        list: () => [{ uri: `${schemes[feature.name]}users/a`, name: 'a' }],
        read: (uri: string) =>
          uri.startsWith(schemes[feature.name]!) ? record(uri, [{ uri, text: '' }]) : undefined,
        complete: (template: string) => record(template, []),
      },
    }),
  }));
}

let home: string;
const servers: Server[] = [];
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-reach-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function open(contract: ContractName, ...flags: string[]) {
  const { config } = await loadConfig({ argv: ['--home', home, ...flags], env: { HOME: home }, cwd: home });
  const real = createServer(contract, config);
  const reached = new Set<string>();
  const features = recording(real.features, reached);
  const server = new Server({ contract: real.contract, features, access: real.access });
  servers.push(real, server);
  return { server, reached, tools: [...real.offeredTools.values()] };
}

type Exchange = (method: string, params: JsonObject) => Promise<unknown>;

const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': capabilities,
};

function inMemory(server: Server, access: Access): Exchange {
  const client = connectMemory(server, { access });
  let id = 0;
  return (method, params) =>
    client.exchange({ jsonrpc: '2.0', id: ++id, method, params: { ...params, _meta: envelope } });
}

/** Tries every tool by every way and returns the tools that were reached. */
async function reachable(
  { server, reached, tools }: Awaited<ReturnType<typeof open>>,
  exchange: Exchange,
): Promise<readonly string[]> {
  const found = new Set<string>();
  const attempt = async (tool: string, method: string, params: JsonObject) => {
    reached.clear();
    const reply = (await exchange(method, params)) as { result?: JsonObject };
    // Lists are reached if they show something.
    const listed = reply.result?.[method === 'resources/list' ? 'resources' : ''];
    if (method === 'resources/list') {
      if (JSON.stringify(listed ?? []).includes('resources://users/a"')) found.add(tool);
    } else if (method.startsWith('prompts/') || method === 'completion/complete') {
      if ([...reached].some((what) => !what.startsWith('assistant'))) found.add(tool);
    } else if (reached.size > 0) found.add(method === 'tools/call' ? [...reached][0]! : tool);
  };
  for (const { name } of tools.map(({ named }) => named)) {
    await attempt(name, 'tools/call', { name, arguments: {} });
    for (const by of ['call_tool', 'query_tool'])
      await attempt(name, 'tools/call', { name: by, arguments: { name } });
  }
  for (const [tool, method, params] of otherWays)
    if (server.contract.methods.has(method)) await attempt(tool, method, params);
  return [...found].toSorted();
}

const namesOf = (tools: readonly { readonly tool: Tool }[], matches: (tool: Tool) => boolean) =>
  tools
    .filter(({ tool }) => matches(tool))
    .map(({ tool }) => tool.name)
    .toSorted();
const isReadOnly = (tool: Tool) => tool.annotations?.readOnlyHint === true;
const setNames = Object.keys(toolsets) as (keyof typeof toolsets)[];
const inSet = (set: keyof typeof toolsets) => (tool: Tool) =>
  (toolsets[set] as readonly string[]).includes(tool.name);

describe('by every way, a client reaches exactly', () => {
  it('every tool by default', async () => {
    const opened = await open('standard');
    expect(await reachable(opened, inMemory(opened.server, opened.server.access))).toEqual(
      namesOf(opened.tools, () => true),
    );
  });

  it('the read-only tools with --read-only, whatever the toolsets are', async () => {
    for (const flags of [[], ['--toolsets', 'all'], ['--tools', 'create_user,list_users']]) {
      const opened = await open('standard', '--read-only', ...flags);
      const expected = flags[0] === '--tools' ? ['list_users'] : namesOf(opened.tools, isReadOnly);
      expect(await reachable(opened, inMemory(opened.server, opened.server.access))).toEqual(expected);
    }
  });

  it.each(setNames)('the tools of %s, also after tightening with "default"', async (set) => {
    const opened = await open('standard', '--toolsets', set);
    const expected = namesOf(opened.tools, inSet(set));
    const { access } = opened.server;
    expect(await reachable(opened, inMemory(opened.server, access))).toEqual(expected);
    for (const wider of ['default', 'all']) {
      const asked = access.tightenedBy({ toolsets: [wider] });
      expect(await reachable(opened, inMemory(opened.server, asked))).toEqual(expected);
    }
    const readOnly = await open('standard', '--toolsets', set, '--read-only');
    expect(await reachable(readOnly, inMemory(readOnly.server, readOnly.server.access))).toEqual(
      namesOf(opened.tools, (tool) => inSet(set)(tool) && isReadOnly(tool)),
    );
  });

  it('every tool but an excluded one, and those of the sample data that would do its work', async () => {
    const undone = ['delete_user', 'delete_event', 'cancel_notification', 'delete_prompt'];
    const done = [...undone, 'create_user', 'create_event', 'plan_notifications', 'create_prompt'];
    const uses = (name: string, used: string) =>
      (name === 'load_demo' && [...done, 'delegate_autopilot'].includes(used)) ||
      (name === 'remove_demo' && undone.includes(used));
    for (const { tool } of (await open('standard')).tools) {
      const opened = await open('standard', '--exclude-tools', tool.name);
      expect(await reachable(opened, inMemory(opened.server, opened.server.access))).toEqual(
        namesOf(opened.tools, ({ name }) => name !== tool.name && !uses(name, tool.name)),
      );
    }
  });

  it('only what remains under the drop-in contracts', async () => {
    const same: Readonly<Record<string, string>> = {
      list_commands: 'list_prompts',
      expand_command: 'expand_prompt',
    };
    for (const contract of contractNames.filter((name) => name !== 'standard')) {
      const all = await open(contract);
      const writing = new Set(
        (await open('standard')).tools.filter(({ tool }) => !isReadOnly(tool)).map(({ tool }) => tool.name),
      );
      const everything = await reachableLegacy(all);
      expect(everything.length, contract).toBeGreaterThan(0);
      const readOnly = await reachableLegacy(await open(contract, '--read-only'));
      expect(readOnly).toEqual(everything.filter((name) => !writing.has(name)));
      for (const set of setNames) {
        const allowed: readonly string[] = toolsets[set];
        expect(await reachableLegacy(await open(contract, '--toolsets', set)), `${contract} ${set}`).toEqual(
          everything.filter((name) => allowed.includes(same[name] ?? name)),
        );
      }
    }
  });
});

describe('notifications of changes', () => {
  const uris = ['runs://a/events.jsonl', 'resources://users/a'];

  it('cannot be subscribed to for resources that are not allowed', async () => {
    const { server } = await open('standard', '--toolsets', 'runs');
    const notifications: string[] = [];
    const client = connectMemory(server, { onNotification: (_, { uri }) => notifications.push(String(uri)) });
    await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: {} });
    await client.request('resources/subscribe', { uri: uris[0]! });
    await expect(client.request('resources/subscribe', { uri: uris[1]! })).rejects.toThrow(
      'Resource not found: resources://users/a',
    );
    for (const uri of uris) server.publish({ kind: 'resource', uri });
    expect(notifications).toEqual([uris[0]]);
  });

  it('are left out of a subscription of 2026-07-28', async () => {
    const { server } = await open('standard', '--toolsets', 'runs');
    const received: string[] = [];
    const client = connectMemory(server, {
      onNotification: (method, params) => received.push(`${method} ${JSON.stringify(params)}`),
    });
    const params = { notifications: { resourceSubscriptions: uris }, _meta: envelope };
    const listening = client.exchange({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params });
    await expect.poll(() => received.length).toBe(1);
    for (const uri of uris) server.publish({ kind: 'resource', uri });
    expect(received.join()).toContain(uris[0]!);
    expect(received.join()).not.toContain(uris[1]!);
    client.close();
    await listening;
  });
});

async function reachableLegacy(opened: Awaited<ReturnType<typeof open>>): Promise<readonly string[]> {
  const client = connectMemory(opened.server);
  let id = 0;
  const exchange: Exchange = (method, params) =>
    client.exchange({ jsonrpc: '2.0', id: ++id, method, params });
  await exchange('initialize', { protocolVersion: '2025-06-18', capabilities: {} });
  return reachable(opened, exchange);
}

describe('over HTTP, headers', () => {
  let endpoint: HttpEndpoint;
  afterEach(() => endpoint.close());

  async function listen(server: Server): Promise<void> {
    endpoint = await serveHttp({
      host: '127.0.0.1',
      port: 0,
      token: 'secret',
      allowedHosts: [],
      maxMessageBytes: 1 << 20,
      serverFor: () => server,
      page: (_, response) => void response.writeHead(404).end(),
    });
  }

  const post = (path: string, body: object, headers: Readonly<Record<string, string>>) =>
    fetch(endpoint.url + path, {
      method: 'POST',
      headers: {
        authorization: 'Bearer secret',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
    });

  const modern =
    (headers: Readonly<Record<string, string>>, path = '/mcp'): Exchange =>
    async (method, params) => {
      const name = params['name'] ?? params['uri'] ?? params['taskId'];
      const reply = await post(
        path,
        { method, params: { ...params, _meta: envelope } },
        {
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...(name !== undefined && { 'mcp-name': String(name) }),
          ...headers,
        },
      );
      return reply.json();
    };

  async function legacy(headers: Readonly<Record<string, string>>): Promise<Exchange> {
    const opening = { method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {} } };
    const begun = await post('/mcp', opening, headers);
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id')! };
    return async (method, params) => (await post('/mcp', { method, params }, session)).json();
  }

  /** Tasks exist only in revision 2026-07-28; their methods are reached there. */
  it('tighten each request of 2026-07-28, and each older session from its start', async () => {
    const opened = await open('standard', '--exclude-tools', 'clean_runs');
    await listen(opened.server);
    const isLeft = (tool: Tool) => tool.name !== 'clean_runs';
    for (const set of ['runs', 'people', 'prompt_editing'] as const) {
      const expected = namesOf(opened.tools, (tool) => inSet(set)(tool) && isLeft(tool));
      expect(await reachable(opened, modern({ 'x-mcp-toolsets': set }))).toEqual(expected);
      expect(await reachable(opened, await legacy({ 'x-mcp-toolsets': set }))).toEqual(expected);
    }
    const readOnly = namesOf(opened.tools, (tool) => isReadOnly(tool) && isLeft(tool));
    expect(await reachable(opened, modern({ 'x-mcp-readonly': 'true' }))).toEqual(readOnly);
    expect(await reachable(opened, await legacy({ 'x-mcp-readonly': 'true' }))).toEqual(readOnly);
    const one = { 'x-mcp-tools': 'list_runs,clean_runs', 'x-mcp-exclude-tools': 'show_run' };
    expect(await reachable(opened, modern(one))).toEqual(['list_runs']);
  });

  it('never widen the settings of the server', async () => {
    const opened = await open('standard', '--toolsets', 'runs', '--read-only');
    await listen(opened.server);
    const expected = namesOf(opened.tools, (tool) => inSet('runs')(tool) && isReadOnly(tool));
    const wide = { 'x-mcp-toolsets': 'all', 'x-mcp-tools': 'create_user', 'x-mcp-readonly': 'false' };
    expect(await reachable(opened, modern(wide))).toEqual(expected);
    expect(await reachable(opened, await legacy(wide))).toEqual(expected);
  });

  it('with an unknown name are an error that suggests the nearest one', async () => {
    await listen((await open('standard')).server);
    const wrong: Readonly<Record<string, string>> = {
      'x-mcp-toolsets': 'calender',
      'x-mcp-tools': 'list_event',
      'x-mcp-exclude-tools': 'delete_usr',
      'x-mcp-readonly': 'maybe',
    };
    for (const [header, value] of Object.entries(wrong)) {
      const reply = (await modern({ [header]: value })('tools/list', {})) as { error: { message: string } };
      expect(reply.error.message).toMatch(
        /did you mean (calendar|list_events|delete_user)\?|must be true or false/,
      );
    }
  });

  it("do not bind the page's own address, but --read-only does", async () => {
    const some = await open('standard', '--toolsets', 'runs');
    await listen(some.server);
    const asPage = modern({}, '/page/mcp');
    expect(await reachable(some, asPage)).toEqual(namesOf(some.tools, () => true));
    await endpoint.close();
    const readOnly = await open('standard', '--toolsets', 'runs', '--read-only');
    await listen(readOnly.server);
    expect(await reachable(readOnly, asPage)).toEqual(namesOf(readOnly.tools, isReadOnly));
    expect((await fetch(`${endpoint.url}/page/mcp`, { method: 'POST', body: '{}' })).status).toBe(401);
  });
});
