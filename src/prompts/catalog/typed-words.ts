import type { Prompt } from '../../feature.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { type Arguments, splitPhrases } from '../rendering/arguments.ts';

/** Claude Code gives every argument of a prompt one typed word, even of a quoted phrase, and drops the words that are left. */
export const dropsWords = (client: string | undefined) => client === 'claude-code';

/**
 * Further arguments, which take those words. Claude Code shows their names after the description in its menu, cut to a line
 * or two, and each of them adds 15 bytes to every prompt of the list.
 */
const more = Array.from({ length: 120 }, (_, index) => `+${index + 1}`);
const moreArguments = more.map((name) => ({ name }));

/** The arguments of a prompt for such a client: of a command of another client, only the one for the whole text. */
export function argumentsForWords(
  { typed }: PromptDefinition,
  listed: Prompt['arguments'],
): Prompt['arguments'] {
  if (typed === undefined) return [...listed, ...moreArguments];
  const [whole] = listed.filter(({ name }) => name === typed.whole);
  return [whole ?? { name: typed.whole }, ...moreArguments];
}

interface TypedText {
  readonly args: Arguments;
  /** What no argument takes. The caller adds it to the prompt. */
  readonly rest: string;
}

/**
 * What was typed, divided among the arguments as in `expand_prompt`: a quoted phrase is one value, the last takes the rest. If
 * every further argument has a word, Claude Code may have dropped words after them, and the rest says so.
 */
export function argumentsFromWords(
  { name: prompt, arguments: declared, typed }: PromptDefinition,
  given: Arguments,
): TypedText {
  const names = typed === undefined ? declared.map(({ name }) => name) : [typed.whole];
  const words = [...names, ...more].map((name) => given[name]).filter((value) => typeof value === 'string');
  const isTyped = more.some((name) => Object.hasOwn(given, name)) || words.some((word) => /^["']/.test(word));
  if (!isTyped || words.some((word) => /\s/.test(word))) return { args: given, rest: '' };
  const text = words.join(' ');
  const values = names.length === 0 ? [] : names.length === 1 ? [text] : splitPhrases(text, names.length);
  const args = Object.fromEntries(values.map((value, index) => [names[index]!, value]));
  const rest = [
    ...(names.length === 0 ? [text] : []),
    ...(Object.hasOwn(given, more.at(-1)!) ? [cutNotice(prompt, words.length)] : []),
  ];
  return { args, rest: rest.join('\n\n') };
}

function cutNotice(prompt: string, words: number): string {
  return `(Claude Code passes at most ${words} words to this prompt, so the end of the typed text may be missing. Tell the user so, and that ":${prompt}" followed by the text passes all of it.)`;
}
