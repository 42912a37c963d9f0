// The program of the threads that `rule-thread.ts` starts.
import { messageOf } from '../../json.ts';
import { runThreadProgram } from '../../threads/thread-program.ts';
import type { ThreadAnswer } from '../../threads/work-threads.ts';
import { type RuleTasks, ruleProgram, ruleTasks } from './rule-tasks.ts';

runThreadProgram(ruleProgram, answer);

function answer(task: keyof RuleTasks, input: unknown): ThreadAnswer {
  try {
    return { value: ruleTasks[task](input as never) };
  } catch (error) {
    return { error: { message: messageOf(error) } };
  }
}
