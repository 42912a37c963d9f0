import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sandboxes } from '../../src/delegate/agents/sandbox.ts';
import { familyOf } from '../../src/delegate/process/process-table.ts';
import { listRunIds, type RunRecord } from '../../src/delegate/record/run-record.ts';
import { RunQueue } from '../../src/delegate/run/run-queue.ts';
import type { RunOverview } from '../../src/delegate/sharing/run-overview.ts';
import { answer, script } from '../model/turn.ts';
import { ServerProcess } from './server-process.ts';
import type { Workbench } from './workbench.ts';

export interface CrashReport {
  /** From the moment the run has a directory. */
  readonly killedAfterMs: number;
  readonly sandbox: string;
  readonly status: RunRecord['status'];
  /** What is not as it should be; empty when all is true. */
  readonly wrong: readonly string[];
}

const task = script(
  { shell: 'sleep 0.5' },
  { shell: 'sleep 0.5; echo done > out.txt' },
  answer({ summary: 'survived' }),
);
const patienceMs = 30_000;

/** Kills a server at some moment of a run, starts another, and holds what that one says against the facts. */
export async function crashOnce(
  bench: Workbench,
  settings: Readonly<Record<string, string>>,
  killAfterMs: number,
  round: number,
): Promise<CrashReport> {
  const sandbox = sandboxes[round % sandboxes.length]!;
  const runs = join(bench.home, 'runs');
  const before = new Set(await listRunIds(runs));
  const first = await new ServerProcess(bench, settings).initialize();
  first.begin('delegate_run', { task, cwd: bench.project, sandbox });
  const deadline = performance.now() + patienceMs;
  const find = async () => (await listRunIds(runs)).find((one) => !before.has(one));
  let id = await find();
  while (id === undefined && performance.now() < deadline) {
    await pause(2);
    id = await find();
  }
  if (id === undefined) throw new Error('the run did not begin');
  await pause(killAfterMs);
  await first.kill('SIGKILL');
  await using second = await new ServerProcess(bench, settings).initialize();

  for (;;) {
    const { runs: listed } = (await second.call('list_runs', { limit: 1 })) as unknown as {
      runs: RunOverview[];
    };
    if (listed[0] !== undefined && !['running', 'waiting'].includes(listed[0].status)) break;
    if (performance.now() > deadline)
      return { killedAfterMs: killAfterMs, sandbox, status: 'running', wrong: ['it is stuck'] };
    await pause(100);
  }
  const record = await second.call('show_run', { run_id: id });
  return {
    killedAfterMs: killAfterMs,
    sandbox,
    status: record.status,
    wrong: [...judge(record), ...(await leftovers(bench, id))],
  };
}

/** What the record claims against what the agent itself has written. */
function judge(record: RunRecord): string[] {
  const events = read(record, 'events.jsonl');
  const complete = events.includes('"type":"turn.completed"');
  const thread = /"thread_id":"([^"]+)"/.exec(events)?.[1] ?? null;
  const wrong: string[] = [];
  if (complete !== (record.status === 'completed'))
    wrong.push(`the turn ${complete ? 'is' : 'is not'} complete, and the status is ${record.status}`);
  if (record.status === 'completed' && record.summary !== 'survived')
    wrong.push(`the summary is ${record.summary}`);
  if (record.status === 'failed' && !record.error) wrong.push('it failed without a reason');
  if (record.subagent_thread_id !== thread)
    wrong.push(`the thread is ${thread}, not ${record.subagent_thread_id}`);
  if (read(record, 'result.json') === '') wrong.push('there is no result.json');
  return wrong;
}

async function leftovers(bench: Workbench, id: string): Promise<string[]> {
  const queue = await RunQueue.open(join(bench.home, 'runs.sqlite'));
  const open = queue.open().length;
  queue.close();
  const family = await familyOf(undefined, id);
  return [
    ...(open > 0 ? [`${open} runs are still open in the queue`] : []),
    ...family.map(({ pid, command }) => `the process ${pid} is left: ${command}`),
  ];
}

function read({ run_dir }: RunRecord, name: string): string {
  try {
    return readFileSync(join(run_dir, name), 'utf8');
  } catch {
    return '';
  }
}
