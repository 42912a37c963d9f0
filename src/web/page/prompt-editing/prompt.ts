import type { PromptItem, ToolAnswer } from '../../../api.ts';

export type Prompt = PromptItem;
export type PromptArgument = ToolAnswer<'show_prompt'>['arguments'][number];

/** The source of a prompt. Prompts that belong to a server feature have no source and are shown as "server". */
export function sourceOf(prompt: Prompt): string {
  return String(prompt._meta?.['adjutant/source'] ?? 'server');
}

export function tagsOf(prompt: Prompt): readonly string[] {
  const tags = prompt._meta?.['adjutant/tags'];
  return Array.isArray(tags) ? tags.map(String) : [];
}
