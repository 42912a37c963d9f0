import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { listRunIds } from '../../src/delegate/record/run-record.ts';
import { answer } from '../model/turn.ts';
import { job, planned } from './planned.ts';
import { ServerProcess } from './server-process.ts';
import type { Workbench } from './workbench.ts';

export interface AutopilotCrash {
  readonly killedAfterMs: number;
  readonly status: string;
  /** How often each job did its work. */
  readonly done: readonly number[];
  readonly wrong: readonly string[];
}

const names = ['first', 'second', 'third'];
const task = planned(
  ...names.map((id, at) =>
    job(
      id,
      { sandbox: 'workspace-write', depends_on: names.slice(Math.max(0, at - 1), at), writes: ['log.txt'] },
      { shell: `sleep 0.3; echo ${id} >> log.txt` },
      answer({ summary: `Did ${id}.` }),
    ),
  ),
);
const patienceMs = 60_000;

/** Kills a server at some moment of an autopilot, starts another, and counts what was done. */
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
  const deadline = performance.now() + patienceMs;
  const find = async () => (await listRunIds(runs)).find((one) => !before.has(one));
  let id = await find();
  for (; id === undefined && performance.now() < deadline; id = await find()) await pause(2);
  if (id === undefined) throw new Error('the autopilot did not begin');
  await pause(killedAfterMs);
  await first.kill('SIGKILL');
  const [result, plan] = [join(runs, id, 'result.json'), join(runs, id, '.flight.json')];
  const hadPlan = existsSync(plan) || existsSync(result);
  await using _ = await new ServerProcess(bench, settings).initialize();
  // The plan goes last of all.
  while ((!existsSync(result) || existsSync(plan)) && performance.now() < deadline) await pause(50);
  if (!existsSync(result)) return { killedAfterMs, status: 'running', done: [], wrong: ['it is stuck'] };
  const { status, error } = JSON.parse(readFileSync(result, 'utf8')) as { status: string; error: string };
  const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
  const done = names.map((name) => lines.filter((line) => line === name).length);
  const wrong = [
    ...(done.some((times) => times > 1) ? ['something was done twice'] : []),
    ...(hadPlan && status !== 'completed' ? [`it had a plan and was not completed: ${error}`] : []),
    ...(status === 'completed' && done.some((times) => times === 0) ? ['completed with work undone'] : []),
    ...(status !== 'completed' && !error ? ['it failed without a reason'] : []),
    ...(existsSync(plan) ? ['.flight.json is left'] : []),
  ];
  return { killedAfterMs, status, done, wrong };
}
