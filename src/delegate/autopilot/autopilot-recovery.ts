import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { log } from '../../log.ts';
import { type Merge, Worktree, type WorktreeOptions } from '../changes/worktree.ts';
import { readJson } from '../files/json-file.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import { loadRecord } from '../record/run-record.ts';
import { aggregate, overallStatus, totalUsage } from './aggregate.ts';
import { resultFile } from './autopilot-log.ts';
import type { AutopilotOutput, JobResult, Patch } from './autopilot-output.ts';
import { deleteState } from './autopilot-state.ts';
import { judgeDelivery, leftBehindFolder } from './job-delivery.ts';
import { outcomeFile } from './job-outcome.ts';

/**
 * Finishes an autopilot whose host was killed: collects the results of its jobs, skips jobs that had not started, and saves
 * unmerged changes as patches. Call it only when none of the autopilot's runs is open.
 */
export async function recoverAutopilot(
  directory: RunDirectory,
  loaded: AutopilotOutput,
  options: WorktreeOptions,
  cancellationReason: string | undefined,
): Promise<AutopilotOutput> {
  const request = await readJson(directory.file('request.json'));
  const cwd = String((request?.['request'] as Record<string, unknown> | undefined)?.['cwd'] ?? process.cwd());
  const trees = await recoverWorktrees(directory, options);
  const jobs = await Promise.all(
    loaded.jobs.map((job) => recoverJob(directory, job, trees.get(job.id), cwd)),
  );
  const finishedAt = new Date();
  const unrecorded = new Set(loaded.jobs.filter(({ status }) => status === 'running').map(({ id }) => id));
  const combined = aggregate(jobs, cwd);
  const output: AutopilotOutput = {
    ...loaded,
    jobs,
    aggregate:
      jobs.length > 0
        ? combined
        : { ...combined, summary: 'The autopilot was interrupted before the plan was ready.' },
    timing: {
      ...loaded.timing,
      finished_at: finishedAt.toISOString(),
      duration_ms: finishedAt.getTime() - Date.parse(loaded.timing.started_at),
    },
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
  await directory.writeJson('result.json', resultFile(output));
  for (const { run_dir } of jobs) await disk.rm(join(run_dir, outcomeFile), { force: true });
  await deleteState(directory);
  return output;
}

function finalStatus(
  jobs: readonly JobResult[],
  cancellationReason: string | undefined,
): Pick<AutopilotOutput, 'status' | 'error'> {
  const isCancelled = cancellationReason !== undefined || jobs.some(({ status }) => status === 'cancelled');
  const { status, error } = overallStatus(jobs, isCancelled, cancellationReason);
  if (isCancelled) return { status, error };
  const reasons = ['the process of the autopilot was killed', ...(jobs.length > 0 && error ? [error] : [])];
  return { status: 'failed', error: reasons.join('; ') };
}

async function recoverJob(
  directory: RunDirectory,
  job: JobResult,
  tree: RecoveredWorktree | undefined,
  cwd: string,
): Promise<JobResult> {
  if (job.status === 'waiting')
    return { ...job, status: 'skipped', summary: 'Skipped because the autopilot was interrupted.' };
  if (job.status !== 'running') return job;
  const outcome = await readJson(join(job.run_dir, outcomeFile));
  if (outcome !== undefined) return outcome as unknown as JobResult;
  const record = await loadRecord(job.run_dir, job.run_id);
  const patch = tree?.patch && { patch: tree.patch };
  if (record === undefined || record.status === 'running')
    return {
      ...job,
      ...patch,
      status: 'failed',
      summary: 'The job has no result.',
      error: 'the job was interrupted',
    };
  const result: JobResult = { ...job, ...record, ...patch, status: record.status };
  if (tree === undefined) return result;
  const delivery = await judgeDelivery(result, tree.merge, cwd, tree.prefix);
  await (await directory.createSubrun(job.id)).writeJson('evidence.json', delivery.evidence);
  return { ...result, ...delivery };
}

interface RecoveredWorktree {
  readonly merge: Merge;
  readonly prefix: string;
  readonly patch?: Patch;
}

/** Saves the unmerged changes of each remaining worktree as a patch and removes the worktree. */
async function recoverWorktrees(
  directory: RunDirectory,
  options: WorktreeOptions,
): Promise<ReadonlyMap<string, RecoveredWorktree>> {
  const folder = directory.file('worktrees');
  const names = await disk.readdir(folder).catch(() => []);
  const trees = new Map<string, RecoveredWorktree>();
  for (const name of names.filter((one) => one.endsWith('.json'))) {
    const job = name.slice(0, -'.json'.length);
    try {
      const worktree = await Worktree.reopen(`${folder}/${job}`, options);
      const path = directory.file(`subruns/${job}/changes.patch`);
      const keepIn = directory.file(`subruns/${job}/${leftBehindFolder}`);
      const merge = await worktree.merge(path, { apply: false, leftBehindDir: keepIn });
      const patch = { path, applied: false, conflicts: [] };
      trees.set(job, { merge, prefix: worktree.prefix, ...(merge.changes.length > 0 && { patch }) });
      await worktree.remove();
    } catch (error) {
      log(
        'warning',
        `the changes of job ${job} could not be saved; they are still in ${folder}/${job}`,
        error,
      );
    }
  }
  await disk.rmdir(folder).catch(() => {});
  return trees;
}
