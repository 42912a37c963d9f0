import type { ArgumentDefinition, PromptDefinition } from '../definition/definition.ts';
import { NotExpressible } from '../formats/format.ts';
import { argumentsIn, type Segment, singleText, toSegments } from '../formats/segments.ts';

/** What a client executes, reads or replaces in the text of its command files. */
export interface ClientSyntax {
  /** The placeholder for everything typed after the command. `undefined` if the client sends the typed text separately. */
  readonly whole: string | undefined;
  /** Each match is one character, which a space after it separates from the text that gives it a meaning. */
  readonly special: RegExp;
  /** The client's own escape for a matched character, where it has one. */
  escape?(found: string, before: string, after: string): string | undefined;
}

export interface NativeText {
  readonly text: string;
  /** Pieces of the text in which a character was escaped. */
  readonly escaped: readonly string[];
}

/**
 * Writes the text of a prompt for a client. Clients split typed text in different ways and lose parts of it, so the typed
 * text is always inserted whole: in place of a single argument, or once at the end with a note on which arguments it holds.
 * Throws NotExpressible.
 */
export function nativeText(
  definition: PromptDefinition,
  syntax: ClientSyntax,
  typedName: string,
): NativeText {
  const segments = toSegments(definition, singleText(definition));
  const used = argumentsIn(segments);
  const declared = used.map((name) => declaration(definition, name));
  const isSingle = used.length === 1 && !defaultOf(definition, declared[0]!);
  const placeholder = (name: string) => (isSingle && syntax.whole ? syntax.whole : `<${name}>`);
  const escaped: string[] = [];
  const body = segments
    .map((segment, index) => {
      if (typeof segment !== 'string') return placeholder(segment.argument);
      const next = segments[index + 1];
      const following = next === undefined || typeof next === 'string' ? '' : placeholder(next.argument);
      return escapeLiteral(segment, following, segments[index - 1], syntax, escaped);
    })
    .join('');
  const needsNote = used.length > 0 && !(isSingle && syntax.whole);
  return { text: needsNote ? body.trimEnd() + note(definition, declared, syntax, typedName) : body, escaped };
}

function declaration({ arguments: declared }: PromptDefinition, name: string): ArgumentDefinition {
  const found = declared.find((argument) => argument.name === name);
  if (found === undefined)
    throw new NotExpressible(`its text uses ${name}, which is not one of its arguments`);
  return found;
}

/** The default of a positional argument is its own placeholder, which means nothing elsewhere. */
function defaultOf({ typed }: PromptDefinition, { default: value }: ArgumentDefinition): string {
  return typed === undefined ? (value ?? '') : '';
}

function escapeLiteral(
  literal: string,
  following: string,
  previous: Segment | undefined,
  { special, escape: escapeOwn, whole = '' }: ClientSyntax,
  escaped: string[],
): string {
  const context = literal + following;
  // After a placeholder such as $ARGUMENTS, an index would select one word of the typed text.
  const gap = typeof previous === 'object' && whole.startsWith('$') && literal.startsWith('[') ? ' ' : '';
  let text = gap;
  let end = 0;
  for (const { index, 0: found } of context.matchAll(special)) {
    if (index >= literal.length) break;
    const after = context.slice(index + 1);
    text += literal.slice(end, index) + (escapeOwn?.(found, literal.slice(0, index), after) ?? `${found} `);
    end = index + 1;
    escaped.push(/^\S{1,30}/.exec(context.slice(index))![0]);
  }
  return text + literal.slice(end);
}

/** Explains the arguments in the text and gives their values as they were typed. */
function note(
  definition: PromptDefinition,
  declared: readonly ArgumentDefinition[],
  { whole }: ClientSyntax,
  typedName: string,
): string {
  const names = declared.map(({ name }) => `<${name}>`);
  const list =
    names.length === 1 ? `${names[0]} stands` : `${names.slice(0, -1).join(', ')} and ${names.at(-1)} stand`;
  const order = names.length === 1 ? '' : ', in this order';
  const defaults = declared
    .map((argument) => [argument.name, defaultOf(definition, argument)] as const)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => ` If <${name}> is not given, it is ${JSON.stringify(value)}.`)
    .join('');
  return whole === undefined
    ? `\n\nIn this text, ${list} for the words after ${typedName} in the user's message${order}.${defaults}\n`
    : `\n\nIn this text, ${list} for the input below${order}.${defaults}\n\nInput: ${whole}\n`;
}
