import type { Skill } from '../skills/skills.ts';

export interface PromptParts {
  readonly role: string;
  readonly cwd: string;
  readonly task: string;
  readonly skills: readonly Skill[];
  /** A line of its own about where the run stands: a job of a plan, a thread gone on with. */
  readonly context?: string;
  readonly followUp?: boolean;
}

/** What the sub-agent reads. A skill that codex knows is named by `$name`, which makes it bring the skill in whole. */
export function composePrompt({ role, cwd, task, skills, context, followUp }: PromptParts): string {
  return [
    `Role: ${role}`,
    `Working directory: ${cwd}`,
    ...(context === undefined ? [] : [context]),
    '',
    followUp ? 'Follow-up task:' : 'Task:',
    task,
    '',
    'Selected skills (read the SKILL.md at these paths; do not inline skill bodies):',
    ...(skills.length === 0
      ? ['- (none)']
      : skills.map(({ name, origin, path }) => `- $${name} (${origin}) — ${path}`)),
    '',
    'Recursion guard: do not call any delegate_* MCP tools.',
    '',
    'End with one JSON object and nothing else: summary (text), deliverables (a list of path and description, only files that exist), open_questions (a list of texts), next_actions (a list of texts).',
    '',
  ].join('\n');
}

export const continuation =
  'Continue the previous thread from where it stopped and return an updated JSON object about all of its work.';
