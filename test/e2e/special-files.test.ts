import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { mountable } from '../../src/prompts/formats/formats.ts';
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

const kinds = ['pipe', 'device', 'socket'] as const;

/** Creates a special file: a pipe without a writer, a device that never ends, or a socket. */
function createSpecialFile(kind: (typeof kinds)[number], path: string): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  if (kind === 'pipe') execFileSync('mkfifo', [file]);
  else if (kind === 'socket')
    // The path of a socket must be short. The file stays if the process ends without closing the socket.
    spawnSync(
      process.execPath,
      [
        '-e',
        'require("net").createServer().listen(process.argv[1], () => process.kill(process.pid, 9))',
        basename(file),
      ],
      { cwd: dirname(file), stdio: 'ignore' },
    );
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

/** The name of a prompt file of a format. */
function pathOf(format: string): string {
  const names: Readonly<Record<string, string>> = {
    ...{ vscode: 'odd.prompt.md', gemini: 'odd.toml', qwen: 'odd.toml', 'prompts-chat': 'prompts.csv' },
    ...{ dotprompt: 'odd.prompt', jsonl: 'odd.jsonl', fabric: 'odd/system.md' },
    ...{ 'claude-skills': 'odd/SKILL.md', 'codex-skills': 'odd/SKILL.md' },
  };
  return names[format] ?? 'odd.md';
}

/** Checks that the server still answers, and exits on SIGTERM. */
async function expectHealthy(): Promise<void> {
  expect(await server!.request('ping')).toMatchObject({ result: {} });
  server!.child.kill('SIGTERM');
  await once(server!.child, 'exit');
  expect(server!.child.signalCode).toBeNull();
}

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

/** YAML whose conversion to objects takes the YAML package minutes: collections as keys of collections. */
const slowYaml = {
  'question marks': '? '.repeat(400),
  'question marks in lists': '- ? '.repeat(400),
  'question marks in brackets': `${'[? '.repeat(400)}a${']'.repeat(400)}`,
};

it.each(Object.entries(slowYaml))(
  'a skill whose front matter consists of %s does not block the server, which serves the skill without its fields',
  async (_, yaml) => {
    mkdirSync(join(home, 'skills/odd'), { recursive: true });
    const file = join(home, 'skills/odd/SKILL.md');
    writeFileSync(file, `---\n${yaml}\n---\nDo it.\n`);
    await serve(`--skills-folders=${join(home, 'skills')}`);
    const listing = server!.request('skills/list');
    expect(await server!.request('ping')).toMatchObject({ result: {} });
    expect(await listing).toMatchObject({
      result: { skills: [{ frontmatter: { name: 'odd', description: 'Do it.' } }] },
    });
    const status = await call('server_status', {});
    expect(status).toMatchObject({
      structuredContent: {
        problems: [
          { file, message: expect.stringMatching(/fields are ignored: .*keys that are nested too deeply/) },
          { file, message: expect.stringMatching(/other front matter.*keys that are nested too deeply/) },
        ],
      },
    });
    await expectHealthy();
  },
);

it.each(Object.entries(slowYaml))(
  'a run works in a project with a skill whose front matter consists of %s',
  async (_, yaml) => {
    mkdirSync(join(home, 'project/.codex/skills/odd'), { recursive: true });
    writeFileSync(join(home, 'project/.codex/skills/odd/SKILL.md'), `---\n${yaml}\n---\nDo it.\n`);
    await serve(`--delegate-command=${scriptedAgent}`);
    const task = steps({ answer: { summary: 'Done.' } });
    const run = call('delegate_run', { task, cwd: join(home, 'project'), skip_git_repo_check: true });
    expect(await server!.request('ping')).toMatchObject({ result: {} });
    expect(await run).toMatchObject({ structuredContent: { status: 'completed' } });
    await expectHealthy();
  },
);

it.each(kinds)('a %s cannot be imported as a calendar', async (kind) => {
  const path = createSpecialFile(kind, 'work.ics');
  await serve();
  const person = await call('create_user', { name: 'Ann', email: 'ann@example.com' });
  const { id } = person['structuredContent'] as { id: string };
  const answer = await call('import_calendar', { user_id: id, source: path });
  expect(answer).toMatchObject({ isError: true });
  expect(JSON.stringify(answer)).toMatch(/not a regular file|neither a file nor a folder/);
  createSpecialFile(kind, 'calendars/odd.ics');
  writeFileSync(
    join(home, 'calendars/good.ics'),
    'BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nDTSTART:20260601T080000Z\nEND:VEVENT\nEND:VCALENDAR\n',
  );
  const folder = await call('import_calendar', { user_id: id, source: join(home, 'calendars') });
  expect(folder).toMatchObject({ structuredContent: { calendars: [{ added: 1 }] } });
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
    createSpecialFile(kind, 'libraries/part/prompts/special.md');
    writeFileSync(
      join(home, 'libraries/part/twig.toml'),
      ['special', 'includes', 'good'].map((name) => `[prompts.${name}]\ndescription = "A"\n`).join(''),
    );
    writeFileSync(join(home, 'libraries/part/prompts/includes.md'), '{% include "special.md" %}');
    writeFileSync(join(home, 'libraries/part/prompts/good.md'), 'Good.');
    const mounts = mountable.map((format) => {
      createSpecialFile(kind, `mounts/${format}/${pathOf(format)}`);
      return `[[prompts.mounts]]\nformat = "${format}"\npath = "${join(home, 'mounts', format)}"\n`;
    });
    createSpecialFile(kind, 'skills/odd/SKILL.md');
    const skills = `[skills]\nfolders = ["${join(home, 'skills')}"]\n`;
    writeFileSync(join(home, 'adjutant.toml'), [skills, ...mounts].join('\n'));
    await serve();
    const { result } = await server!.request('prompts/list');
    const names = (result as { prompts: { name: string }[] }).prompts.map(({ name }) => name);
    expect(names).toContain('greet');
    expect(names).not.toContain('odd');
    expect(names).toContain('part:good');
    expect(await call('expand_prompt', { command: 'part:includes' })).toMatchObject({ isError: true });
    expect(await server!.request('skills/list')).toMatchObject({ result: {} });
    const lint = await call('lint_prompts', {});
    expect(JSON.stringify(lint)).toContain(join('mounts', 'vscode', 'odd.prompt.md'));
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
