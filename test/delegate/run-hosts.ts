import { spawnSync } from 'node:child_process';

/** The run hosts that are children of a server. */
export function hostsOf(server: number): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=,args=', '--ppid', String(server)]);
  const lines = stdout.toString().split('\n');
  return lines.filter((line) => line.endsWith(' run-host')).map((line) => Number.parseInt(line, 10));
}
