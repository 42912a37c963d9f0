import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { JobResult } from '../../src/delegate/autopilot/autopilot-output.ts';
import { answer } from '../model/turn.ts';
import { autopilotTask, job } from './autopilot-task.ts';
import { ServerProcess } from './server-process.ts';
import type { Workbench } from './workbench.ts';

export interface StormReport {
  readonly jobs: number;
  readonly kills: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Differences between the reported results and the files. */
  readonly problems: readonly string[];
}

const jobsPerAutopilot = 3;
/** Lines between the lines of two jobs. */
const distance = 3;
const timeoutMs = 10 * 60_000;

/**
 * Starts autopilots with writing jobs on several servers and one folder, kills servers at random times and replaces them.
 * Each job changes its own line of a shared file, and creates a file and an ignored file.
 */
export async function storm(
  bench: Workbench,
  settings: Readonly<Record<string, string>>,
  {
    servers,
    autopilots,
    kills,
  }: { readonly servers: number; readonly autopilots: number; readonly kills: number },
): Promise<StormReport> {
  const ids = Array.from({ length: autopilots * jobsPerAutopilot }, (_, at) => `j${at}`);
  const original = ids.flatMap((id) => [`line ${id}`, ...Array.from({ length: distance }, () => '-')]);
  writeFileSync(join(bench.project, 'lines.txt'), `${original.join('\n')}\n`);
  writeFileSync(join(bench.project, '.gitignore'), 'build/\n');
  mkdirSync(join(bench.project, 'made'), { recursive: true });
  const start = () => new ServerProcess(bench, settings).initialize();
  const running = await Promise.all(Array.from({ length: servers }, start));
  for (let at = 0; at < autopilots; at++) {
    const task = autopilotTask(...ids.slice(at * jobsPerAutopilot, (at + 1) * jobsPerAutopilot).map(writer));
    running[at % servers]!.begin('delegate_autopilot', {
      task,
      cwd: bench.project,
      sandbox: 'workspace-write',
    });
  }
  const runs = join(bench.home, 'runs');
  const directories = () =>
    existsSync(runs) ? readdirSync(runs).filter((name) => !name.startsWith('.')) : [];
  await until(() => directories().length === autopilots);
  for (let kill = 0; kill < kills; kill++) {
    await pause(Math.random() * 2_000);
    const victim = Math.floor(Math.random() * servers);
    await running[victim]!.kill('SIGKILL');
    running[victim] = await start();
  }
  try {
    await until(() => directories().every((id) => existsSync(join(runs, id, 'result.json'))));
  } finally {
    for (const server of running) await server[Symbol.asyncDispose]();
  }
  const results = directories().flatMap(
    (id) => JSON.parse(readFileSync(join(runs, id, 'autopilot_aggregate.json'), 'utf8')).jobs as JobResult[],
  );
  const statuses: Record<string, number> = {};
  for (const { status } of results) statuses[status] = (statuses[status] ?? 0) + 1;
  return { jobs: ids.length, kills, statuses, problems: compare(bench, ids, original, results) };
}

function writer(id: string): object {
  const shell = `sed -i 's/^line ${id}$/line ${id} done/' lines.txt && echo ${id} > made/${id}.txt && mkdir -p build && echo ${id} > build/${id}.txt`;
  const deliverables = [{ path: `made/${id}.txt`, description: 'made' }];
  return job(id, { sandbox: 'workspace-write' }, { shell }, answer({ summary: `Did ${id}.`, deliverables }));
}

function compare(
  bench: Workbench,
  ids: readonly string[],
  original: readonly string[],
  results: readonly JobResult[],
): string[] {
  const lines = readFileSync(join(bench.project, 'lines.txt'), 'utf8').trimEnd().split('\n');
  const problems = lines.length === original.length ? [] : [`lines.txt has ${lines.length} lines`];
  for (const [at, line] of original.entries())
    if (lines[at] !== line && lines[at] !== `${line} done`) problems.push(`line ${at} is "${lines[at]}"`);
  for (const id of ids) {
    const { status, patch } = results.find((one) => one.id === id) ?? {};
    const kept = new Set(patch?.conflicts);
    const isDelivered = (path: string) =>
      patch !== undefined && (patch.applied || (kept.size > 0 && !kept.has(path)));
    const actual = {
      'lines.txt': lines.includes(`line ${id} done`),
      [`made/${id}.txt`]: existsSync(join(bench.project, `made/${id}.txt`)),
      [`build/${id}.txt`]: existsSync(join(bench.project, `build/${id}.txt`)),
    };
    for (const [path, isThere] of Object.entries(actual))
      if (isThere !== isDelivered(path))
        problems.push(`${id} (${status}): ${path} is ${isThere ? 'there' : 'not there'}, reported otherwise`);
    if (status === 'completed' && !Object.values(actual).every(Boolean)) problems.push(`${id} lost an edit`);
  }
  const left = readdirSync(bench.project).filter((name) => name.startsWith('.adjutant-'));
  return [...problems, ...left.map((name) => `${name} was left behind`)];
}

async function until(condition: () => boolean): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; !condition(); await pause(100))
    if (Date.now() > deadline) throw new Error('the runs did not finish in time');
}
