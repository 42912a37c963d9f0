import type { Usage } from '../agents/agent.ts';
import type { Answer } from '../record/answer.ts';
import { normalize, uniqueDeliverables } from '../record/deliverables.ts';
import type { AutopilotOutput, JobResult } from './autopilot-output.ts';

/** Combines the results of all jobs without duplicates. */
export function aggregate(jobs: readonly JobResult[], cwd: string): Answer {
  return {
    summary:
      jobs.length === 0
        ? 'No delegation needed.'
        : jobs.map(({ title, status, summary }) => `${title} (${status}): ${summary.trim()}`).join('\n'),
    deliverables: uniqueDeliverables(
      jobs.flatMap((job) => job.deliverables),
      cwd,
    ),
    open_questions: unique(jobs.flatMap((job) => [...job.open_questions, ...undelivered(job)])),
    next_actions: unique(jobs.flatMap((job) => [...job.next_actions, ...manualSteps(job)])),
  };
}

/** The status of the autopilot, with the errors of its failed jobs. */
export function overallStatus(
  jobs: readonly JobResult[],
  isCancelled: boolean,
  cancellationReason?: string,
): Pick<AutopilotOutput, 'status' | 'error'> {
  const reasons = jobs
    .filter(({ status, error }) => status === 'failed' || (status !== 'skipped' && error !== null))
    .map(({ id, error }) => `${id}: ${error}`);
  const error = reasons.length > 0 ? reasons.join('; ') : null;
  if (isCancelled) {
    const plain = cancellationReason === undefined ? 'cancelled' : `cancelled: ${cancellationReason}`;
    return { status: 'cancelled', error: error ?? plain };
  }
  if (jobs.every(({ status }) => status === 'completed')) return { status: 'completed', error: null };
  const isFinished = jobs.every(({ status }) => status.startsWith('completed'));
  if (isFinished) return { status: 'completed_with_problems', error };
  return { status: 'failed', error: error ?? 'some jobs did not run' };
}

export function totalUsage(parts: readonly (Usage | null)[]): Usage | null {
  const known = parts.filter((usage) => usage !== null);
  if (known.length === 0) return null;
  const sum = (key: keyof Usage) => known.reduce((total, usage) => total + Number(usage[key]), 0);
  return {
    input_tokens: sum('input_tokens'),
    cached_input_tokens: sum('cached_input_tokens'),
    output_tokens: sum('output_tokens'),
    reasoning_output_tokens: sum('reasoning_output_tokens'),
  };
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
function undelivered(job: JobResult): string[] {
  const { title, patch } = job;
  return [
    ...missingFiles(job),
    ...(patch !== undefined && !patch.applied
      ? [
          `Changes of ${title} were not delivered to the working folder${patch.conflicts.length > 0 ? `: they conflict in ${patch.conflicts.join(', ')}` : ''}.`,
        ]
      : []),
  ];
}

/** What the user has to do by hand. */
function manualSteps({ run_id, evidence, patch }: JobResult): string[] {
  const refused = evidence?.checks?.filter(({ status }) => status === 'refused') ?? [];
  return [
    ...refused.map(({ command }) => `Run ${command}`),
    ...(patch !== undefined && !patch.applied ? [`Run "adjutant runs apply ${run_id}" to deliver them`] : []),
  ];
}
