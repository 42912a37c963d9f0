import { checkRule, cpuMs, isFast } from './rule.ts';
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

/**
 * Finds out whether the rules of a calendar can be expanded within the limits. After a few runaway rules, or many slow
 * ones, other unusual rules are rejected unchecked, so that a calendar full of them cannot take forever.
 */
export class RuleChecks {
  readonly #nowMs: number;
  /** The verdict for each rule. Most calendars repeat a few simple rules thousands of times. */
  readonly #verdicts = new Map<string, boolean | Unreadable>();
  #runaways = 0;
  #checkedMs = 0;

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  /** Whether the rule can be used, or `undefined` if it must be checked first. Throws `Unreadable` if the engine rejects it. */
  isUsable(use: RuleUse): boolean | undefined {
    if (isFast(use.rule) && !this.#verdicts.has(keyOf(use))) for (const _ of this.check(use));
    const verdict = this.#verdicts.get(keyOf(use));
    if (verdict instanceof Unreadable) throw verdict;
    return verdict;
  }

  /** Checks an unusual rule. Yields between the steps, each of which blocks other requests. */
  *check(use: RuleUse): Generator<void> {
    const { rule, start } = use;
    const key = keyOf(use);
    if (this.#verdicts.has(key)) return;
    const isUnusual = !isFast(rule);
    if (isUnusual && (this.#runaways >= maxRunaways || this.#checkedMs > maxCheckedMs)) {
      this.#verdicts.set(key, false);
      return;
    }
    const allDay = isAllDay(start);
    const place = { wallMs: Date.parse(allDay ? start.wall : `${start.wall}Z`), allDay, offsets: () => 0 };
    const steps = checkRule(rule, place, this.#nowMs);
    try {
      for (;;) {
        const began = cpuMs();
        const { value: isRunaway, done } = steps.next();
        if (isUnusual) this.#checkedMs += cpuMs() - began;
        if (done) {
          if (isRunaway) this.#runaways += 1;
          this.#verdicts.set(key, !isRunaway);
          return;
        }
        yield;
      }
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.#verdicts.set(key, error);
    }
  }
}

/** The speed of an unusual rule depends on when its series starts. */
function keyOf({ rule, start }: RuleUse): string {
  return `${rule} ${isFast(rule) ? isAllDay(start) : start.wall}`;
}
