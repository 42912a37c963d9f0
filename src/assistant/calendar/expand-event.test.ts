import { expect, it } from 'vitest';
import { meeting, noon } from '../../../test/assistant-rows.ts';
import type { CalendarEvent } from '../../store/schema.ts';
import { RuleBudget } from '../entities/occurrence.ts';
import { expandEvent } from './expand-event.ts';

const dayMs = 86_400_000;
const window = { fromMs: noon, toMs: noon + 30 * dayMs };

function eventOf(id: string, rule: string): CalendarEvent {
  const wall = new Date(noon).toISOString().slice(0, 19);
  const series = { start: { wall, zone: 'UTC' }, duration: { days: 0, seconds: 60 }, rules: [rule] };
  const none = { answers: null, alarms: null, task: null, location: null, description: null };
  return meeting(id, 'ada', noon, { ...none, series: JSON.stringify(series) }) as CalendarEvent;
}

it('charges unusual rules to the budget, and expands simple ones even if it is spent', async () => {
  const budget = new RuleBudget();
  const before = budget.leftMs;
  expect(await expandEvent(eventOf('a', 'FREQ=DAILY;BYHOUR=1,2'), window, 'UTC', budget)).toHaveLength(61);
  expect(budget.leftMs).toBeLessThan(before);
  expect(budget.slow).toEqual([]);
  budget.leftMs = 0;
  const late = eventOf('b', 'FREQ=DAILY;BYHOUR=1,2');
  expect(await expandEvent(late, window, 'UTC', budget)).toHaveLength(1);
  expect(await expandEvent(eventOf('c', 'FREQ=DAILY'), window, 'UTC', budget)).toHaveLength(31);
  expect(budget.slow).toEqual([late]);
  // Only the budget was spent, so a later request computes the rule.
  expect(await expandEvent(late, window, 'UTC')).toHaveLength(61);
});

it('remembers a rule that takes too long, so that it costs its limit only once', {
  timeout: 120_000,
}, async () => {
  const slow = eventOf('d', 'FREQ=SECONDLY');
  const years = { ...window, toMs: window.fromMs + 2000 * dayMs };
  const [first, second] = [new RuleBudget(), new RuleBudget()];
  const found = await expandEvent(slow, years, 'UTC', first);
  expect(first.leftMs).toBeLessThan(second.leftMs);
  expect(await expandEvent(slow, years, 'UTC', second)).toEqual(found);
  expect(second.leftMs).toBe(new RuleBudget().leftMs);
  expect([first.slow, second.slow]).toEqual([[slow], [slow]]);
});
