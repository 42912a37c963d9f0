import { messageOf } from '../../json.ts';
import { checkLimits, cpuMs, expandRule, isRunaway, UnusableRule } from '../../recurrence/rule.ts';
import { runThreadProgram } from '../../threads/thread-program.ts';
import type { ThreadAnswer } from '../../threads/work-threads.ts';
import { expandSeries, extent } from './recurrence.ts';
import { type CalendarTime, isAllDay, type Series, type Window } from './series.ts';

/** Tells the program of a thread that it runs in one. */
export const ruleProgram = 'rule-work';

export const maxRunaways = 5;
/** CPU time that the unusual rules of one calendar may take to check. */
const maxCheckedMs = 3000;

/** A rule and the start of its series. */
export interface RuleUse {
  readonly rule: string;
  readonly start: CalendarTime;
}

/** True if the rule can be used, false if it exceeds the limits, or why the engine rejects it. */
export type Verdict = boolean | string;

/** What the rules of a calendar cost so far. */
export interface CheckCosts {
  readonly runaways: number;
  readonly checkedMs: number;
}

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

/** Work with the engine that can be slow for hostile rules. `rule-thread.ts` runs it in a thread. */
const ruleTasks = {
  check: checkRules,
  expand: ({ series, window, skip }: Expand) => expandSeries(JSON.parse(series) as Series, window, skip),
  extent: ({ series }: { readonly series: string }) => {
    const began = cpuMs();
    const found = extent(JSON.parse(series) as Series, (...query) => expandRule(...query, checkLimits));
    return { ...found, usedMs: cpuMs() - began };
  },
};

export type RuleTasks = typeof ruleTasks;

/** Checks unusual rules of one calendar. `costs` are those of the rules before. */
function checkRules({ uses, nowMs, costs: { runaways, checkedMs } }: Check): {
  readonly verdicts: readonly Verdict[];
  readonly costs: CheckCosts;
} {
  const costs = { runaways, checkedMs };
  const verdicts = uses.map((use) => {
    if (costs.runaways >= maxRunaways || costs.checkedMs > maxCheckedMs) return false;
    const began = cpuMs();
    const verdict = verdictOf(use, nowMs);
    costs.checkedMs += cpuMs() - began;
    if (verdict === false) costs.runaways += 1;
    return verdict;
  });
  return { verdicts, costs };
}

export function verdictOf({ rule, start }: RuleUse, nowMs: number): Verdict {
  const allDay = isAllDay(start);
  const place = { wallMs: Date.parse(allDay ? start.wall : `${start.wall}Z`), allDay, offsets: () => 0 };
  try {
    return !isRunaway(rule, place, nowMs);
  } catch (error) {
    if (!(error instanceof UnusableRule)) throw error;
    return error.message;
  }
}

// The program of the threads that `rule-thread.ts` starts.

runThreadProgram(ruleProgram, answer);

async function answer(task: keyof RuleTasks, input: unknown): Promise<ThreadAnswer> {
  try {
    return { value: ruleTasks[task](input as never) };
  } catch (error) {
    return { error: { message: messageOf(error) } };
  }
}
