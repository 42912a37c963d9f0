import { join } from 'node:path';
import type { ArgumentDefinition, PromptDefinition } from '../definition/definition.ts';
import { shownDescription } from '../definition/shown-description.ts';
import { inFolder, withTexts } from '../rendering/rendering.ts';
import { printMarkdown } from './file-syntax.ts';
import { type NativeClient, NotExpressible, pathForName } from './format.ts';
import { type Segment, singleSegments } from './segments.ts';

/** Written in one place, so that users recognize the prompts and never meet them under the name of a built-in command. */
export const ownFolder = 'adjutant';

/** What a client executes, reads or replaces in the text of its command files. */
export interface ClientSyntax {
  /** The placeholder for everything typed after the command. `undefined` if the client sends the typed text separately. */
  readonly whole: string | undefined;
  /** Each match is one character, which a space after it separates from the text that gives it a meaning. */
  readonly special: RegExp;
  /** The client's own escape for a matched character, where it has one. */
  escape?(found: string, before: string, after: string): string | undefined;
}

/** A command to run. The typed text may be empty, so a placeholder does not separate the two characters. */
export const shellCommand = String.raw`!(?=\`|\$ARGUMENTS)`;

/** Creates a writer of one Markdown file for each prompt. */
export function nativeMarkdown(
  syntax: ClientSyntax,
  fields: (definition: PromptDefinition) => Readonly<Record<string, unknown>>,
): NativeClient['print'] {
  return async (definition, onEscape) => [
    {
      path: nativePath(definition, '.md'),
      text: await printMarkdown(
        { description: nativeDescription(definition), ...fields(definition) },
        nativeText(definition, syntax, onEscape),
      ),
    },
  ];
}

/** A client with a folder of command files, which users type after a slash. */
export function slashCommands(
  client: Pick<NativeClient, 'id' | 'title' | 'projectHome' | 'print'> & Partial<NativeClient>,
): NativeClient {
  return {
    home: ({ userHome }) => join(userHome, client.projectHome),
    folder: join('commands', ownFolder),
    typed: (name) => `/${ownFolder}:${name}`,
    ...client,
  };
}

export function nativePath({ name }: PromptDefinition, extension: string): string {
  if (/\s/.test(name)) throw new NotExpressible('its name contains a space, so it cannot be typed');
  // In Claude Code, a file of this name hides all others in its folder.
  if (/(?:^|:)SKILL$/i.test(name)) throw new NotExpressible('its name has a special meaning');
  return pathForName(name, extension);
}

/** Clients show one line, and Codex refuses a skill without a description. */
export function nativeDescription(definition: PromptDefinition): string {
  return shownDescription(definition)?.replaceAll(/\s+/g, ' ').trim() || `The prompt ${definition.name}`;
}

/**
 * Writes the text of a prompt for a client. Clients split typed text in different ways and lose parts of it, so the typed
 * text is always inserted whole: in place of a single argument, or once at the end with a note on which arguments it holds.
 * `onEscape` gets each piece of the text in which a character was escaped. Throws NotExpressible.
 */
export function nativeText(
  definition: PromptDefinition,
  syntax: ClientSyntax,
  onEscape: (found: string) => void,
  typedName = '',
): string {
  const { segments, used } = singleSegments(inItsFolder(definition));
  const declared = used.map((name) => declaration(definition, name));
  const isSingle = used.length === 1 && !defaultOf(definition, declared[0]!);
  const placeholder = (name: string) => (isSingle && syntax.whole ? syntax.whole : `<${name}>`);
  const body = segments
    .map((segment, index) => {
      if (typeof segment !== 'string') return placeholder(segment.argument);
      const next = segments[index + 1];
      const following = next === undefined || typeof next === 'string' ? '' : placeholder(next.argument);
      return escapeLiteral(segment, following, segments[index - 1], syntax, onEscape);
    })
    .join('');
  const needsNote = used.length > 0 && !(isSingle && syntax.whole);
  const text = needsNote ? body.trimEnd() + note(definition, declared, syntax, typedName) : body;
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** The native copy of a skill is in another folder, so its text names the folder of the skill. */
function inItsFolder(definition: PromptDefinition): PromptDefinition {
  const { folder } = definition;
  if (folder === undefined) return definition;
  return withTexts(definition, (text, index) => inFolder({ ...definition, folder }, index, text));
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
  onEscape: (found: string) => void,
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
    onEscape(/^\S{1,30}/.exec(context.slice(index))![0]);
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
