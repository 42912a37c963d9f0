import { Failure } from '../../failure.ts';
import type { PromptDefinition, TypedRules } from '../definition/definition.ts';
import type { Arguments } from './rendering.ts';

/** The default name of the argument that holds the whole text typed after a command name. */
export const everything = 'arguments';

/** Length of a word in which `$ARGUMENTS` is replaced. */
const maxExpanded = 10_000_000;

/** The arguments of a command, and typed text to append because no placeholder takes it. */
export interface TypedArguments {
  readonly args: Arguments;
  /** The end of the file and, if placeholders do not take all of it, the typed text. */
  readonly appended: string;
}

/**
 * Fills a command of another client the way that client does. Positional arguments come from the words of the typed text.
 * If only positional arguments are given, the typed text is composed from them. If a word has no placeholder, the whole
 * text is appended to the body, so that nothing is lost.
 */
export function fillTyped(
  { arguments: declared, messages, typed }: PromptDefinition,
  given: Arguments,
): TypedArguments {
  const rules: TypedRules = typed ?? { positions: [], whole: everything };
  const { positions, whole: all, appendix = '\n\nARGUMENTS: ', ending = '' } = rules;
  const whole = given[all];
  const isUsed = new Set(
    declared
      .map(({ name }) => name)
      .filter((name) =>
        messages.some(({ content }) => content.type === 'text' && content.text.includes(`{{${name}}}`)),
      ),
  );
  if (typeof whole !== 'string' || whole === '') {
    const values = positions.map((name) => given[name]).filter((value) => typeof value === 'string');
    const composed = values.map((value) => (/^\S+$/.test(value) ? value : `"${value}"`)).join(' ');
    return { args: { ...given, [all]: composed }, appended: ending };
  }
  const prepare = (text: string) => (rules.disarmsCommands ? disarm(text) : text);
  const typedText = prepare(whole.trim());
  const filled: Record<string, unknown> = {};
  let isComplete = true;
  let isExpanded = false;
  const expand = (word: string) => {
    if (!rules.expandsWords || !word.includes('$ARGUMENTS')) return word;
    isExpanded = true;
    const count = word.split('$ARGUMENTS').length - 1;
    if (count * typedText.length > maxExpanded)
      throw new Failure(
        'invalid-params',
        'The text after the command is too long with its $ARGUMENTS replaced.',
      );
    return word.replaceAll('$ARGUMENTS', () => typedText);
  };
  for (const [index, word] of splitTyped(whole.trim(), rules).entries()) {
    const name = positions[index];
    if (name === undefined || !isUsed.has(name)) isComplete = false;
    else if (!Object.hasOwn(given, name)) filled[name] = expand(prepare(word));
  }
  const rest = isComplete || isExpanded || isUsed.has(all) ? '' : `${appendix}${typedText}`;
  return { args: { ...given, ...filled, [all]: typedText }, appended: ending + rest };
}

/** Changes shell commands the way Claude Code does: its model receives them, but nothing runs them. */
function disarm(text: string): string {
  return text.replaceAll(/(^|\s)!`/g, '$1\\! `').replaceAll('!`', '! `');
}

/** The words for the positions, and one more if there are more. */
function splitTyped(text: string, { split, rest, positions }: TypedRules): readonly string[] {
  const most = rest === undefined ? positions.length + 1 : Number.POSITIVE_INFINITY;
  const words = split === 'quotes' ? quotedWords(text, most) : wordsOf(text, most);
  if (rest === undefined || words.length <= rest) return words;
  return [...words.slice(0, rest), words.slice(rest).join(' ')];
}

/** Splits at white space and quotes. A quote that is not closed is dropped. */
function quotedWords(text: string, most: number): readonly string[] {
  const words: string[] = [];
  for (const [word] of text.matchAll(/"[^"]*"|'[^']*'|[^\s"']+/g)) {
    words.push(word.replaceAll(/^["']|["']$/g, ''));
    if (words.length === most) break;
  }
  return words;
}

const space = /\s+/y;
const plain = /[^\s'"\\]+/y;
const quoted: Readonly<Record<string, RegExp>> = {
  "'": /'[^']*'/y,
  '"': /"(?:\\[\s\S]|[^"\\])*"/y,
  '\\': /\\[\s\S]/y,
};

/** Splits like a shell. A word with an unclosed quote extends to the end of the text and is kept unchanged. */
function wordsOf(text: string, most: number): readonly string[] {
  const words: string[] = [];
  let at = 0;
  for (;;) {
    at = endOf(space, text, at) ?? at;
    if (at === text.length || words.length === most) return words;
    const start = at;
    let word = '';
    while (at < text.length) {
      const first = text[at]!;
      const end = endOf(quoted[first] ?? plain, text, at);
      if (end === undefined && first in quoted) return [...words, text.slice(start)];
      if (end === undefined) break;
      word += unquote(text.slice(at, end));
      at = end;
    }
    words.push(word);
  }
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function unquote(part: string): string {
  if (part.startsWith("'")) return part.slice(1, -1);
  if (part.startsWith('"')) return part.slice(1, -1).replaceAll(/\\(["\\$`])/g, '$1');
  return part.startsWith('\\') ? part.slice(1) : part;
}
