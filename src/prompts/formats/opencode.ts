import type { PromptDefinition } from '../definition/definition.ts';
import { everything } from '../rendering/arguments.ts';
import { filePerPrompt, NotExpressible, type Report, type TextFile } from './format.ts';
import { fileReference, reportClientSyntax, reportUnknownFields } from './left-out.ts';
import { parseMarkdown, printMarkdown, textField } from './markdown.ts';
import { pathForName } from './prompt-path.ts';
import { argumentsIn, singleText, splitBody, toBraces, toSegments } from './segments.ts';

/** Placeholders have numbers up to this limit. A higher number, such as `$25`, never gets a value. */
const maxPositions = 20;
const positions = Array.from({ length: maxPositions }, (_, index) => `argument_${index + 1}`);
const placeholder = /\$(?:(ARGUMENTS)|(\d+))/g;

const clientSyntax: readonly (readonly [RegExp, string])[] = [
  [/!`[^`\n]{1,2000}`/g, 'runs a command in opencode'],
  [fileReference, 'includes a file in opencode'],
];

export const opencode = filePerPrompt({
  name: 'opencode',
  title: 'opencode commands',
  folder: '.opencode/command',
  namedByPath: true,
  stores: ['description'],
  accepts: (path) => path.endsWith('.md'),
  parse,
  print: async (definition) => ({
    path: pathForName(definition.name.replaceAll('/', ':'), '.md'),
    text: await print(definition),
  }),
});

async function parse(file: TextFile, report: Report): Promise<PromptDefinition> {
  const { fields, body, bodyLine } = await parseMarkdown(file.text, report, { lenient: true });
  reportUnknownFields(fields, ['description', 'agent', 'model', 'subtask', 'variant'], report, file.text);
  reportClientSyntax(body, bodyLine, report, clientSyntax);
  const segments = splitBody(body, placeholder, ([found, whole, number]) => {
    if (whole !== undefined) return everything;
    // opencode counts from 1.
    if (number === '0') return { text: found };
    return positions[Number(number) - 1] ?? { text: '' };
  });
  const numbers = [...body.matchAll(placeholder)].map(([, , number]) => Number(number ?? 0));
  const last = Math.max(0, ...numbers);
  const used = argumentsIn(segments);
  const description = textField(fields, 'description');
  return {
    name: file.path.slice(0, -'.md'.length),
    ...(description !== undefined && { description }),
    arguments: (used.length === 0 ? [everything] : used).map((name) => ({ name, default: '' })),
    typed: {
      positions,
      whole: everything,
      split: 'quotes',
      expandsWords: true,
      appendix: '\n\n',
      // The placeholder with the highest number takes all remaining words.
      ...(last > 0 && last <= maxPositions && { rest: last - 1 }),
    },
    messages: [{ role: 'user', content: { type: 'text', text: toBraces(segments, bodyLine) } }],
    tags: [],
    template: 'braces',
    file: file.path,
    line: bodyLine,
  };
}

async function print(definition: PromptDefinition): Promise<string> {
  const segments = toSegments(definition, singleText(definition));
  for (const text of segments.filter((segment) => typeof segment === 'string')) {
    const found = /\$(?:ARGUMENTS|\d+)|!`[^`\n]{1,2000}`/.exec(text)?.[0];
    if (found !== undefined)
      throw new NotExpressible(`its text contains ${found}, which opencode would interpret`);
  }
  const used = argumentsIn(segments);
  if (used.length > 1 && used.includes(everything))
    throw new NotExpressible(
      'it uses the whole input together with single arguments, which opencode cannot express',
    );
  const order = definition.arguments.map(({ name }) => name).filter((name) => used.includes(name));
  const body = segments.map((segment) => {
    if (typeof segment === 'string') return segment;
    return used.length === 1 ? '$ARGUMENTS' : `$${order.indexOf(segment.argument) + 1}`;
  });
  return printMarkdown({ description: definition.description || undefined }, body.join(''));
}
