import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandboxes } from '../../src/delegate/agents/sandbox.ts';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { cancelOnce } from './cancel.ts';
import { startParallelRuns } from './parallel-runs.ts';
import { killRunHost, killServer, leaveClient } from './survival.ts';
import { codexShim, createWorkbench, nativeCodex, type Workbench } from './workbench.ts';

/** With the real Codex. `npm run prove -- runs` repeats the first part many times. */
let model: Model;
let bench: Workbench;
let settings: Readonly<Record<string, string>>;
beforeAll(async () => {
  model = await startResponsesModel();
  bench = createWorkbench(model.config);
  settings = {
    'delegate-command': await nativeCodex(),
    'delegate-danger-folders': bench.project,
    'delegate-answer-within-seconds': '0',
  };
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await model.close();
});

describe('a run', () => {
  it.each(['run', 'autopilot'] as const)('does not notice that its server is killed: %s', async (work) => {
    expect(await killServer(bench, settings, work, 500)).toEqual({ status: 'completed', problems: [] });
  });

  it.each([
    [100, 0],
    [900, 1],
  ])('has a true state if its process is killed after %i ms', async (milliseconds, round) => {
    expect(await killRunHost(bench, settings, 'run', milliseconds, round)).toMatchObject({ problems: [] });
  });

  it.each([
    [100, 0],
    [2_000, 1],
  ])('of an autopilot continues if its process is killed after %i ms', async (milliseconds, round) => {
    const survival = await killRunHost(bench, settings, 'autopilot', milliseconds, round);
    expect(survival).toEqual({ status: 'completed', problems: [] });
  });

  it.each([
    ['finish', 'completed'],
    ['cancel', 'cancelled'],
  ] as const)('of an autopilot whose client leaves with on_disconnect = %s is %s', async (policy, status) => {
    expect(await leaveClient(bench, settings, policy, 1_000)).toEqual({ status, problems: [] });
  });
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
