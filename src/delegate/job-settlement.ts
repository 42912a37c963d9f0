import { resolve, sep } from 'node:path';
import { Failure } from '../failure.ts';
import { messageOf } from '../json.ts';
import { type CheckOptions, type CheckResult, runChecks } from './acceptance.ts';
import type { JobResult, Patch } from './autopilot-output.ts';
import { type Evidence, type FileEvidence, plainPath } from './evidence.ts';
import type { JobSpec } from './job-spec.ts';
import { readJson } from './json-file.ts';
import { patchFile } from './patch.ts';
import type { RunRecord } from './record.ts';
import type { RunDirectory } from './run-directory.ts';
import type { Worktree } from './worktree.ts';
import { scopesOverlap } from './write-scope.ts';

/** Hidden, and only there between the end of a job in a tree of its own and the note of it in the log of the whole. */
export const settledFile = '.settled.json';

export interface SettlementOptions {
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
export async function settleJob(ended: EndedJob, options: SettlementOptions): Promise<JobResult> {
  const { subrun, worktree } = ended;
  const place = worktree?.folder ?? options.cwd;
  const judged = await check(asResult(ended, place, options), ended, place, options);
  const delivered = worktree === undefined ? judged : await deliver(judged, worktree, subrun);
  return { ...delivered, artifacts: await subrun.artifacts() };
}

function asResult(
  { job, record, accompanied }: EndedJob,
  place: string,
  { cwd }: SettlementOptions,
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
  { checks: how, signal }: SettlementOptions,
): Promise<JobResult> {
  if (result.status !== 'completed' || job.acceptance.length === 0) return result;
  const checks = await runChecks(job.acceptance, { ...how, cwd: place, sandbox: job.sandbox, signal });
  await subrun.writeJson('evidence.json', { ...(result.evidence ?? unseen), checks });
  // Read back, since on the way to the disk secrets have been taken out.
  const evidence = (await readJson(subrun.file('evidence.json'))) as Evidence | undefined;
  if (evidence === undefined) throw new Failure('unavailable', `The evidence of ${job.id} cannot be kept.`);
  const failures = checks.filter(({ status }) => status === 'failed' || status === 'timed-out');
  if (signal.aborted && (failures.length > 0 || checks.length < job.acceptance.length))
    return { ...result, evidence, status: 'cancelled', error: `cancelled: ${messageOf(signal.reason)}` };
  return failures.length === 0
    ? { ...result, evidence }
    : { ...result, evidence, status: 'failed', error: failures.map(complaint).join('; ') };
}

/** Brings what was done in a tree of its own into the common one. The work of a job that failed stays a patch. */
async function deliver(result: JobResult, worktree: Worktree, subrun: RunDirectory): Promise<JobResult> {
  const path = subrun.file(patchFile);
  const wanted = result.status === 'completed';
  const { applied, conflicts, changes } = await worktree.merge(path, wanted);
  if (changes.length === 0) return result;
  const patch: Patch = { path, applied, conflicts };
  if (applied || !wanted) return { ...result, patch };
  return {
    ...result,
    patch,
    status: 'failed',
    error: `its changes do not fit the tree as it is now (${conflicts.join(', ')}); they are kept in ${path}`,
  };
}

const unseen: Evidence = { method: 'walk', complete: false, files: [], omitted: 0 };

function complaint({ command, status, exit_code }: CheckResult): string {
  return status === 'timed-out'
    ? `the acceptance check "${command}" did not end in time`
    : `the acceptance check "${command}" failed${exit_code === null ? '' : ` with code ${exit_code}`}`;
}
