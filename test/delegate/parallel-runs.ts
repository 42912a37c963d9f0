import { readdirSync, readFileSync } from 'node:fs';
import type { RunRecord } from '../../src/delegate/run/run-record.ts';
import { answer, script } from '../model/turn.ts';
import { ServerProcess } from './server-process.ts';
import type { Workbench } from './workbench.ts';

export interface ParallelRunsReport {
  readonly records: readonly RunRecord[];
  readonly milliseconds: number;
  /** The highest number of agents at one time: in the process table, and by the start and end times of the runs. */
  readonly maxObserved: number;
  readonly maxReported: number;
  /** How many runs started before a run that the same server received earlier. */
  readonly overtaken: number;
}

/** Starts many runs on several servers at once and waits for all results. */
export async function startParallelRuns(
  bench: Workbench,
  settings: Readonly<Record<string, string>>,
  servers: number,
  runs: number,
): Promise<ParallelRunsReport> {
  const all = await Promise.all(
    Array.from({ length: servers }, () => new ServerProcess(bench, settings).initialize()),
  );
  let maxObserved = 0;
  const observer = setInterval(() => {
    maxObserved = Math.max(maxObserved, countAgents(bench.project));
  }, 15);
  try {
    const started = performance.now();
    const task = script({ shell: 'sleep 0.1' }, answer());
    const calls = Array.from({ length: runs }, (_, index) =>
      all[index % servers]!.call('delegate_run', { task, cwd: bench.project }),
    );
    const records = await Promise.all(calls);
    const milliseconds = Math.round(performance.now() - started);
    return {
      records,
      milliseconds,
      maxObserved,
      maxReported: maxOverlap(records),
      overtaken: countOvertaken(records, servers),
    };
  } finally {
    clearInterval(observer);
    for (const server of all) await server[Symbol.asyncDispose]();
  }
}

/** Counts the agents of this project in the process table. A forked child that has not yet called exec does not count. */
function countAgents(project: string): number {
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

function maxOverlap(records: readonly RunRecord[]): number {
  const moments = records.flatMap(({ timing }) => [
    { at: Date.parse(timing.started_at), step: 1 },
    { at: Date.parse(timing.finished_at), step: -1 },
  ]);
  // In the same millisecond, an end counts before a start.
  moments.sort((one, other) => one.at - other.at || one.step - other.step);
  let now = 0;
  return Math.max(...moments.map(({ step }) => (now += step)));
}

function countOvertaken(records: readonly RunRecord[], servers: number): number {
  let count = 0;
  for (let server = 0; server < servers; server += 1) {
    const own = records.filter((_, index) => index % servers === server);
    const starts = own.map(({ timing }) => Date.parse(timing.started_at));
    count += starts.filter((start, index) => index > 0 && start < starts[index - 1]! - 200).length;
  }
  return count;
}
