import { isFast } from './rule.ts';
import { type CheckCosts, maxRunaways, type RuleUse, type Verdict, verdictOf } from './rule-tasks.ts';
import { runRuleTask } from './rule-thread.ts';
import { isAllDay } from './series.ts';
import { Unreadable } from './written-value.ts';

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
