import { instantOf, offsetsIn, wallOf } from '../../recurrence/zone.ts';
import type { Clock } from '../../store/store.ts';
import { type Budget, dayMs, type Routine } from '../definition/routine.ts';
import type { Firings } from './firings.ts';

interface Used {
  readonly firings: Firings;
  readonly clock: Clock;
}

const names = ['tokens', 'usd', 'minutes'] as const;

/** What a run may use: the budget of a run, at most what is left of that of the day. */
export async function budgetOf(
  { id, budget = {}, zone }: Routine,
  { firings, clock }: Used,
): Promise<Budget> {
  const { run = {}, day } = budget;
  if (day === undefined) return run;
  const offsets = offsetsIn(zone);
  const wall = wallOf(clock(), offsets);
  const midnight = instantOf(wall - (wall % dayMs), offsets);
  const used = await firings.usedSince(id, midnight);
  const least = names.flatMap((name) => {
    const left = day[name] === undefined ? undefined : Math.max(0, day[name] - used[name]);
    const given = [run[name], left].filter((limit) => limit !== undefined);
    return given.length === 0 ? [] : [[name, Math.min(...given)] as const];
  });
  return Object.fromEntries(least);
}

/** Says that the budget of the day is used up. */
export async function overBudget(routine: Routine, used: Used): Promise<string | undefined> {
  const day = routine.budget?.day;
  const left = day && (await budgetOf({ ...routine, budget: { day } }, used));
  const over = names.find((name) => left?.[name] === 0);
  return over && `its budget of the day is used up: ${day![over]} ${over}`;
}
