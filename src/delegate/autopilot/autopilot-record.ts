import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import type { Usage } from '../agents/agent.ts';
import { readJson } from '../process/json-file.ts';
import { asAnswer } from '../run/answer.ts';
import { outlineOf } from '../run/run-record.ts';
import { readCall, readEnd, timingSince } from '../run/run-state.ts';
import { changesState } from '../workspace/journal.ts';
import { RunDirectory } from '../workspace/run-directory.ts';
import { workspaceFolder } from '../workspace/workspace.ts';
import { type AutopilotOutput, type JobResult, undecided } from './autopilot-output.ts';
import type { AutopilotRequest } from './autopilot-request.ts';
import type { Comparison } from './comparison.ts';
import type { Decision, JobSpec } from './plan.ts';

/** Loads an autopilot from its run directory, finished or not. */
export async function loadAutopilot(path: string, id: string): Promise<AutopilotOutput | undefined> {
  const directory = new RunDirectory(path, id);
  const call = await readCall(path);
  if (call === undefined) return undefined;
  const end = await readEnd(path);
  const [decision, plan, progress, comparison] = await Promise.all(
    ['autopilot_decision', 'autopilot_plan', 'autopilot_aggregate', 'comparison'].map((name) =>
      readJson(directory.file(`${name}.json`)),
    ),
  );
  const { timing } = outlineOf(id, call, end);
  const jobs = (progress?.['jobs'] as JobResult[] | undefined) ?? [];
  return {
    run_id: id,
    run_dir: path,
    decision: (decision as Decision | undefined) ?? undecided,
    plan: { jobs: [], source: 'none', ...(plan as Partial<AutopilotOutput['plan']> | undefined) },
    jobs,
    aggregate: end?.answer ??
      asAnswer(progress) ?? { summary: 'Planning.', deliverables: [], open_questions: [], next_actions: [] },
    artifacts: await directory.artifacts(),
    timing,
    status: end?.status ?? 'running',
    error: end?.error ?? null,
    usage: end === undefined ? ((progress?.['usage'] as Usage | null | undefined) ?? null) : end.usage,
    warnings: end?.warnings ?? (plan?.['warnings'] as string[] | undefined) ?? [],
    ...(comparison && { comparison: await withChangeStates(comparison as unknown as Comparison, directory) }),
  };
}

/** Adds whose changes are applied: people can apply and undo them after the comparison has ended. */
async function withChangeStates(comparison: Comparison, directory: RunDirectory): Promise<Comparison> {
  const candidates = comparison.candidates.map(async (candidate) => ({
    ...candidate,
    delivery: await changesState(directory.file(`subruns/${candidate.id}/${workspaceFolder}`)),
  }));
  return { ...comparison, candidates: await Promise.all(candidates) };
}

/** The output of an autopilot that failed before it started any job. */
export function failedAutopilot(error: string): AutopilotOutput {
  return {
    run_id: 'unknown',
    run_dir: 'unknown',
    decision: { should_delegate: false, reason: error },
    plan: { jobs: [], source: 'none' },
    jobs: [],
    aggregate: { summary: 'Autopilot failed.', deliverables: [], open_questions: [], next_actions: [] },
    artifacts: [],
    timing: timingSince(new Date()),
    status: 'failed',
    error,
    usage: null,
    warnings: [],
  };
}

/** A hidden file that exists while the autopilot is in progress. */
const file = '.autopilot.json';
/** An autopilot that crashes every host must not be continued for ever. */
const maxHosts = 4;
/** Later than this, the working folder may have changed too much to continue. */
const resumeWindowMs = 60 * 60_000;

/** What another host needs to continue an autopilot. */
export interface AutopilotState {
  readonly request: AutopilotRequest;
  readonly plannerUsage: readonly (Usage | null)[];
  /** How many hosts have carried the autopilot so far. */
  readonly hosts: number;
}

/** Saves the state, unless the request or a job contains a secret: redacted, they could not be run again. */
export async function saveState(
  directory: RunDirectory,
  state: AutopilotState,
  jobs: readonly JobSpec[] = [],
): Promise<void> {
  if (directory.isClean([state, jobs])) await directory.writeJson(file, state);
  else await deleteState(directory);
}

/** Returns `undefined` if the autopilot cannot be continued, or no longer. */
export async function loadResumableState(directory: string): Promise<AutopilotState | undefined> {
  const state = (await readJson(join(directory, file))) as AutopilotState | undefined;
  if (state === undefined || state.hosts >= maxHosts) return undefined;
  return Date.now() - (await lastActivity(directory)) < resumeWindowMs ? state : undefined;
}

export async function deleteState(directory: RunDirectory): Promise<void> {
  await disk.rm(directory.file(file), { force: true });
}

/** The time of the last change by the autopilot or an agent. */
async function lastActivity(directory: string): Promise<number> {
  const jobs = await disk.readdir(join(directory, 'subruns')).catch(() => []);
  const files = [
    file,
    'autopilot_aggregate.json',
    ...jobs.map((job) => join('subruns', job, 'events.jsonl')),
  ];
  const times = files.map(
    async (name) => (await disk.stat(join(directory, name)).catch(() => undefined))?.mtimeMs,
  );
  return Math.max(0, ...(await Promise.all(times)).map((time) => time ?? 0));
}
