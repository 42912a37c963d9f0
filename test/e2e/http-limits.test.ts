import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { initialize, Program } from '../program.ts';

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const listTools = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list' });

/** Lets a program print the bytes that it uses after a garbage collection, on SIGUSR2. */
const memoryReport = `data:text/javascript,process.on('SIGUSR2', () => {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.stderr.write('memory ' + (heapUsed + external) + String.fromCharCode(10));
});`;

class LimitedServer {
  readonly program: Program;
  url = '';
  token = '';

  constructor(...flags: readonly string[]) {
    this.program = new Program(['serve', '--http', '--port', '0', ...flags], {
      nodeFlags: ['--expose-gc', '--import', memoryReport],
      commands: { 'long.md': `---\ndescription: Long\n---\n${'word '.repeat(16_000)}` },
    });
  }

  /** Bytes in use after a garbage collection. */
  async memory(): Promise<number> {
    this.program.stderr = '';
    this.program.child.kill('SIGUSR2');
    const [, bytes] = await this.program.untilStderr(/memory (\d+)\n/);
    return Number(bytes);
  }

  async start(): Promise<this> {
    Object.assign(this, await this.program.listening());
    return this;
  }

  post(body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(`${this.url}/mcp`, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${this.token}`,
        ...headers,
      },
      body: JSON.stringify(body),
    });
  }

  async idleConnection(): Promise<Socket> {
    const { hostname, port } = new URL(this.url);
    const socket = connect(Number(port), hostname).on('error', () => {});
    await once(socket, 'connect');
    return socket;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.program[Symbol.asyncDispose]();
  }
}

async function messageOf(response: Response): Promise<string> {
  return ((await response.json()) as { error: { message: string } }).error.message;
}

/** Tries again while all connections are in use: one counts as unused only after a moment. */
async function untilServed(send: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await send().catch(() => undefined);
    if (response !== undefined && response.status !== 503) return response;
    await response?.text();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('requests beyond http.requests_per_second', () => {
  it('are answered with 429 and the time to wait, for this token only', async () => {
    await using server = await new LimitedServer('--http-requests-per-second', '1').start();
    const statuses: number[] = [];
    let refused: Response | undefined;
    for (let count = 0; count < 30 && refused === undefined; count++) {
      const response = await server.post(ping);
      statuses.push(response.status);
      if (response.status !== 200) refused = response;
    }
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(10);
    expect(refused?.status).toBe(429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await messageOf(refused!)).toContain('http.requests_per_second');
    expect((await server.post(ping, { authorization: 'Bearer wrong-wrong-wrong-wrong' })).status).toBe(401);
    expect((await fetch(server.url)).status).toBe(200);
  });

  it('do not include a batch that is refused for its length', async () => {
    await using server = await new LimitedServer('--http-requests-per-second', '10').start();
    const refused = await messageOf(await server.post(Array.from({ length: 5_000 }, () => 1)));
    expect(refused).toContain('between 1 and 1000');
    expect((await server.post(ping)).status).toBe(200);
  });

  it('without a valid token do not use up those of the token', async () => {
    await using server = await new LimitedServer('--http-requests-per-second', '1').start();
    const denied = await Promise.all(
      Array.from({ length: 40 }, () => server.post(ping, { authorization: 'Bearer wrong-wrong-wrong' })),
    );
    expect(new Set(denied.map(({ status }) => status))).toEqual(new Set([401, 429]));
    expect((await server.post(ping)).status).toBe(200);
  });
});

it('clients behind a trusted proxy are told apart by the addresses that it names', async () => {
  await using server = await new LimitedServer(
    ...['--http-requests-per-second', '1', '--http-trusted-proxies', '127.0.0.1,::1'],
  ).start();
  const guess = (client: string) =>
    server.post(ping, {
      authorization: 'Bearer wrong-wrong-wrong',
      'x-forwarded-for': `203.0.113.9, ${client}`,
    });
  const denied = await Promise.all(Array.from({ length: 40 }, () => guess('192.0.2.1')));
  expect(new Set(denied.map(({ status }) => status))).toEqual(new Set([401, 429]));
  expect((await guess('192.0.2.2')).status).toBe(401);
  const activity = await server.post({
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name: 'list_activity', arguments: { actor: 'nobody' } },
  });
  const text = await activity.text();
  for (const address of ['192.0.2.1', '192.0.2.2']) expect(text).toContain(address);
  expect(text).not.toContain('127.0.0.1');
});

it.each(['/hooks/0193b1c0-0000-7000-8000-000000000000', `/decide/${'x'.repeat(43)}`, '/acknowledge/x'])(
  'guesses at %s are limited, and not those of the token',
  async (path) => {
    await using server = await new LimitedServer('--http-requests-per-second', '1').start();
    const guesses = Array.from({ length: 40 }, () => fetch(`${server.url}${path}`, { method: 'POST' }));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(20);
    expect(statuses.filter((status) => status < 400)).toEqual([]);
    expect((await server.post(ping)).status).toBe(200);
  },
);

describe('connections beyond http.max_connections', () => {
  let server: LimitedServer;
  beforeAll(async () => {
    server = await new LimitedServer('--http-max-connections', '8').start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('close the oldest unused connection', async () => {
    const sockets: Socket[] = [];
    for (let count = 0; count < 40; count++) sockets.push((await server.idleConnection()).resume());
    expect((await untilServed(() => server.post(ping))).status).toBe(200);
    await expect.poll(() => sockets.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(8);
    expect(sockets[0]!.closed).toBe(true);
    for (const socket of sockets) socket.destroy();
  });

  it('are answered with 503 if all others are in use', async () => {
    const streams: { response: Response; leaving: AbortController }[] = [];
    while (streams.length < 8) {
      const opened = await untilServed(() => server.post(initialize()));
      await opened.text();
      const headers = {
        authorization: `Bearer ${server.token}`,
        'mcp-session-id': opened.headers.get('mcp-session-id')!,
      };
      const leaving = new AbortController();
      streams.push({
        leaving,
        response: await untilServed(() => fetch(`${server.url}/mcp`, { headers, signal: leaving.signal })),
      });
    }
    expect(streams.map(({ response }) => response.status)).toEqual(new Array(8).fill(200));
    const refused = await server.idleConnection();
    const [text] = (await once(refused, 'data')) as [Buffer];
    expect(String(text)).toMatch(/^HTTP\/1\.1 503 .*retry-after: 1.*http\.max_connections/is);
    for (const { leaving } of streams) leaving.abort();
    expect((await untilServed(() => server.post(ping))).status).toBe(200);
  });
});

it('sessions beyond http.max_sessions end the oldest unused one, or are answered with 503', async () => {
  await using server = await new LimitedServer('--http-max-sessions', '2').start();
  const open = async () => {
    const response = await server.post(initialize());
    await response.text();
    return { status: response.status, 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' };
  };
  const sessions = [await open(), await open(), await open()];
  const statusOf = async (session: { 'mcp-session-id': string }) =>
    (await server.post(ping, { 'mcp-session-id': session['mcp-session-id'] })).status;
  expect([await statusOf(sessions[0]!), await statusOf(sessions[1]!), await statusOf(sessions[2]!)]).toEqual([
    404, 200, 200,
  ]);
  for (const session of sessions.slice(1))
    await fetch(`${server.url}/mcp`, {
      headers: {
        authorization: `Bearer ${server.token}`,
        'mcp-session-id': session['mcp-session-id'],
      },
    });
  const refused = await server.post(initialize());
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await messageOf(refused)).toContain('http.max_sessions');
});

it.each([
  ['a deeply nested message', `${'['.repeat(50_000)}${']'.repeat(50_000)}`, 'more than 1000 levels'],
  ['a message of many values', `[${'123,'.repeat(25_000)}1]`, 'more than 25000 values'],
])('%s is refused', async (_, params, reason) => {
  await using server = await new LimitedServer().start();
  const refused = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body: `{"jsonrpc":"2.0","id":1,"method":"ping","params":${params}}`,
  });
  expect(refused.status).toBe(400);
  expect(await messageOf(refused)).toContain(reason);
});

describe('a batch', () => {
  it('is answered in full up to max_batch_reply_bytes, and then request by request with an error', async () => {
    await using server = await new LimitedServer('--max-batch-reply-bytes', '100000').start();
    const batch = Array.from({ length: 1000 }, (_, id) => listTools(id));
    const text = await (await server.post(batch)).text();
    const replies = JSON.parse(text) as JsonObject[];
    expect(replies.map(({ id }) => id)).toEqual(batch.map(({ id }) => id));
    const answered = replies.filter((reply) => 'result' in reply).length;
    expect(answered).toBeGreaterThan(5);
    expect(answered).toBeLessThan(60);
    expect(replies.at(-1)).toMatchObject({
      error: { code: -32600, message: expect.stringContaining('max_batch_reply_bytes') },
    });
    expect(text.length).toBeLessThan(1_000_000);
  });

  it('answers each request that it carried out, and carries out notifications beyond the limit', async () => {
    await using server = await new LimitedServer('--max-batch-reply-bytes', '1024').start();
    const create = (id: number) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: {
        name: 'create_prompt',
        arguments: {
          name: `prompt_${id}`,
          title: 'x',
          messages: [{ role: 'user', content: { type: 'text', text: 'x'.repeat(500) } }],
        },
      },
    });
    const replies = (await (
      await server.post([...Array.from({ length: 60 }, (_, id) => create(id))])
    ).json()) as JsonObject[];
    const done = replies.filter((reply) => 'result' in reply).map(({ id }) => `prompt_${id}`);
    const listed = (await (await server.post({ jsonrpc: '2.0', id: 1, method: 'prompts/list' })).json()) as {
      result: { prompts: { name: string }[] };
    };
    const stored = listed.result.prompts.map(({ name }) => name).filter((name) => name.startsWith('prompt_'));
    expect(stored.sort()).toEqual(done.sort());
    expect(done.length).toBeLessThan(60);
  });
});

it.each([
  ['method', { jsonrpc: '2.0', id: 1, method: 'm'.repeat(300) }],
  ['tool', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 't'.repeat(300) } }],
  ['client', { ...initialize(), params: { clientInfo: { name: 'c'.repeat(300), version: '1' } } }],
])('a %s name beyond max_name_length is refused and not kept', async (what, message) => {
  await using program = new Program(['serve']);
  program.send(initialize());
  program.send({ ...message, id: 'long' });
  const reply = await program.until(({ id }) => id === 'long');
  expect(reply).toMatchObject({
    error: {
      code: -32600,
      message: expect.stringMatching(`The ${what} name is longer than 256 .*max_name_length`),
    },
  });
  const status = await program.request('tools/call', { name: 'server_status', arguments: {} });
  expect(JSON.stringify(status)).not.toMatch(/([mtc])\1{50}/);
});

describe('replies', () => {
  const events = Array.from(
    { length: 300 },
    (_, day) =>
      `BEGIN:VEVENT\r\nUID:e${day}\r\nDTSTART:20260101T080000Z\r\nSUMMARY:E${day}\r\nEND:VEVENT\r\n`,
  );
  const content = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${events.join('')}END:VCALENDAR\r\n`;
  const call = (id: number, name: string, args: object, more: object = {}) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args, ...more },
  });
  /** One reply reports progress, so that all of them are sent as a stream, which the client can resume. */
  const batch = [
    call(0, 'import_calendar', { user_id: 'ann', content }, { _meta: { progressToken: 1 } }),
    ...Array.from({ length: 100 }, (_, index) => call(index + 1, 'expand_prompt', { command: 'long' })),
  ];
  const open = async (server: LimitedServer) => {
    const session = await server.post(initialize('2025-03-26'));
    const headers = { 'mcp-session-id': session.headers.get('mcp-session-id')! };
    const user = { id: 'ann', name: 'Ann' };
    await server.post(call(1, 'create_user', user), headers);
    return headers;
  };

  it('of many batches are not all kept, although their streams can be resumed', {
    timeout: 120_000,
  }, async () => {
    await using server = await new LimitedServer().start();
    const headers = await open(server);
    const before = await server.memory();
    for (let round = 0; round < 8; round++) {
      const response = await server.post(batch, headers);
      expect(response.headers.get('content-type')).toBe('text/event-stream');
      const text = await response.text();
      const replies = JSON.parse(text.slice(text.lastIndexOf('data: ') + 6)) as JsonObject[];
      expect(replies).toHaveLength(101);
      expect(replies.every((reply) => 'result' in reply)).toBe(true);
      expect(text.length).toBeGreaterThan(8_000_000);
    }
    expect((await server.memory()) - before).toBeLessThan(32_000_000);
  });
});
