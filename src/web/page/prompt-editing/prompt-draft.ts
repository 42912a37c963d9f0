import type { ToolAnswer, ToolArguments } from '../../../api.ts';
import type { PromptArgument } from './prompt.ts';
import type { PromptVersion } from './prompt-text.ts';

/** A prompt as show_prompt returns it. Empty for a new prompt. */
export type PromptSource = Partial<ToolAnswer<'show_prompt'>>;
export type Message = ToolAnswer<'show_prompt'>['messages'][number];
type SentMessages = ToolArguments<'create_prompt'>['messages'] & {};

export interface Draft {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly tags: string;
  readonly messages: readonly Message[];
  readonly args: readonly PromptArgument[];
}

export const newMessage: Message = { role: 'user', content: { type: 'text', text: '' } };
export const emptyDraft: Draft = {
  name: '',
  title: '',
  description: '',
  tags: '',
  messages: [newMessage],
  args: [],
};

export function draftFrom(name: string, source: PromptSource): Draft {
  const { title = name, description = '', tags = [], messages = [], arguments: args = [] } = source;
  return { name, title, description, tags: tags.join(' '), messages, args };
}

export function isEdited(draft: Draft, original: Draft): boolean {
  return JSON.stringify(draft) !== JSON.stringify(original);
}

function textsIn(messages: readonly Message[]): readonly string[] {
  return messages.map(({ content }) => (content.type === 'text' ? content.text : ''));
}

/** True if a message inserts the argument. */
export function usesArgument(messages: readonly Message[], name: string): boolean {
  return textsIn(messages).some((text) => text.includes(`{{${name}}}`));
}

/**
 * The arguments after the edit. Adds arguments the texts newly use. Drops arguments that were used before and that no
 * message uses any longer.
 */
export function editedArguments(draft: Draft, source: PromptSource): readonly PromptArgument[] {
  const before = source.messages ?? [];
  const declared = new Set(source.arguments?.map(({ name }) => name));
  const kept = draft.args.filter(
    ({ name }) => usesArgument(draft.messages, name) || (declared.has(name) && !usesArgument(before, name)),
  );
  const known = new Set(kept.map(({ name }) => name));
  const placeholders = textsIn(draft.messages).flatMap((text) => [...text.matchAll(/\{\{(\w+)\}\}/g)]);
  const added = new Set(placeholders.map(([, name]) => name!).filter((name) => !known.has(name)));
  return [...kept, ...[...added].map((name) => ({ name, required: true }))];
}

/** Also keeps arguments the text does not use at the moment, so that their fields return when it uses them again. */
export function mergeArguments(
  args: readonly PromptArgument[],
  changed: readonly PromptArgument[],
): readonly PromptArgument[] {
  const all = new Map([...args, ...changed].map((one) => [one.name, one]));
  return [...all.values()];
}

/** The arguments of create_prompt, for a new prompt or one that was deleted during the edit. */
export function createArguments(draft: Draft, source: PromptSource = {}): ToolArguments<'create_prompt'> {
  return {
    name: draft.name,
    title: draft.title || draft.name,
    description: draft.description,
    tags: parseTags(draft.tags),
    arguments: editedArguments(draft, source),
    messages: draft.messages as SentMessages,
  };
}

/** The arguments of update_prompt: only the edited fields, because it leaves missing fields unchanged. */
export function updateArguments(draft: Draft, source: PromptSource): ToolArguments<'update_prompt'> {
  const before = draftFrom(draft.name, source);
  const args = editedArguments(draft, source);
  return {
    name: draft.name,
    ...(draft.title !== before.title && { title: draft.title || draft.name }),
    ...(draft.description !== before.description && { description: draft.description }),
    ...(draft.tags !== before.tags && { tags: parseTags(draft.tags) }),
    ...(JSON.stringify(args) !== JSON.stringify(before.args) && { arguments: args }),
    ...(JSON.stringify(draft.messages) !== JSON.stringify(before.messages) && {
      messages: draft.messages as SentMessages,
    }),
  };
}

/** The version that saving would create: the edited fields, and all other fields from the server. */
export function mergedVersion(draft: Draft, source: PromptSource, theirs: PromptSource): PromptVersion {
  const { title, description, tags, arguments: args, messages } = theirs;
  const fields = { title, description, tags, arguments: args, messages };
  return { ...fields, ...updateArguments(draft, source) };
}

function parseTags(text: string): readonly string[] {
  return text.split(/[\s,#]+/).filter((tag) => tag !== '');
}
