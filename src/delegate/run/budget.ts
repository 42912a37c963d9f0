import type { AgentName } from '../agents/agent.ts';
import type { Stop } from '../record/outcome.ts';
import type { Usage } from '../session/agent-event.ts';
import type { Spending, Spent } from './spending.ts';

/** Limits; absent ones do not apply. */
export interface Budget {
  readonly tokens?: number;
  readonly usd?: number;
  readonly minutes?: number;
}

export interface Budgets {
  readonly run?: Budget;
  readonly autopilot?: Budget;
  readonly day?: Budget;
}

/** US dollars per million tokens of the models whose names match, where `*` stands for any text. */
export interface Price {
  readonly model: string;
  readonly input: number;
  readonly cached_input?: number;
  readonly output: number;
}

/** The price of tokens; `undefined` if no price is set for the model. */
export function priceOf(
  usage: Usage | undefined,
  model: string | undefined,
  agent: AgentName,
  prices: readonly Price[],
): number | undefined {
  // A run that names no model is priced by the name of its agent.
  const name = model ?? agent;
  const price = prices.find((one) => matches(one.model, name));
  if (usage === undefined || price === undefined) return undefined;
  const { input_tokens: input, cached_input_tokens: cached, output_tokens: output } = usage;
  const millions =
    (input - cached) * price.input + cached * (price.cached_input ?? price.input) + output * price.output;
  return millions / 1_000_000;
}

function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'i').test(name);
}

export interface BudgetCheck {
  /** The directory of the autopilot that the run is part of. */
  readonly autopilot: string | undefined;
  readonly now: Date;
}

/** The reason to stop a run, if it, its autopilot or the runs of the day have used up their budget. */
export function exceededBudget(
  own: Spent,
  spending: Spending,
  budgets: Budgets,
  { autopilot, now }: BudgetCheck,
): Stop | undefined {
  const midnight = new Date(now);
  midnight.setHours(0, 0, 0, 0);
  const reason =
    exceeded(budgets.run, 'run', () => own) ??
    (autopilot === undefined
      ? undefined
      : exceeded(budgets.autopilot, 'autopilot', () => spending.spent({ autopilot }))) ??
    exceeded(budgets.day, 'day', () => spending.spent({ since: midnight }));
  return reason === undefined ? undefined : { status: 'failed', reason };
}

function exceeded(budget: Budget | undefined, of: string, measure: () => Spent): string | undefined {
  if (budget === undefined) return undefined;
  const { tokens, usd, milliseconds } = measure();
  const describe = (used: string, limit: string, name: string) =>
    `the budget is used up: ${used} of ${limit} per ${of} (delegate.budgets, ${of}.${name})`;
  if (budget.tokens !== undefined && tokens > budget.tokens)
    return describe(`${tokens} tokens`, String(budget.tokens), 'tokens');
  if (budget.usd !== undefined && usd > budget.usd)
    return describe(`$${usd.toFixed(4)}`, `$${budget.usd}`, 'usd');
  const minutes = milliseconds / 60_000;
  if (budget.minutes !== undefined && minutes > budget.minutes)
    return describe(`${minutes.toFixed(1)} minutes`, String(budget.minutes), 'minutes');
  return undefined;
}
