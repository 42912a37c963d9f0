import { spawnSync } from 'node:child_process';
import type { Client } from './clients.ts';

/** True if the installed version of the client shows the model only the names of tools until it searches for them. */
export function defersTools(
  { defersTools: defers }: Pick<Client, 'defersTools'>,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (defers === undefined) return false;
  const { stdout } = spawnSync(defers.program, ['--version'], { env, encoding: 'utf8', timeout: 10_000 });
  const version = /\d+\.\d+\.\d+/.exec(stdout ?? '')?.[0];
  const { otherHost } = defers;
  const since = otherHost !== undefined && env[otherHost.variable] ? otherHost.since : defers.since;
  return version !== undefined && isAtLeast(version, since);
}

function isAtLeast(version: string, since: string): boolean {
  return version.localeCompare(since, 'en', { numeric: true }) >= 0;
}
