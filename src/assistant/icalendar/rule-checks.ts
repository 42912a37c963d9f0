import { cpuMs, isFast, isRunaway, type RuleLimits, shortLimits } from './rule.ts';
import { runRuleTask } from './rule-thread.ts';
import { type CalendarTime, isAllDay } from './series.ts';
import { Unreadable } from './written-value.ts';

const maxRunaways = 5;
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
    if (isFast(use.rule) && !this.#verdicts.has(key))
      this.#verdicts.set(key, verdictOf(use, this.#nowMs, shortLimits));
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
    this.#costs = checked?.costs ?? { runaways: maxRunaways, checkedMs: maxCheckedMs };
    unknown.forEach((use, index) => {
      this.#verdicts.set(keyOf(use), checked?.verdicts[index] ?? false);
    });
  }
}

/** Checks unusual rules of one calendar. `costs` are those of the rules before. */
export function checkRules(
  uses: readonly RuleUse[],
  nowMs: number,
  { runaways, checkedMs }: CheckCosts,
  limits: RuleLimits,
): { readonly verdicts: readonly Verdict[]; readonly costs: CheckCosts } {
  const costs = { runaways, checkedMs };
  const verdicts = uses.map((use) => {
    if (costs.runaways >= maxRunaways || costs.checkedMs > maxCheckedMs) return false;
    const began = cpuMs();
    const verdict = verdictOf(use, nowMs, limits);
    costs.checkedMs += cpuMs() - began;
    if (verdict === false) costs.runaways += 1;
    return verdict;
  });
  return { verdicts, costs };
}

function verdictOf({ rule, start }: RuleUse, nowMs: number, limits: RuleLimits): Verdict {
  const allDay = isAllDay(start);
  const place = { wallMs: Date.parse(allDay ? start.wall : `${start.wall}Z`), allDay, offsets: () => 0 };
  try {
    return !isRunaway(rule, place, nowMs, limits);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return error.message;
  }
}

/** The speed of an unusual rule depends on when its series starts. */
function keyOf({ rule, start }: RuleUse): string {
  return `${rule} ${isFast(rule) ? isAllDay(start) : start.wall}`;
}
