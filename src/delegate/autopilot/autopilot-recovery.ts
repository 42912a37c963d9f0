import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { log } from '../../log.ts';
import { type Merge, Worktree, type WorktreeOptions } from '../changes/worktree.ts';
import { readJson } from '../files/json-file.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import { loadRecord } from '../record/run-record.ts';
import type { RunQueue } from '../run/run-queue.ts';
import { aggregate, overall, totalUsage } from './aggregate.ts';
import type { AutopilotOutput, JobResult, Patch } from './autopilot-output.ts';
import { loadAutopilot } from './autopilot-record.ts';
import { resultFile } from './autopilot-log.ts';
import { deleteState } from './autopilot-state.ts';
import { judgeDelivery, leftBehindFolder } from './job-delivery.ts';
import { outcomeFile } from './job-outcome.ts';

const claimedForMs = 60_000;

/** How an autopilot that nobody has is dealt with: one server at a time does it, or none where another is at it already. */
export async function withTakeoverLock(directory: RunDirectory, work: () => Promise<void>): Promise<boolean> {
  if (!(await claim(directory.file('.salvage')))) return false;
  try {
    await work();
  } finally {
    await disk.rmdir(directory.file('.salvage')).catch(() => {});
  }
  return true;
}

/**
 * The end of an autopilot whose server has died: what its jobs came to since then is gathered, what had not begun is
 * skipped, and work that was not yet brought in stays a patch. Only to be called when none of its runs is open any more.
 */
export async function recoverAutopilot(
  directory: RunDirectory,
  options: WorktreeOptions,
  queue: RunQueue,
): Promise<void> {
  const left = await loadAutopilot(directory.path, directory.id);
  if (left?.status === 'running') {
    await conclude(directory, left, options, queue.cancellationReason(directory.path));
    await deleteState(directory);
  }
  queue.finish(directory.path);
}

/** One server at a time; a claim that nobody has made good on is void. */
async function claim(mark: string): Promise<boolean> {
  const made = () =>
    disk.mkdir(mark).then(
      () => true,
      () => false,
    );
  if (await made()) return true;
  const stat = await disk.stat(mark).catch(() => undefined);
  if (stat !== undefined && Date.now() - stat.mtimeMs < claimedForMs) return false;
  await disk.rmdir(mark).catch(() => {});
  return made();
}

async function conclude(
  directory: RunDirectory,
  left: AutopilotOutput,
  options: WorktreeOptions,
  wish: string | undefined,
): Promise<void> {
  const request = await readJson(directory.file('request.json'));
  const cwd = String((request?.['request'] as Record<string, unknown> | undefined)?.['cwd'] ?? process.cwd());
  const trees = await salvageTrees(directory, options);
  const jobs = await Promise.all(left.jobs.map((job) => salvageJob(directory, job, trees.get(job.id), cwd)));
  const finishedAt = new Date();
  const begun = new Set(left.jobs.filter(({ status }) => status === 'running').map(({ id }) => id));
  const sum = aggregate(jobs, cwd);
  const output: AutopilotOutput = {
    ...left,
    jobs,
    aggregate: jobs.length > 0 ? sum : { ...sum, summary: 'The server ended before there was a plan.' },
    timing: {
      ...left.timing,
      finished_at: finishedAt.toISOString(),
      duration_ms: finishedAt.getTime() - Date.parse(left.timing.started_at),
    },
    usage: totalUsage([left.usage, ...jobs.filter(({ id }) => begun.has(id)).map(({ usage }) => usage)]),
    ...verdict(jobs, wish),
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
}

function verdict(
  jobs: readonly JobResult[],
  wish: string | undefined,
): Pick<AutopilotOutput, 'status' | 'error'> {
  const isCancelled = wish !== undefined || jobs.some(({ status }) => status === 'cancelled');
  const { status, error } = overall(jobs, isCancelled);
  if (isCancelled) return { status, error: error === 'cancelled' && wish ? `cancelled: ${wish}` : error };
  const reasons = [
    'the server ended while the autopilot was at work',
    ...(jobs.length > 0 && error ? [error] : []),
  ];
  return { status: 'failed', error: reasons.join('; ') };
}

async function salvageJob(
  directory: RunDirectory,
  job: JobResult,
  tree: SalvagedTree | undefined,
  cwd: string,
): Promise<JobResult> {
  if (job.status === 'waiting')
    return { ...job, status: 'skipped', summary: 'Skipped because the server ended.' };
  if (job.status !== 'running') return job;
  const settled = await readJson(join(job.run_dir, outcomeFile));
  if (settled !== undefined) return settled as unknown as JobResult;
  const record = await loadRecord(job.run_dir, job.run_id);
  const kept = tree?.patch && { patch: tree.patch };
  if (record === undefined || record.status === 'running')
    return { ...job, ...kept, status: 'failed', summary: 'It has no result.', error: 'the server ended' };
  const result: JobResult = { ...job, ...record, ...kept, status: record.status };
  if (tree === undefined) return result;
  const judged = await judgeDelivery(result, tree.merge, cwd, tree.prefix);
  await (await directory.createSubrun(job.id)).writeJson('evidence.json', judged.evidence);
  return { ...result, ...judged };
}

interface SalvagedTree {
  readonly merge: Merge;
  readonly prefix: string;
  readonly patch?: Patch;
}

/** Trees of jobs whose changes nobody has brought in; they become patches. */
async function salvageTrees(
  directory: RunDirectory,
  options: WorktreeOptions,
): Promise<ReadonlyMap<string, SalvagedTree>> {
  const folder = directory.file('worktrees');
  const names = await disk.readdir(folder).catch(() => []);
  const trees = new Map<string, SalvagedTree>();
  for (const name of names.filter((one) => one.endsWith('.json'))) {
    const job = name.slice(0, -'.json'.length);
    try {
      const worktree = await Worktree.reopen(`${folder}/${job}`, options);
      const path = directory.file(`subruns/${job}/changes.patch`);
      const keepIn = directory.file(`subruns/${job}/${leftBehindFolder}`);
      const merge = await worktree.merge(path, { isWanted: false, keepIn });
      const patch = { path, applied: false, conflicts: [] };
      trees.set(job, { merge, prefix: worktree.prefix, ...(merge.changes.length > 0 && { patch }) });
      await worktree.remove();
    } catch (error) {
      log('warning', `the changes of the job ${job} are left in ${folder}/${job}`, error);
    }
  }
  await disk.rmdir(folder).catch(() => {});
  return trees;
}
