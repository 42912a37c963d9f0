import { parentPort, workerData } from 'node:worker_threads';
import { lowerThreadPriority } from './thread-priority.ts';
import type { ThreadAnswer } from './work-threads.ts';

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
