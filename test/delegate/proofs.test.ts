import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandboxes } from '../../src/delegate/agents/sandbox.ts';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { crashAutopilotOnce } from './autopilot-crash.ts';
import { cancelOnce } from './cancel.ts';
import { crashOnce } from './crash.ts';
import { startParallelRuns } from './parallel-runs.ts';
import { codexShim, createWorkbench, nativeCodex, type Workbench } from './workbench.ts';

/** Small versions of the checks in `npm run prove:delegate`, with the real Codex. */
let model: Model;
let bench: Workbench;
let settings: Readonly<Record<string, string>>;
beforeAll(async () => {
  model = await startResponsesModel();
  bench = createWorkbench(model.config);
  settings = { 'delegate-command': await nativeCodex(), 'delegate-danger-folders': bench.project };
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await model.close();
});

describe('a server that is killed during a run', () => {
  it.each([
    [200, 0],
    [900, 1],
    [1_500, 2],
  ])('after %i ms leaves a run that the next server reports correctly', async (milliseconds, round) => {
    expect(await crashOnce(bench, settings, milliseconds, round)).toMatchObject({ problems: [] });
  });
});

describe('a server that is killed during an autopilot', () => {
  it.each([100, 1_300, 2_600])(
    'after %i ms leaves an autopilot that the next server finishes without repeating a job',
    async (ms) => {
      expect(await crashAutopilotOnce(bench, settings, ms)).toMatchObject({ problems: [] });
    },
  );
});

describe('a run that is cancelled', () => {
  it.each(sandboxes)('leaves no process behind: %s', async (sandbox) => {
    const report = await cancelOnce(bench, settings, sandbox);
    expect(report.record).toMatchObject({ status: 'cancelled', error: 'cancelled: changed my mind' });
    expect(report.left).toEqual([]);
    const ended = report.record.ended_processes.map(({ command }) => command).join('\n');
    for (const name of ['child', 'session', 'orphan']) expect(ended).toContain(`-${name} 1000`);
  });

  it('leaves no process behind if the npm launcher stays the parent of Codex', async () => {
    const withoutExecve = {
      NODE_OPTIONS: `--require=${join(import.meta.dirname, '../fixtures/agent/no-execve.cjs')}`,
    };
    Object.assign(bench.env, withoutExecve);
    try {
      const report = await cancelOnce(
        bench,
        { ...settings, 'delegate-command': codexShim },
        'danger-full-access',
      );
      const ended = report.record.ended_processes.map(({ command }) => command).join('\n');
      expect(ended).toContain('codex.js');
      expect(report.left).toEqual([]);
    } finally {
      delete bench.env['NODE_OPTIONS'];
    }
  });
});

describe('parallel runs', () => {
  it('on two servers all finish, with at most two at a time', async () => {
    const limits = { ...settings, 'delegate-max-parallel': '2', 'delegate-answer-within-seconds': '0' };
    const { records, maxObserved, maxReported } = await startParallelRuns(bench, limits, 2, 8);
    expect(records.map(({ status }) => status)).toEqual(Array(8).fill('completed'));
    expect(Math.max(maxObserved, maxReported)).toBe(2);
  });
});
