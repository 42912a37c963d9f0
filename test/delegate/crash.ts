import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sandboxes } from '../../src/delegate/agents/sandbox.ts';
import { listRunProcesses } from '../../src/delegate/process/process-table.ts';
import { listRunIds, type RunRecord } from '../../src/delegate/record/run-record.ts';
import type { RunOverview } from '../../src/delegate/sharing/run-overview.ts';
import { answer, script } from '../model/turn.ts';
import { readQueue } from './kill-host.ts';
import { ServerProcess } from './server-process.ts';
import type { Workbench } from './workbench.ts';

export interface CrashReport {
  /** Counted from the creation of the run directory. */
  readonly killedAfterMs: number;
  readonly sandbox: string;
  readonly status: RunRecord['status'];
  /** Differences between the record and the facts. */
  readonly problems: readonly string[];
}

const task = script(
  { shell: 'sleep 0.5' },
  { shell: 'sleep 0.5; echo done > out.txt' },
  answer({ summary: 'survived' }),
);
const timeoutMs = 30_000;

/** Kills a server during a run, starts another server, and compares its record of the run with the facts. */
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
  const deadline = performance.now() + timeoutMs;
  const find = async () => (await listRunIds(runs)).find((one) => !before.has(one));
  let id = await find();
  while (id === undefined && performance.now() < deadline) {
    await pause(2);
    id = await find();
  }
  if (id === undefined) throw new Error('the run did not start');
  await pause(killAfterMs);
  await first.kill('SIGKILL');
  await using second = await new ServerProcess(bench, settings).initialize();

  for (;;) {
    const { runs: listed } = (await second.call('list_runs', { limit: 1 })) as unknown as {
      runs: RunOverview[];
    };
    if (listed[0] !== undefined && !['running', 'waiting'].includes(listed[0].status)) break;
    if (performance.now() > deadline)
      return { killedAfterMs: killAfterMs, sandbox, status: 'running', problems: ['the run never finished'] };
    await pause(100);
  }
  const record = await second.call('show_run', { run_id: id });
  return {
    killedAfterMs: killAfterMs,
    sandbox,
    status: record.status,
    problems: [...checkRecord(record), ...(await findLeftovers(bench, id))],
  };
}

/** Compares the record with the events that the agent wrote. */
function checkRecord(record: RunRecord): string[] {
  const events = read(record, 'events.jsonl');
  const isComplete = events.includes('"type":"turn.completed"');
  const thread = /"thread_id":"([^"]+)"/.exec(events)?.[1] ?? null;
  const problems: string[] = [];
  if (isComplete !== (record.status === 'completed'))
    problems.push(`the turn ${isComplete ? 'is' : 'is not'} complete, but the status is ${record.status}`);
  if (record.status === 'completed' && record.summary !== 'survived')
    problems.push(`the summary is ${record.summary}`);
  if (record.status === 'failed' && !record.error) problems.push('the run failed without an error');
  if (record.subagent_thread_id !== thread)
    problems.push(`the thread is ${thread}, not ${record.subagent_thread_id}`);
  if (read(record, 'result.json') === '') problems.push('there is no result.json');
  return problems;
}

async function findLeftovers(bench: Workbench, id: string): Promise<string[]> {
  const countOpen = () => readQueue(bench, (queue) => queue.open().length);
  // The host leaves the queue right after it has written the result.
  for (let tries = 0; tries < 50 && (await countOpen()) > 0; tries += 1) await pause(100);
  const open = await countOpen();
  const family = await listRunProcesses(undefined, id);
  return [
    ...(open > 0 ? [`${open} runs are still in the queue`] : []),
    ...family.map(({ pid, command }) => `process ${pid} is still running: ${command}`),
  ];
}

function read({ run_dir }: RunRecord, name: string): string {
  try {
    return readFileSync(join(run_dir, name), 'utf8');
  } catch {
    return '';
  }
}
