import { resolve, sep } from 'node:path';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { type CheckOptions, type CheckResult, runChecks } from '../changes/acceptance.ts';
import { type Evidence, type FileEvidence, plainPath } from '../changes/evidence.ts';
import { patchFile } from '../changes/patch.ts';
import type { Worktree } from '../changes/worktree.ts';
import { scopesOverlap } from '../changes/write-scope.ts';
import { readJson } from '../files/json-file.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import type { RunRecord } from '../record/run-record.ts';
import type { JobResult, Patch } from './autopilot-output.ts';
import { judgeDelivery, leftBehindFolder } from './job-delivery.ts';
import type { JobSpec } from './job-spec.ts';

/** A hidden file with the outcome of an isolated job. It is deleted when the autopilot's log contains the outcome. */
export const outcomeFile = '.settled.json';

export interface JobOutcomeOptions {
  /** The shared tree that isolated changes are merged into. */
  readonly cwd: string;
  readonly checks: Pick<CheckOptions, 'allowed' | 'confine' | 'timeoutMs' | 'env'>;
  readonly signal: AbortSignal;
}

/** A job whose agent has exited. */
export interface EndedJob {
  readonly job: JobSpec;
  readonly record: RunRecord;
  readonly subrun: RunDirectory;
  readonly worktree: Worktree | undefined;
  /** True if other jobs may have written to the same tree at the same time. */
  readonly hadConcurrentWriters: boolean;
}

/** Runs the acceptance checks of a job and merges its changes into the shared tree. */
export async function recordJobOutcome(ended: EndedJob, options: JobOutcomeOptions): Promise<JobResult> {
  const { subrun, worktree } = ended;
  const folder = worktree?.folder ?? options.cwd;
  const checked = await check(toResult(ended, folder, options), ended, folder, options);
  const delivered = worktree === undefined ? checked : await deliver(checked, worktree, ended, options);
  return { ...delivered, artifacts: await subrun.artifacts() };
}

function toResult(
  { job, record, hadConcurrentWriters }: EndedJob,
  folder: string,
  { cwd }: JobOutcomeOptions,
): JobResult {
  const { evidence, deliverables, open_questions } = record;
  // Paths in the worktree become relative, so that they are valid in the shared tree.
  const toSharedPath = (path: string) =>
    folder === cwd || !resolve(folder, path).startsWith(folder + sep)
      ? path
      : (plainPath(path, folder) ?? path);
  const isOwn = ({ path }: FileEvidence) => scopesOverlap([path], job.writes);
  // An unreported change outside the job's scope was probably made by another job.
  const files =
    evidence?.files.filter((file) => !hadConcurrentWriters || file.status !== 'unreported' || isOwn(file)) ??
    [];
  const unplanned = files.filter((file) => file.change !== undefined && !isOwn(file)).map(({ path }) => path);
  return {
    ...record,
    id: job.id,
    title: job.title,
    deliverables: deliverables.map((one) => ({ ...one, path: toSharedPath(one.path) })),
    open_questions: [
      ...open_questions,
      ...(unplanned.length === 0
        ? []
        : [`${job.title} changed files that were not in its plan: ${unplanned.join(', ')}.`]),
    ],
    evidence: evidence && { ...evidence, files },
  };
}

/** Runs the acceptance checks. A job that does not pass them fails, whatever its agent reports. */
async function check(
  result: JobResult,
  { job, subrun }: EndedJob,
  folder: string,
  { checks: options, signal }: JobOutcomeOptions,
): Promise<JobResult> {
  if (result.status !== 'completed' || job.acceptance.length === 0) return result;
  const checks = await runChecks(job.acceptance, { ...options, cwd: folder, sandbox: job.sandbox, signal });
  const evidence = await writeEvidence(subrun, { ...(result.evidence ?? noEvidence), checks });
  const failures = checks.filter(({ status }) => status === 'failed' || status === 'timed-out');
  if (signal.aborted && (failures.length > 0 || checks.length < job.acceptance.length))
    return { ...result, evidence, status: 'cancelled', error: `cancelled: ${messageOf(signal.reason)}` };
  return failures.length === 0
    ? { ...result, evidence }
    : { ...result, evidence, status: 'failed', error: failures.map(describeFailure).join('; ') };
}

/** Merges the changes in a worktree into the shared tree and checks what arrived. Changes of a failed job stay a patch. */
async function deliver(
  result: JobResult,
  worktree: Worktree,
  { subrun }: EndedJob,
  { cwd, signal }: JobOutcomeOptions,
): Promise<JobResult> {
  const path = subrun.file(patchFile);
  const isWanted = result.status === 'completed';
  const merge = await worktree.merge(path, {
    apply: isWanted,
    leftBehindDir: subrun.file(leftBehindFolder),
    signal,
  });
  const { applied, conflicts, changes } = merge;
  const delivery = await judgeDelivery(result, merge, cwd, worktree.prefix);
  const evidence = await writeEvidence(subrun, delivery.evidence);
  const delivered = { ...result, ...delivery, evidence };
  if (changes.length === 0) return delivered;
  const patch: Patch = { path, applied, conflicts };
  if (applied || !isWanted) return { ...delivered, patch };
  // Without conflicts, only a cancellation during the wait for the repository lock prevents the merge.
  if (conflicts.length === 0)
    return { ...delivered, patch, status: 'cancelled', error: `cancelled: ${messageOf(signal.reason)}` };
  return {
    ...delivered,
    patch,
    status: 'failed',
    error: `its changes conflict with the current files (${conflicts.join(', ')}); they are kept in ${path}`,
  };
}

async function writeEvidence(subrun: RunDirectory, evidence: Evidence): Promise<Evidence> {
  await subrun.writeJson('evidence.json', evidence);
  // Read the file back, because writing it redacts secrets.
  const redacted = await readJson(subrun.file('evidence.json'));
  if (redacted === undefined)
    throw new Failure('unavailable', `The evidence of ${subrun.id} could not be written.`);
  return redacted as unknown as Evidence;
}

const noEvidence: Evidence = { method: 'walk', complete: false, files: [], omitted: 0 };

function describeFailure({ command, status, exit_code }: CheckResult): string {
  return status === 'timed-out'
    ? `the acceptance check "${command}" timed out`
    : `the acceptance check "${command}" failed${exit_code === null ? '' : ` with code ${exit_code}`}`;
}
