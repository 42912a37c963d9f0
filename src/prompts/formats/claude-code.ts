import { join } from 'node:path';
import { basename, dirname } from 'node:path/posix';
import type { ArgumentDefinition, PromptDefinition } from '../definition/definition.ts';
import { everything } from '../rendering/arguments.ts';
import { CodeRanges } from '../template/code-ranges.ts';
import { namesInHint, parseHint, printHint, printMarkdown, readMarkdown } from './file-syntax.ts';
import {
  type Format,
  filePerPrompt,
  fileReference,
  NotExpressible,
  nameFromPath,
  pathForName,
  type Report,
  type TextFile,
} from './format.ts';
import { type ClientSyntax, nativeMarkdown, shellCommand, slashCommands } from './native.ts';
import {
  argumentsIn,
  assertNumbered,
  assertPlain,
  onePrompt,
  printSegments,
  type Segment,
  singleSegments,
  splitBody,
} from './segments.ts';

/** Placeholders have numbers below this limit. A higher number, such as `$25`, is more likely a price. */
const maxPositions = 20;

/** Fields that Claude Code knows. Most of them matter only to the client itself. */
const knownFields =
  `name description argument-hint arguments allowed-tools disallowed-tools model effort agent context
  hooks paths shell when_to_use disable-model-invocation user-invocable license compatibility metadata
  version tags author category`.split(/\s+/);

const clientSyntax: readonly (readonly [RegExp, string])[] = [
  [/(?<!\S)!`[^`\n]{1,2000}`/g, 'runs a command in Claude Code'],
  [/^```!/gm, 'runs commands in Claude Code'],
  [fileReference, 'includes a file in Claude Code'],
  [/\$\{CLAUDE_[A-Z_]+\}/g, 'is replaced by Claude Code'],
];

interface ClaudeRules {
  /** Whether a placeholder without a value stays in the text. Older versions replaced it with nothing. */
  readonly keepsPlaceholders: boolean;
  /** True for agents: their texts include no files and run no commands. */
  readonly isPlainText?: boolean;
}

const nativeSyntax: ClientSyntax = {
  whole: '$ARGUMENTS',
  // After an `@` at the start of a word, Claude Code attaches the file.
  special: new RegExp(
    String.raw`${shellCommand}|(?<=\`\`)\`(?=!)|(?<![^\s])@(?=[^\s])|\$(?=ARGUMENTS|\d|\{CLAUDE_)`,
    'g',
  ),
  // A backslash before a variable in braces, or after another backslash, does not escape.
  escape: (found, before, after) =>
    found === '$' && !before.endsWith('\\') && !after.startsWith('{') ? '\\$' : undefined,
};

const commandFormat = (rules: ClaudeRules, older?: Format) =>
  filePerPrompt({
    name: 'claude-code',
    title: 'Claude Code commands',
    folders: ['.claude/commands'],
    documentation: [
      '`.claude/commands/**/*.md`',
      '`$ARGUMENTS`, `$0` … `$19`, `$ARGUMENTS[0]`, names in the field `arguments`; names are taken from `argument-hint`',
      '`` !`command` ``, `@file`, other fields',
    ],
    ...olderRules(older),
    native: slashCommands({
      id: 'claude',
      title: 'Claude Code',
      home: ({ env, userHome }) => env['CLAUDE_CONFIG_DIR'] || join(userHome, '.claude'),
      projectHome: '.claude',
      print: nativeMarkdown(nativeSyntax, (definition) => ({
        'argument-hint': printHint(definition.arguments),
        'disable-model-invocation': true,
      })),
    }),
    accepts: (path) => path.endsWith('.md') && basename(path) !== 'SKILL.md',
    parse: (file, report) => parse(file, nameFromPath(file.path, '.md'), report, rules),
    path: (name) => pathForName(name, '.md'),
    print: (definition) => print(definition, {}),
  });

const skillFormat = (rules: ClaudeRules, older?: Format) =>
  filePerPrompt({
    name: 'claude-skills',
    title: 'Claude Code skills',
    folders: ['.claude/skills'],
    documentation: ['`.claude/skills/*/SKILL.md`', 'the same', 'the same'],
    ...olderRules(older),
    // Claude Code loads no skills from deeper folders.
    accepts: (path) => /^(?:[^/]+\/)?SKILL\.md$/.test(path),
    isSkill: () => true,
    detects: ({ path }) => basename(path) === 'SKILL.md',
    // The name is that of the folder; the field `name` is ignored.
    parse: (file, report) =>
      parse(file, basename(file.path.slice(0, -'/SKILL.md'.length)) || 'skill', report, rules),
    path(name, warn) {
      const folder = pathForName(name, '', warn).toLowerCase();
      return `${folder.replaceAll(/[^\p{L}\p{N}-]/gu, '-')}/SKILL.md`;
    },
    print: (definition, _, path) => print(definition, { name: dirname(path) }),
  });

/** `plugins/review/commands/check.md` is the command `check` of the plugin `review`; references and READMEs are neither. */
const pluginFile =
  /^(?:(?:.*\/)?([^/]+)\/)?(?:(commands|agents)\/((?:[^/]+\/)*[^/]+)\.md|skills\/(?:[^/]+\/)*?([^/]+)\/SKILL\.md)$/;

function pluginParts(path: string): { readonly name: string; readonly kind: string } | undefined {
  const [, plugin, kind = 'skills', file, skill] = pluginFile.exec(path) ?? [];
  const own = skill ?? file?.replace(/\.agent$/, '');
  // Old versions that somebody keeps beside the plugins.
  if (/(?:^|\/)(?:[\w-]+-)?backups?\//i.test(path)) return undefined;
  // In the folder of a skill, they are files that its text refers to.
  if (kind !== 'skills' && /(?:^|\/)skills\/[^/]+\/(?:.*\/)?(?:commands|agents)\//.test(path))
    return undefined;
  if (own === undefined || /(?:^|\/)(?:readme|license|changelog|contributing)$/i.test(own)) return undefined;
  const isPlugin = plugin !== undefined && plugin !== '.claude' && plugin !== 'plugins';
  return { name: `${isPlugin ? `${plugin}:` : ''}${own.replaceAll('/', ':')}`, kind };
}

/** Repositories of plugins for Claude Code and Copilot: commands, skills and agents, each as what it is. */
export const claudePlugins = filePerPrompt({
  name: 'claude-plugins',
  title: 'Claude Code plugins',
  folders: ['.claude-plugin', '.claude/plugins'],
  documentation: [
    '`**/commands/*.md`, `**/skills/*/SKILL.md`, `**/agents/*.md`',
    'the same',
    'other Markdown files and backups; agents get the tag `agent`; of the same name, a command becomes `name-command` if there is a skill, and an agent `name-agent`',
  ],
  accepts: (path) => pluginParts(path) !== undefined,
  isSkill: (path) => basename(path) === 'SKILL.md',
  async parse(file, report) {
    const { name, kind } = pluginParts(file.path)!;
    const isAgent = kind === 'agents';
    const prompt = await parse(file, name, report, { ...newRules, ...(isAgent && { isPlainText: true }) });
    return isAgent ? { ...prompt, tags: ['agent'] } : prompt;
  },
  path: (name) => `commands/${pathForName(name, '.md')}`,
  print: (definition) => print(definition, {}),
});

function olderRules(format: Format | undefined): Pick<Format, 'older'> {
  return format === undefined ? {} : { older: { lastVersion: '2.1.197', format } };
}

const newRules: ClaudeRules = { keepsPlaceholders: true };
const oldRules: ClaudeRules = { keepsPlaceholders: false };
export const claudeCommands = commandFormat(newRules, commandFormat(oldRules));
export const claudeSkills = skillFormat(newRules, skillFormat(oldRules));

async function parse(
  file: TextFile,
  name: string,
  report: Report,
  rules: ClaudeRules,
): Promise<PromptDefinition> {
  const { fields, description, body, ending, bodyLine } = await readMarkdown(file, report, {
    known: knownFields,
    lenient: true,
    // A skill can consist of its description and its files.
    mayBeEmpty: basename(file.path) === 'SKILL.md',
    ...(!rules.isPlainText && { syntax: clientSyntax }),
  });
  const hint = parseHint(fields['argument-hint']);
  const named = parseNames(fields['arguments']);
  const hintNames = namesInHint(hint);
  const clear = clearPositions(body, Math.max(named.length, hintNames.length));
  const usesPositions = clear.size > 0 || named.length > 0;
  // If the body has no numbered placeholders, a single name in the hint stands for the whole input.
  const whole = !usesPositions && hintNames.length === 1 ? hintNames[0]! : everything;
  const positions = Array.from(
    { length: maxPositions },
    (_, index) => named[index] ?? (usesPositions ? hintNames[index] : undefined) ?? `argument_${index}`,
  );
  const { segments, written } = splitAtPlaceholders(body, { positions, named, whole, clear }, rules);
  const used = argumentsIn(segments);
  // A command without placeholders still takes input, which is appended to its text.
  const isNamed = new Set(named);
  const all = used.length === 0 ? [whole] : sortByPosition(used, positions);
  return onePrompt(file, bodyLine, segments, {
    name,
    description,
    arguments: all.map((name): ArgumentDefinition => {
      const described = name === everything && all.length === 1 ? hint : undefined;
      const defaultValue = rules.keepsPlaceholders && !isNamed.has(name) ? (written.get(name) ?? '') : '';
      return { name, ...(described !== undefined && { description: described }), default: defaultValue };
    }),
    typed: {
      positions,
      whole,
      ending,
      ...(rules.keepsPlaceholders ? { disarmsCommands: true } : { expandsWords: true }),
    },
  });
}

interface Placeholders {
  readonly positions: readonly string[];
  readonly named: readonly string[];
  readonly whole: string;
  /** The numbers that stand for arguments. */
  readonly clear: ReadonlySet<number>;
}

/** A number with a dollar sign. A comma or dot and another digit make it a price. */
const numbered = /(?<!(?<!\\)\\)\$(?:ARGUMENTS\[(\d+)\]|(\d+)(?![\w%]|[,.]\d))/g;

/**
 * The numbers that the author clearly meant as arguments: declared ones, and numbers outside code that count up from the
 * first. Prices, SQL and awk also have dollar signs.
 */
function clearPositions(body: string, declared: number): ReadonlySet<number> {
  const code = new CodeRanges(body);
  const found = [...body.matchAll(numbered)].map(({ index, 1: inBrackets, 2: plain }) => ({
    number: Number(inBrackets ?? plain),
    isClear: inBrackets !== undefined || !code.includes(index),
  }));
  const isUsed = new Set(found.flatMap(({ number, isClear }) => (isClear ? [number] : [])));
  const clear = new Set(found.map(({ number }) => number).filter((number) => number < declared));
  for (let next = isUsed.has(0) ? 0 : 1; isUsed.has(next); next++) clear.add(next);
  return clear;
}

/** A backslash escapes the placeholder after it, unless the backslash itself is escaped. */
const placeholder =
  /(?<!\\)\\(?=\$(?:\d|ARGUMENTS|[A-Za-z_]))\$\w*|\$(?:ARGUMENTS\[(\d+)\]|(ARGUMENTS)|(\d+)(?!\w)|([A-Za-z_]\w*))/g;

/**
 * Splits the body at its placeholders. Positions start at `$0`, and `$ARGUMENTS` is the whole input. `written` holds the
 * placeholder of each position, which stays in the text if the position gets no value.
 */
function splitAtPlaceholders(
  body: string,
  { positions, named, whole, clear }: Placeholders,
  { keepsPlaceholders }: ClaudeRules,
): { readonly segments: readonly Segment[]; readonly written: ReadonlyMap<string, string> } {
  const written = new Map<string, string>();
  const names = new Set(named);
  const segments = splitBody(body, placeholder, ([found, index, all, number, word]) => {
    if (found.startsWith('\\'))
      return names.has(found.slice(2)) || isPlaceholder(found.slice(1))
        ? { text: found.slice(1) }
        : undefined;
    if (all !== undefined) return whole;
    if (word !== undefined) return names.has(word) ? word : undefined;
    if (keepsPlaceholders && !clear.has(Number(index ?? number))) return undefined;
    const name = positions[Number(index ?? number)];
    if (name === undefined) return keepsPlaceholders ? undefined : { text: '' };
    if (!written.has(name)) written.set(name, found);
    return name;
  });
  return { segments, written };
}

const isPlaceholder = (text: string) => /^\$(?:\d+$|ARGUMENTS)/.test(text);

/** Sorts the arguments in the order in which users type them, with the whole input first. */
function sortByPosition(names: readonly string[], positions: readonly string[]): readonly string[] {
  const place = (name: string) => (positions.includes(name) ? positions.indexOf(name) : -1);
  return names.toSorted((a, b) => place(a) - place(b));
}

/** Parses the field `arguments`: a list, or names separated by spaces. */
function parseNames(value: unknown): readonly string[] {
  const names = typeof value === 'string' ? value.split(/\s+/) : Array.isArray(value) ? value : [];
  return names.filter((name) => typeof name === 'string' && name !== '');
}

async function print(definition: PromptDefinition, fields: { readonly name?: string }): Promise<string> {
  const { segments, used, declared } = singleSegments(definition);
  const whole = used.length === 1 && used[0] === everything;
  assertPlain(segments, /\$ARGUMENTS|\$1?\d(?!\w)|!`[^`\n]{1,2000}`|^```!/m, 'Claude Code would interpret');
  if (used.length > 1 && used.includes(everything))
    throw new NotExpressible(
      'it uses the whole input together with single arguments, which this format cannot express',
    );
  assertNumbered(declared, maxPositions);
  const body = printSegments(segments, (argument) =>
    used.length === 1 ? '$ARGUMENTS' : `$${declared.findIndex(({ name }) => name === argument)}`,
  );
  return printMarkdown(
    {
      ...fields,
      description: definition.description || undefined,
      'argument-hint': whole ? definition.arguments[0]?.description : printHint(declared),
    },
    body,
  );
}
