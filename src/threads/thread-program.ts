import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadAnswer } from './work-threads.ts';

/** Leaves the thread about a third of the processor time of a normal one. With less, it could exceed its time limit on a busy machine. */
const niceness = 5;

/** Answers the tasks of `WorkThreads` if the current thread was started with this program name. Returns whether it was. */
export function runThreadProgram<Task extends string>(
  name: string,
  answer: (task: Task, input: unknown) => Promise<ThreadAnswer>,
): boolean {
  if (parentPort === null || workerData !== name) return false;
  const port = parentPort;
  lowerThreadPriority();
  port.on('message', async ({ task, input }: { readonly task: Task; readonly input: unknown }) =>
    port.postMessage(await answer(task, input)),
  );
  return true;
}

/**
 * Gives the main thread, which answers all clients, precedence over the current thread when there are not enough processor cores.
 * Works on Linux only; other systems have no priorities for single threads.
 */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    // Linux accepts the id of a thread in place of the id of a process.
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    setPriority(thread, Math.max(getPriority(thread), niceness));
  } catch {
    // Without permission, the thread keeps its priority.
  }
}
