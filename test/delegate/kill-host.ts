import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isAlive } from '../../src/delegate/process/process-table.ts';
import { RunQueue } from '../../src/delegate/run/run-queue.ts';
import type { Workbench } from './workbench.ts';

/** Reads from the run queue of the workbench. */
export async function readQueue<Value>(
  bench: Pick<Workbench, 'home'>,
  read: (queue: RunQueue) => Value,
): Promise<Value> {
  const queue = await RunQueue.open(join(bench.home, 'runs.sqlite'));
  try {
    return read(queue);
  } finally {
    queue.close();
  }
}

/** Kills the host of a run. Returns false if the run has finished. */
export async function killHost(bench: Pick<Workbench, 'home'>, runId: string): Promise<boolean> {
  const run = await readQueue(bench, (queue) => queue.find(join(bench.home, 'runs', runId)));
  if (run === undefined || !(await isAlive(run.owner))) return false;
  process.kill(run.owner.pid, 'SIGKILL');
  while (await isAlive(run.owner)) await pause(10);
  return true;
}
