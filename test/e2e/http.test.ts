import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contractNames } from '../../src/contracts/contract.ts';
import type { JsonObject } from '../../src/json.ts';
import { type FixtureEndpoint, startFixtures } from '../conformance/endpoint.ts';
import { allEvents, readEvents, type ServerEvent } from '../event-source.ts';
import { greeting, initialize, Program } from '../program.ts';

const accept = 'application/json, text/event-stream';
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

async function startHttp(args: readonly string[] = []) {
  const program = new Program(['serve', '--http', '--port', '0', ...args], { commands: greeting });
  const [, url, token] = await program.untilStderr(/Page: (\S+)\/#token=(\S+)/);
  return { program, url: url!, token: token! };
}

let server: Awaited<ReturnType<typeof startHttp>>;
beforeAll(async () => {
  server = await startHttp(['--max-message-bytes', '4096']);
});
afterAll(() => server.program[Symbol.asyncDispose]());

/** Sends a message to the program, with its token unless told otherwise. */
function post(body: unknown, headers: Readonly<Record<string, string>> = {}, path = '/mcp') {
  return fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: {
      accept,
      'content-type': 'application/json',
      authorization: `Bearer ${server.token}`,
      ...headers,
    },
    body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
  });
}

async function errorOf(response: Response): Promise<JsonObject> {
  return ((await response.json()) as { error: JsonObject }).error;
}

async function begin(): Promise<Readonly<Record<string, string>>> {
  const response = await post(initialize());
  const session = response.headers.get('mcp-session-id')!;
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, { 'mcp-session-id': session });
  return { 'mcp-session-id': session };
}

describe('the page', () => {
  it('is to be looked at; messages that are sent to it are told where they belong', async () => {
    const sent = await post(ping, {}, '/');
    expect([sent.status, sent.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(await sent.text()).toContain('/mcp');
    expect((await post(ping, {}, '/nowhere')).status).toBe(404);
    for (const method of ['GET', 'HEAD']) expect((await fetch(server.url, { method })).status).toBe(200);
  });
});

describe('the token', () => {
  it.for([
    ['absent', ''],
    ['wrong', 'Bearer of-bad-news-but-long-enough'],
    ['of another kind', 'Basic dXNlcjpwYXNz'],
  ])('lets nobody in when it is %s', async ([, authorization]) => {
    for (const method of ['POST', 'GET', 'DELETE']) {
      const response = await fetch(`${server.url}/mcp`, {
        method,
        headers: authorization ? { authorization } : {},
        ...(method === 'POST' && { body: JSON.stringify(ping) }),
      });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect((await errorOf(response))['message']).toContain('token');
    }
  });

  it('lets in who has it', async () => {
    const response = await post(ping);
    expect([response.status, await response.json()]).toEqual([200, { jsonrpc: '2.0', id: 1, result: {} }]);
  });

  it('is kept in a file that only its owner can read, and is the same after a restart', async () => {
    const file = join(server.program.home, 'token');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8').trim()).toBe(server.token);
    expect(readdirSync(server.program.home).filter((name) => name.startsWith('token'))).toEqual(['token']);
    await using again = new Program([
      'serve',
      '--http',
      '--port',
      '0',
      '--http-state-dir',
      server.program.home,
    ]);
    const [, token] = await again.untilStderr(/#token=(\S+)/);
    expect(token).toBe(server.token);
  });

  it('must be brought for an address that others can reach', async () => {
    await using program = new Program(['serve', '--http', '--host', '0.0.0.0', '--port', '0']);
    const { code, stderr } = await program.end();
    expect(code).toBe(2);
    expect(stderr).toContain('--token-file');
  });

  it('may be brought in a file, if it is one', async () => {
    const file = join(server.program.home, 'brought');
    writeFileSync(file, 'short\n');
    await using refused = new Program(['serve', '--http', '--port', '0', '--token-file', file]);
    expect(await refused.end()).toMatchObject({ code: 1, stderr: expect.stringContaining(file) });

    const token = 'brought-along-from-elsewhere';
    writeFileSync(file, `${token}\n`);
    await using program = new Program([
      'serve',
      '--http',
      '--host',
      '0.0.0.0',
      '--port',
      '0',
      '--token-file',
      file,
    ]);
    const [, port] = await program.untilStderr(/MCP: {2}http:\/\/0\.0\.0\.0:(\d+)\/mcp/);
    const answer = (authorization: string) =>
      fetch(`http://127.0.0.1:${port}/mcp`, {
        method: 'POST',
        headers: { authorization },
        body: JSON.stringify(ping),
      });
    expect((await answer(`Bearer ${token}`)).status).toBe(200);
    expect((await answer(`Bearer ${server.token}`)).status).toBe(401);
  });
});

describe('host and origin', () => {
  it.for([
    ['a host of another name', { host: 'evil.example' }, 403],
    ['a host that only begins like ours', { host: 'localhost.evil.example' }, 403],
    ['no sensible host', { host: '@' }, 403],
    ['an origin of another name', { origin: 'https://evil.example' }, 403],
    ['an origin that is hidden', { origin: 'null' }, 403],
    ['the local name', { host: 'localhost:1' }, 200],
    ['the local address of the newer kind', { host: '[::1]:1' }, 200],
    ['a local page', { origin: 'http://localhost:5173' }, 200],
  ] as const)('are looked at: %s', async ([, headers, status]) => {
    expect((await rawPost(JSON.stringify(ping), headers)).status).toBe(status);
  });

  it('are looked at before the page is served', async () => {
    expect((await rawPost('', { host: 'evil.example' }, '/')).status).toBe(403);
  });

  it('may be more than the local ones', async () => {
    const other = await startHttp(['--http-allowed-hosts', 'adjutant.example']);
    await using _ = other.program;
    const { status } = await rawPost(
      JSON.stringify(ping),
      { host: 'adjutant.example', authorization: `Bearer ${other.token}` },
      '/mcp',
      other.url,
    );
    expect(status).toBe(200);
  });
});

describe('a body', () => {
  it.for([
    ['is no JSON', '{"jsonrpc":', 400, -32700],
    ['is empty', '', 400, -32700],
    ['is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 400, -32700],
    ['is no message', '7', 200, -32600],
    ['is an empty batch', '[]', 200, -32600],
  ] as const)('that %s is answered', async ([, body, status, code]) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    expect((await errorOf(response))['code']).toBe(code);
  });

  it('that is too long is answered with the limit, and its connection goes on', async () => {
    for (const size of [4097, 50_000]) {
      const response = await post(JSON.stringify({ ...ping, params: { text: 'x'.repeat(size) } }));
      expect(response.status).toBe(413);
      expect(await errorOf(response)).toMatchObject({
        code: -32600,
        message: expect.stringContaining('4096 bytes'),
      });
    }
    expect((await post(ping)).status).toBe(200);
  });

  it('that is broken off harms nobody', async () => {
    const request = httpRequest(`${server.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-length': '1000' },
    });
    request.on('error', () => {});
    request.write('{"jsonrpc"');
    await once(request, 'socket');
    request.destroy();
    expect((await post(ping)).status).toBe(200);
    expect(server.program.stderr).not.toContain('failed');
  });

  it('that is a batch is answered as one', async () => {
    const response = await post([ping, { jsonrpc: '2.0', method: 'initialized' }, { ...ping, id: 2 }]);
    expect(await response.json()).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, result: {} },
    ]);
  });
});

describe('an address', () => {
  it.for(contractNames)('of the contract %s serves it or says that it does not', async (name) => {
    const response = await post(initialize('2025-06-18'), {}, `/mcp/${name}`);
    if (response.status === 404) expect((await errorOf(response))['message']).toContain(`"${name}"`);
    else expect(await response.json()).toMatchObject({ result: { serverInfo: {} } });
  });

  it('tells the contracts apart', async () => {
    const names = await Promise.all(
      ['/mcp', '/mcp/standard', '/mcp/commands', '/mcp/commands/'].map(async (path) => {
        const reply = (await (await post(initialize(), {}, path)).json()) as JsonObject;
        return ((reply['result'] as JsonObject)['serverInfo'] as JsonObject)['name'];
      }),
    );
    expect(names).toEqual(['adjutant', 'adjutant', 'codex-subagents', 'codex-subagents']);
  });

  it.for(['/mcp/nonsense', '/mcpx', '/mcp/commands/x', '/%2e%2e/token', '//', '/\\', '/%'])(
    'that leads nowhere is not found: %s',
    async (path) => {
      const { status } = await rawPost(JSON.stringify(ping), {}, path);
      expect(status).toBe(404);
    },
  );

  it('of the page needs no token and gives none away', async () => {
    const response = await fetch(server.url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(await response.text()).not.toContain(server.token);
  });

  it('takes no other methods', async () => {
    const response = await fetch(`${server.url}/mcp`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${server.token}` },
    });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST, DELETE']);
  });
});

describe('a session', () => {
  it('begins with initialize and remembers what was agreed', async () => {
    const session = await begin();
    expect(session['mcp-session-id']).toMatch(/^[\x21-\x7e]{16,}$/);
    const batch = await post([ping], session);
    expect(await errorOf(batch)).toMatchObject({
      code: -32600,
      message: expect.stringContaining('2025-11-25'),
    });
  });

  it('takes notifications and answers without a word', async () => {
    const session = await begin();
    const response = await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session);
    expect([response.status, await response.text()]).toEqual([202, '']);
  });

  it('ends with DELETE and is gone then', async () => {
    const session = await begin();
    const headers = { ...session, authorization: `Bearer ${server.token}` };
    const remove = () => fetch(`${server.url}/mcp`, { method: 'DELETE', headers });
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(404);
    expect((await post(ping, session)).status).toBe(404);
    expect((await fetch(`${server.url}/mcp`, { headers })).status).toBe(404);
  });

  it('that nobody knows is not found', async () => {
    expect((await post(ping, { 'mcp-session-id': 'made-up' })).status).toBe(404);
  });

  it('of an unknown revision is refused', async () => {
    const response = await post(ping, { 'mcp-protocol-version': '1999-01-01' });
    expect(response.status).toBe(400);
    expect((await errorOf(response))['message']).toContain('1999-01-01');
  });

  it('is not needed for a single request, but for a stream', async () => {
    expect((await post(ping)).status).toBe(200);
    const headers = { authorization: `Bearer ${server.token}` };
    expect((await fetch(`${server.url}/mcp`, { headers })).status).toBe(405);
  });
});

describe('a stream', () => {
  let fixtures: FixtureEndpoint;
  beforeAll(async () => {
    fixtures = await startFixtures();
  });
  afterAll(() => fixtures[Symbol.asyncDispose]());

  const send = (message: unknown, headers: Readonly<Record<string, string>> = {}, signal?: AbortSignal) =>
    fetch(fixtures.url, {
      method: 'POST',
      headers: { accept, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(message),
      ...(signal && { signal }),
    });
  const open = async (version = '2025-11-25') => {
    const response = await send(initialize(version));
    return { 'mcp-session-id': response.headers.get('mcp-session-id')! };
  };
  const listen = (headers: Readonly<Record<string, string>>) =>
    fetch(fixtures.url, { headers: { accept, ...headers } });
  const withProgress = (id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'test_tool_with_progress', arguments: {}, _meta: { progressToken: id } },
  });
  const progressOf = (events: readonly ServerEvent[]) =>
    events.flatMap(({ message }) => (message?.['params'] as JsonObject | undefined)?.['progress'] ?? []);

  it('carries what a request has to say, then its answer, and ends', async () => {
    const response = await send(withProgress(1), await open());
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = await allEvents(response);
    expect(events[0]).toEqual({ id: expect.any(String), retry: '1000' });
    expect(progressOf(events)).toEqual([0, 50, 100]);
    expect(events.at(-1)?.message).toMatchObject({ id: 1, result: { content: [{ type: 'text' }] } });
  });

  it('does not begin with an event that older clients cannot read', async () => {
    const [first] = await allEvents(await send(withProgress(1), await open('2025-06-18')));
    expect(first?.message).toBeDefined();
  });

  it('that broke is taken up where it was lost, and nothing is lost or said twice', async () => {
    const session = await open();
    const broken = new AbortController();
    const seen: ServerEvent[] = [];
    const response = await send(withProgress(1), session, broken.signal);
    for await (const event of readEvents(response)) {
      seen.push(event);
      if (event.message !== undefined) break;
    }
    broken.abort();
    const rest = await allEvents(await listen({ ...session, 'last-event-id': seen.at(-1)!.id! }));
    expect(progressOf([...seen, ...rest])).toEqual([0, 50, 100]);
    expect(rest.at(-1)?.message).toMatchObject({ id: 1, result: {} });
  });

  it('can be taken up after its request is long answered', async () => {
    const session = await open();
    const events = await allEvents(await send(withProgress(1), session));
    const again = await allEvents(await listen({ ...session, 'last-event-id': events[0]!.id! }));
    expect(again).toEqual(events.slice(1));
  });

  it('of the session carries what belongs to no request', async () => {
    const session = await open();
    const events = readEvents(await listen(session));
    await send(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'test_trigger_tool_change' } },
      session,
    );
    expect((await events.next()).value?.message).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
    });
    await events.return(undefined);
  });

  it('of the session keeps for its listener what was said while nobody listened', async () => {
    const session = await open();
    const trigger = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'test_trigger_tool_change' },
    };
    const first = readEvents(await listen(session));
    await send(trigger, session);
    const last = (await first.next()).value!;
    await first.return(undefined);
    await send(trigger, session);
    const second = readEvents(await listen({ ...session, 'last-event-id': last.id! }));
    expect((await second.next()).value).toMatchObject({ message: last.message });
    await second.return(undefined);
  });

  it('of the session begins with what was said before anybody listened', async () => {
    const session = await open();
    const trigger = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'test_trigger_tool_change' },
    };
    await send(trigger, session);
    const events = readEvents(await listen(session));
    expect((await events.next()).value?.message).toMatchObject({
      method: 'notifications/tools/list_changed',
    });
    await events.return(undefined);
  });

  it('of one session tells nothing to another', async () => {
    const [one, other] = [await open(), await open()];
    const events = await allEvents(await send(withProgress(1), one));
    const stolen = await listen({ ...other, 'last-event-id': events[0]!.id! });
    await send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'test_trigger_tool_change' } });
    const first = (await readEvents(stolen).next()).value;
    expect(first?.message).toMatchObject({ method: 'notifications/tools/list_changed' });
  });
});

/** `fetch` does not let one choose the host. */
async function rawPost(
  body: string,
  headers: Readonly<Record<string, string>>,
  path = '/mcp',
  base = server.url,
): Promise<{ status: number }> {
  const { hostname, port } = new URL(base);
  const request = httpRequest({
    hostname,
    port,
    path,
    method: 'POST',
    headers: { accept, authorization: `Bearer ${server.token}`, ...headers },
  });
  request.end(body);
  const [response] = (await once(request, 'response')) as [import('node:http').IncomingMessage];
  response.resume();
  return { status: response.statusCode! };
}

it('stops in good order when it is told to', async () => {
  const { program } = await startHttp();
  await using _ = program;
  program.child.kill('SIGTERM');
  const [code] = await once(program.child, 'exit');
  expect(code).toBe(0);
});
