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

/** Hidden, and only there between the end of a job in a tree of its own and the note of it in the log of the whole. */
export const outcomeFile = '.settled.json';

export interface JobOutcomeOptions {
  /** Where the work is wanted. */
  readonly cwd: string;
  readonly checks: Pick<CheckOptions, 'allowed' | 'confine' | 'timeoutMs' | 'env'>;
  readonly signal: AbortSignal;
}

/** A job whose agent has ended. */
export interface EndedJob {
  readonly job: JobSpec;
  readonly record: RunRecord;
  readonly subrun: RunDirectory;
  readonly worktree: Worktree | undefined;
  /** Whether others were at work in the same tree. */
  readonly accompanied: boolean;
}

/** From what the agent came to, to what the job came to: checked, and brought into the common tree. */
export async function recordJobOutcome(ended: EndedJob, options: JobOutcomeOptions): Promise<JobResult> {
  const { subrun, worktree } = ended;
  const place = worktree?.folder ?? options.cwd;
  const judged = await check(asResult(ended, place, options), ended, place, options);
  const delivered = worktree === undefined ? judged : await deliver(judged, worktree, ended, options);
  return { ...delivered, artifacts: await subrun.artifacts() };
}

function asResult(
  { job, record, accompanied }: EndedJob,
  place: string,
  { cwd }: JobOutcomeOptions,
): JobResult {
  const { evidence, deliverables, open_questions } = record;
  const inPlace = (path: string) =>
    place === cwd || !resolve(place, path).startsWith(place + sep) ? path : (plainPath(path, place) ?? path);
  const isOwn = ({ path }: FileEvidence) => scopesOverlap([path], job.writes);
  // What changed elsewhere while others were at work is more likely theirs.
  const files =
    evidence?.files.filter((file) => !accompanied || file.status !== 'unreported' || isOwn(file)) ?? [];
  const strays = files.filter((file) => file.change !== undefined && !isOwn(file)).map(({ path }) => path);
  return {
    ...record,
    id: job.id,
    title: job.title,
    deliverables: deliverables.map((one) => ({ ...one, path: inPlace(one.path) })),
    open_questions: [
      ...open_questions,
      ...(strays.length === 0
        ? []
        : [`${job.title} changed files that the plan did not give to it: ${strays.join(', ')}.`]),
    ],
    evidence: evidence && { ...evidence, files },
  };
}

/** Runs the acceptance checks; a job that does not pass them is not done, whatever its agent says. */
async function check(
  result: JobResult,
  { job, subrun }: EndedJob,
  place: string,
  { checks: how, signal }: JobOutcomeOptions,
): Promise<JobResult> {
  if (result.status !== 'completed' || job.acceptance.length === 0) return result;
  const checks = await runChecks(job.acceptance, { ...how, cwd: place, sandbox: job.sandbox, signal });
  const evidence = await keepEvidence(subrun, { ...(result.evidence ?? unseen), checks });
  const failures = checks.filter(({ status }) => status === 'failed' || status === 'timed-out');
  if (signal.aborted && (failures.length > 0 || checks.length < job.acceptance.length))
    return { ...result, evidence, status: 'cancelled', error: `cancelled: ${messageOf(signal.reason)}` };
  return failures.length === 0
    ? { ...result, evidence }
    : { ...result, evidence, status: 'failed', error: failures.map(complaint).join('; ') };
}

/**
 * Brings what was done in a tree of its own into the common one, and judges what is there then. The work of a job that
 * failed stays a patch.
 */
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
  const judged = await judgeDelivery(result, merge, cwd, worktree.prefix);
  const evidence = await keepEvidence(subrun, judged.evidence);
  const delivered = { ...result, ...judged, evidence };
  if (changes.length === 0) return delivered;
  const patch: Patch = { path, applied, conflicts };
  if (applied || !isWanted) return { ...delivered, patch };
  if (conflicts.length === 0)
    return { ...delivered, patch, status: 'cancelled', error: `cancelled: ${messageOf(signal.reason)}` };
  return {
    ...delivered,
    patch,
    status: 'failed',
    error: `its changes do not fit the tree as it is now (${conflicts.join(', ')}); they are kept in ${path}`,
  };
}

async function keepEvidence(subrun: RunDirectory, evidence: Evidence): Promise<Evidence> {
  await subrun.writeJson('evidence.json', evidence);
  // Read back, since on the way to the disk secrets have been taken out.
  const kept = await readJson(subrun.file('evidence.json'));
  if (kept === undefined) throw new Failure('unavailable', `The evidence of ${subrun.id} cannot be kept.`);
  return kept as unknown as Evidence;
}

const unseen: Evidence = { method: 'walk', complete: false, files: [], omitted: 0 };

function complaint({ command, status, exit_code }: CheckResult): string {
  return status === 'timed-out'
    ? `the acceptance check "${command}" did not end in time`
    : `the acceptance check "${command}" failed${exit_code === null ? '' : ` with code ${exit_code}`}`;
}
