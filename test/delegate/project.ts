import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Workbench } from './workbench.ts';

/** Runs git in the project of a workbench. */
export function gitIn(bench: Workbench, ...args: readonly string[]): string {
  return execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], {
    cwd: bench.project,
    env: bench.env,
    stdio: 'pipe',
  }).toString();
}

/** Replaces the content of the project with these files and commits them. */
export function resetProject(bench: Workbench, files: Readonly<Record<string, string>>): void {
  for (const name of readdirSync(bench.project))
    rmSync(join(bench.project, name), { recursive: true, force: true });
  gitIn(bench, 'init', '-q');
  for (const [path, text] of Object.entries(files)) writeFileSync(join(bench.project, path), text);
  gitIn(bench, 'add', '-A');
  gitIn(bench, 'commit', '-qm', 'first');
}
