import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AutopilotOutput } from '../../src/delegate/autopilot/autopilot-output.ts';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, script } from '../model/turn.ts';
import { autopilotTask, job } from './autopilot-task.ts';
import { eventually } from './eventually.ts';
import { killHost } from './kill-host.ts';
import { createWorkbench, nativeCodex, type Workbench } from './workbench.ts';

/** Budgets with the real Codex, whose model reports 120 tokens per call: 100 of input, 40 of them cached, and 20 of output. */
let model: Model;
let bench: Workbench;
beforeEach(async () => {
  model = await startResponsesModel();
  bench = createWorkbench(model.config);
});
afterEach(async () => {
  await bench[Symbol.asyncDispose]();
  await model.close();
});

const connect = async (toml: string) => {
  writeFileSync(join(bench.home, 'adjutant.toml'), toml);
  return bench.connect({ 'delegate-command': await nativeCodex(), 'delegate-answer-within-seconds': '0' });
};
const call = (task: string) => ({ task, cwd: bench.project });
const busy = script({ shell: 'true' }, { hang: true });
const price = '[[delegate.prices]]\nmodel = "codex"\ninput = 1000\noutput = 1000\n';

it.each([
  ['tokens = 119', '120 tokens of 119 per run (delegate.budgets, run.tokens)'],
  ['usd = 0.1', '$0.1200 of $0.1 per run (delegate.budgets, run.usd)'],
  [
    'minutes = 0.03',
    expect.stringMatching(/0\.\d\d minutes of 0\.03 per run \(delegate\.budgets, run\.minutes\)$/),
  ],
])('ends a run that exceeds %s', async (limit, reason) => {
  const server = await connect(`[delegate.budgets.run]\n${limit}\n${price}`);
  const { record } = await server.call('delegate_run', call(busy));
  expect(record.status).toBe('failed');
  expect(record.error?.replace('the budget is used up: ', '')).toEqual(reason);
});

it('lets a run use exactly its budget, and starts no run when that of the day is used up', async () => {
  const server = await connect('[delegate.budgets]\nrun = { tokens = 120 }\nday = { tokens = 120 }\n');
  const first = await server.call('delegate_run', call(script(answer())));
  expect(first.record).toMatchObject({ status: 'completed', warnings: [] });
  const sent = model.requests.length;
  const second = await server.call('delegate_run', call('Too late.'));
  expect(second.record).toMatchObject({
    status: 'failed',
    error: 'the budget is used up: 120 tokens of 120 per day (delegate.budgets, day.tokens)',
  });
  expect(model.requests).toHaveLength(sent);
});

it('ends all runs in progress when they exceed the budget of the day together', async () => {
  const server = await connect('[delegate.budgets.day]\ntokens = 300\n');
  const runs = await Promise.all([busy, busy, busy].map((task) => server.call('delegate_run', call(task))));
  expect(runs.map(({ record }) => record.error)).toEqual(
    Array(3).fill('the budget is used up: 360 tokens of 300 per day (delegate.budgets, day.tokens)'),
  );
});

it('ends the jobs of an autopilot that exceeds its budget, also counting a job that had to run again', async () => {
  const server = await connect('[delegate.budgets.autopilot]\ntokens = 300\n');
  const slow = job('slow', {}, { shell: 'true' }, { shell: 'sleep 30', timeoutMs: 60_000 });
  const output = server.call('delegate_autopilot', call(autopilotTask(slow)));
  const run_id = await eventually(async () => {
    const { record } = await server.call('list_runs', {});
    const [run] = (record as unknown as { runs: { run_id: string }[] }).runs;
    const { text } = await server.call('tail_run', { run_id: `${run?.run_id}/slow` });
    expect(text).toContain('sleep 30');
    return run!.run_id;
  });
  expect(await killHost(bench, run_id)).toBe(true);
  // The planner, the job and its second attempt have used 120 tokens each.
  const { jobs, error } = (await output).record as unknown as AutopilotOutput;
  expect(jobs).toMatchObject([{ id: 'slow', status: 'failed' }]);
  expect(error).toBe(
    'slow: the budget is used up: 360 tokens of 300 per autopilot (delegate.budgets, autopilot.tokens)',
  );
});

it('says that a budget in US dollars does not count a run without a price', async () => {
  const server = await connect('[delegate.budgets.day]\nusd = 1\n');
  const { record } = await server.call('delegate_run', call(script(answer())));
  expect(record).toMatchObject({
    status: 'completed',
    cost_usd: null,
    warnings: [
      'The cost of this run is unknown, so the budget in US dollars does not count it: delegate.prices has no price for "codex".',
    ],
  });
});
