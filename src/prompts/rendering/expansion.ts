import type { PromptMessage } from '../../feature.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { Arguments } from './rendering.ts';

/**
 * The arguments of a prompt from the free text that follows its name. One argument takes all of it; of several, each takes
 * one word or quoted phrase and the last takes the rest.
 */
export function argumentsFrom(definition: PromptDefinition, input: string, given: Arguments): Arguments {
  if (input === '') return given;
  if (definition.typed !== undefined) return { ...given, [definition.typed.whole]: input };
  const open = definition.arguments.filter(({ name }) => !Object.hasOwn(given, name));
  const required = open.filter((argument) => argument.required);
  const wanted = required.length > 0 ? required : open.slice(0, 1);
  const values = splitPhrases(input, wanted.length);
  return {
    ...given,
    ...Object.fromEntries(wanted.slice(0, values.length).map(({ name }, index) => [name, values[index]])),
  };
}

/** Whether some argument would take the text; where none does it is put after the prompt. */
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

/** Messages as one text for clients that take no more; who speaks is told as soon as it is not the person alone. */
export function flatten(messages: readonly PromptMessage[]): string {
  const several = messages.some(({ role }) => role !== 'user');
  return messages
    .map(({ role, content }) => {
      const text = content.type === 'text' ? content.text : `[${content.type}]`;
      return several ? `[${role}]\n${text}` : text;
    })
    .join('\n\n');
}
