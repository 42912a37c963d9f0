import type { JobResult } from './autopilot-output.ts';
import type { JobSpec } from './job-spec.ts';

const limits = { summary: 4_000, items: 40, task: 8_000 };

/** A job's instructions, with the larger task and the results of the jobs it depends on as context. */
export function jobPrompt(job: JobSpec, task: string, dependencies: readonly JobResult[]): string {
  const parts = [job.task];
  if (!job.task.includes(task)) {
    parts.push(
      `This is one part of a larger task. Do only your part; other agents do the rest. The larger task, for context:\n${clip(task, limits.task)}`,
    );
  }
  if (dependencies.length > 0) {
    parts.push(
      ['Results of the jobs that yours depends on:', ...dependencies.map(formatResult)].join('\n\n'),
    );
  }
  if (job.writes.length > 0) {
    parts.push(`Create or change only these files: ${job.writes.join(', ')}`);
  }
  if (job.acceptance.length > 0) {
    parts.push(`When you are done, your work is checked with: ${job.acceptance.join(' ; ')}`);
  }
  return parts.join('\n\n');
}

function formatResult({ id, title, summary, deliverables, open_questions, next_actions }: JobResult): string {
  return [
    `## ${title} (${id})`,
    clip(summary, limits.summary),
    ...list(
      'Deliverables',
      deliverables.map(({ path, description }) => `${path} — ${description}`),
    ),
    ...list('Open questions', open_questions),
    ...list('Next actions', next_actions),
  ].join('\n');
}

function list(name: string, items: readonly string[]): string[] {
  return items.length === 0
    ? []
    : [`${name}:`, ...items.slice(0, limits.items).map((item) => `- ${clip(item, 500)}`)];
}

function clip(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}
