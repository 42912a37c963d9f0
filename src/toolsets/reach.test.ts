import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type Exchange,
  envelope,
  inMemory,
  openRecorded,
  type Recorded,
  reachable,
} from '../../test/reach.ts';
import { type ContractName, contractNames } from '../contracts/contract.ts';
import type { Server } from '../engine/server.ts';
import { createAuthenticator } from '../identity/authenticator.ts';
import { type Tool, toolsets } from '../tool.ts';
import { type HttpEndpoint, serveHttp } from '../transports/http.ts';
import { connectMemory } from '../transports/memory.ts';
import { isIn } from './toolsets.ts';

let home: string;
const closing: (() => Promise<void>)[] = [];
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-reach-'));
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function open(contract: ContractName, ...flags: string[]) {
  const opened = await openRecorded(home, contract, ...flags);
  closing.push(opened.close);
  return opened;
}

const namesOf = (tools: readonly { readonly tool: Tool }[], matches: (tool: Tool) => boolean) =>
  tools
    .filter(({ tool }) => matches(tool) && tool.audience !== 'page')
    .map(({ tool }) => tool.name)
    .toSorted();
const isReadOnly = (tool: Tool) => tool.annotations?.readOnlyHint === true;
const inSet = (set: (typeof toolsets)[number]) => (tool: Tool) => tool.toolsets!.includes(set);

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

  it.each(toolsets)('the tools of %s, also after tightening with "default"', async (set) => {
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
      for (const set of toolsets) {
        expect(await reachableLegacy(await open(contract, '--toolsets', set)), `${contract} ${set}`).toEqual(
          everything.filter((name) => isIn(set, same[name] ?? name)),
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

async function reachableLegacy(opened: Recorded): Promise<readonly string[]> {
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
      authenticator: createAuthenticator({ token: 'secret' }),
      allowedHosts: [],
      maxMessageBytes: 1 << 20,
      serverFor: () => server,
      page: async (_, response) => void response.writeHead(404).end(),
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
    const former = { 'x-mcp-tools': 'interrupt_run,get_free_busy', 'x-mcp-exclude-tools': 'get_free_busy' };
    expect(await reachable(opened, modern(former))).toEqual(['steer_run']);
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
    const all = some.tools.map(({ tool }) => tool.name).toSorted();
    expect(await reachable(some, asPage)).toEqual(all);
    await endpoint.close();
    const readOnly = await open('standard', '--toolsets', 'runs', '--read-only');
    await listen(readOnly.server);
    const reading = readOnly.tools.filter(({ tool }) => isReadOnly(tool)).map(({ tool }) => tool.name);
    expect(await reachable(readOnly, asPage)).toEqual(reading.toSorted());
    expect((await fetch(`${endpoint.url}/page/mcp`, { method: 'POST', body: '{}' })).status).toBe(401);
  });
});
