import { basename } from 'node:path/posix';
import type { ArgumentDefinition, PromptDefinition } from '../definition/definition.ts';
import { everything } from '../rendering/arguments.ts';
import { namesInHint, parseHint, printHint } from './argument-hint.ts';
import { filePerPrompt, NotExpressible, type Report, type TextFile } from './format.ts';
import { fileReference, reportClientSyntax, reportUnknownFields } from './left-out.ts';
import { firstLine, parseMarkdown, printMarkdown, textField } from './markdown.ts';
import { nameFromPath, pathForName } from './prompt-path.ts';
import { argumentsIn, type Segment, singleText, splitBody, toBraces, toSegments } from './segments.ts';

/** Placeholders have numbers below this limit. A higher number, such as `$25`, is more likely a price. */
const maxPositions = 20;

/** Fields that Claude Code knows. Most of them matter only to the client itself. */
const knownFields = [
  'name',
  'description',
  'argument-hint',
  'arguments',
  'allowed-tools',
  'disallowed-tools',
  'model',
  'effort',
  'agent',
  'context',
  'hooks',
  'paths',
  'shell',
  'when_to_use',
  'disable-model-invocation',
  'user-invocable',
  'license',
  'compatibility',
  'metadata',
  'version',
  'tags',
  'author',
  'category',
];

const clientSyntax: readonly (readonly [RegExp, string])[] = [
  [/(?<!\S)!`[^`\n]{1,2000}`/g, 'runs a command in Claude Code'],
  [/^```!/gm, 'runs commands in Claude Code'],
  [fileReference, 'includes a file in Claude Code'],
  [/\$\{CLAUDE_[A-Z_]+\}/g, 'is replaced by Claude Code'],
];

interface ClaudeRules {
  /** Whether a placeholder without a value stays in the text. Older versions replaced it with nothing. */
  readonly keepsPlaceholders: boolean;
}

/** The last version known to follow the older rules. */
export const lastOldVersion = '2.1.197';

const commandFormat = (rules: ClaudeRules) =>
  filePerPrompt({
    name: 'claude-code',
    title: 'Claude Code commands',
    folder: '.claude/commands',
    namedByPath: true,
    stores: ['description'],
    accepts: (path) => path.endsWith('.md') && basename(path) !== 'SKILL.md',
    parse: (file, report) => parse(file, nameFromPath(file.path, '.md'), report, rules),
    print: async (definition) => ({
      path: pathForName(definition.name, '.md'),
      text: await print(definition, {}),
    }),
  });

const skillFormat = (rules: ClaudeRules) =>
  filePerPrompt({
    name: 'claude-skills',
    title: 'Claude Code skills',
    folder: '.claude/skills',
    namedByPath: true,
    stores: ['description'],
    // Claude Code loads no skills from deeper folders.
    accepts: (path) => /^(?:[^/]+\/)?SKILL\.md$/.test(path),
    // The name is that of the folder; the field `name` is ignored.
    parse: (file, report) =>
      parse(file, basename(file.path.slice(0, -'/SKILL.md'.length)) || 'skill', report, rules),
    async print(definition, warn) {
      const name = pathForName(definition.name, '', warn)
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}-]/gu, '-');
      return { path: `${name}/SKILL.md`, text: await print(definition, { name }) };
    },
  });

export const claudeCommands = commandFormat({ keepsPlaceholders: true });
export const claudeSkills = skillFormat({ keepsPlaceholders: true });
export const oldClaudeCommands = commandFormat({ keepsPlaceholders: false });
export const oldClaudeSkills = skillFormat({ keepsPlaceholders: false });

async function parse(
  file: TextFile,
  name: string,
  report: Report,
  rules: ClaudeRules,
): Promise<PromptDefinition> {
  const { fields, body, ending, bodyLine } = await parseMarkdown(file.text, report, { lenient: true });
  reportUnknownFields(fields, knownFields, report, file.text);
  reportClientSyntax(body, bodyLine, report, clientSyntax);
  const hint = parseHint(fields['argument-hint']);
  const named = parseNames(fields['arguments']);
  const usesPositions = /\$(?:ARGUMENTS\[)?\d/.test(body) || named.length > 0;
  const hintNames = namesInHint(hint);
  // If the body has no numbered placeholders, a single name in the hint stands for the whole input.
  const whole = !usesPositions && hintNames.length === 1 ? hintNames[0]! : everything;
  const positions = Array.from(
    { length: maxPositions },
    (_, index) => named[index] ?? (usesPositions ? hintNames[index] : undefined) ?? `argument_${index}`,
  );
  const { segments, written } = splitAtPlaceholders(body, positions, named, whole, rules);
  const used = argumentsIn(segments);
  // A command without placeholders still takes input, which is appended to its text.
  const isNamed = new Set(named);
  const all = used.length === 0 ? [whole] : sortByPosition(used, positions);
  return {
    name,
    description: textField(fields, 'description') ?? firstLine(body),
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
    messages: [{ role: 'user', content: { type: 'text', text: toBraces(segments, bodyLine) } }],
    tags: [],
    template: 'braces',
    file: file.path,
    line: bodyLine,
  };
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
  positions: readonly string[],
  named: readonly string[],
  whole: string,
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
    const name = positions[Number(index ?? number)];
    if (name === undefined) return keepsPlaceholders ? undefined : { text: '' };
    if (!written.has(name)) written.set(name, found);
    return name;
  });
  return { segments, written };
}

const isPlaceholder = (text: string) => /^\$(?:\d+$|ARGUMENTS)/.test(text);

/** Sorts the arguments in the order in which users type them, with the whole input last. */
function sortByPosition(names: readonly string[], positions: readonly string[]): readonly string[] {
  const place = (name: string) => (positions.includes(name) ? positions.indexOf(name) : positions.length);
  return names.toSorted((a, b) => place(a) - place(b));
}

/** Parses the field `arguments`: a list, or names separated by spaces. */
function parseNames(value: unknown): readonly string[] {
  const names = typeof value === 'string' ? value.split(/\s+/) : Array.isArray(value) ? value : [];
  return names.filter((name) => typeof name === 'string' && name !== '');
}

async function print(definition: PromptDefinition, fields: { readonly name?: string }): Promise<string> {
  const segments = toSegments(definition, singleText(definition));
  const used = argumentsIn(segments);
  const whole = used.length === 1 && used[0] === everything;
  for (const text of segments.filter((segment) => typeof segment === 'string')) {
    const found = /\$ARGUMENTS|\$1?\d(?!\w)|!`[^`\n]{1,2000}`|^```!/m.exec(text)?.[0];
    if (found !== undefined)
      throw new NotExpressible(`its text contains ${found}, which Claude Code would interpret`);
  }
  if (used.length > 1 && used.includes(everything))
    throw new NotExpressible(
      'it uses the whole input together with single arguments, which this format cannot express',
    );
  const order = definition.arguments.filter(({ name }) => used.includes(name));
  const body = segments
    .map((segment) => {
      if (typeof segment === 'string') return segment;
      return used.length === 1
        ? '$ARGUMENTS'
        : `$${order.findIndex(({ name }) => name === segment.argument)}`;
    })
    .join('');
  return printMarkdown(
    {
      ...fields,
      description: definition.description || undefined,
      'argument-hint': whole ? definition.arguments[0]?.description : printHint(order),
    },
    body,
  );
}
