import { join } from 'node:path';
import type { Places } from '../../setting.ts';
import type { ArgumentDefinition, PromptDefinition } from '../definition/definition.ts';
import { printHint } from '../formats/argument-hint.ts';
import { NotExpressible, type TextFile } from '../formats/format.ts';
import type { FormatName } from '../formats/format-names.ts';
import { printMarkdown } from '../formats/markdown.ts';
import { pathForName } from '../formats/prompt-path.ts';
import { argumentsIn, type Segment, singleText, toSegments } from '../formats/segments.ts';
import { tomlText } from '../formats/toml.ts';

/** A client that has commands or skills of its own in files. */
export interface NativeClient {
  /** As in `adjutant install`. */
  readonly id: string;
  readonly title: string;
  readonly kind: 'commands' | 'skills';
  /** The client's own folder, which holds its configuration and everything else of it. */
  home(places: Places): string;
  /** The same in a project. */
  readonly projectHome: string;
  /** The folder of our files in either of these. */
  readonly folder: string;
  /** Formats of prompts that are mounted from this client. */
  readonly formats: readonly FormatName[];
  /** What a user types for a prompt. */
  typed(name: string): string;
  /** Throws NotExpressible. `onEscape` is called for text that had to be changed. */
  print(definition: PromptDefinition, onEscape: (found: string) => void): Promise<readonly TextFile[]>;
}

/** Written in one place, so that users recognize the prompts and never meet them under the name of a built-in command. */
const own = 'adjutant';

/** An `@` at the start of a word. Claude Code and opencode attach the file that follows. */
const mention = String.raw`(?<![^\s])@(?=[^\s])`;
/** A command to run. The typed text may be empty, so a placeholder does not separate the two characters. */
const bang = String.raw`!(?=\`|\$ARGUMENTS)`;

const claude: ClientSyntax = {
  whole: '$ARGUMENTS',
  special: new RegExp(String.raw`${bang}|(?<=\`\`)\`(?=!)|${mention}|\$(?=ARGUMENTS|\d|\{CLAUDE_)`, 'g'),
  // A backslash before a variable in braces, or after another backslash, does not escape.
  escape: (found, before, after) =>
    found === '$' && !before.endsWith('\\') && !after.startsWith('{') ? '\\$' : undefined,
};
const braces: ClientSyntax = { whole: '{{args}}', special: /[!@](?=\{)|\{(?=\{args\}\})/g };
const opencode: ClientSyntax = {
  whole: '$ARGUMENTS',
  special: new RegExp(String.raw`${bang}|(?<![\w\`])@(?=[^\s\`,.]|\.\S)|\$(?=ARGUMENTS|\d)`, 'g'),
};
/** Codex sends the file unchanged, and the typed text in a message of its own. */
const codex: ClientSyntax = { whole: undefined, special: /(?!)/g };

const hidden = { 'disable-model-invocation': true };

export const nativeClients: readonly NativeClient[] = [
  {
    id: 'claude',
    title: 'Claude Code',
    kind: 'commands',
    home: ({ env, userHome }) => env['CLAUDE_CONFIG_DIR'] || join(userHome, '.claude'),
    projectHome: '.claude',
    folder: join('commands', own),
    formats: ['claude-code', 'claude-skills'],
    typed: (name) => `/${own}:${name}`,
    print: markdown(claude, (definition) => ({
      'argument-hint': printHint(definition.arguments),
      ...hidden,
    })),
  },
  {
    id: 'codex',
    title: 'Codex',
    kind: 'skills',
    home: ({ env, userHome }) => env['CODEX_HOME'] || join(userHome, '.codex'),
    projectHome: '.codex',
    folder: join('skills', own),
    formats: ['codex'],
    typed: (name) => `$${skillName(name)}`,
    print: printSkill,
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    kind: 'commands',
    home: ({ userHome }) => join(userHome, '.gemini'),
    projectHome: '.gemini',
    folder: join('commands', own),
    formats: ['gemini'],
    typed: (name) => `/${own}:${name}`,
    async print(definition, onEscape) {
      const path = pathOf(definition, '.toml');
      const text = `description = ${tomlText(describe(definition))}\nprompt = ${tomlText(textOf(definition, braces, onEscape))}\n`;
      return [{ path, text }];
    },
  },
  {
    id: 'qwen',
    title: 'Qwen Code',
    kind: 'commands',
    home: ({ userHome }) => join(userHome, '.qwen'),
    projectHome: '.qwen',
    folder: join('commands', own),
    formats: [],
    typed: (name) => `/${own}:${name}`,
    print: markdown(braces, () => hidden),
  },
  {
    id: 'opencode',
    title: 'opencode',
    kind: 'commands',
    home: ({ env, userHome }) => join(env['XDG_CONFIG_HOME'] || join(userHome, '.config'), 'opencode'),
    projectHome: '.opencode',
    folder: join('command', own),
    formats: [],
    typed: (name) => `/${own}/${name.replaceAll(':', '/')}`,
    // opencode does not offer commands to the model.
    print: markdown(opencode, () => ({})),
  },
];

/** Creates a writer of one Markdown file for each prompt. */
function markdown(
  syntax: ClientSyntax,
  fields: (definition: PromptDefinition) => Readonly<Record<string, unknown>>,
): NativeClient['print'] {
  return async (definition, onEscape) => [
    {
      path: pathOf(definition, '.md'),
      text: await printMarkdown(
        { description: describe(definition), ...fields(definition) },
        textOf(definition, syntax, onEscape),
      ),
    },
  ];
}

async function printSkill(
  definition: PromptDefinition,
  onEscape: (found: string) => void,
): Promise<readonly TextFile[]> {
  const name = skillName(definition.name);
  const folder = name.slice(own.length + 1);
  const text = textOf(definition, codex, onEscape, `$${name}`);
  return [
    {
      path: `${folder}/SKILL.md`,
      text: await printMarkdown({ name, description: describe(definition).slice(0, 1024) }, text),
    },
    { path: `${folder}/agents/openai.yaml`, text: 'policy:\n  allow_implicit_invocation: false\n' },
  ];
}

/** Codex reads a name up to the first character that is not a letter, a digit, `-` or `_`. */
function skillName(name: string): string {
  return `${own}-${pathForName(name, '').replaceAll(/[^A-Za-z0-9_-]/g, '-')}`;
}

function pathOf({ name }: PromptDefinition, extension: string): string {
  if (/\s/.test(name)) throw new NotExpressible('its name contains a space, so it cannot be typed');
  // In Claude Code, a file of this name hides all others in its folder.
  if (/(?:^|:)SKILL$/i.test(name)) throw new NotExpressible('its name has a special meaning');
  return pathForName(name, extension);
}

function textOf(
  definition: PromptDefinition,
  syntax: ClientSyntax,
  onEscape: (found: string) => void,
  typedName = '',
): string {
  const { text, escaped } = nativeText(definition, syntax, typedName);
  for (const found of escaped) onEscape(found);
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** Clients show one line, and Codex refuses a skill without a description. */
function describe({ name, description }: PromptDefinition): string {
  return description?.replaceAll(/\s+/g, ' ').trim() || `The prompt ${name}`;
}

/** What a client executes, reads or replaces in the text of its command files. */
interface ClientSyntax {
  /** The placeholder for everything typed after the command. `undefined` if the client sends the typed text separately. */
  readonly whole: string | undefined;
  /** Each match is one character, which a space after it separates from the text that gives it a meaning. */
  readonly special: RegExp;
  /** The client's own escape for a matched character, where it has one. */
  escape?(found: string, before: string, after: string): string | undefined;
}

interface NativeText {
  readonly text: string;
  /** Pieces of the text in which a character was escaped. */
  readonly escaped: readonly string[];
}

/**
 * Writes the text of a prompt for a client. Clients split typed text in different ways and lose parts of it, so the typed
 * text is always inserted whole: in place of a single argument, or once at the end with a note on which arguments it holds.
 * Throws NotExpressible.
 */
function nativeText(definition: PromptDefinition, syntax: ClientSyntax, typedName: string): NativeText {
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
