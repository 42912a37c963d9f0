import { namedInTask, type Skill } from './skills.ts';

export interface PromptParts {
  readonly role: string;
  readonly cwd: string;
  readonly task: string;
  readonly skills: readonly Skill[];
  /** An extra line that names the autopilot job or the resumed thread. */
  readonly context?: string;
  readonly followUp?: boolean;
}

/**
 * The sub-agent's prompt. Codex loads a skill's full text when the prompt names it as `$name`, which skills that are only
 * offered are not worth.
 */
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
      : skills.map(({ name, origin, path, description = '', reason }) =>
          reason === undefined || reason.startsWith(namedInTask)
            ? `- $${name} (${origin}) — ${path}`
            : `- ${name} (${origin}) — ${path} — only if it fits the task: ${description.slice(0, 300)}`,
        )),
    '',
    'Recursion guard: do not call any delegate_* MCP tools.',
    '',
    'End with one JSON object and nothing else: summary (text), deliverables (a list of path and description, only files that exist), open_questions (a list of texts), next_actions (a list of texts).',
    '',
  ].join('\n');
}

export const continuation =
  'Continue the previous thread from where it stopped and return an updated JSON object about all of its work.';
