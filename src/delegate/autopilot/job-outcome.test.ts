import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { notStartedRecord } from '../run/run-record.ts';
import { RunDirectory } from '../workspace/run-directory.ts';
import { recordJobOutcome } from './job-outcome.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-job-outcome-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function recordOutcome(signal: AbortSignal) {
  const subrun = await RunDirectory.create(folder);
  const job = {
    id: 'one',
    title: 'Job one',
    task: 'Do it.',
    thinking_level: 'low',
    role: 'worker',
    sandbox: 'danger-full-access',
    depends_on: [],
    acceptance: ['true'],
    skills_mode: 'none',
    max_skills: 0,
  } as const;
  const record = { ...notStartedRecord(''), error: null, status: 'completed' } as const;
  const checks = {
    allowed: ['true'],
    confine: async () => undefined,
    timeoutMs: 10_000,
    env: process.env,
    hiddenVariables: [],
  };
  return recordJobOutcome(
    { job, record, subrun, workspace: undefined },
    { cwd: folder, stateDir: folder, checks, signal, applied: 'completed' },
  );
}

it('completes a job that passes its checks', async () => {
  expect(await recordOutcome(new AbortController().signal)).toMatchObject({
    status: 'completed',
    evidence: { checks: [{ command: 'true', status: 'passed' }] },
  });
});

it('cancels a job whose checks were cancelled before they ran', async () => {
  expect(await recordOutcome(AbortSignal.abort(new Error('enough')))).toMatchObject({
    status: 'cancelled',
    error: 'cancelled: enough',
    evidence: { checks: [] },
  });
});
