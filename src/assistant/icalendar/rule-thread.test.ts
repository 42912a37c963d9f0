import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { evaluateWithoutHandles } from '../../../test/no-file-handles.ts';
import { expandSeries, occurrences } from './recurrence.ts';
import { expandStored, extentOf, RuleChecks, runRuleTask } from './rule-thread.ts';

const dayMs = 86_400_000;
const fromMs = Date.UTC(2026, 0, 2);
const window = { fromMs, toMs: fromMs + 90 * dayMs - 1, zone: 'UTC' };
const seriesOf = (rule: string, others = {}) => ({
  start: { wall: '2026-01-05T09:00:00', zone: 'Europe/Berlin' },
  duration: { days: 0, seconds: 600 },
  rules: [rule],
  ...others,
});
/** Takes a second for these three months. */
const slowRule = 'FREQ=SECONDLY';

it.each(['FREQ=DAILY;BYHOUR=9,17', 'FREQ=HOURLY;INTERVAL=5', 'FREQ=MONTHLY;BYDAY=MO,TU,WE;BYSETPOS=-1'])(
  'expands %s like the main thread',
  async (rule) => {
    const series = seriesOf(rule, { exceptions: [{ wall: '2026-01-12' }] });
    const expanded = await expandStored(JSON.stringify(series), window);
    const { occurrences: expected } = occurrences(series, { ...window, toMs: window.toMs + 1 });
    expect(expected.length).toBeGreaterThan(2);
    expect(expanded).toMatchObject({ occurrences: expected, slow: false });
  },
);

it('leaves out a rule that takes too long, but not the start and the added dates', () => {
  const dates = [{ start: { wall: '2026-02-01T09:00:00', zone: 'Europe/Berlin' } }];
  const series = seriesOf(slowRule, { dates });
  const expanded = expandSeries(series, window, false, 10);
  expect(expanded.slow).toBe(true);
  expect(expanded.occurrences.map(({ startMs }) => new Date(startMs).toISOString())).toEqual([
    '2026-01-05T08:00:00.000Z',
    '2026-02-01T08:00:00.000Z',
  ]);
  expect(expandSeries(series, window, true)).toEqual({ ...expanded, usedMs: 0 });
});

it('skips unusual rules only', async () => {
  const { occurrences: found, slow } = await expandStored(
    JSON.stringify(seriesOf('FREQ=DAILY')),
    window,
    true,
  );
  expect([found.length, slow]).toEqual([87, false]);
});

it('ends a task at its time limit', async () => {
  const input = { series: JSON.stringify(seriesOf(slowRule)), window, skip: false };
  expect(await runRuleTask('expand', input, 1)).toBeUndefined();
  expect(await runRuleTask('expand', { ...input, skip: true })).toMatchObject({ slow: true });
});

it('reports the message of a task that fails', async () => {
  const input = { series: '{', window, skip: false };
  await expect(runRuleTask('expand', input)).rejects.toThrow('JSON');
});

it('finds the end of a counted rule, and leaves it open if the budget is spent', async () => {
  const series = seriesOf('FREQ=DAILY;COUNT=4;BYHOUR=9,17');
  const { lastMs } = await extentOf(series);
  expect(lastMs).toBeGreaterThan(Date.UTC(2026, 0, 6, 16));
  expect(lastMs).toBeLessThan(Date.UTC(2026, 0, 10));
  expect(await extentOf(series, { leftMs: 0 })).toEqual({ firstMs: expect.any(Number) });
});

it('checks the rules of a calendar, and rejects the others after a few runaways', async () => {
  const checks = new RuleChecks(fromMs);
  const { start } = seriesOf('');
  const rules = ['FREQ=DAILY;BYHOUR=9,17', ...[1, 2, 3, 4, 5, 6].map((n) => `FREQ=SECONDLY;INTERVAL=${n}`)];
  const uses = [...rules, 'FREQ=DAILY;BYHOUR=8'].map((rule) => ({ rule, start }));
  expect(uses.map((use) => checks.isUsable(use))).toEqual(uses.map(() => undefined));
  await checks.check(uses);
  expect(uses.map((use) => checks.isUsable(use))).toEqual([true, ...uses.slice(1).map(() => false)]);
});

it('says so if no thread can be started', () => {
  const path = fileURLToPath(new URL('rule-thread.ts', import.meta.url));
  const series = JSON.stringify(JSON.stringify(seriesOf('FREQ=DAILY;BYHOUR=9,17')));
  const expression = `loaded.expandStored(${series}, ${JSON.stringify(window)}).catch(({ message }) => message)`;
  expect(evaluateWithoutHandles(path, expression)).toMatch(
    /^Unusual recurrence rules cannot be computed, because no thread can be started: .*EMFILE/,
  );
});
