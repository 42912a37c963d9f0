import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { isObject, type JsonObject } from '../../json.ts';
import type { ArgumentDefinition, PromptDefinition, TypedRules } from '../definition/definition.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** Names of required arguments that were not given. An empty value counts as given. */
export function missingArguments(
  { arguments: declared }: PromptDefinition,
  given: Arguments,
): readonly string[] {
  const missing: string[] = [];
  for (const { name, required, default: standard } of declared)
    if (required && standard === undefined && !Object.hasOwn(given, name)) missing.push(name);
  return missing;
}

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
  if (targets.length === 1) return { ...given, [targets[0]!.name]: input };
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

/** At most this many words or quoted phrases; the last one is the rest of the text. */
export function splitPhrases(input: string, count: number): readonly string[] {
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

/** Asks the user for missing required arguments if the client supports forms. Returns all arguments. */
export async function askForMissing(
  definition: PromptDefinition,
  given: Arguments,
  context: Context,
): Promise<Arguments> {
  const missing = missingArguments(definition, given);
  return missing.length === 0 || !context.can('elicitation')
    ? given
    : ask(definition, given, missing, context);
}

async function ask(
  definition: PromptDefinition,
  given: Arguments,
  missing: readonly string[],
  context: Context,
): Promise<Arguments> {
  const requested = definition.arguments.filter(({ name }) => missing.includes(name));
  const { arguments: answer = {} } = await context.ask({
    arguments: {
      method: 'elicitation/create',
      params: {
        message: `The prompt ${definition.title ?? definition.name} needs ${missing.join(', ')}.`,
        requestedSchema: {
          type: 'object',
          properties: Object.fromEntries(requested.map((argument) => [argument.name, toFormField(argument)])),
          required: missing,
        },
      },
    },
  });
  if (answer['action'] !== 'accept') {
    throw new Failure(
      'missing-argument',
      `Missing required argument: ${missing[0]} (the user was asked but did not provide it)`,
    );
  }
  return { ...given, ...(isObject(answer['content']) ? answer['content'] : {}) };
}

function toFormField({ name, description, values }: ArgumentDefinition): JsonObject {
  return {
    type: 'string',
    title: name,
    ...(description !== undefined && { description }),
    ...(values !== undefined && values.length > 0 && { enum: values }),
  };
}

/** The default name of the argument that holds the whole text typed after a command name. */
export const everything = 'arguments';

/** Length of a word in which `$ARGUMENTS` is replaced. */
const maxExpanded = 10_000_000;

/** The arguments of a command, and typed text to append because no placeholder takes it. */
interface TypedArguments {
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

/** The words for the positions, and an item for the rest of the text if there is more. */
function splitTyped(text: string, { split, rest, positions }: TypedRules): readonly string[] {
  const most = rest === undefined ? positions.length : Number.POSITIVE_INFINITY;
  const words = split === 'quotes' ? quotedWords(text, most) : wordsOf(text, most);
  if (rest === undefined || words.length <= rest) return words;
  return [...words.slice(0, rest), words.slice(rest).join(' ')];
}

/** Splits at white space and quotes. A quote that is not closed is dropped. */
function quotedWords(text: string, most: number): readonly string[] {
  const words: string[] = [];
  for (const [word] of text.matchAll(/"[^"]*"|'[^']*'|[^\s"']+/g)) {
    words.push(word.replaceAll(/^["']|["']$/g, ''));
    if (words.length > most) break;
  }
  return words;
}

const [apostrophe, quote, backslash] = [0x27, 0x22, 0x5c];
/** What a backslash protects inside double quotes: `"`, `\`, `$` and the grave accent. */
const escapable = new Set([quote, backslash, 0x24, 0x60]);

/**
 * Splits like a shell. A word with an unclosed quote extends to the end of the text and is kept unchanged. Copies single
 * characters, because a string for each part of a long text keeps the garbage collector busy.
 */
function wordsOf(text: string, most: number): readonly string[] {
  const words: string[] = [];
  const word = new Uint16Array(text.length);
  for (let at = 0; ; ) {
    while (isSpace(text, at)) at++;
    if (at === text.length) return words;
    if (words.length === most) return [...words, text.slice(at)];
    const unclosed = () => [...words, text.slice(start)];
    const start = at;
    let size = 0;
    for (; at < text.length && !isSpace(text, at); at++) {
      const first = text.charCodeAt(at);
      if (first === backslash) {
        if (++at === text.length) return unclosed();
        word[size++] = text.charCodeAt(at);
      } else if (first === apostrophe) {
        const end = text.indexOf("'", at + 1);
        if (end < 0) return unclosed();
        while (++at < end) word[size++] = text.charCodeAt(at);
      } else if (first === quote) {
        for (at++; at < text.length && text.charCodeAt(at) !== quote; at++) {
          if (text.charCodeAt(at) === backslash && !escapable.has(text.charCodeAt(++at)))
            word[size++] = backslash;
          word[size++] = text.charCodeAt(at);
        }
        if (at >= text.length) return unclosed();
      } else word[size++] = first;
    }
    words.push(Buffer.from(word.buffer, 0, size * 2).toString('utf16le'));
  }
}

function isSpace(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit < 0x80 ? unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) : /\s/.test(text.charAt(at));
}

const maxValues = 20;
const maxLength = 200;

/** Recently used argument values, offered as completions. Never written to disk, because arguments can be private. */
export class RecentValues {
  readonly #values = new Map<string, string[]>();

  remember(prompt: string, args: Arguments): void {
    for (const [argument, value] of Object.entries(args)) {
      if (typeof value !== 'string' || value === '' || value.length > maxLength || value.includes('\n'))
        continue;
      const key = keyOf(prompt, argument);
      const before = this.#values.get(key) ?? [];
      if (before[0] === value) continue;
      this.#values.set(key, [value, ...before.filter((other) => other !== value)].slice(0, maxValues));
    }
  }

  of(prompt: string, argument: string): readonly string[] {
    return this.#values.get(keyOf(prompt, argument)) ?? [];
  }
}

function keyOf(prompt: string, argument: string): string {
  return `${prompt}\0${argument}`;
}
