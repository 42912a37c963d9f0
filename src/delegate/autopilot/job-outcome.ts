import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { contain } from '../process/containment.ts';
import { readJson } from '../process/json-file.ts';
import { type RunStatus, withProblems } from '../run/outcome.ts';
import type { StoredRun } from '../run/run-record.ts';
import { type CheckOptions, type CheckResult, runChecks } from '../workspace/acceptance.ts';
import { type Evidence, unmetClaims } from '../workspace/evidence.ts';
import { patchFile } from '../workspace/patch.ts';
import { removeFolder } from '../workspace/remove-folder.ts';
import type { RunDirectory } from '../workspace/run-directory.ts';
import {
  branchNote,
  observeJob,
  pathInFolder,
  type SettledRun,
  type SettleOptions,
  settleRun,
  waitingNote,
} from '../workspace/settle.ts';
import { releaseWorkspace, Workspace, workspaceFolder } from '../workspace/workspace.ts';
import type { JobResult, Patch } from './autopilot-output.ts';
import type { AutopilotPorts } from './autopilot-request.ts';
import type { JobSpec } from './plan.ts';

/** A hidden file with the outcome of an isolated job. It is deleted when the autopilot's log contains the outcome. */
export const outcomeFile = '.settled.json';

export interface JobOutcomeOptions {
  /** The shared tree that isolated changes are applied to. */
  readonly cwd: string;
  /** The folder that all servers of the user share. */
  readonly stateDir: string;
  readonly checks: Pick<CheckOptions, 'allowed' | 'timeoutMs' | 'env' | 'hiddenVariables'> &
    Pick<AutopilotPorts, 'confine'>;
  readonly signal: AbortSignal;
  /**
   * The jobs whose changes are applied: none if the best of several jobs is chosen later, and all under the drop-in contract, which
   * has no tool to apply them later.
   */
  readonly applied: 'completed' | 'all' | 'none';
}

/** A job whose agent has exited. */
export interface EndedJob {
  readonly job: JobSpec;
  readonly record: StoredRun;
  readonly subrun: RunDirectory;
  /** The isolated view in which the job worked. */
  readonly workspace: Workspace | undefined;
  /** True if it is the workspace of all jobs. */
  readonly isShared?: boolean;
}

/** Runs the acceptance checks of a job and applies its changes to the shared tree. */
export async function recordJobOutcome(ended: EndedJob, options: JobOutcomeOptions): Promise<JobResult> {
  const { subrun, workspace } = ended;
  const folder = workspace?.folder ?? options.cwd;
  const checked = await check(toResult(ended, folder, options), ended, folder, options);
  const settled =
    workspace === undefined
      ? checked
      : await (ended.isShared ? observe : settle)(checked, workspace, ended, options);
  return { ...settled, artifacts: await subrun.artifacts() };
}

function toResult({ job, record }: EndedJob, folder: string, { cwd }: JobOutcomeOptions): JobResult {
  const { deliverables } = record;
  return {
    ...record,
    id: job.id,
    title: job.title,
    deliverables: deliverables.map((one) => ({ ...one, path: pathInFolder(one.path, folder, cwd) })),
  };
}

/** Runs the acceptance checks. A job that does not pass them fails, whatever its agent reports. */
async function check(
  result: JobResult,
  { job, subrun, workspace }: EndedJob,
  folder: string,
  { checks: options, signal }: JobOutcomeOptions,
): Promise<JobResult> {
  if (result.status !== 'completed' || job.acceptance.length === 0) return result;
  const place = {
    cwd: folder,
    sandbox: job.sandbox,
    outputSchemaFile: subrun.file('subagent_output.schema.json'),
    ...(workspace && { origin: workspace.origin }),
  };
  const { env } = options;
  const checks = await runChecks(job.acceptance, {
    ...options,
    ...place,
    signal,
    confine: () => options.confine(place),
    // The agent may have written what a check starts.
    wrap: async (program) =>
      job.sandbox === 'danger-full-access'
        ? program
        : contain(program, folder, { env, overlay: workspace?.overlay, bounds: program.bounds }),
  }).finally(() => removeFolder(subrun.file('.agent')));
  const evidence = await writeEvidence(subrun, { ...(result.evidence ?? noEvidence), checks });
  const failures = checks.filter(({ status }) => status === 'failed' || status === 'timed-out');
  if (signal.aborted && (failures.length > 0 || checks.length < job.acceptance.length))
    return { ...result, evidence, status: 'cancelled', error: `cancelled: ${messageOf(signal.reason)}` };
  return failures.length === 0
    ? { ...result, evidence }
    : { ...result, evidence, status: 'failed', error: failures.map(describeFailure).join('; ') };
}

/** Applies the changes of a job, or only keeps them. */
async function settle(
  result: JobResult,
  workspace: Workspace,
  { subrun }: EndedJob,
  { stateDir, checks, signal, applied }: JobOutcomeOptions,
): Promise<JobResult> {
  const isWanted = result.status === 'completed';
  const isApplied = applied === 'all' || (applied === 'completed' && isWanted);
  const { conflicts, ...changes } = await settleJob(result, workspace, subrun, {
    stateDir,
    env: checks.env,
    end: isApplied ? 'apply' : 'keep',
    // The changes of a job that was cancelled are kept or applied all the same.
    ...(isWanted && { signal }),
  });
  const problems = isWanted
    ? [
        ...unmetClaims(changes.evidence, true),
        ...conflicts.map(({ path, reason }) => `${path} was not applied: ${reason}`),
      ]
    : [];
  const isCancelled = isWanted && signal.aborted && conflicts.length > 0;
  const outcome = { status: result.status as RunStatus, error: result.error };
  const { status, error } = isCancelled
    ? ({ status: 'cancelled', error: `cancelled: ${messageOf(signal.reason)}` } as const)
    : withProblems(outcome, problems);
  return { ...result, ...changes, status, error };
}

/** Ends the work of a job in its workspace, and writes what it changed into its directory. */
export async function settleJob(
  { deliverables, evidence: known, warnings }: JobResult,
  workspace: Workspace,
  subrun: RunDirectory,
  options: Omit<SettleOptions, 'run' | 'claims'>,
): Promise<
  Pick<SettledRun, 'conflicts'> &
    Required<Pick<JobResult, 'warnings'>> & { readonly evidence: Evidence; readonly patch?: Patch }
> {
  const settled = await settleRun(workspace, { ...options, run: subrun.id, claims: deliverables });
  const { conflicts, hasChanges, isApplied } = settled;
  const checks = known?.checks;
  const evidence = await writeEvidence(subrun, { ...settled.evidence, ...(checks && { checks }) });
  if (settled.patch !== undefined) await subrun.writeText(patchFile, settled.patch);
  const paths = conflicts.map(({ path }) => path);
  return {
    conflicts,
    evidence,
    warnings: [...warnings, ...settled.warnings],
    ...(hasChanges && { patch: { path: subrun.file(patchFile), applied: isApplied, conflicts: paths } }),
  };
}

/** Records what a job changed in the workspace of all jobs. */
async function observe(
  result: JobResult,
  workspace: Workspace,
  { job, subrun }: EndedJob,
): Promise<JobResult> {
  if (job.sandbox === 'read-only') return result;
  const known = result.evidence?.checks;
  const observed = await observeJob(workspace, result.deliverables);
  const evidence = await writeEvidence(subrun, { ...observed, ...(known && { checks: known }) });
  const problems = result.status === 'completed' ? unmetClaims(evidence, true) : [];
  const outcome = { status: result.status as RunStatus, error: result.error };
  return { ...result, evidence, ...withProblems(outcome, problems) };
}

/** Keeps the changes of all jobs, or commits them to a branch. Returns what the person should know about them. */
export async function endSharedWorkspace(
  directory: RunDirectory,
  task: string,
  end: 'keep' | 'branch',
  { env, stateDir }: Pick<AutopilotPorts, 'env' | 'stateDir'>,
): Promise<readonly string[]> {
  const workspace = await Workspace.open(directory.file(workspaceFolder), env);
  if (workspace === undefined) return [];
  const run = directory.id;
  const settled = await settleRun(workspace, { run, stateDir, env, end, claims: [], subject: task });
  if (settled.patch !== undefined) await directory.writeText(patchFile, settled.patch);
  await releaseWorkspace(stateDir, run);
  const { branch, hasChanges, warnings, conflicts } = settled;
  return [
    ...warnings,
    ...conflicts.map(({ path, reason }) => `${path} was not applied: ${reason}`),
    ...(branch ? [branchNote(branch.name)] : hasChanges ? [waitingNote(run)] : []),
  ];
}

async function writeEvidence(subrun: RunDirectory, evidence: Evidence): Promise<Evidence> {
  await subrun.writeJson('evidence.json', evidence);
  // Read the file back, because writing it redacts secrets.
  const redacted = await readJson(subrun.file('evidence.json'));
  if (redacted === undefined)
    throw new Failure('unavailable', `The evidence of ${subrun.id} could not be written.`);
  return redacted as unknown as Evidence;
}

const noEvidence: Evidence = { method: 'none', complete: false, files: [], omitted: 0 };

function describeFailure({ command, status, exit_code }: CheckResult): string {
  return status === 'timed-out'
    ? `the acceptance check "${command}" timed out`
    : `the acceptance check "${command}" failed${exit_code === null ? '' : ` with code ${exit_code}`}`;
}
