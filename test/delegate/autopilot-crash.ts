import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { listRunIds } from '../../src/delegate/record/run-record.ts';
import { answer } from '../model/turn.ts';
import { autopilotTask, job } from './autopilot-task.ts';
import { ServerProcess } from './server-process.ts';
import type { Workbench } from './workbench.ts';

export interface AutopilotCrash {
  readonly killedAfterMs: number;
  readonly status: string;
  /** How often each job wrote its line. */
  readonly done: readonly number[];
  readonly problems: readonly string[];
}

const names = ['first', 'second', 'third'];
const task = autopilotTask(
  ...names.map((id, at) =>
    job(
      id,
      { sandbox: 'workspace-write', depends_on: names.slice(Math.max(0, at - 1), at), writes: ['log.txt'] },
      { shell: `sleep 0.3; echo ${id} >> log.txt` },
      answer({ summary: `Did ${id}.` }),
    ),
  ),
);
const timeoutMs = 60_000;

/** Kills a server during an autopilot, starts another server, and counts how often each job ran. */
export async function crashAutopilotOnce(
  bench: Workbench,
  settings: Readonly<Record<string, string>>,
  killedAfterMs: number,
): Promise<AutopilotCrash> {
  const [runs, log] = [join(bench.home, 'runs'), join(bench.project, 'log.txt')];
  rmSync(log, { force: true });
  const before = new Set(await listRunIds(runs));
  const first = await new ServerProcess(bench, settings).initialize();
  first.begin('delegate_autopilot', { task, cwd: bench.project });
  const deadline = performance.now() + timeoutMs;
  const find = async () => (await listRunIds(runs)).find((one) => !before.has(one));
  let id = await find();
  for (; id === undefined && performance.now() < deadline; id = await find()) await pause(2);
  if (id === undefined) throw new Error('the autopilot did not start');
  await pause(killedAfterMs);
  await first.kill('SIGKILL');
  const [result, stateFile] = [join(runs, id, 'result.json'), join(runs, id, '.autopilot.json')];
  const hadPlan = existsSync(stateFile) || existsSync(result);
  await using _ = await new ServerProcess(bench, settings).initialize();
  // The state file is removed last.
  while ((!existsSync(result) || existsSync(stateFile)) && performance.now() < deadline) await pause(50);
  if (!existsSync(result))
    return { killedAfterMs, status: 'running', done: [], problems: ['the autopilot never finished'] };
  const { status, error } = JSON.parse(readFileSync(result, 'utf8')) as { status: string; error: string };
  const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
  const done = names.map((name) => lines.filter((line) => line === name).length);
  const problems = [
    ...(done.some((times) => times > 1) ? ['a job ran twice'] : []),
    ...(hadPlan && status !== 'completed' ? [`it had a plan but was not completed: ${error}`] : []),
    ...(status === 'completed' && done.some((times) => times === 0)
      ? ['it was completed although a job did not run']
      : []),
    ...(status !== 'completed' && !error ? ['it failed without an error'] : []),
    ...(existsSync(stateFile) ? ['.autopilot.json still exists'] : []),
  ];
  return { killedAfterMs, status, done, problems };
}
