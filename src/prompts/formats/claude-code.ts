import { basename } from 'node:path/posix';
import type { ArgumentDefinition, PromptDefinition } from '../definition/definition.ts';
import { everything } from '../rendering/typed-arguments.ts';
import { hintOf, namesInHint, printHint } from './argument-hint.ts';
import { filePerPrompt, NotExpressible, type Report, type TextFile } from './format.ts';
import { reportFields, reportPlaces } from './left-out.ts';
import { parseMarkdown, printMarkdown, textField } from './markdown.ts';
import { nameOfPath, pathOfName } from './prompt-path.ts';
import { argumentsIn, bracesOf, type Segment, segmentsOf, singleText, splitBody } from './segments.ts';

/** As high as anybody counts; a greater number is a price. */
const mostPositions = 20;

const meanings: readonly (readonly [RegExp, string])[] = [
  [/!`[^`\n]{1,2000}`/g, 'runs a command in Claude Code'],
  [/^```!/gm, 'runs commands in Claude Code'],
  [/(?:^|(?<=\s))@(?=\S{0,200}[./$])[\w$~./-]{0,200}[\w$/]/gm, 'brings in a file in Claude Code'],
  [/\$\{CLAUDE_[A-Z_]+\}/g, 'is filled in by Claude Code'],
  [/\$\d+[\d.,]*\d/g, 'may be taken for an argument by Claude Code'],
];

export const claudeCommands = filePerPrompt({
  name: 'claude-code',
  title: 'Claude Code commands',
  folder: '.claude/commands',
  namedByPath: true,
  keeps: ['description'],
  accepts: (path) => path.endsWith('.md') && basename(path) !== 'SKILL.md',
  parse: (file, report) => parse(file, nameOfPath(file.path, '.md'), report),
  print: async (definition) => ({
    path: pathOfName(definition.name, '.md'),
    text: await print(definition, {}),
  }),
});

export const claudeSkills = filePerPrompt({
  name: 'claude-skills',
  title: 'Claude Code skills',
  folder: '.claude/skills',
  namedByPath: false,
  keeps: ['description'],
  accepts: (path) => path === 'SKILL.md' || path.endsWith('/SKILL.md'),
  parse: (file, report) => parse(file, basename(file.path.slice(0, -'/SKILL.md'.length)) || 'skill', report),
  async print(definition, warn) {
    const name = pathOfName(definition.name, '', warn)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}-]/gu, '-');
    return { path: `${name}/SKILL.md`, text: await print(definition, { name }) };
  },
});

async function parse(file: TextFile, pathName: string, report: Report): Promise<PromptDefinition> {
  const { fields, body, bodyLine } = await parseMarkdown(file.text, report);
  reportFields(fields, ['name', 'description', 'argument-hint', 'arguments'], report, file.text);
  reportPlaces(body, bodyLine, report, meanings);
  const skill = basename(file.path) === 'SKILL.md';
  const hint = hintOf(fields['argument-hint']);
  const named = namesOf(fields['arguments']);
  const counts = /\$(?:ARGUMENTS\[)?\d/.test(body) || named.length > 0;
  const hinted = namesInHint(hint);
  // A hint of one name is about all that is typed, where the body does not count.
  const whole = !counts && hinted.length === 1 ? hinted[0]! : everything;
  const positions = Array.from(
    { length: mostPositions },
    (_, index) => named[index] ?? (counts ? hinted[index] : undefined) ?? `argument_${index}`,
  );
  const { segments, written } = placeholdersOf(body, positions, named, whole);
  const used = argumentsIn(segments);
  // What is typed behind the name of a command without a place for it goes behind its text.
  const all = used.length === 0 ? [whole] : inOrder(used, positions);
  return {
    name: (skill ? textField(fields, 'name') : undefined) ?? pathName,
    description: textField(fields, 'description') ?? firstLine(body),
    arguments: all.map((name): ArgumentDefinition => {
      const described = name === everything && all.length === 1 ? hint : undefined;
      const usual = named.includes(name) ? '' : (written.get(name) ?? '');
      return { name, ...(described !== undefined && { description: described }), default: usual };
    }),
    typed: { positions, whole },
    messages: [{ role: 'user', content: { type: 'text', text: bracesOf(segments, bodyLine) } }],
    tags: [],
    template: 'braces',
    file: file.path,
    line: bodyLine,
  };
}

/** A backslash before a placeholder takes its meaning away, unless it is one of two. */
const placeholder =
  /(?<!\\)\\(?=\$(?:\d|ARGUMENTS|[A-Za-z_]))\$\w*|\$(?:ARGUMENTS\[(\d+)\]|(ARGUMENTS)|(\d+)(?!\w)|([A-Za-z_]\w*))/g;

/** Counted from `$0`; `$ARGUMENTS` is everything that was typed. What has no value stays as it is written. */
function placeholdersOf(
  body: string,
  positions: readonly string[],
  named: readonly string[],
  whole: string,
): { readonly segments: readonly Segment[]; readonly written: ReadonlyMap<string, string> } {
  const written = new Map<string, string>();
  const segments = splitBody(body, placeholder, ([found, index, all, number, word]) => {
    if (found.startsWith('\\'))
      return named.includes(found.slice(2)) || isPlaceholder(found.slice(1))
        ? { text: found.slice(1) }
        : undefined;
    if (all !== undefined) return whole;
    if (word !== undefined) return named.includes(word) ? word : undefined;
    const name = positions[Number(index ?? number)];
    if (name !== undefined && !written.has(name)) written.set(name, found);
    return name;
  });
  return { segments, written };
}

const isPlaceholder = (text: string) => /^\$(?:\d+$|ARGUMENTS)/.test(text);

/** As they are typed, the whole text last. */
function inOrder(names: readonly string[], positions: readonly string[]): readonly string[] {
  const place = (name: string) => (positions.includes(name) ? positions.indexOf(name) : positions.length);
  return names.toSorted((a, b) => place(a) - place(b));
}

/** The field `arguments`: a list, or words. */
function namesOf(value: unknown): readonly string[] {
  const names = typeof value === 'string' ? value.split(/\s+/) : Array.isArray(value) ? value : [];
  return names.filter((name) => typeof name === 'string' && name !== '');
}

/** What Claude Code itself shows where there is no description. */
function firstLine(body: string): string {
  return body
    .split('\n', 1)[0]!
    .replace(/^#+\s*/, '')
    .trim();
}

async function print(definition: PromptDefinition, fields: { readonly name?: string }): Promise<string> {
  const segments = segmentsOf(definition, singleText(definition));
  const used = argumentsIn(segments);
  const whole = used.length === 1 && used[0] === everything;
  for (const text of segments.filter((segment) => typeof segment === 'string')) {
    const found = /\$ARGUMENTS|\$1?\d(?!\w)|!`[^`\n]{1,2000}`|^```!/m.exec(text)?.[0];
    if (found !== undefined)
      throw new NotExpressible(`its text holds ${found}, which Claude Code would act on`);
  }
  if (used.length > 1 && used.includes(everything))
    throw new NotExpressible('it takes all arguments as one and others beside them');
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
