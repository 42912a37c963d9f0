import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { createServer } from '../app.ts';
import { loadConfig } from '../config.ts';
import { encode } from '../engine/message.ts';
import { answerEarly } from './serve.ts';

const home = mkdtempSync(join(tmpdir(), 'adjutant-early-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const load = (argv: readonly string[]) =>
  loadConfig({ argv: [...argv, '--home', home], env: {}, cwd: home, commandFlags: {}, help: '' });

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

/** What is written before the features are loaded, and what is left in the input. */
async function answer(text: string, argv: readonly string[] = []) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.write(text);
  const isAnswered = await answerEarly(await load(argv), input, output);
  return { isAnswered, written: String(output.read() ?? ''), left: String(input.read() ?? '') };
}

async function answerOfServer(message: object, argv: readonly string[]): Promise<string> {
  const { config, origins } = await load(argv);
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
      const { isAnswered, written, left } = await answer(line(message), argv);
      expect(isAnswered).toBe(true);
      expect(written).toBe(`${await answerOfServer(message, argv)}\n`);
      // The server must receive the message too.
      expect(left).toBe(line(message));
    }
  });

  it('is given when more messages follow at once', async () => {
    const text = line(initialize()) + line({ jsonrpc: '2.0', id: 8, method: 'tools/list' });
    const { isAnswered, written, left } = await answer(text);
    expect([isAnswered, left]).toEqual([true, text]);
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
    expect(await answer(text, argv)).toEqual({ isAnswered: false, written: '', left: text });
  });
});
