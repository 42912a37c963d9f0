import { readdirSync, readFileSync } from 'node:fs';
import type { RunRecord } from '../../src/delegate/record/run-record.ts';
import { answer, script } from '../model/turn.ts';
import { ServerProcess } from './server-process.ts';
import type { Workbench } from './workbench.ts';

export interface CrowdReport {
  readonly records: readonly RunRecord[];
  readonly milliseconds: number;
  /** The most agents seen at a time in the process table, and by the times the runs tell. */
  readonly mostSeen: number;
  readonly mostTold: number;
  /** How many runs started before one that was asked for earlier by the same server. */
  readonly overtaken: number;
}

/** Asks several servers for many runs at once. */
export async function crowd(
  bench: Workbench,
  settings: Readonly<Record<string, string>>,
  servers: number,
  runs: number,
): Promise<CrowdReport> {
  const all = await Promise.all(
    Array.from({ length: servers }, () => new ServerProcess(bench, settings).initialize()),
  );
  let mostSeen = 0;
  const watching = setInterval(() => {
    mostSeen = Math.max(mostSeen, agents(bench.project));
  }, 15);
  try {
    const started = performance.now();
    const task = script({ shell: 'sleep 0.1' }, answer());
    const asked = Array.from({ length: runs }, (_, index) =>
      all[index % servers]!.call('delegate_run', { task, cwd: bench.project }),
    );
    const records = await Promise.all(asked);
    const milliseconds = Math.round(performance.now() - started);
    return {
      records,
      milliseconds,
      mostSeen,
      mostTold: overlap(records),
      overtaken: overtaken(records, servers),
    };
  } finally {
    clearInterval(watching);
    for (const server of all) await server[Symbol.asyncDispose]();
  }
}

/** Agents at work in this project, by the process table alone; a copy on its way to something else is none. */
function agents(project: string): number {
  const read = (pid: string, file: string) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8');
    } catch {
      return '';
    }
  };
  const all = readdirSync('/proc').filter(
    (pid) => /^\d+$/.test(pid) && read(pid, 'cmdline').includes(`\0exec\0-C\0${project}\0`),
  );
  return all.filter((pid) => !all.includes(/\) \S (\d+)/.exec(read(pid, 'stat'))?.[1] ?? pid)).length;
}

function overlap(records: readonly RunRecord[]): number {
  const moments = records.flatMap(({ timing }) => [
    { at: Date.parse(timing.started_at), step: 1 },
    { at: Date.parse(timing.finished_at), step: -1 },
  ]);
  // At the same millisecond, the one that ends makes room for the one that starts.
  moments.sort((one, other) => one.at - other.at || one.step - other.step);
  let now = 0;
  return Math.max(...moments.map(({ step }) => (now += step)));
}

function overtaken(records: readonly RunRecord[], servers: number): number {
  let count = 0;
  for (let server = 0; server < servers; server += 1) {
    const own = records.filter((_, index) => index % servers === server);
    const starts = own.map(({ timing }) => Date.parse(timing.started_at));
    count += starts.filter((start, index) => index > 0 && start < starts[index - 1]! - 200).length;
  }
  return count;
}
