import type { Usage } from '../agents/agent.ts';
import { plainPath } from '../changes/evidence.ts';
import type { Answer, Deliverable } from '../record/answer.ts';
import type { AutopilotOutput, JobResult } from './autopilot-output.ts';

/** What all jobs came to, each thing once. */
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
    open_questions: unique(jobs.flatMap((job) => [...job.open_questions, ...doubts(job)])),
    next_actions: unique(jobs.flatMap((job) => [...job.next_actions, ...remainders(job)])),
  };
}

/** The status of the whole from those of its parts, with the reasons of those that failed. */
export function overall(
  jobs: readonly JobResult[],
  isCancelled: boolean,
): Pick<AutopilotOutput, 'status' | 'error'> {
  const reasons = jobs
    .filter(({ status, error }) => status === 'failed' || (status === 'cancelled' && error !== null))
    .map(({ id, error }) => `${id}: ${error}`);
  const error = reasons.length > 0 ? reasons.join('; ') : null;
  if (isCancelled) return { status: 'cancelled', error: error ?? 'cancelled' };
  return jobs.every(({ status }) => status === 'completed')
    ? { status: 'completed', error: null }
    : { status: 'failed', error: error ?? 'some jobs did not run' };
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

/** One entry for each file, whatever way it was written, with all that was said of it. */
function uniqueDeliverables(all: readonly Deliverable[], cwd: string): Deliverable[] {
  const byPath = new Map<string, { path: string; descriptions: string[] }>();
  for (const { path, description } of all) {
    const key = plainPath(path, cwd) ?? path;
    const known = byPath.get(key) ?? { path: key, descriptions: [] };
    byPath.set(key, known);
    const said = description.trim();
    if (said !== '' && !known.descriptions.some((one) => same(one) === same(said)))
      known.descriptions.push(said);
  }
  return [...byPath.values()].map(({ path, descriptions }) => ({
    path,
    description: descriptions.join('; '),
  }));
}

function unique(texts: readonly string[]): string[] {
  return [...new Map(texts.toReversed().map((text) => [same(text), text])).values()].reverse();
}

function same(text: string): string {
  return text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replace(/[.!]+$/, '')
    .toLowerCase();
}

/** What was claimed and is not there. */
function doubts({ title, evidence, patch }: JobResult): string[] {
  const missing = evidence?.files.filter(({ status }) => status === 'missing') ?? [];
  return [
    ...missing.map(({ path }) => `${title} says it delivered ${path}, but there is no such file.`),
    ...(patch !== undefined && !patch.applied
      ? [
          `The changes of ${title} are not in the tree${patch.conflicts.length > 0 ? `: they clash in ${patch.conflicts.join(', ')}` : ''}.`,
        ]
      : []),
  ];
}

/** What is left for a person to do. */
function remainders({ evidence, patch }: JobResult): string[] {
  const refused = evidence?.checks?.filter(({ status }) => status === 'refused') ?? [];
  return [
    ...refused.map(({ command }) => `Run ${command}`),
    ...(patch !== undefined && !patch.applied ? [`Apply ${patch.path} by hand`] : []),
  ];
}
