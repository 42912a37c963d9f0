import type { PromptMessage } from '../../feature.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { Arguments } from './rendering.ts';

/**
 * Fills a prompt's arguments from the free text that follows its name. A single argument takes the whole text. Of several
 * arguments, each takes one word or quoted phrase, and the last one takes the rest.
 */
export function argumentsFrom(definition: PromptDefinition, input: string, given: Arguments): Arguments {
  if (input === '') return given;
  if (definition.typed !== undefined) return { ...given, [definition.typed.whole]: input };
  const unfilled = definition.arguments.filter(({ name }) => !Object.hasOwn(given, name));
  const required = unfilled.filter((argument) => argument.required);
  const targets = required.length > 0 ? required : unfilled.slice(0, 1);
  const values = splitPhrases(input, targets.length);
  return {
    ...given,
    ...Object.fromEntries(targets.slice(0, values.length).map(({ name }, index) => [name, values[index]])),
  };
}

/** Whether an argument can take the free text. If not, the caller appends the text to the prompt. */
export function takesInput(definition: PromptDefinition, given: Arguments): boolean {
  return (
    definition.typed !== undefined || definition.arguments.some(({ name }) => !Object.hasOwn(given, name))
  );
}

function splitPhrases(input: string, count: number): readonly string[] {
  const phrases: string[] = [];
  let rest = input;
  while (phrases.length < count - 1) {
    const [all, double, single, word] = /^\s*(?:"([^"]*)"|'([^']*)'|(\S+))\s*/.exec(rest) ?? [];
    if (all === undefined) break;
    phrases.push((double ?? single ?? word)!);
    rest = rest.slice(all.length);
  }
  return rest === '' ? phrases : [...phrases, rest];
}

/** Joins the messages into one text for clients that accept only text. Adds the roles unless all messages are from the user. */
export function flatten(messages: readonly PromptMessage[]): string {
  const showRoles = messages.some(({ role }) => role !== 'user');
  return messages
    .map(({ role, content }) => {
      const text = content.type === 'text' ? content.text : `[${content.type}]`;
      return showRoles ? `[${role}]\n${text}` : text;
    })
    .join('\n\n');
}
