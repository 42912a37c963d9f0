import { join } from 'node:path';
import type { Places } from '../../setting.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { printHint } from '../formats/argument-hint.ts';
import { NotExpressible, type TextFile } from '../formats/format.ts';
import type { FormatName } from '../formats/format-names.ts';
import { printMarkdown } from '../formats/markdown.ts';
import { pathForName } from '../formats/prompt-path.ts';
import { tomlText } from '../formats/toml.ts';
import { type ClientSyntax, nativeText } from './native-text.ts';

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
