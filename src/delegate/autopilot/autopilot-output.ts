import { addUsage, type Usage } from '../agents/protocols/agent-event.ts';
import type { Answer } from '../run/answer.ts';
import type { RunStatus } from '../run/outcome.ts';
import type { RunRecord } from '../run/run-record.ts';
import type { Timing } from '../run/run-state.ts';
import { type Evidence, normalize, uniqueDeliverables } from '../workspace/evidence.ts';
import type { Artifact } from '../workspace/run-directory.ts';
import type { Comparison } from './comparison.ts';
import type { Decision, JobSpec } from './plan.ts';

export type JobStatus = RunStatus | 'skipped' | 'running' | 'waiting';

/** The result of one job: the run of its agent, and whether its changes were merged. */
export interface JobResult extends Omit<RunRecord, 'status' | 'evidence'> {
  readonly id: string;
  readonly title: string;
  readonly status: JobStatus;
  readonly evidence: Evidence | null;
  /** The changes of an isolated job. */
  readonly patch?: Patch;
}

export interface Patch {
  readonly path: string;
  readonly applied: boolean;
  readonly conflicts: readonly string[];
}

/** The structured result of `delegate_autopilot`. */
export interface AutopilotOutput {
  readonly run_id: string;
  readonly run_dir: string;
  readonly decision: Decision;
  readonly plan: { readonly jobs: readonly JobSpec[]; readonly source: PlanSource };
  readonly jobs: readonly JobResult[];
  readonly aggregate: Answer;
  readonly artifacts: readonly Artifact[];
  readonly timing: Timing;
  readonly status: RunStatus | 'running';
  readonly error: string | null;
  /** The tokens of the planner and all jobs. */
  readonly usage: Usage | null;
  readonly warnings: readonly string[];
  /** The result of `delegate_compare`. */
  readonly comparison?: Comparison;
}

/**
 * The origin of the plan: `none` if there is no plan, `repaired` for the model's second attempt. Earlier versions had a fixed
 * plan, `fallback`.
 */
export type PlanSource = 'none' | 'caller' | 'model' | 'repaired' | 'fallback';

export const undecided: Decision = { should_delegate: false, reason: 'Not decided yet.' };

/** The summary of an autopilot without jobs. The delegate contract has no more than this. */
export const noDelegation = 'No delegation needed';

/** Combines the results of all jobs without duplicates. */
export function aggregate(jobs: readonly JobResult[], cwd: string, decision?: Decision): Answer {
  return {
    summary:
      jobs.length === 0
        ? `${noDelegation}${decision === undefined ? '.' : `: ${decision.reason}`}`
        : jobs.map(({ title, status, summary }) => `${title} (${status}): ${summary.trim()}`).join('\n'),
    deliverables: uniqueDeliverables(
      jobs.flatMap((job) => job.deliverables),
      cwd,
    ),
    open_questions: unique(jobs.flatMap((job) => [...job.open_questions, ...unapplied(job)])),
    next_actions: unique(jobs.flatMap((job) => [...job.next_actions, ...manualSteps(job)])),
  };
}

/** The status of the autopilot, with the errors of its failed jobs. */
export function overallStatus(
  jobs: readonly JobResult[],
  cancellationReason?: string,
): Pick<AutopilotOutput, 'status' | 'error'> {
  const reasons = jobs
    .filter(({ status, error }) => status === 'failed' || (status !== 'skipped' && error !== null))
    .map(({ id, error }) => `${id}: ${error}`);
  const error = reasons.length > 0 ? reasons.join('; ') : null;
  if (cancellationReason !== undefined)
    return { status: 'cancelled', error: error ?? `cancelled: ${cancellationReason}` };
  if (jobs.every(({ status }) => status === 'completed')) return { status: 'completed', error: null };
  const isFinished = jobs.every(({ status }) => status.startsWith('completed'));
  if (isFinished) return { status: 'completed_with_problems', error };
  return { status: 'failed', error: error ?? 'some jobs did not run' };
}

export function totalUsage(parts: readonly (Usage | null)[]): Usage | null {
  const known = parts.filter((usage) => usage !== null);
  return known.length === 0 ? null : known.reduce(addUsage);
}

function unique(texts: readonly string[]): string[] {
  return [...new Map(texts.toReversed().map((text) => [normalize(text), text])).values()].reverse();
}

/** Files that a job reported as delivered but that do not exist. */
export function missingFiles({ title, evidence }: JobResult): string[] {
  const missing = evidence?.files.filter(({ status }) => status === 'missing') ?? [];
  return missing.map(({ path }) => `${title} reported ${path} as delivered, but the file does not exist.`);
}

/** Files that do not exist, and changes that were not merged. */
function unapplied(job: JobResult): string[] {
  const { title, patch } = job;
  return [
    ...missingFiles(job),
    ...(patch !== undefined && !patch.applied
      ? [
          `Changes of ${title} were not applied to the working folder${patch.conflicts.length > 0 ? `: they conflict in ${patch.conflicts.join(', ')}` : ''}.`,
        ]
      : []),
  ];
}

/** What the user has to do by hand. */
function manualSteps({ run_id, evidence, patch }: JobResult): string[] {
  const refused = evidence?.checks?.filter(({ status }) => status === 'refused') ?? [];
  return [
    ...refused.map(({ command }) => `Run ${command}`),
    ...(patch !== undefined && !patch.applied ? [`Run "adjutant runs apply ${run_id}" to apply them`] : []),
  ];
}
