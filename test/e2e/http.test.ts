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
  return { program, ...(await program.listening()) };
}

let server: Awaited<ReturnType<typeof startHttp>>;
beforeAll(async () => {
  server = await startHttp(['--max-message-bytes', '4096']);
});
afterAll(() => server.program[Symbol.asyncDispose]());

/** Sends a message to the program, by default with its token. */
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

async function startSession(): Promise<Readonly<Record<string, string>>> {
  const response = await post(initialize());
  const session = response.headers.get('mcp-session-id')!;
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, { 'mcp-session-id': session });
  return { 'mcp-session-id': session };
}

describe('the page', () => {
  it('accepts only GET and HEAD, and points messages to /mcp', async () => {
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
    ['of another scheme', 'Basic dXNlcjpwYXNz'],
  ])('is rejected if it is %s', async ([, authorization]) => {
    for (const method of ['POST', 'GET', 'DELETE']) {
      const response = await fetch(`${server.url}/mcp`, {
        method,
        headers: authorization ? { authorization } : {},
        ...(method === 'POST' && { body: JSON.stringify(ping) }),
      });
      expect(response.status).toBe(401);
      const isToken = authorization!.startsWith('Bearer');
      expect(response.headers.get('www-authenticate')).toBe(
        isToken ? 'Bearer error="invalid_token"' : 'Bearer',
      );
      expect((await errorOf(response))['message']).toContain('token');
    }
  });

  it('is accepted if it is right', async () => {
    const response = await post(ping);
    expect([response.status, await response.json()]).toEqual([200, { jsonrpc: '2.0', id: 1, result: {} }]);
  });

  it('is stored in a file that only its owner can read, and survives a restart', async () => {
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
    const [, url] = await again.untilStderr(/Page: (\S+)/);
    const headers = { authorization: `Bearer ${server.token}` };
    const response = await fetch(`${url}mcp`, { method: 'POST', headers, body: JSON.stringify(ping) });
    expect(response.status).toBe(200);
  });

  it('must be configured for an address that other machines can reach', async () => {
    await using program = new Program(['serve', '--http', '--host', '0.0.0.0', '--port', '0']);
    const { code, stderr } = await program.end();
    expect(code).toBe(2);
    expect(stderr).toContain('--token-file');
  });

  it('can be read from a file, if it is long enough', async () => {
    const file = join(server.program.home, 'user-token');
    writeFileSync(file, 'short\n');
    await using refused = new Program(['serve', '--http', '--port', '0', '--token-file', file]);
    expect(await refused.end()).toMatchObject({ code: 1, stderr: expect.stringContaining(file) });

    const token = 'configured-by-the-user';
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

describe('host and origin headers', () => {
  it.for([
    ['another host', { host: 'evil.example' }, 403],
    ['a host that starts with localhost', { host: 'localhost.evil.example' }, 403],
    ['an invalid host', { host: '@' }, 403],
    ['another origin', { origin: 'https://evil.example' }, 403],
    ['a null origin', { origin: 'null' }, 403],
    ['localhost', { host: 'localhost:1' }, 200],
    ['the IPv6 loopback address', { host: '[::1]:1' }, 200],
    ['a local origin', { origin: 'http://localhost:5173' }, 200],
  ] as const)('are checked: %s', async ([, headers, status]) => {
    expect((await rawPost(JSON.stringify(ping), headers)).status).toBe(status);
  });

  it('are checked before the page is served', async () => {
    expect((await rawPost('', { host: 'evil.example' }, '/')).status).toBe(403);
  });

  it('may contain a name from http.allowed_hosts', async () => {
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

describe('a request body', () => {
  it.for([
    ['is not JSON', '{"jsonrpc":', 400, -32700],
    ['is empty', '', 400, -32700],
    ['is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 400, -32700],
    ['is not a message', '7', 200, -32600],
    ['is an empty batch', '[]', 200, -32600],
  ] as const)('that %s is answered with an error', async ([, body, status, code]) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    expect((await errorOf(response))['code']).toBe(code);
  });

  it('that is too long is answered with the limit', async () => {
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

  it('that is cut off does not affect other requests', async () => {
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

  it('that is a batch is answered with a batch', async () => {
    const response = await post([ping, { jsonrpc: '2.0', method: 'initialized' }, { ...ping, id: 2 }]);
    expect(await response.json()).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, result: {} },
    ]);
  });
});

describe('a path', () => {
  it.for(contractNames)('for the contract %s serves it or names it in the error', async (name) => {
    const response = await post(initialize('2025-06-18'), {}, `/mcp/${name}`);
    if (response.status === 404) expect((await errorOf(response))['message']).toContain(`"${name}"`);
    else expect(await response.json()).toMatchObject({ result: { serverInfo: {} } });
  });

  it('selects the contract', async () => {
    const names = await Promise.all(
      ['/mcp', '/mcp/standard', '/mcp/commands', '/mcp/commands/'].map(async (path) => {
        const reply = (await (await post(initialize(), {}, path)).json()) as JsonObject;
        return ((reply['result'] as JsonObject)['serverInfo'] as JsonObject)['name'];
      }),
    );
    expect(names).toEqual(['adjutant', 'adjutant', 'codex-subagents', 'codex-subagents']);
  });

  it.for(['/mcp/nonsense', '/mcpx', '/mcp/commands/x', '/%2e%2e/token', '//', '/\\', '/%'])(
    'that does not exist is answered with 404: %s',
    async (path) => {
      const { status } = await rawPost(JSON.stringify(ping), {}, path);
      expect(status).toBe(404);
    },
  );

  it('of the page needs no token and does not contain it', async () => {
    const response = await fetch(server.url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(await response.text()).not.toContain(server.token);
  });

  it('of MCP rejects other HTTP methods', async () => {
    const response = await fetch(`${server.url}/mcp`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${server.token}` },
    });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST, DELETE']);
  });
});

describe('a session', () => {
  it('starts with initialize and keeps the negotiated revision', async () => {
    const session = await startSession();
    expect(session['mcp-session-id']).toMatch(/^[\x21-\x7e]{16,}$/);
    const batch = await post([ping], session);
    expect(await errorOf(batch)).toMatchObject({
      code: -32600,
      message: expect.stringContaining('2025-11-25'),
    });
  });

  it('answers a notification with an empty response', async () => {
    const session = await startSession();
    const response = await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session);
    expect([response.status, await response.text()]).toEqual([202, '']);
  });

  it('ends with DELETE and is unknown afterwards', async () => {
    const session = await startSession();
    const headers = { ...session, authorization: `Bearer ${server.token}` };
    const remove = () => fetch(`${server.url}/mcp`, { method: 'DELETE', headers });
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(404);
    expect((await post(ping, session)).status).toBe(404);
    expect((await fetch(`${server.url}/mcp`, { headers })).status).toBe(404);
  });

  it('that is unknown is answered with 404', async () => {
    expect((await post(ping, { 'mcp-session-id': 'made-up' })).status).toBe(404);
  });

  it('with an unknown revision is rejected', async () => {
    const response = await post(ping, { 'mcp-protocol-version': '1999-01-01' });
    expect(response.status).toBe(400);
    expect((await errorOf(response))['message']).toContain('1999-01-01');
  });

  it('is required for a stream, but not for a single request', async () => {
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

  it('carries the progress of a request and then its answer', async () => {
    const response = await send(withProgress(1), await open());
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = await allEvents(response);
    expect(events[0]).toEqual({ id: expect.any(String), retry: '1000' });
    expect(progressOf(events)).toEqual([0, 50, 100]);
    expect(events.at(-1)?.message).toMatchObject({ id: 1, result: { content: [{ type: 'text' }] } });
  });

  it('has no empty first event for older clients', async () => {
    const [first] = await allEvents(await send(withProgress(1), await open('2025-06-18')));
    expect(first?.message).toBeDefined();
  });

  it('can be resumed after a disconnect without losing or repeating events', async () => {
    const session = await open();
    const connection = new AbortController();
    const seen: ServerEvent[] = [];
    const response = await send(withProgress(1), session, connection.signal);
    for await (const event of readEvents(response)) {
      seen.push(event);
      if (event.message !== undefined) break;
    }
    connection.abort();
    const rest = await allEvents(await listen({ ...session, 'last-event-id': seen.at(-1)!.id! }));
    expect(progressOf([...seen, ...rest])).toEqual([0, 50, 100]);
    expect(rest.at(-1)?.message).toMatchObject({ id: 1, result: {} });
  });

  it('can be resumed after its request was answered', async () => {
    const session = await open();
    const events = await allEvents(await send(withProgress(1), session));
    const again = await allEvents(await listen({ ...session, 'last-event-id': events[0]!.id! }));
    expect(again).toEqual(events.slice(1));
  });

  it('of the session carries messages that belong to no request', async () => {
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

  it('of the session delivers messages that were sent while the client was disconnected', async () => {
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

  it('of the session starts with messages that were sent before it was opened', async () => {
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

  it('of one session cannot be resumed by another', async () => {
    const [one, other] = [await open(), await open()];
    const events = await allEvents(await send(withProgress(1), one));
    const stolen = await listen({ ...other, 'last-event-id': events[0]!.id! });
    await send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'test_trigger_tool_change' } });
    const first = (await readEvents(stolen).next()).value;
    expect(first?.message).toMatchObject({ method: 'notifications/tools/list_changed' });
  });
});

/** Sends a request with any Host header, which `fetch` does not allow. */
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

it('exits with code 0 on SIGTERM', async () => {
  const { program } = await startHttp();
  await using _ = program;
  program.child.kill('SIGTERM');
  const [code] = await once(program.child, 'exit');
  expect(code).toBe(0);
});
