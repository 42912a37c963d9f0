import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { createServer } from '../app.ts';
import { table } from '../config/raw-setting.ts';
import { loadConfig } from '../config.ts';
import { encode } from '../engine/message.ts';
import { variableName } from '../setting.ts';
import { createStore } from '../store/store.ts';
import { answerEarly, deciding } from './early-answers.ts';

const home = mkdtempSync(join(tmpdir(), 'adjutant-early-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const load = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  loadConfig({ argv: [...argv, '--home', home], env, cwd: home, commandFlags: {}, help: '' });

const initialize = (params: object = {}) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
    ...params,
  },
});
const line = (message: object) => `${JSON.stringify(message)}\n`;

/** What is written before the features are loaded, and what is left for the server. */
async function answer(text: string, argv: readonly string[] = [], folder = home) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.write(text);
  const { chunks, answered } = await answerEarly(await load(argv), input, output, folder);
  const left = Buffer.concat(chunks).toString() + String(input.read() ?? '');
  return { answered: [...answered], written: String(output.read() ?? ''), left };
}

async function answerOfServer(message: object, ...settings: Parameters<typeof load>): Promise<string> {
  const { config, origins } = await load(...settings);
  const server = createServer('standard', config, { origins });
  try {
    const reply = await server.connect(() => {}).receive(message);
    return encode(reply!);
  } finally {
    await server.close();
  }
}

describe('the early answer to initialize', () => {
  it.each([
    ['with the default settings', []],
    ['without skills', ['--skills-prompts', 'none']],
    ['with a folder of skills only', ['--skills-prompts', 'none', '--skills-folders', home]],
    ['with other settings', ['--delegate-agent', 'claude', '--prompts-watch', 'poll']],
  ])('equals the answer of the server %s', async (_, argv) => {
    for (const protocolVersion of ['2025-11-25', '2025-06-18', '2024-11-05']) {
      const message = initialize({ protocolVersion });
      const { answered, written, left } = await answer(line(message), argv);
      expect(answered).toEqual([7]);
      expect(written).toBe(`${await answerOfServer(message, argv)}\n`);
      // The server must receive the message too.
      expect(left).toBe(line(message));
    }
  });

  it('is given when more messages follow at once', async () => {
    const text = line(initialize()) + line({ jsonrpc: '2.0', id: 8, method: 'tools/list' });
    const { answered, written, left } = await answer(text);
    expect([answered, left]).toEqual([[7], text]);
    expect(written.split('\n')).toHaveLength(2);
  });

  it('has headers if the message has them', async () => {
    const body = JSON.stringify(initialize());
    const { written } = await answer(`Content-Length: ${body.length}\r\n\r\n${body}`);
    expect(written).toMatch(/^Content-Length: \d+\r\n\r\n\{/);
  });

  it.each([
    ['another contract', line(initialize()), ['--contract', 'commands']],
    ['a choice of toolsets', line(initialize()), ['--toolsets', 'prompts']],
    ['excluded tools', line(initialize()), ['--exclude-tools', 'delegate_run']],
    ['a read-only server', line(initialize()), ['--read-only']],
    ['an incomplete message', line(initialize()).slice(0, 40), []],
    ['an unknown version', line(initialize({ protocolVersion: '1999-01-01' })), []],
    ['a version that is not text', line(initialize({ protocolVersion: 3 })), []],
    ['a client without a name', line(initialize({ clientInfo: undefined })), []],
    ['a name that is too long', line(initialize({ clientInfo: { name: 'x'.repeat(5_000) } })), []],
    ['another method', line({ jsonrpc: '2.0', id: 1, method: 'ping' }), []],
    ['a batch', line([initialize()]), []],
    ['text that is not JSON', 'hello\n', []],
    ['no message', '', []],
  ])('is left to the server for %s', async (_, text, argv) => {
    expect(await answer(text, argv)).toEqual({ answered: [], written: '', left: text });
  });
});

describe('the early answer to tools/list', () => {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-early-lists-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'tools-list.json'), '{"tools":["without people"]}');
  writeFileSync(join(folder, 'tools-list-with-people.json'), '{"tools":["with people"]}');
  const initialized = line({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const list = (params?: object) => line({ jsonrpc: '2.0', id: 'list', method: 'tools/list', params });
  const reply = (who: string) => `{"jsonrpc":"2.0","id":"list","result":{"tools":["${who} people"]}}\n`;

  it('is the list of the build, as long as nobody uses the calendar', async () => {
    const text = line(initialize()) + initialized + list();
    const { answered, written, left } = await answer(text, [], folder);
    expect(answered).toEqual([7, 'list']);
    expect(written.endsWith(`\n${reply('without')}`)).toBe(true);
    expect(left).toBe(text);
  });

  it('has the tools of the calendar once there are people', async () => {
    const database = createStore(join(home, 'adjutant.db'));
    try {
      await database.write(async ({ db }) => {
        const user = { id: 'ada', name: 'Ada', created_ms: 1, updated_ms: 1 };
        await db
          .insertInto('users')
          .values(user as never)
          .execute();
      });
      const { written } = await answer(line(initialize()) + list({}), [], folder);
      expect(written.endsWith(reply('with'))).toBe(true);
    } finally {
      await database.close();
      for (const suffix of ['', '-wal', '-shm']) rmSync(join(home, `adjutant.db${suffix}`), { force: true });
    }
  });

  const showsViews = {
    capabilities: {
      extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
    },
  };
  it.each([
    ['another page', line(initialize()) + list({ cursor: '1000' }), []],
    ['another request', line(initialize()) + line({ jsonrpc: '2.0', id: 1, method: 'prompts/list' }), []],
    ['an id that was used', line(initialize()) + list().replace('"list"', '7'), []],
    ['a client that shows views', line(initialize(showsViews)) + list(), []],
    ['another database', line(initialize()) + list(), ['--assistant-database-url', join(home, 'other.db')]],
  ])('is left to the server for %s', async (_, text, argv) => {
    expect(await answer(text, argv, folder)).toMatchObject({ answered: [7], left: text });
  });

  it('is left to the server if the database cannot be read', async () => {
    writeFileSync(join(home, 'adjutant.db'), 'no database');
    try {
      expect((await answer(line(initialize()) + list(), [], folder)).answered).toEqual([7]);
    } finally {
      rmSync(join(home, 'adjutant.db'));
    }
  });
});

it('no other setting changes the list of tools', async () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const usual = await answerOfServer(list, []);
  for (const env of otherSettings())
    expect(await answerOfServer(list, [], env), JSON.stringify(env)).toBe(usual);
});

/** A variable for each truth value and each choice that is not the default. */
function* otherSettings(): Generator<Readonly<Record<string, string>>> {
  for (const [name, setting] of Object.entries(table)) {
    if (deciding.some((one) => one === name)) continue;
    const values =
      setting.type === 'boolean' ? ['true', 'false'] : setting.type === 'choice' ? setting.values : [];
    for (const value of values) if (value !== String(setting.default)) yield { [variableName(name)]: value };
  }
}
