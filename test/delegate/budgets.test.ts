import { writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listRunProcesses } from '../../src/delegate/process/process-table.ts';
import { startMessagesModel } from '../model/messages-model.ts';
import type { Model } from '../model/responses-model.ts';
import { answer, script } from '../model/turn.ts';
import { claude, createWorkbench, type Workbench } from './workbench.ts';

/** Tests with the real Claude Code, whose model reports 160 tokens per call. */
let model: Omit<Model, 'config'>;
let bench: Workbench;
beforeAll(async () => {
  model = await startMessagesModel();
  bench = createWorkbench();
  const path = [dirname(claude), bench.env['PATH']].join(delimiter);
  Object.assign(bench.env, { PATH: path, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'none' });
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await model.close();
});

const read = () => ({ tool: 'Read', arguments: { file_path: join(bench.project, 'README.md') } });

it('ends a run in the middle of its work, then all runs of the day, and counts them in the statistics', {
  timeout: 120_000,
}, async () => {
  const configure = (toml: string) => {
    writeFileSync(join(bench.home, 'adjutant.toml'), toml);
    return bench.connect({ 'delegate-agent': 'claude' });
  };
  const first = await configure('[delegate.budgets.run]\ntokens = 300\n');
  const call = { cwd: bench.project, model: 'sonnet' };
  const task = script(read(), { ...read(), arguments: { file_path: '/nothing' } }, { hang: true });
  const { record } = await first.call('delegate_run', { ...call, task });
  expect(record).toMatchObject({
    status: 'failed',
    error: 'the budget is used up: 320 tokens of 300 per run (delegate.budgets, run.tokens)',
    usage: { input_tokens: 280, output_tokens: 40 },
    agent: 'claude',
    protocol: 'stream-json',
  });
  expect(await listRunProcesses(undefined, record.run_id)).toEqual([]);
  const within = await first.call('delegate_run', { ...call, task: script(answer({ summary: 'Cheap.' })) });
  expect(within.record).toMatchObject({ status: 'completed', summary: 'Cheap.' });
  expect(within.record.cost_usd).toBeGreaterThan(0);
  await first.close();

  const second = await configure('[delegate.budgets.day]\ntokens = 400\n');
  const before = model.requests.length;
  const refused = await second.call('delegate_run', { ...call, task: 'Too late.' });
  expect(refused.record).toMatchObject({
    status: 'failed',
    error: 'the budget is used up: 480 tokens of 400 per day (delegate.budgets, day.tokens)',
  });
  expect(model.requests.length).toBe(before);
  const { record: statistics } = await second.call('run_statistics', {});
  expect(statistics).toMatchObject({
    agent: [{ key: 'claude', runs: 3, completed: 1, failed: 2, tokens: { input: 420, output: 60 } }],
    model: [{ key: 'sonnet', runs: 3 }],
    folder: [{ key: bench.project, runs: 3 }],
    day: [{ key: new Date().toLocaleDateString('sv-SE'), runs: 3 }],
  });
});
