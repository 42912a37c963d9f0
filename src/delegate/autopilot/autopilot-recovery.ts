import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { log } from '../../log.ts';
import type { Environment } from '../process/environment.ts';
import { readJson } from '../process/json-file.ts';
import type { Redact } from '../process/redaction.ts';
import { withProblems } from '../run/outcome.ts';
import { loadRecord } from '../run/run-record.ts';
import { readCall, timingSince, writeEnd } from '../run/run-state.ts';
import { RunDirectory } from '../workspace/run-directory.ts';
import { Workspace, workspaceFolder } from '../workspace/workspace.ts';
import { endOf } from './autopilot-log.ts';
import {
  type AutopilotOutput,
  aggregate,
  type JobResult,
  overallStatus,
  totalUsage,
} from './autopilot-output.ts';
import { deleteState } from './autopilot-record.ts';
import { endSharedWorkspace, outcomeFile, settleJob } from './job-outcome.ts';

export interface RecoveryOptions {
  readonly env: Environment;
  /** The folder that all servers of the user share. */
  readonly stateDir: string;
  readonly redact: Redact;
}

/**
 * Finishes an autopilot whose host was killed: collects the results of its jobs, skips jobs that had not started, and keeps
 * changes that were not applied. Call it only when none of the autopilot's runs is open.
 */
export async function recoverAutopilot(
  directory: RunDirectory,
  loaded: AutopilotOutput,
  options: RecoveryOptions,
  cancellationReason: string | undefined,
): Promise<AutopilotOutput> {
  const cwd = String((await readCall(directory.path))?.input['cwd'] ?? process.cwd());
  const jobs = await Promise.all(loaded.jobs.map((job) => recoverJob(job, options)));
  // The changes that the jobs share are kept.
  const warnings = await endSharedWorkspace(directory, '', 'keep', options);
  const unrecorded = new Set(loaded.jobs.filter(({ status }) => status === 'running').map(({ id }) => id));
  const combined = aggregate(jobs, cwd);
  const output: AutopilotOutput = {
    ...loaded,
    warnings: [...loaded.warnings, ...warnings],
    jobs,
    aggregate:
      jobs.length > 0
        ? combined
        : { ...combined, summary: 'The autopilot was interrupted before the plan was ready.' },
    timing: timingSince(new Date(loaded.timing.started_at)),
    usage: totalUsage([
      loaded.usage,
      ...jobs.filter(({ id }) => unrecorded.has(id)).map(({ usage }) => usage),
    ]),
    ...finalStatus(jobs, cancellationReason),
  };
  await directory.writeJson('autopilot_aggregate.json', {
    ...output.aggregate,
    status: output.status,
    error: output.error,
    usage: output.usage,
    jobs,
  });
  await writeEnd(directory, endOf(output));
  for (const { run_dir } of jobs) await disk.rm(join(run_dir, outcomeFile), { force: true });
  await deleteState(directory);
  return output;
}

function finalStatus(
  jobs: readonly JobResult[],
  cancellationReason: string | undefined,
): Pick<AutopilotOutput, 'status' | 'error'> {
  const { status, error } = overallStatus(jobs, cancellationReason);
  if (cancellationReason !== undefined) return { status, error };
  const reasons = ['the process of the autopilot was killed', ...(jobs.length > 0 && error ? [error] : [])];
  return { status: 'failed', error: reasons.join('; ') };
}

async function recoverJob(job: JobResult, options: RecoveryOptions): Promise<JobResult> {
  if (job.status === 'waiting')
    return { ...job, status: 'skipped', summary: 'Skipped because the autopilot was interrupted.' };
  if (job.status !== 'running') return job;
  const outcome = await readJson(join(job.run_dir, outcomeFile));
  if (outcome !== undefined) return outcome as unknown as JobResult;
  const record = await loadRecord(job.run_dir, job.run_id);
  const kept = await keepChanges(job, record?.deliverables ?? [], options).catch((error: unknown) => {
    log('warning', `the changes of job ${job.id} could not be examined; they are in ${job.run_dir}`, error);
    return undefined;
  });
  if (record === undefined || record.status === 'running')
    return {
      ...job,
      ...kept,
      status: 'failed',
      summary: 'The job has no result.',
      error: 'the job was interrupted',
    };
  // A job whose changes are not in the user's folder has not completed its task.
  const problems =
    kept?.patch === undefined
      ? []
      : [`its changes were not applied; "adjutant runs apply ${job.run_id}" applies them`];
  const { status, error } = record;
  return { ...job, ...record, ...kept, ...withProblems({ status, error }, problems) };
}

/** Writes the changes of an isolated job as a patch. They stay in its run directory, for `adjutant runs apply`. */
async function keepChanges(
  job: JobResult,
  deliverables: JobResult['deliverables'],
  { env, stateDir, redact }: RecoveryOptions,
): Promise<Pick<JobResult, 'patch' | 'evidence' | 'warnings'> | undefined> {
  const workspace = await Workspace.open(join(job.run_dir, workspaceFolder), env);
  if (workspace === undefined) return undefined;
  const directory = new RunDirectory(job.run_dir, job.run_id, redact);
  const options = { stateDir, env, end: 'keep' } as const;
  const { conflicts: _, ...kept } = await settleJob({ ...job, deliverables }, workspace, directory, options);
  return kept;
}
