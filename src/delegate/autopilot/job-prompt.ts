import type { JobResult } from './autopilot-output.ts';
import type { JobSpec } from './job-spec.ts';

const most = { summary: 4_000, items: 40, task: 8_000 };

/** A job's instructions with what it cannot know by itself: the whole of which it is a part, and what came before. */
export function jobPrompt(job: JobSpec, task: string, before: readonly JobResult[]): string {
  const parts = [job.task];
  if (!job.task.includes(task)) {
    parts.push(
      `This is one part of a larger task. Do your part only; others do the rest. The larger task, for context:\n${clip(task, most.task)}`,
    );
  }
  if (before.length > 0) {
    parts.push(['What the jobs before yours came to:', ...before.map(finding)].join('\n\n'));
  }
  if (job.writes.length > 0) {
    parts.push(`Create or change files only here: ${job.writes.join(', ')}`);
  }
  if (job.acceptance.length > 0) {
    parts.push(`Afterwards your work is checked with: ${job.acceptance.join(' ; ')}`);
  }
  return parts.join('\n\n');
}

function finding({ id, title, summary, deliverables, open_questions, next_actions }: JobResult): string {
  return [
    `## ${title} (${id})`,
    clip(summary, most.summary),
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
    : [`${name}:`, ...items.slice(0, most.items).map((item) => `- ${clip(item, 500)}`)];
}

function clip(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
