import type { PromptItem, ToolAnswer } from '../../../api.ts';

export type Prompt = PromptItem;
export type PromptArgument = ToolAnswer<'show_prompt'>['arguments'][number];

/** The source of a prompt. Prompts that belong to a server feature have no source and are shown as "server". */
export function sourceOf(prompt: Prompt): string {
  return String(prompt._meta?.['adjutant/source'] ?? 'server');
}

export const isFavourite = (prompt: Prompt) => prompt._meta?.['adjutant/favourite'] === true;

/** The folder into which a person has put the prompt. Empty if there is none. */
export const folderOf = (prompt: Prompt) => String(prompt._meta?.['adjutant/folder'] ?? '');

export const tagsOf = (prompt: Prompt) => namesIn(prompt, 'adjutant/tags');

/** The prompts that it includes. */
export const usesOf = (prompt: Prompt) => namesIn(prompt, 'adjutant/uses');

function namesIn(prompt: Prompt, key: string): readonly string[] {
  const names = prompt._meta?.[key];
  return Array.isArray(names) ? names.map(String) : [];
}
