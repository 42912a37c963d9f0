import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const fixture = join(import.meta.dirname, '..', 'fixtures', 'deliver-edits.ts');
const env = { PATH: process.env['PATH'], HOME: tmpdir(), GIT_CONFIG_NOSYSTEM: '1' };
/** The changed lines are so close together that the files have to be delivered. */
const lineDistance = 2;
const [processes, rounds] = [4, 3];

let folder: string;
let repo: string;
const children: Started[] = [];
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'adjutant-deliveries-')));
  repo = join(folder, 'repo');
  git('init', '-q', repo);
  const lines = Array.from({ length: processes * lineDistance }, (_, at) => `line ${at}`);
  writeFileSync(join(repo, 'lines.txt'), lines.join('\n'));
  git('-C', repo, 'add', '-A');
  git('-C', repo, 'commit', '-qm', 'first');
});
afterEach(async () => {
  for (const { child } of children.splice(0)) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  }
  rmSync(folder, { recursive: true, force: true });
});

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], {
    env,
    stdio: 'pipe',
  }).toString();

interface Started {
  readonly child: ChildProcess;
  readonly output: string[];
  readonly closed: Promise<unknown>;
  /** Resolves when the process has printed the word. */
  until(word: string): Promise<void>;
}

function start(role: string, ...more: string[]): Started {
  const args = [fixture, role, repo, join(folder, 'locks'), join(folder, 'trees'), ...more];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: string[] = [];
  const collect = (chunk: Buffer) => output.push(...chunk.toString().trim().split('\n'));
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const started = {
    child,
    output,
    closed: once(child, 'close'),
    until: async (word: string) => {
      while (!output.includes(word)) await Promise.race([once(child.stdout, 'data'), started.closed]);
    },
  };
  children.push(started);
  return started;
}

it('delivers the changes of all processes, even after the lock holder was killed', {
  timeout: 120_000,
}, async () => {
  const holder = start('hold');
  await holder.until('held');
  const workers = Array.from({ length: processes }, (_, at) =>
    start('deliver', String(at * lineDistance), String(rounds)),
  );
  await Promise.all(workers.map((worker) => worker.until('started')));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(workers.map(({ output }) => output)).toEqual(workers.map(() => ['started']));
  holder.child.kill('SIGKILL');
  await Promise.all(workers.map(({ closed }) => closed));
  const delivered = Array.from({ length: rounds }, () => 'delivered');
  expect(workers.map(({ output }) => output)).toEqual(workers.map(() => ['started', ...delivered]));
  const lines = readFileSync(join(repo, 'lines.txt'), 'utf8').split('\n');
  for (let at = 0; at < processes; at++) {
    expect(lines[at * lineDistance]).toBe(`line ${at * lineDistance} round ${rounds}`);
    for (let round = 1; round <= rounds; round++)
      expect(existsSync(join(repo, `${at * lineDistance}-${round}.txt`))).toBe(true);
  }
});
