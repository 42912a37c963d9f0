import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exceededBudget, priceOf } from './budget.ts';
import { RunQueue } from './run-queue.ts';
import type { Spending } from './spending.ts';

const usage = (input: number, cached: number, output: number) => ({
  input_tokens: input,
  cached_input_tokens: cached,
  output_tokens: output,
  reasoning_output_tokens: 0,
});
const prices = [
  { model: 'gpt-5*mini', input: 1, cached_input: 0.1, output: 10 },
  { model: 'gpt-5*', input: 2, output: 20 },
  { model: 'qwen', input: 0.5, output: 1 },
];

describe('the price of a run', () => {
  it.each([
    ['gpt-5.2-mini', 0.01091, 'the first match, with cheaper cached tokens'],
    ['GPT-5.2', 0.022, 'cached tokens cost as much as others if they have no price'],
    [undefined, 0.0015, 'the name of the agent, if the call names no model'],
    ['gpt-4', -1, 'no price'],
    ['xgpt-5', -1, 'a pattern matches the whole name'],
  ])('with model %s is %d: %s', (model, expected, _) => {
    expect(priceOf(usage(1000, 100, 1000), model, 'qwen', prices) ?? -1).toBeCloseTo(expected, 10);
  });
});

describe('a budget', () => {
  let folder: string;
  let queue: RunQueue;
  let spending: Spending;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'adjutant-budget-'));
    queue = await RunQueue.open(join(folder, 'runs.sqlite'));
    spending = queue.spending;
  });
  afterEach(() => {
    queue.close();
    rmSync(folder, { recursive: true });
  });
  const run = { runId: 'r', tool: 'delegate_run', agent: 'codex', model: 'm', cwd: '/p' };
  const record = (directory: string, tokens: number, startedAt = new Date()) => {
    spending.start({ ...run, directory, startedAt });
    spending.update(directory, usage(tokens, 0, 0), tokens / 100, 60_000);
  };
  const own = { tokens: 50, usd: 0.5, milliseconds: 60_000 };
  const now = new Date();
  const none = { autopilot: undefined, now };

  it('of a run counts its tokens, its money and its time', () => {
    const check = (run: object) => exceededBudget(own, spending, { run }, none)?.reason;
    expect(check({ tokens: 50, usd: 0.5, minutes: 1 })).toBeUndefined();
    expect(check({ tokens: 49 })).toBe(
      'the budget is used up: 50 tokens of 49 per run (delegate.budgets, run.tokens)',
    );
    expect(check({ usd: 0.4 })).toContain('$0.5000 of $0.4 per run');
    expect(check({ minutes: 0.5 })).toContain('1.0 minutes of 0.5 per run');
  });

  it('of an autopilot counts its runs alone, and that of a day the runs since midnight', () => {
    record('/runs/a/subruns/one', 10);
    record('/runs/a/planner/plan-1', 10);
    record('/runs/ab/subruns/one', 100);
    const yesterday = new Date(now);
    yesterday.setHours(0, 0, 0, -1);
    record('/runs/old', 1000, yesterday);
    const autopilot = (tokens: number) =>
      exceededBudget(own, spending, { autopilot: { tokens } }, { autopilot: '/runs/a', now });
    expect(autopilot(20)).toBeUndefined();
    expect(autopilot(19)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('per autopilot'),
    });
    const day = (tokens: number) => exceededBudget(own, spending, { day: { tokens } }, none);
    expect(day(120)).toBeUndefined();
    expect(day(119)).toMatchObject({ reason: expect.stringContaining('120 tokens of 119 per day') });
  });

  it('counts a run that is started again twice, and keeps what is known', () => {
    record('/runs/a', 10);
    record('/runs/a', 10);
    spending.update('/runs/a', undefined, undefined, 5);
    spending.finish('/runs/a', 'completed_with_problems');
    const since = new Date(0);
    expect(spending.spent({ since })).toEqual({ tokens: 20, usd: 0.2, milliseconds: 60_005 });
    expect(spending.groups('model', { since })).toMatchObject([
      { key: 'm', runs: 2, completed: 1, failed: 1 },
    ]);
    expect(spending.groups('agent', { since, actor: { name: 'token somebody' } })).toEqual([]);
  });

  it('counts runs with only the name of a token for the token that is older than they are', () => {
    const startedAt = new Date('2026-05-01T12:00:00Z');
    spending.start({ ...run, directory: '/runs/named', actor: 'token sam', startedAt });
    spending.start({ ...run, directory: '/runs/own', actor: 'token sam 2', startedAt });
    const since = new Date(0);
    const countFor = (id: string, createdAt: string) => {
      const token = { kind: 'named', id, createdAt: Date.parse(createdAt) } as const;
      const groups = spending.groups('agent', { since, actor: { name: 'token sam', token } });
      return groups.map(({ runs }) => runs);
    };
    expect(countFor('1', '2026-05-01T11:59:59Z')).toEqual([1]);
    expect(countFor('1', '2026-05-01T12:00:01Z')).toEqual([]);
    expect(countFor('2', '2026-05-01T12:00:01Z')).toEqual([1]);
  });
});
