import { basename } from 'node:path/posix';
import type { ArgumentDefinition, PromptDefinition } from '../definition.ts';
import { hintOf, namesInHint, printHint } from './argument-hint.ts';
import { filePerPrompt, NotExpressible, type Report, type TextFile } from './format.ts';
import { reportFields, reportPlaces } from './left-out.ts';
import { parseMarkdown, printMarkdown, textField } from './markdown.ts';
import { nameOfPath, pathOfName } from './prompt-path.ts';
import { argumentsIn, bracesOf, type Segment, segmentsOf, singleText, splitBody } from './segments.ts';

const everything = 'arguments';

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
  const segments = placeholdersOf(body, namesInHint(hint), named);
  const all = argumentsIn(segments);
  return {
    name: (skill ? textField(fields, 'name') : undefined) ?? pathName,
    description: textField(fields, 'description') ?? firstLine(body),
    arguments: all.map((name): ArgumentDefinition => {
      const described = name === everything && all.length === 1 ? hint : undefined;
      return { name, ...(described !== undefined && { description: described }), default: '' };
    }),
    messages: [{ role: 'user', content: { type: 'text', text: bracesOf(segments, bodyLine) } }],
    tags: [],
    template: 'braces',
    file: file.path,
    line: bodyLine,
  };
}

/** `$ARGUMENTS` is all of them. The hint gives the names where it has one for each. */
function placeholdersOf(
  body: string,
  hinted: readonly string[],
  named: readonly string[],
): readonly Segment[] {
  const pattern = /\$(?:ARGUMENTS(?:\[(\d+)\]|\b)|(\d)(?![\d.,]\d|\w)|([A-Za-z_]\w*))/g;
  const numbers = [...body.matchAll(pattern)].flatMap(([, index, number]) => index ?? number ?? []);
  const sorted = [...new Set(numbers)].map(Number).sort((a, b) => a - b);
  const nameOf = (number: number) =>
    hinted.length === sorted.length ? hinted[sorted.indexOf(number)]! : `argument_${number}`;
  const all = sorted.length === 0 && hinted.length === 1 ? hinted[0]! : everything;
  return splitBody(body, pattern, ([found, index, number, word]) => {
    const position = index ?? number;
    if (position !== undefined) return nameOf(Number(position));
    if (word !== undefined) return named.includes(word) ? word : undefined;
    return found === '$ARGUMENTS' ? all : undefined;
  });
}

/** The field `arguments`: a list, or words. */
function namesOf(value: unknown): readonly string[] {
  const names =
    typeof value === 'string' ? value.split(/\s+/) : Array.isArray(value) ? value.map(String) : [];
  return names.filter((name) => name !== '');
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
    const found = /\$ARGUMENTS\b|\$\d(?![\d.,]\d|\w)|!`[^`\n]{1,2000}`|^```!/m.exec(text)?.[0];
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
        : `$${order.findIndex(({ name }) => name === segment.argument) + 1}`;
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
