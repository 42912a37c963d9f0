import type { ValueOf } from '../../tool.ts';
import type { AgentName } from '../agents/agent.ts';
import type { Usage } from '../agents/protocols/agent-event.ts';
import { matches } from '../process/private-files.ts';
import type { Stop } from './outcome.ts';
import type { Spending, Spent } from './spending.ts';

export const budgetSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    tokens: { type: 'integer', minimum: 0 },
    usd: { type: 'number', minimum: 0 },
    minutes: { type: 'number', minimum: 0 },
  },
} as const;

/** Limits; absent ones do not apply. */
export type Budget = ValueOf<typeof budgetSchema>;

/** The narrower of two budgets, limit by limit. */
export function narrowBudget(one: Budget | undefined, other: Budget | undefined): Budget | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const least = (name: keyof Budget) => {
    const limits = [one[name], other[name]].filter((limit) => limit !== undefined);
    return limits.length === 0 ? {} : { [name]: Math.min(...limits) };
  };
  return { ...least('tokens'), ...least('usd'), ...least('minutes') };
}

export interface Budgets {
  readonly run?: Budget;
  readonly autopilot?: Budget;
  readonly day?: Budget;
}

/** US dollars per million tokens of the models whose names match, where `*` stands for any text. */
export const priceSchema = {
  type: 'object',
  required: ['model', 'input', 'output'],
  additionalProperties: false,
  properties: {
    model: {
      type: 'string',
      description: 'Model, or agent for runs that name no model. * stands for any text',
    },
    input: { type: 'number', minimum: 0 },
    cached_input: { type: 'number', minimum: 0 },
    output: { type: 'number', minimum: 0 },
  },
} as const;
export type Price = ValueOf<typeof priceSchema>;

/** The price of tokens; `undefined` if no price is set for the model. */
export function priceOf(
  usage: Usage | undefined,
  model: string | undefined,
  agent: AgentName,
  prices: readonly Price[],
): number | undefined {
  // A run that names no model is priced by the name of its agent.
  const name = model ?? agent;
  const price = prices.find((one) => matches([one.model])(name));
  if (usage === undefined || price === undefined) return undefined;
  const { input_tokens: input, cached_input_tokens: cached, output_tokens: output } = usage;
  const millions =
    (input - cached) * price.input + cached * (price.cached_input ?? price.input) + output * price.output;
  return millions / 1_000_000;
}

export interface BudgetCheck {
  /** The directory of the autopilot that the run is part of. */
  readonly autopilot: string | undefined;
  readonly now: Date;
  /** True before the agent starts: a run must not start with nothing left. */
  readonly isStart?: boolean;
}

/** What to tell about a finished run: that its cost is unknown, or that it has used more than a budget allows. */
export function budgetWarnings(
  run: {
    readonly isCompleted: boolean;
    readonly name: string;
    readonly usd: number | null;
    readonly spent: Spent;
  },
  spending: Spending,
  budgets: Budgets,
  check: BudgetCheck,
): readonly string[] {
  const limitsMoney = [budgets.run, budgets.autopilot, budgets.day].some((one) => one?.usd !== undefined);
  const over = run.isCompleted ? exceededBudget(run.spent, spending, budgets, check)?.reason : undefined;
  return [
    ...(limitsMoney && run.usd === null && run.spent.tokens > 0
      ? [
          `The cost of this run is unknown, so the budget in US dollars does not count it: delegate.prices has no price for "${run.name}".`,
        ]
      : []),
    ...(over === undefined ? [] : [over]),
  ];
}

/** The reason to stop a run, if it, its autopilot or the runs of the day have used up their budget. */
export function exceededBudget(
  own: Spent,
  spending: Spending,
  budgets: Budgets,
  { autopilot, now, isStart = false }: BudgetCheck,
): Stop | undefined {
  const midnight = new Date(now);
  midnight.setHours(0, 0, 0, 0);
  const reason =
    exceeded(budgets.run, 'run', () => own) ??
    (autopilot === undefined
      ? undefined
      : exceeded(budgets.autopilot, 'autopilot', () => spending.spent({ autopilot }), isStart)) ??
    exceeded(budgets.day, 'day', () => spending.spent({ since: midnight }), isStart);
  return reason === undefined ? undefined : { status: 'failed', reason, overBudget: true };
}

function exceeded(
  budget: Budget | undefined,
  of: string,
  measure: () => Spent,
  isStart = false,
): string | undefined {
  if (budget === undefined) return undefined;
  const { tokens, usd, milliseconds } = measure();
  const describe = (used: string, limit: string, name: string) =>
    `the budget is used up: ${used} of ${limit} per ${of} (delegate.budgets, ${of}.${name})`;
  const isOver = (used: number, limit: number | undefined): limit is number =>
    limit !== undefined && (used > limit || (isStart && used >= limit));
  if (isOver(tokens, budget.tokens)) return describe(`${tokens} tokens`, String(budget.tokens), 'tokens');
  if (isOver(usd, budget.usd)) return describe(`$${usd.toFixed(4)}`, `$${budget.usd}`, 'usd');
  const minutes = milliseconds / 60_000;
  if (isOver(minutes, budget.minutes))
    return describe(`${minutes.toFixed(minutes < 1 ? 2 : 1)} minutes`, String(budget.minutes), 'minutes');
  return undefined;
}
