import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { bundle, greeting, initialize, Program } from '../program.ts';
import { StdioPeer } from '../stdio-peer.ts';

const serve = (args: readonly string[] = [], more: ConstructorParameters<typeof Program>[1] = {}) =>
  new Program(['serve', ...args], { commands: greeting, ...more });

const modern = (version: unknown = '2026-07-28') => ({
  _meta: {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  },
});
const call = (id: number, input: string): JsonObject => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'expand_prompt', arguments: { command: 'greet', input } },
});
const lines = (...messages: readonly unknown[]) =>
  messages.map((message) => `${JSON.stringify(message)}\n`).join('');
const framed = (message: unknown) => {
  const body = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
};
/** Ids and error codes of the replies, sorted because their order does not matter. */
const codes = (messages: readonly JsonObject[]) =>
  sorted(messages.map(({ id, error }) => [id ?? null, (error as JsonObject | undefined)?.['code'] ?? 'ok']));
const sorted = (rows: readonly (readonly unknown[])[]) => rows.map((row) => row.join(': ')).sort();

describe('framing', () => {
  it('answers lines with lines', async () => {
    await using program = serve();
    const { stdout, code } = await program.end(
      lines(initialize(), { jsonrpc: '2.0', id: 1, method: 'ping' }),
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\{"jsonrpc":"2.0","id":0,.*\}\n\{"jsonrpc":"2.0","id":1,"result":\{\}\}\n$/);
  });

  it('answers headers with headers', async () => {
    await using program = serve();
    const { stdout, code } = await program.end(
      framed(initialize()),
      framed({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Content-Length: \d+\r\n\r\n\{.*"id":0,.*\}Content-Length: 36\r\n\r\n\{.*"id":1,.*\}$/,
    );
  });

  it('accepts a header without a blank line and with a wrong length', async () => {
    await using program = serve();
    const { stdout } = await program.end(
      'Content-Length: 300\n{"jsonrpc":"2.0","id":2,"method":"prompts/list","params":{}}\n',
    );
    expect(stdout).toMatch(/^Content-Length: \d+\r\n\r\n\{"jsonrpc":"2.0","id":2,"result":\{"prompts":\[/);
  });

  it('reads a message that arrives byte by byte', async () => {
    await using program = serve();
    for (const byte of Buffer.from(lines(call(1, 'Grüße 👋')))) program.write(Buffer.from([byte]));
    const reply = await program.until(({ id }) => id === 1);
    expect(reply['result']).toMatchObject({ content: [{ text: 'Say hello to Grüße 👋.' }] });
  });

  it('ignores a byte order mark', async () => {
    await using program = serve();
    const { messages } = await program.end(`\uFEFF${lines(call(1, 'you'))}`);
    expect(codes(messages)).toEqual(sorted([[1, 'ok']]));
  });
});

describe('an invalid message', () => {
  it('is answered with an error, and the session continues', async () => {
    await using program = serve();
    const { messages, code } = await program.end(
      lines(initialize()),
      'no json\n',
      '{"jsonrpc":"2.0","id":1,"method":"ping"}\u0000\n',
      Buffer.from([0xff, 0xfe, 0x0a]),
      lines(
        7,
        null,
        'text',
        {},
        { jsonrpc: '1.0', id: 2, method: 'ping' },
        { jsonrpc: '2.0', id: 3, method: 8 },
        { jsonrpc: '2.0', id: 4, method: 'ping', params: [1] },
        { jsonrpc: '2.0', id: {}, method: 'ping' },
        { jsonrpc: '2.0', id: 5, method: 'no/such' },
        { jsonrpc: '2.0', id: 6, method: 'toString' },
        { jsonrpc: '2.0', method: 'notifications/no/such' },
        { jsonrpc: '2.0', id: 'nobody asked', result: {} },
        { jsonrpc: '2.0', id: 9, method: 'ping' },
      ),
    );
    expect(code).toBe(0);
    expect(codes(messages)).toEqual(
      sorted([
        [0, 'ok'],
        [null, -32700],
        [null, -32700],
        [null, -32700],
        [null, -32600],
        [null, -32600],
        [null, -32600],
        [null, -32600],
        [2, -32600],
        [3, -32600],
        [4, -32600],
        [null, -32600],
        [5, -32601],
        [6, -32601],
        [9, 'ok'],
      ]),
    );
  });

  it('is answered without an id in revision 2026-07-28', async () => {
    await using program = serve();
    await program.request('tools/list', modern());
    program.write('no json\n');
    const reply = await program.until(({ error }) => error !== undefined);
    expect(reply).toEqual({ jsonrpc: '2.0', error: expect.objectContaining({ code: -32700 }) });
  });

  it('that is too long is answered with its id and the limit, and the session continues', async () => {
    await using program = serve(['--max-message-bytes', '2048']);
    const { messages, code } = await program.end(
      lines(call(1, 'x'.repeat(5000))),
      lines({ params: { text: 'x'.repeat(5000) }, more: 'x'.repeat(5000) }),
      lines(call(2, 'you')),
    );
    expect(code).toBe(0);
    expect(codes(messages)).toEqual(
      sorted([
        [1, -32600],
        [null, -32600],
        [2, 'ok'],
      ]),
    );
    expect(JSON.stringify(messages[0])).toContain('2048 bytes');
  });

  it('that is nested too deeply is refused', async () => {
    await using program = serve(['--contract', 'commands']);
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    const { messages, code } = await program.end(
      `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":${deep}}}\n`,
      lines({ jsonrpc: '2.0', id: 2, method: 'tools/list' }),
    );
    expect(code).toBe(0);
    expect(codes(messages)).toEqual(
      sorted([
        [1, -32600],
        [2, 'ok'],
      ]),
    );
  });
});

describe('the first request', () => {
  it('may be any request', async () => {
    await using program = serve();
    const { messages } = await program.end(lines({ jsonrpc: '2.0', id: 1, method: 'tools/list' }));
    expect(codes(messages)).toEqual(sorted([[1, 'ok']]));
  });

  it('may be initialize without capabilities or parameters', async () => {
    for (const params of [{ protocolVersion: '2025-06-18' }, {}, undefined]) {
      await using program = serve();
      const reply = await program.request('initialize', params);
      expect(reply['result']).toMatchObject({ serverInfo: { name: 'adjutant' } });
    }
  });

  it.for(['initialized', 'notifications/initialized'])('may be followed by %s', async (method) => {
    await using program = serve();
    const { messages } = await program.end(
      lines(initialize(), { jsonrpc: '2.0', method }, { jsonrpc: '2.0', id: 1, method: 'ping' }),
    );
    expect(codes(messages)).toEqual(
      sorted([
        [0, 'ok'],
        [1, 'ok'],
      ]),
    );
  });

  it.for([
    ['2024-10-07', '2024-10-07'],
    ['2024-11-05', '2024-11-05'],
    ['2025-03-26', '2025-03-26'],
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['1999-01-01', '2025-11-25'],
  ] as const)('for revision %s negotiates %s', async ([asked, agreed]) => {
    await using program = serve();
    const reply = await program.request('initialize', initialize(asked)['params'] as JsonObject);
    expect(reply['result']).toMatchObject({ protocolVersion: agreed });
  });

  it('may be server/discover, which does not fix the revision', async () => {
    await using program = serve();
    const discovered = await program.request('server/discover', modern());
    expect(discovered['result']).toMatchObject({ supportedVersions: ['2026-07-28'] });
    const reply = await program.request('initialize', initialize()['params'] as JsonObject);
    expect(reply['result']).toMatchObject({ protocolVersion: '2025-11-25' });
  });

  it('with an unknown revision is rejected with the supported ones', async () => {
    await using program = serve();
    const reply = await program.request('tools/list', modern('1900-01-01'));
    expect(reply['error']).toMatchObject({
      code: -32022,
      data: { supported: ['2026-07-28'], requested: '1900-01-01' },
    });
  });
});

describe('a connection with a fixed revision', () => {
  it.for([
    ['2026-07-28', modern()],
    ['2025-11-25', undefined],
  ] as const)('of %s rejects a request with an unknown revision', async ([version, meta]) => {
    await using program = serve();
    if (meta === undefined) await program.request('initialize', initialize(version)['params'] as JsonObject);
    else await program.request('tools/list', meta);
    const refused = await program.request('tools/list', modern('1900-01-01'));
    expect(refused['error']).toMatchObject({ code: -32022 });
    const served = await program.request('tools/list', modern());
    expect(served['result']).toBeDefined();
  });

  it('of 2026-07-28 requires the envelope on every request and rejects initialize', async () => {
    await using program = serve();
    await program.request('tools/list', modern());
    expect((await program.request('tools/list'))['error']).toMatchObject({ code: -32602 });
    expect((await program.request('ping', modern()))['error']).toMatchObject({ code: -32601 });
    const again = await program.request('initialize', initialize()['params'] as JsonObject);
    expect(again['error']).toMatchObject({ code: -32022 });
  });
});

describe('lists', () => {
  it.for([[{}], [{ cursor: null }], [{ cursor: '' }]])(
    'start with the first item for %j',
    async ([params]) => {
      await using program = serve();
      const reply = await program.request('prompts/list', params);
      const names = ((reply['result'] as JsonObject)['prompts'] as JsonObject[]).map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['greet', 'research']));
      expect(reply['result']).not.toHaveProperty('nextCursor');
    },
  );

  it('reject an invalid cursor', async () => {
    await using program = serve();
    for (const cursor of ['x', '-1', '1e9', 7, {}]) {
      const reply = await program.request('prompts/list', { cursor });
      expect(reply['error']).toMatchObject({ code: -32602 });
    }
  });
});

describe('batches', () => {
  const batch = [
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    7,
    { jsonrpc: '2.0', id: 2, method: 'no/such' },
  ];

  it('are answered with a batch in revisions that have them', async () => {
    await using program = serve();
    const { stdout } = await program.end(lines(initialize('2025-03-26'), batch));
    const replies = JSON.parse(stdout.trim().split('\n')[1]!) as JsonObject[];
    expect(codes(replies)).toEqual(
      sorted([
        [1, 'ok'],
        [null, -32600],
        [2, -32601],
      ]),
    );
  });

  it('of notifications get no reply', async () => {
    await using program = serve();
    const { messages } = await program.end(
      lines(initialize('2025-03-26'), [{ jsonrpc: '2.0', method: 'notifications/initialized' }]),
    );
    expect(messages).toHaveLength(1);
  });

  it.for([
    ['empty', []],
    ['too long', Array(5000).fill(0)],
  ] as const)('get a single error if they are %s', async ([, values]) => {
    await using program = serve();
    const { messages } = await program.end(lines(initialize('2025-03-26'), values));
    expect(codes(messages)).toEqual(
      sorted([
        [0, 'ok'],
        [null, -32600],
      ]),
    );
  });

  it.for(['2025-06-18', '2025-11-25'])('get a single error in revision %s', async (version) => {
    await using program = serve();
    const { messages } = await program.end(lines(initialize(version), batch));
    expect(codes(messages)).toEqual(
      sorted([
        [0, 'ok'],
        [null, -32600],
      ]),
    );
  });
});

it('serves requests that arrive together in the order of their writes', async () => {
  await using program = serve();
  const messages = (text: string) => [{ role: 'user', content: { type: 'text', text } }];
  const requests = [
    ['prompts/get', { name: 'own' }],
    ['prompts/create', { name: 'own', title: 'Own', messages: messages('first') }],
    ['prompts/update', { name: 'own', messages: messages('second') }],
    ['prompts/update', { name: 'own', messages: messages('third') }],
    ['prompts/get', { name: 'own' }],
    ['prompts/delete', { name: 'own' }],
    ['prompts/get', { name: 'own' }],
  ] as const;
  const { messages: received } = await program.end(
    lines(
      initialize(),
      ...requests.map(([method, params], index) => ({ jsonrpc: '2.0', id: index + 1, method, params })),
    ),
  );
  // Without the notifications of changed prompts, which a slow machine sends before the end.
  const replies = received.filter((one) => 'id' in one);
  const reply = (id: number) => replies.find((one) => one['id'] === id);
  expect(codes(replies.slice(1))).toEqual(
    sorted([[1, -32602], ...[2, 3, 4, 5, 6].map((id) => [id, 'ok']), [7, -32602]]),
  );
  expect(reply(5)).toMatchObject({ result: { messages: messages('third') } });
});

it.for([
  ['export_prompts', { format: 'claude-code' }],
  ['lint_prompts', {}],
] as const)('keeps serving after %s was given two invalid names', async ([name, args]) => {
  await using program = serve(['--read-only']);
  await program.request('initialize', initialize()['params'] as JsonObject);
  const reply = await program.request('tools/call', {
    name,
    arguments: { ...args, names: ['nope', 'x\u0000'] },
  });
  expect(reply['result']).toMatchObject({ isError: true });
  // A promise that nobody handles ends the process after the answer.
  for (let round = 0; round < 3; round++) await program.request('ping');
  expect(await program.end()).toMatchObject({ code: 0, stderr: '' });
});

it('logs an unhandled rejection with its stack, counts it and keeps serving', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-rejection-'));
  const plant = join(folder, 'plant.cjs');
  writeFileSync(plant, "process.on('SIGUSR2', () => void Promise.reject(new Error('planted')));\n");
  const program = serve([], { nodeFlags: ['--require', plant] });
  try {
    await program.request('initialize', initialize()['params'] as JsonObject);
    const count = async () => {
      const { result } = await program.request('tools/call', { name: 'server_status', arguments: {} });
      return (result as { structuredContent: JsonObject }).structuredContent['unhandled_rejections'];
    };
    expect(await count()).toBe(0);
    program.child.kill('SIGUSR2');
    const [logged] = await program.untilStderr(/error: bug: unhandled rejection: .*\n.*\n/);
    expect(logged).toMatch(/Error: planted\n +at .*plant\.cjs/);
    expect(await count()).toBe(1);
    expect((await program.end()).code).toBe(0);
  } finally {
    // Every test with such a server must fail.
    await expect(program[Symbol.asyncDispose]()).rejects.toThrow('planted');
    rmSync(folder, { recursive: true });
  }
});

describe('the exit', () => {
  it('happens after every request is answered', async () => {
    await using program = serve();
    const requests = Array.from({ length: 200 }, (_, index) => call(index + 1, `guest ${index + 1}`));
    const { messages, code } = await program.end(lines(...requests));
    expect(code).toBe(0);
    expect(messages.map(({ id }) => id).sort((a, b) => Number(a) - Number(b))).toEqual(
      requests.map(({ id }) => id),
    );
  });

  it('happens at once if the input is empty', async () => {
    await using program = serve();
    expect(await program.end()).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it('completes an open subscription', async () => {
    await using program = serve();
    program.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { ...modern(), notifications: { toolsListChanged: true } },
    });
    await program.until(({ method }) => method === 'notifications/subscriptions/acknowledged');
    const { messages, code } = await program.end();
    expect(code).toBe(0);
    expect(messages.at(-1)).toMatchObject({ id: 1, result: { resultType: 'complete' } });
  });

  it('waits for a client that reads slowly', async () => {
    await using program = serve();
    program.child.stdout.pause();
    const requests = Array.from({ length: 2000 }, (_, index) => call(index + 1, 'x'.repeat(500)));
    const ended = program.end(lines(...requests));
    program.child.stdout.resume();
    expect((await ended).messages).toHaveLength(2000);
  });

  it.for(['SIGTERM', 'SIGINT'] as const)('has code 0 on %s', async (signal) => {
    await using program = serve();
    await program.request('ping');
    program.child.kill(signal);
    const [code] = await once(program.child, 'exit');
    expect(code).toBe(0);
  });

  it('has code 0 if the client disconnects', async () => {
    await using program = serve();
    await program.request('ping');
    program.child.stdout.destroy();
    const { code, signal } = await new Promise<{ code: number | null; signal: string | null }>((resolve) => {
      program.child.on('exit', (code, signal) => resolve({ code, signal }));
      program.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    });
    expect({ code, signal }).toEqual({ code: 0, signal: null });
    expect(program.stderr).toBe('');
  });
});

it('keeps output of libraries out of stdout', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-noise-'));
  const preload = join(folder, 'noisy.cjs');
  writeFileSync(
    preload,
    `const noise = setInterval(() => {
       console.log('noise'); console.info('noise'); console.table([1]); process.stdout.write('noise\\n');
     }, 1);
     noise.unref();`,
  );
  await using noisy = serve([], { nodeFlags: ['--require', preload] });
  await noisy.untilStderr(/noise/);
  const { stdout, stderr, code } = await noisy.end(lines(call(1, 'you')));
  expect(code).toBe(0);
  expect(stdout).toMatch(/^\{.*\}\n$/);
  expect(stderr).toContain('noise');
  rmSync(folder, { recursive: true });
});

it('lists the contracts and exits if the given one is unknown', async () => {
  await using program = serve(['--contract', 'nonsense']);
  const { code, stdout, stderr } = await program.end();
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/contract must be one of standard, commands/);
});

describe('the list of tools right after initialize', () => {
  const home = mkdtempSync(join(tmpdir(), 'adjutant-list-'));
  const env = { PATH: process.env['PATH'], HOME: home };
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  /** The ids of all replies until that to a last request, and the list. */
  async function listTools(...args: readonly string[]) {
    await using server = new StdioPeer([bundle, 'serve', ...args, '--home', home], { env });
    server.send(initialize());
    await server.until(({ id }) => id === 0);
    server.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    server.send({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
    await server.until(({ id }) => id === 1);
    await server.request('ping', {}, 'last');
    const replies = server.messages.filter(({ method }) => method === undefined);
    return { ids: replies.map(({ id }) => id), list: replies.find(({ id }) => id === 1) };
  }

  it.each(['nobody', 'somebody'])(
    'is that of the server, and comes once, if %s uses the calendar',
    async (who) => {
      const person = ['--id', 'ada', '--name', 'Ada', '--timezone', 'UTC', '--home', home];
      if (who === 'somebody') execFileSync(process.execPath, [bundle, 'users', 'create', ...person], { env });
      const found = await listTools();
      // A server that was given toolsets answers only when it has loaded its features.
      expect(found).toEqual(await listTools('--toolsets', 'default'));
      expect(found.ids).toEqual([0, 1, 'last']);
      expect(JSON.stringify(found.list).includes('"name":"create_event"')).toBe(who === 'somebody');
    },
  );
});
