import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { componentFile } from '../components.ts';
import { logIn } from '../identity/authorization-server.ts';
import { type OAuthProgram, startOAuthProgram } from '../identity/oauth-program.ts';
import { startMessagesModel } from '../model/messages-model.ts';
import { startResponsesModel } from '../model/responses-model.ts';
import { script } from '../model/turn.ts';

let started: OAuthProgram;
let home: string;
let env: Record<string, string>;

beforeAll(async () => {
  started = await startOAuthProgram();
});
afterAll(() => started[Symbol.asyncDispose]());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-login-'));
  const path = [dirname(process.execPath), componentFile('.bin'), process.env['PATH'] ?? ''].join(delimiter);
  env = { HOME: home, PATH: path, CI: 'true', NO_COLOR: '1', TERM: 'xterm' };
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Runs a client. When it asks for the address of the login, logs in and types the address of the redirect. */
function run(command: string, args: readonly string[], asks?: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], { cwd: home, env });
    let output = '';
    let isAnswered = asks === undefined;
    if (isAnswered) child.stdin.end();
    const receive = (chunk: Buffer) => {
      output += stripVTControlCharacters(String(chunk));
      const url = /http:\/\/127\.0\.0\.1:\d+\/auth\?\S+/.exec(output)?.[0];
      if (isAnswered || url === undefined || !asks!.test(output)) return;
      isAnswered = true;
      logIn(url, 'ada').then((back) => child.stdin.write(`${back.href}\n`), reject);
    };
    child.stdout.on('data', receive);
    child.stderr.on('data', receive);
    child.on('error', reject);
    child.on('close', () => resolve(output));
  });
}

const expand = {
  tool: 'expand_prompt',
  server: 'adjutant',
  arguments: { command: 'greet', input: 'the harbour' },
};

describe('a client that logs in through OAuth', () => {
  it('codex calls a tool', async () => {
    const model = await startResponsesModel();
    const folder = join(home, '.codex');
    mkdirSync(folder);
    const server = `[mcp_servers.adjutant]\nurl = "${started.url}/mcp"\n`;
    writeFileSync(
      join(folder, 'config.toml'),
      `mcp_oauth_credentials_store = "file"\n${model.config}\n${server}`,
    );
    const login = ['mcp', 'login', 'adjutant', '--no-browser', '--oauth-client-registration', 'dcr'];
    expect(await run('codex', login, /Callback URL/)).toContain('Successfully logged in');
    const task = script(expand, { say: 'Done.' });
    const exec = ['exec', '--json', '--skip-git-repo-check', '-s', 'read-only', '-C', home, task];
    const output = await run('codex', exec);
    await model.close();
    expect(output).toContain('Say hello to the harbour.');
  });

  // Claude Code logs in only on a terminal, which `script` of util-linux provides.
  it.runIf(process.platform === 'linux')('claude calls a tool', async () => {
    const model = await startMessagesModel();
    Object.assign(env, {
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    });
    await run('claude', [
      'mcp',
      'add',
      '--transport',
      'http',
      '--scope',
      'user',
      'adjutant',
      `${started.url}/mcp`,
    ]);
    const login = ['-qec', 'claude mcp login adjutant --no-browser', '/dev/null'];
    expect(await run('script', login, /paste the redirect URL/)).toContain('Authenticated with "adjutant"');
    expect(await run('claude', ['mcp', 'list'])).toMatch(/adjutant:.*Connected/);
    const task = script(expand, { say: 'Done.' });
    await run('claude', [
      '-p',
      '--allowedTools',
      'mcp__adjutant__expand_prompt',
      '--output-format',
      'text',
      task,
    ]);
    await model.close();
    expect(JSON.stringify(model.requests.map(({ body }) => body))).toContain('Say hello to the harbour.');
  });
});
