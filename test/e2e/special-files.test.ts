import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { scriptedAgent, steps } from '../delegate/scripted.ts';
import { bundle, initialize } from '../program.ts';
import { StdioPeer } from '../stdio-peer.ts';

let home: string;
let server: StdioPeer | undefined;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-special-'));
});
afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  server = undefined;
  rmSync(home, { recursive: true, force: true });
});

/** Creates a special file: a pipe without a writer, or a device that never ends. */
function createSpecialFile(kind: 'pipe' | 'device', path: string): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  if (kind === 'pipe') execFileSync('mkfifo', [file]);
  else symlinkSync('/dev/zero', file);
  return file;
}

async function serve(...args: string[]): Promise<StdioPeer> {
  server = new StdioPeer([bundle, 'serve', ...args, '--home', home], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, CODEX_HOME: join(home, 'codex') },
  });
  server.send(initialize());
  await server.until(({ id }) => id === 0);
  return server;
}

async function call(tool: string, args: object): Promise<JsonObject> {
  const answer = await server!.request('tools/call', { name: tool, arguments: args });
  return answer['result'] as JsonObject;
}

/** Checks that the server still answers, and exits on SIGTERM. */
async function expectHealthy(): Promise<void> {
  expect(await server!.request('ping')).toMatchObject({ result: {} });
  server!.child.kill('SIGTERM');
  await once(server!.child, 'exit');
  expect(server!.child.signalCode).toBeNull();
}

const kinds = ['pipe', 'device'] as const;

it.each(kinds)('a run is refused if a %s replaces the codex settings of its folder', async (kind) => {
  for (const folder of ['project', 'project/a', 'project/a/b', 'project/a/b/c', 'project/a/b/c/d'])
    createSpecialFile(kind, `${folder}/.codex/config.toml`);
  await serve(`--delegate-command=${scriptedAgent}`);
  const cwd = join(home, 'project/a/b/c/d');
  const task = steps({ answer: { summary: 'Done.' } });
  const { structuredContent } = await call('delegate_run', { task, cwd, skip_git_repo_check: true });
  expect(structuredContent).toMatchObject({
    status: 'failed',
    error: expect.stringContaining(join('.codex', 'config.toml')),
  });
  await expectHealthy();
});

it.each(kinds)('a %s in place of a skill is ignored', async (kind) => {
  createSpecialFile(kind, 'project/.codex/skills/odd/SKILL.md');
  await serve(`--delegate-command=${scriptedAgent}`);
  const task = steps({ answer: { summary: 'Done.' } });
  const cwd = join(home, 'project');
  const { structuredContent } = await call('delegate_run', { task, cwd, skip_git_repo_check: true });
  expect(structuredContent).toMatchObject({ status: 'completed' });
  await expectHealthy();
});

it.each(kinds)('a %s cannot be imported as a calendar', async (kind) => {
  const path = createSpecialFile(kind, 'work.ics');
  await serve();
  const person = await call('create_user', { name: 'Ann', email: 'ann@example.com' });
  const { id } = person['structuredContent'] as { id: string };
  const answer = await call('import_calendar', { user_id: id, source: path });
  expect(answer).toMatchObject({ isError: true });
  expect(JSON.stringify(answer)).toMatch(/not a regular file|neither a file nor a folder/);
  await expectHealthy();
});

it.each(kinds)(
  'other prompts are served if a %s is among the prompt files',
  { timeout: 30_000 },
  async (kind) => {
    createSpecialFile(kind, 'commands/odd.md');
    writeFileSync(join(home, 'commands', 'greet.md'), '---\ndescription: Greets\n---\nSay hello.\n');
    createSpecialFile(kind, '.config/hexai/config.toml');
    createSpecialFile(kind, 'prompts/user.jsonl');
    createSpecialFile(kind, 'prompts/default.jsonl');
    createSpecialFile(kind, 'libraries/odd/twig.toml');
    await serve();
    const { result } = await server!.request('prompts/list');
    const names = (result as { prompts: { name: string }[] }).prompts.map(({ name }) => name);
    expect(names).toContain('greet');
    expect(names).not.toContain('odd');
    await expectHealthy();
  },
);

it.each(kinds)('a %s in place of the settings file is rejected with its path', async (kind) => {
  const file = createSpecialFile(kind, 'adjutant.toml');
  const child = spawn(process.execPath, [bundle, 'serve', '--home', home], {
    env: { PATH: process.env['PATH'], HOME: home },
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk;
  });
  const timeout = setTimeout(() => child.kill('SIGKILL'), 15_000);
  const [code] = await once(child, 'close');
  clearTimeout(timeout);
  expect({ code, errors }).toEqual({ code: 2, errors: expect.stringContaining(file) });
  expect(errors).toContain('not a regular file');
});
