import type { PromptDefinition } from './definition.ts';

/** A digest of the prompt's content and of the files it includes. Used where the source does not count revisions. */
export function contentRevision(definition: PromptDefinition): string {
  const known = revisions.get(definition);
  if (known !== undefined) return known;
  const { title, description, arguments: args, messages, tags, template, dependencies } = definition;
  const content = [title ?? null, description ?? null, args, messages, tags, template, dependencies ?? null];
  const revision = digestOf(JSON.stringify(content));
  revisions.set(definition, revision);
  return revision;
}

const revisions = new WeakMap<PromptDefinition, string>();

export function digestOf(content: string | Buffer): string {
  // Load the module on first use: most servers never need a digest, and loading it slows down the start.
  const { hash } = process.getBuiltinModule('node:crypto');
  return hash('sha256', content).slice(0, 16);
}

/** Whether clients receive the same content for both. Ignores the file and the line. */
export function sameContent(one: PromptDefinition, other: PromptDefinition): boolean {
  if (one === other) return true;
  return (
    JSON.stringify(listed(one)) === JSON.stringify(listed(other)) &&
    one.template === other.template &&
    one.messages.length === other.messages.length &&
    one.messages.every((message, index) => sameMessage(message, other.messages[index]!)) &&
    JSON.stringify(one.dependencies) === JSON.stringify(other.dependencies)
  );
}

/** The fields that clients see in the list of prompts. */
export function listed({ name, title, description, arguments: args, tags }: PromptDefinition): object {
  return { name, title, description, args, tags };
}

type Message = PromptDefinition['messages'][number];

function sameMessage(one: Message, other: Message): boolean {
  if (one.role !== other.role) return false;
  // Texts can be long, so compare them directly instead of serializing them.
  if (one.content.type === 'text' && other.content.type === 'text')
    return one.content.text === other.content.text;
  return JSON.stringify(one.content) === JSON.stringify(other.content);
}
