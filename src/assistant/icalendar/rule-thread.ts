import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { ThreadLimit, WorkThreads } from '../../threads/work-threads.ts';
import { expandSeries, isUnusual, type SeriesExpansion } from './expand-series.ts';
import { extent } from './recurrence.ts';
import { isFast, withoutRules } from './rule.ts';
import { type RuleTasks, ruleProgram } from './rule-tasks.ts';
import type { Series, Window } from './series.ts';

/** A series with thousands of dates takes some time even to parse. */
const longSeries = 32 * 1024;

/** Longer than any task takes by its own limits, unless the machine is very busy. */
const timeoutMs = 60_000;

const threads = new WorkThreads({ name: ruleProgram, file: programFile, maxThreads: 2, maxMegabytes: 256 });

/**
 * Runs a task in a thread, because an unusual rule can keep the engine busy for seconds. Returns `undefined` if the task
 * needs too much time or memory.
 */
export async function runRuleTask<Task extends keyof RuleTasks>(
  task: Task,
  input: Parameters<RuleTasks[Task]>[0],
  limitMs = timeoutMs,
): Promise<ReturnType<RuleTasks[Task]> | undefined> {
  let answer: Awaited<ReturnType<typeof threads.run>>;
  try {
    answer = await threads.run(task, input, { timeoutMs: limitMs });
  } catch (error) {
    if (error instanceof ThreadLimit) return undefined;
    throw new Failure(
      'unavailable',
      `Unusual recurrence rules cannot be computed, because no thread can be started: ${messageOf(error)}. Try again when the system has more file handles and memory.`,
      { cause: error },
    );
  }
  if ('value' in answer) return answer.value as ReturnType<RuleTasks[Task]>;
  throw new Error(answer.error.message);
}

/** Expands a series in JSON, in a thread if it is long or has unusual rules. `skip` leaves out unusual rules. */
export async function expandStored(series: string, window: Window, skip = false): Promise<SeriesExpansion> {
  if (series.length <= longSeries) {
    const parsed = JSON.parse(series) as Series;
    if (skip || !isUnusual(parsed)) return expandSeries(parsed, window, skip);
  }
  const expanded =
    (await runRuleTask('expand', { series, window, skip })) ??
    (await runRuleTask('expand', { series, window, skip: true }));
  if (expanded === undefined) throw new Error('the series takes too long to compute');
  return expanded;
}

/** Like `extent`, in a thread if an unusual rule must be expanded to its end. If the budget is spent, the end is unknown. */
export async function extentOf(series: Series, budget = { leftMs: 1 }): Promise<ReturnType<typeof extent>> {
  const isCounted = series.rules?.some((rule) => rule.includes('COUNT=') && !isFast(rule));
  if (!isCounted) return extent(series);
  const found =
    budget.leftMs <= 0 ? undefined : await runRuleTask('extent', { series: JSON.stringify(series) });
  budget.leftMs -= found?.usedMs ?? 0;
  return found ?? extent(series, withoutRules);
}

/** The built file beside the bundle, or the module when running from source. */
function programFile(): string {
  const built = join(import.meta.dirname, `${ruleProgram}.cjs`);
  return existsSync(built) ? built : join(import.meta.dirname, `${ruleProgram}.ts`);
}
