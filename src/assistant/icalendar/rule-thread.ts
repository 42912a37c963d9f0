import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { isFast, withoutRules } from '../../recurrence/rule.ts';
import { ThreadLimit, WorkThreads } from '../../threads/work-threads.ts';
import { expandSeries, extent, isUnusual, type SeriesExpansion } from './recurrence.ts';
import {
  type CheckCosts,
  maxRunaways,
  type RuleTasks,
  type RuleUse,
  ruleProgram,
  type Verdict,
  verdictOf,
} from './rule-work.ts';
import { isAllDay, type Series, type Window } from './series.ts';
import { Unreadable } from './written-value.ts';

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

/**
 * Finds out whether the rules of a calendar can be expanded within the limits. After a few runaway rules, or many slow
 * ones, other unusual rules are rejected unchecked, so that a calendar full of them cannot take forever.
 */
export class RuleChecks {
  readonly #nowMs: number;
  /** The verdict for each rule. Most calendars repeat a few simple rules thousands of times. */
  readonly #verdicts = new Map<string, Verdict>();
  #costs: CheckCosts = { runaways: 0, checkedMs: 0 };

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  /** Whether the rule can be used, or `undefined` if it must be checked first. Throws `Unreadable` if the engine rejects it. */
  isUsable(use: RuleUse): boolean | undefined {
    const key = keyOf(use);
    if (isFast(use.rule) && !this.#verdicts.has(key)) this.#verdicts.set(key, verdictOf(use, this.#nowMs));
    const verdict = this.#verdicts.get(key);
    if (typeof verdict === 'string') throw new Unreadable(verdict);
    return verdict;
  }

  /** Checks unusual rules in a thread. */
  async check(uses: readonly RuleUse[]): Promise<void> {
    const unknown = uses.filter((use) => !isFast(use.rule) && !this.#verdicts.has(keyOf(use)));
    if (unknown.length === 0) return;
    const input = { uses: unknown, nowMs: this.#nowMs, costs: this.#costs };
    const checked = await runRuleTask('check', input);
    this.#costs = checked?.costs ?? { ...this.#costs, runaways: maxRunaways };
    unknown.forEach((use, index) => {
      this.#verdicts.set(keyOf(use), checked?.verdicts[index] ?? false);
    });
  }
}

/** The speed of an unusual rule depends on when its series starts. */
function keyOf({ rule, start }: RuleUse): string {
  return `${rule} ${isFast(rule) ? isAllDay(start) : start.wall}`;
}
