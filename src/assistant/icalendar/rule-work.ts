import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../json.ts';
import type { ThreadAnswer } from '../../threads/work-threads.ts';
import { expandSeries } from './expand-series.ts';
import { extent } from './recurrence.ts';
import { checkLimits, cpuMs, expandRule, type RuleLimits, shortLimits } from './rule.ts';
import { type CheckCosts, checkRules, type RuleUse } from './rule-checks.ts';
import { ruleProgram } from './rule-thread.ts';
import type { Series, Window } from './series.ts';

interface Check {
  readonly uses: readonly RuleUse[];
  readonly nowMs: number;
  readonly costs: CheckCosts;
}

/** A series as stored, in JSON. */
interface Expand {
  readonly series: string;
  readonly window: Window;
  /** Leaves out unusual rules. */
  readonly skip: boolean;
}

/** Work with the engine that can be slow for hostile rules. `rule-thread.ts` runs it in a thread, whose program is this file. */
const tasks = {
  check: ({ uses, nowMs, costs }: Check, limits: RuleLimits = checkLimits) =>
    checkRules(uses, nowMs, costs, limits),
  expand: ({ series, window, skip }: Expand, limits?: RuleLimits) =>
    expandSeries(parse(series), window, skip, limits),
  extent: ({ series }: { readonly series: string }, limits: RuleLimits = checkLimits) => {
    const began = cpuMs();
    const found = extent(parse(series), (...query) => expandRule(...query, limits));
    return { ...found, usedMs: cpuMs() - began };
  },
};

export type RuleTasks = typeof tasks;

/** Runs a task on the main thread, with short limits. */
export function runShort<Task extends keyof RuleTasks>(
  task: Task,
  input: Parameters<RuleTasks[Task]>[0],
): ReturnType<RuleTasks[Task]> {
  return tasks[task](input as never, shortLimits) as ReturnType<RuleTasks[Task]>;
}

function parse(series: string): Series {
  return JSON.parse(series) as Series;
}

if (parentPort !== null && workerData === ruleProgram) {
  const port = parentPort;
  port.on('message', ({ task, input }: { readonly task: keyof RuleTasks; readonly input: unknown }) => {
    let answer: ThreadAnswer;
    try {
      answer = { value: tasks[task](input as never) };
    } catch (error) {
      answer = { error: { message: messageOf(error) } };
    }
    port.postMessage(answer);
  });
}
