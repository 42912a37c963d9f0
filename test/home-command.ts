import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import { bundle } from './program.ts';

type Environment = Readonly<Record<string, string>>;

/** Runs a command of the built program in a home, and waits for its end. */
export function run(home: string, args: readonly string[], env: Environment = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bundle, ...args, '--home', home], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: home, TZ: 'UTC', ...env },
  });
  return { status, stdout, stderr };
}

/** Fails unless the command succeeds. Returns its output. */
export function succeed(home: string, args: readonly string[], env: Environment = {}): string {
  const { status, stdout, stderr } = run(home, args, env);
  expect(status, stderr).toBe(0);
  return stdout;
}
