import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { scriptedAgent, steps } from '../delegate/scripted.ts';
import { bundle } from '../program.ts';

const home = mkdtempSync(join(tmpdir(), 'adjutant-private-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const env = { PATH: process.env['PATH'], HOME: home, EDITOR: 'true' };
const project = join(home, 'project');

function adjutant(...args: readonly string[]): void {
  const ended = spawnSync(process.execPath, [bundle, ...args], {
    cwd: project,
    env,
    encoding: 'utf8',
    input: '',
  });
  expect(ended, args.join(' ')).toMatchObject({ status: 0 });
}

function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [path, ...walk(path)] : [path];
  });
}

it.skipIf(process.platform === 'win32')('everything that is written is private to its owner', async () => {
  mkdirSync(project);
  execFileSync('git', ['init', '-q'], { cwd: project });
  writeFileSync(join(home, 'work.ics'), 'BEGIN:VCALENDAR\nVERSION:2.0\nEND:VCALENDAR\n');
  const before = new Set(walk(home));

  const server = spawn(process.execPath, [bundle, 'serve', '--http', '--port', '0'], { env });
  await once(server.stderr, 'data');
  adjutant('prompts', 'create', 'letter', '--text', 'Dear {{name}}');
  adjutant('prompts', 'create', 'note', '--text', 'Note');
  adjutant('prompts', 'delete', 'note');
  adjutant(
    'users',
    'create',
    '--id',
    'ada',
    '--name',
    'Ada',
    '--email',
    'ada@example.org',
    '--phone',
    '+15550100123',
  );
  adjutant('calendars', 'import', join(home, 'work.ics'), '--user', 'ada');
  adjutant('notifications', 'test', 'ada');
  adjutant('notifications', 'test', 'ada', '--channel', 'call');
  adjutant('delegate', steps({ answer: { summary: 'done' } }), '--delegate-command', scriptedAgent);
  adjutant(
    'delegate',
    steps({ file: { path: 'new.txt', text: 'x' } }, { answer: { summary: 'done' } }),
    '--sandbox',
    'workspace-write',
    '--delegate-command',
    scriptedAgent,
  );
  adjutant('demo');
  adjutant('open', '--print');
  for (const contract of ['jsonl', 'twig', 'commands']) {
    const request = '{"jsonrpc":"2.0","id":1,"method":"prompts/list"}\n';
    spawnSync(process.execPath, [bundle, 'serve', '--contract', contract], { env, input: request });
  }
  server.kill();
  await once(server, 'exit');

  const written = walk(home).filter((path) => !before.has(path) && !path.startsWith(project));
  expect(written.length).toBeGreaterThan(30);
  const names = written.map((path) => relative(home, path)).join('\n');
  for (const kind of [
    'token',
    'adjutant.db',
    'outbox',
    'user.jsonl',
    'backups',
    'runs.sqlite',
    'demo.json',
    'default.jsonl',
  ])
    expect(names).toContain(kind);
  // The parents that all programs share have the usual permissions.
  const shared = ['.local', '.local/share', '.local/state', '.config'].map((name) => join(home, name));
  // Files that a run changed keep the permissions that they have in the project, below a private folder.
  const isChanged = (path: string) => path.includes('/.workspace/again/');
  expect(names).toContain('.workspace/again/new.txt');
  const open = written.filter(
    (path) => !shared.includes(path) && !isChanged(path) && (statSync(path).mode & 0o077) !== 0,
  );
  expect(open.map((path) => relative(home, path))).toEqual([]);
});
