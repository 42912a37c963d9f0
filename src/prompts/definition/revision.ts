import type { PromptDefinition } from './definition.ts';

/** The revision of a prompt in a file: a digest of its content and of the files it includes. */
export function contentRevision(definition: PromptDefinition): string {
  const { title, description, arguments: args, messages, tags, template, dependencies } = definition;
  const content = [title ?? null, description ?? null, args, messages, tags, template, dependencies ?? null];
  return digestOf(JSON.stringify(content));
}

export function digestOf(content: string | Buffer): string {
  // Most servers never need a digest, and loading the module takes time at start-up.
  const { hash } = process.getBuiltinModule('node:crypto');
  return hash('sha256', content).slice(0, 16);
}

/** Whether both are sent alike. Where the file lies, and on which line, does not matter. */
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

/** What a client sees of a prompt in the list. */
export function listed({ name, title, description, arguments: args, tags }: PromptDefinition): object {
  return { name, title, description, args, tags };
}

type Message = PromptDefinition['messages'][number];

function sameMessage(one: Message, other: Message): boolean {
  if (one.role !== other.role) return false;
  // Texts may be long: they are compared as they are.
  if (one.content.type === 'text' && other.content.type === 'text')
    return one.content.text === other.content.text;
  return JSON.stringify(one.content) === JSON.stringify(other.content);
}
