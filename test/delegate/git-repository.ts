import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** An environment in which git ignores the settings of the machine. */
export const gitEnvironment = { PATH: process.env['PATH'], HOME: tmpdir(), GIT_CONFIG_NOSYSTEM: '1' };

/** Creates a temporary folder with a repository in it: one commit with `a.txt` and a `.gitignore`. */
export function createRepository(): { readonly folder: string; readonly repo: string } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'adjutant-worktree-')));
  const repo = join(folder, 'repo');
  write(repo, 'a.txt', lines('one', 'two', 'three', 'four', 'five', 'six', 'seven'));
  write(repo, '.gitignore', 'ignored/\n');
  gitAt(repo, 'init', '-q');
  gitAt(repo, 'add', '-A');
  gitAt(repo, 'commit', '-qm', 'first');
  return { folder, repo };
}

export const lines = (...all: string[]) => all.map((line) => `${line}\n`).join('');

export function write(root: string, path: string, text: string | Buffer, mode = 0o644): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text, { mode });
}

export const read = (root: string, path: string) => readFileSync(join(root, path), 'utf8');

export const gitAt = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], {
    cwd,
    env: gitEnvironment,
    stdio: 'pipe',
  }).toString();
