import type { ToolAnswer, ToolArguments } from '../../../api.ts';
import type { PromptArgument } from './prompt.ts';
import type { PromptVersion } from './prompt-text.ts';

/** A prompt as show_prompt returns it; nothing of it for a new prompt. */
export type PromptSource = Partial<ToolAnswer<'show_prompt'>>;
type Message = ToolAnswer<'show_prompt'>['messages'][number];
type SentMessages = ToolArguments<'create_prompt'>['messages'] & {};

export interface Draft {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly tags: string;
  /** The first message that is text; absent where a prompt has none. */
  readonly text: string | undefined;
  readonly args: readonly PromptArgument[];
}

export const emptyDraft: Draft = { name: '', title: '', description: '', tags: '', text: '', args: [] };

export function draftOf(name: string, source: PromptSource): Draft {
  const { title = name, description = '', tags = [], messages = [], arguments: args = [] } = source;
  const text = messages.flatMap(({ content }) => (content.type === 'text' ? [content.text] : []))[0];
  return { name, title, description, tags: tags.join(' '), text, args };
}

/** The messages with the text that was edited; all others, and all other fields, as they were. */
function messagesOf({ text }: Draft, { messages }: PromptSource): readonly Message[] {
  if (messages === undefined) return [{ role: 'user', content: { type: 'text', text: text ?? '' } }];
  const edited = messages.findIndex(({ content }) => content.type === 'text');
  return messages.map((message, index) =>
    index === edited && text !== undefined
      ? { ...message, content: { ...message.content, type: 'text', text } }
      : message,
  );
}

/** The known arguments, without those the edit has removed from the last message that used them, and the new ones. */
export function argumentsOf(draft: Draft, source: PromptSource): readonly PromptArgument[] {
  const textsOf = (messages: readonly Message[]) =>
    messages.map(({ content }) => (content.type === 'text' ? content.text : ''));
  const before = textsOf(source.messages ?? []);
  const now = textsOf(messagesOf(draft, source));
  const uses = (texts: readonly string[], name: string) => texts.some((text) => text.includes(`{{${name}}}`));
  const declared = new Set(source.arguments?.map(({ name }) => name));
  const kept = draft.args.filter(
    ({ name }) => uses(now, name) || (declared.has(name) && !uses(before, name)),
  );
  const known = new Set(kept.map(({ name }) => name));
  const written = (draft.text ?? '').matchAll(/\{\{(\w+)\}\}/g);
  const added = new Set([...written].map(([, name]) => name!).filter((name) => !known.has(name)));
  return [...kept, ...[...added].map((name) => ({ name, required: true }))];
}

/** Arguments that the text does not use at the moment stay, so that their fields are back when the text uses them again. */
export function withChanged(
  args: readonly PromptArgument[],
  changed: readonly PromptArgument[],
): readonly PromptArgument[] {
  const all = new Map([...args, ...changed].map((one) => [one.name, one]));
  return [...all.values()];
}

/** What create_prompt needs for a new prompt, or for one that was deleted while it was edited. */
export function createdFrom(draft: Draft, source: PromptSource = {}): ToolArguments<'create_prompt'> {
  return {
    name: draft.name,
    title: draft.title || draft.name,
    description: draft.description,
    tags: tagsIn(draft.tags),
    arguments: argumentsOf(draft, source),
    messages: messagesOf(draft, source) as SentMessages,
  };
}

/** Only what was edited: update_prompt keeps a field that is not given. */
export function changesFrom(draft: Draft, source: PromptSource): ToolArguments<'update_prompt'> {
  const before = draftOf(draft.name, source);
  const args = argumentsOf(draft, source);
  return {
    name: draft.name,
    ...(draft.title !== before.title && { title: draft.title || draft.name }),
    ...(draft.description !== before.description && { description: draft.description }),
    ...(draft.tags !== before.tags && { tags: tagsIn(draft.tags) }),
    ...(JSON.stringify(args) !== JSON.stringify(before.args) && { arguments: args }),
    ...(draft.text !== before.text && { messages: messagesOf(draft, source) as SentMessages }),
  };
}

/** The version that saving makes of the one on the server: the edited fields, and the others as they are there. */
export function versionFrom(draft: Draft, source: PromptSource, theirs: PromptSource): PromptVersion {
  const { title, description, tags, arguments: args, messages } = theirs;
  const fields = { title, description, tags, arguments: args, messages };
  return { ...fields, ...changesFrom(draft, source) };
}

function tagsIn(text: string): readonly string[] {
  return text.split(/[\s,#]+/).filter((tag) => tag !== '');
}
