// The program of the threads that `rule-thread.ts` starts.
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../json.ts';
import { lowerThreadPriority } from '../../threads/thread-priority.ts';
import type { ThreadAnswer } from '../../threads/work-threads.ts';
import { type RuleTasks, ruleProgram, ruleTasks } from './rule-tasks.ts';

interface Message {
  readonly task: keyof RuleTasks;
  readonly input: unknown;
}

if (parentPort !== null && workerData === ruleProgram) {
  const port = parentPort;
  lowerThreadPriority();
  port.on('message', ({ task, input }: Message) => port.postMessage(answer(task, input)));
}

function answer(task: keyof RuleTasks, input: unknown): ThreadAnswer {
  try {
    return { value: ruleTasks[task](input as never) };
  } catch (error) {
    return { error: { message: messageOf(error) } };
  }
}
