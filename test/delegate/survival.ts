import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sandboxes } from '../../src/delegate/agents/sandbox.ts';
import { listRunIds, type RunRecord } from '../../src/delegate/run/run-record.ts';
import { answer, script } from '../model/turn.ts';
import { autopilotTask, job } from './autopilot-task.ts';
import { killHost, readQueue } from './kill-host.ts';
import { ServerProcess } from './server-process.ts';
import type { Workbench } from './workbench.ts';

export type Work = 'run' | 'autopilot';

/** What became of a run, and where its state differs from the facts. */
export interface Survival {
  readonly status: string;
  readonly problems: readonly string[];
}

const timeoutMs = 60_000;
const jobs = ['first', 'second', 'third'];
const tasks = {
  run: script({ shell: 'sleep 0.5' }, { shell: 'sleep 0.5' }, answer({ summary: 'survived' })),
  autopilot: autopilotTask(
    ...jobs.map((id, at) =>
      job(
        id,
        {
          sandbox: 'workspace-write',
          depends_on: jobs.slice(Math.max(0, at - 1), at),
        },
        { shell: `echo ${id} >> ${id}.txt; sleep 0.4` },
        answer({ summary: `Did ${id}.` }),
      ),
    ),
  ),
};

/** Kills the server during a run and starts no other one. The run must complete. */
export async function killServer(bench: Workbench, settings: Settings, work: Work, afterMs: number) {
  const { server, id } = await startWork(bench, settings, work, 0);
  await pause(afterMs);
  await server.kill('SIGKILL');
  return judge(bench, work, id, 'completed');
}

/**
 * Kills the host of a run, in every other round together with the server that waits for it. The state must be true, and an
 * autopilot must complete. `round` also chooses the sandbox of a run.
 */
export async function killRunHost(
  bench: Workbench,
  settings: Settings,
  work: Work,
  afterMs: number,
  round: number,
): Promise<Survival> {
  const { server, id } = await startWork(bench, settings, work, round);
  await pause(afterMs);
  if (round % 2 === 1) await server.kill('SIGKILL');
  await killHost(bench, id);
  await using next = round % 2 === 1 ? await new ServerProcess(bench, settings).initialize() : server;
  return await judge(bench, work, id, work === 'autopilot' ? 'completed' : undefined, next);
}

/** Lets the client of an autopilot disappear: nobody reads from or writes to the server any more. */
export async function leaveClient(
  bench: Workbench,
  settings: Settings,
  policy: 'finish' | 'cancel',
  afterMs: number,
): Promise<Survival> {
  const own = { ...settings, 'delegate-on-disconnect': policy };
  const { server, id } = await startWork(bench, own, 'autopilot', 0);
  await pause(afterMs);
  const { stdin, stdout, stderr } = server.child;
  for (const pipe of [stdin, stdout, stderr]) pipe.destroy();
  return judge(bench, 'autopilot', id, policy === 'finish' ? 'completed' : 'cancelled');
}

type Settings = Readonly<Record<string, string>>;

/** Starts a run on a new server. Resolves when its host has its order. */
async function startWork(bench: Workbench, settings: Settings, work: Work, round: number) {
  for (const id of jobs) rmSync(join(bench.project, `${id}.txt`), { force: true });
  const runs = join(bench.home, 'runs');
  const before = new Set(await listRunIds(runs));
  const server = await new ServerProcess(bench, settings).initialize();
  const args = { task: tasks[work], cwd: bench.project };
  if (work === 'run') server.begin('delegate_run', { ...args, sandbox: sandboxes[round % 3]! });
  else server.begin('delegate_autopilot', args);
  const id = await until(async () => {
    const found = (await listRunIds(runs)).find((one) => !before.has(one));
    const run = found && (await readQueue(bench, (queue) => queue.find(join(runs, found))));
    return run && run.owner.pid !== server.child.pid ? found : undefined;
  });
  if (id === undefined) throw new Error('the run did not start');
  return { server, id };
}

/** Waits for the result, and compares it with the files and processes. A server must agree with the file. */
async function judge(
  bench: Workbench,
  work: Work,
  id: string,
  expected: string | undefined,
  server?: ServerProcess,
): Promise<Survival> {
  const directory = join(bench.home, 'runs', id);
  const result = await until(() => parse(join(directory, 'result.json')));
  if (result === undefined) return { status: 'running', problems: ['there is no result', ...leftovers(id)] };
  const { status, error } = result as { status: string; error: string | null };
  const problems = work === 'run' ? compareRun(directory, result) : compareJobs(bench, status);
  if (expected !== undefined && status !== expected)
    problems.push(`it is ${status} instead of ${expected}: ${error}`);
  if (status !== 'completed' && !error) problems.push('there is no error');
  const shown = await server?.call('show_run', { run_id: id });
  if (shown !== undefined && shown.status !== status) problems.push(`the server says ${shown.status}`);
  await until(async () => (await isOver(bench, id)) || undefined, 10_000);
  if (!(await isOver(bench, id))) problems.push('the run is still in the queue', ...leftovers(id));
  return { status, problems };
}

async function isOver(bench: Workbench, id: string): Promise<boolean> {
  const open = await readQueue(bench, (queue) => queue.open());
  return leftovers(id).length === 0 && open.every(({ runId }) => !runId.startsWith(id));
}

/** Compares the result with the events that the agent wrote. */
function compareRun(directory: string, result: Record<string, unknown>): string[] {
  const { status, summary, thread_id } = result as unknown as RunRecord & { thread_id: string | null };
  const events = read(join(directory, 'events.jsonl'));
  const isComplete = /"(?:type":"turn\.|kind":")completed"/.test(events);
  const thread = /"thread(?:_id|Id)":"([^"]+)"/.exec(events)?.[1] ?? null;
  return [
    ...(isComplete === (status === 'completed')
      ? []
      : [`the turn ${isComplete ? 'is' : 'is not'} complete, but the status is ${status}`]),
    ...(status === 'completed' && summary !== 'survived' ? [`the summary is ${summary}`] : []),
    ...(thread_id === thread ? [] : [`the thread is ${thread}, not ${thread_id}`]),
  ];
}

/** Compares the result with the files of the jobs. Each job appends a line to its own file. */
function compareJobs(bench: Workbench, status: string): string[] {
  return jobs.flatMap((id) => {
    const lines = read(join(bench.project, `${id}.txt`)).split('\n').length - 1;
    if (lines > 1) return [`${id} was delivered ${lines} times`];
    return lines === 0 && status === 'completed' ? [`${id} was not delivered`] : [];
  });
}

/** Processes that belong to a run by their command line or their environment. */
function leftovers(id: string): string[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .filter((pid) => `${read(`/proc/${pid}/cmdline`)}${read(`/proc/${pid}/environ`)}`.includes(id))
    .filter((pid) => !/^\d+ \(.*\) [ZX]/s.test(read(`/proc/${pid}/stat`)))
    .map((pid) => `process ${pid} is left: ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`);
}

async function until<Found>(
  find: () => Promise<Found | undefined> | Found | undefined,
  milliseconds = timeoutMs,
): Promise<Found | undefined> {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    const found = await find();
    if (found !== undefined || performance.now() > deadline) return found;
    await pause(20);
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function parse(file: string): Record<string, unknown> | undefined {
  return existsSync(file) ? (JSON.parse(read(file)) as Record<string, unknown>) : undefined;
}
