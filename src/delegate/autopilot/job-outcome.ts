import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { type CheckOptions, type CheckResult, runChecks } from '../changes/acceptance.ts';
import { type Evidence, type FileEvidence, unmetClaims } from '../changes/evidence.ts';
import { patchFile } from '../changes/patch.ts';
import { scopesOverlap } from '../changes/write-scope.ts';
import { readJson } from '../files/json-file.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import { contain } from '../process/containment.ts';
import { type RunStatus, withProblems } from '../record/outcome.ts';
import type { StoredRun } from '../record/run-record.ts';
import { deliverRun, pathInFolder } from '../workspace/run-delivery.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { JobResult, Patch } from './autopilot-output.ts';
import type { JobSpec } from './job-spec.ts';

/** A hidden file with the outcome of an isolated job. It is deleted when the autopilot's log contains the outcome. */
export const outcomeFile = '.settled.json';

export interface JobOutcomeOptions {
  /** The shared tree that isolated changes are delivered to. */
  readonly cwd: string;
  /** The folder that all servers of the user share. */
  readonly stateDir: string;
  readonly checks: Pick<CheckOptions, 'allowed' | 'confine' | 'timeoutMs' | 'env'>;
  readonly signal: AbortSignal;
  /** True if the changes are only kept, because the best of several jobs is chosen later. */
  readonly onlyKeeps?: boolean;
}

/** A job whose agent has exited. */
export interface EndedJob {
  readonly job: JobSpec;
  readonly record: StoredRun;
  readonly subrun: RunDirectory;
  /** The isolated view in which the job worked. */
  readonly workspace: Workspace | undefined;
  /** True if other jobs may have written to the same tree at the same time. */
  readonly hadConcurrentWriters: boolean;
}

/** Runs the acceptance checks of a job and delivers its changes to the shared tree. */
export async function recordJobOutcome(ended: EndedJob, options: JobOutcomeOptions): Promise<JobResult> {
  const { subrun, workspace } = ended;
  const folder = workspace?.folder ?? options.cwd;
  const checked = await check(toResult(ended, folder, options), ended, folder, options);
  const delivered = workspace === undefined ? checked : await deliver(checked, workspace, ended, options);
  const reported = options.onlyKeeps ? delivered : reportUnplanned(delivered, ended.job);
  return { ...reported, artifacts: await subrun.artifacts() };
}

function toResult(
  { job, record, hadConcurrentWriters }: EndedJob,
  folder: string,
  { cwd }: JobOutcomeOptions,
): JobResult {
  const { evidence, deliverables } = record;
  // A change outside the job's scope that its agent did not report was probably made by another job.
  const others = evidence?.changed_during_run?.filter(
    (file) => !hadConcurrentWriters || isPlanned(file, job),
  );
  return {
    ...record,
    id: job.id,
    title: job.title,
    deliverables: deliverables.map((one) => ({ ...one, path: pathInFolder(one.path, folder, cwd) })),
    evidence: evidence && { ...evidence, ...(others && { changed_during_run: others }) },
  };
}

function isPlanned({ path }: Pick<FileEvidence, 'path'>, { writes }: JobSpec): boolean {
  return scopesOverlap([path], writes);
}

function reportUnplanned(result: JobResult, job: JobSpec): JobResult {
  const { files = [], changed_during_run: others = [] } = result.evidence ?? {};
  const unplanned = files.filter((file) => file.change !== undefined && !isPlanned(file, job));
  const beside = others.filter(
    (file) => !isPlanned(file, job) && !unplanned.some(({ path }) => path === file.path),
  );
  const list = (all: readonly Pick<FileEvidence, 'path'>[]) => all.map(({ path }) => path).join(', ');
  const questions = [
    ...(unplanned.length > 0
      ? [`${job.title} changed files that were not in its plan: ${list(unplanned)}.`]
      : []),
    ...(beside.length > 0
      ? [`Its commands or someone else changed files during ${job.title}: ${list(beside)}.`]
      : []),
  ];
  return { ...result, open_questions: [...result.open_questions, ...questions] };
}

/** Runs the acceptance checks. A job that does not pass them fails, whatever its agent reports. */
async function check(
  result: JobResult,
  { job, subrun, workspace }: EndedJob,
  folder: string,
  { checks: options, signal }: JobOutcomeOptions,
): Promise<JobResult> {
  if (result.status !== 'completed' || job.acceptance.length === 0) return result;
  const checks = await runChecks(job.acceptance, {
    ...options,
    cwd: folder,
    sandbox: job.sandbox,
    signal,
    ...(workspace && {
      origin: workspace.origin,
      wrap: (program) => contain(program, folder, { env: options.env, overlay: workspace.overlay }),
    }),
  });
  const evidence = await writeEvidence(subrun, { ...(result.evidence ?? noEvidence), checks });
  const failures = checks.filter(({ status }) => status === 'failed' || status === 'timed-out');
  if (signal.aborted && (failures.length > 0 || checks.length < job.acceptance.length))
    return { ...result, evidence, status: 'cancelled', error: `cancelled: ${messageOf(signal.reason)}` };
  return failures.length === 0
    ? { ...result, evidence }
    : { ...result, evidence, status: 'failed', error: failures.map(describeFailure).join('; ') };
}

/** Delivers the changes of an isolated job and checks what arrived. The changes of a failed job are only kept. */
async function deliver(
  result: JobResult,
  workspace: Workspace,
  { subrun }: EndedJob,
  { stateDir, checks, signal, onlyKeeps = false }: JobOutcomeOptions,
): Promise<JobResult> {
  const isWanted = result.status === 'completed';
  const delivery = await deliverRun(workspace, {
    run: subrun.id,
    stateDir,
    env: checks.env,
    isWanted: isWanted && !onlyKeeps,
    judgesKept: onlyKeeps,
    claims: result.deliverables,
    signal,
  });
  const { conflicts, hasChanges, isDelivered } = delivery;
  const known = result.evidence?.checks;
  const evidence = await writeEvidence(subrun, { ...delivery.evidence, ...(known && { checks: known }) });
  if (delivery.patch !== undefined) await subrun.writeText(patchFile, delivery.patch);
  const problems = isWanted
    ? [
        ...unmetClaims(evidence, true),
        ...conflicts.map(({ path, reason }) => `${path} was not delivered: ${reason}`),
      ]
    : [];
  const isCancelled = isWanted && signal.aborted && conflicts.length > 0;
  const outcome = { status: result.status as RunStatus, error: result.error };
  const { status, error } = isCancelled
    ? ({ status: 'cancelled', error: `cancelled: ${messageOf(signal.reason)}` } as const)
    : withProblems(outcome, problems);
  const warnings = [...result.warnings, ...delivery.warnings];
  if (!hasChanges) return { ...result, evidence, status, error, warnings };
  const patch: Patch = {
    path: subrun.file(patchFile),
    applied: isDelivered,
    conflicts: conflicts.map(({ path }) => path),
  };
  return { ...result, evidence, status, error, warnings, patch };
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
