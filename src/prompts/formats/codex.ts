import type { ArgumentDefinition, PromptDefinition } from '../definition/definition.ts';
import { everything } from '../rendering/arguments.ts';
import { parseHint, printHint } from './argument-hint.ts';
import { filePerPrompt, NotExpressible, type Report, type TextFile } from './format.ts';
import { reportUnknownFields } from './left-out.ts';
import { parseMarkdown, printMarkdown, textField } from './markdown.ts';
import { nameFromPath, pathForName } from './prompt-path.ts';
import { argumentsIn, singleText, splitBody, toBraces, toSegments } from './segments.ts';

/** `$$` stays as it is, and the word after it is not a placeholder. */
const placeholder = /\$\$|\$([1-9])|\$([A-Z][A-Z0-9_]*)/g;
const positions = Array.from({ length: 9 }, (_, index) => `argument_${index + 1}`);

export const codex = filePerPrompt({
  name: 'codex',
  title: 'Codex prompts',
  folder: '~/.codex/prompts',
  namedByPath: true,
  stores: ['description'],
  accepts: (path) => path.endsWith('.md') && !path.includes('/'),
  parse,
  async print(definition, warn) {
    const path = pathForName(definition.name, '.md', warn);
    return { path, text: await print(definition, warn) };
  },
});

async function parse(file: TextFile, report: Report): Promise<PromptDefinition> {
  const { fields, body, bodyLine } = await parseMarkdown(file.text, report);
  reportUnknownFields(fields, ['description', 'argument-hint', 'argument_hint'], report, file.text);
  const hint = parseHint(fields['argument-hint'] ?? fields['argument_hint']);
  const description = textField(fields, 'description');
  const segments = splitBody(body, placeholder, ([, number, word]) => {
    if (number !== undefined) return `argument_${number}`;
    return word === 'ARGUMENTS' ? everything : word;
  });
  const all = argumentsIn(segments);
  // Codex requires all named arguments; positional arguments are optional.
  const isNamed = (name: string) => name !== everything && !/^argument_\d$/.test(name);
  return {
    name: nameFromPath(file.path, '.md'),
    ...(description !== undefined && { description }),
    arguments: all.map((name): ArgumentDefinition => {
      if (isNamed(name)) return { name, required: true };
      const described = name === everything && all.length === 1 ? hint : undefined;
      // A number without a value stays in the text: it may be a price.
      const defaultValue = name === everything ? '' : `$${positions.indexOf(name) + 1}`;
      return { name, ...(described !== undefined && { description: described }), default: defaultValue };
    }),
    ...(!all.some(isNamed) && { typed: { positions, whole: everything } }),
    messages: [{ role: 'user', content: { type: 'text', text: toBraces(segments, bodyLine) } }],
    tags: [],
    template: 'braces',
    file: file.path,
    line: bodyLine,
  };
}

async function print(definition: PromptDefinition, warn: (message: string) => void): Promise<string> {
  const segments = toSegments(definition, singleText(definition));
  for (const segment of segments) {
    const clash =
      typeof segment === 'string'
        ? [...segment.matchAll(placeholder)].find(([all]) => all !== '$$')
        : undefined;
    if (clash !== undefined)
      throw new NotExpressible(`its text contains ${clash[0]}, which Codex would replace`);
  }
  const used = definition.arguments.filter(({ name }) => argumentsIn(segments).includes(name));
  const written = new Map(used.map(({ name }) => [name, dollarName(name)]));
  if (new Set(written.values()).size < written.size)
    throw new NotExpressible('two of its arguments have the same name in upper case');
  const optional = used.filter(
    ({ name, required }) => !required && /^[A-Z]/.test(written.get(name)!.slice(1)) && name !== everything,
  );
  for (const { name } of optional) warn(`the argument ${name} is optional here but required in Codex`);
  const body = segments
    .map((segment) => (typeof segment === 'string' ? segment : written.get(segment.argument)))
    .join('');
  const whole = used.find(({ name }) => name === everything);
  return printMarkdown(
    {
      description: definition.description || undefined,
      'argument-hint': whole?.description ?? printHint(used.filter(({ name }) => name !== everything)),
    },
    body,
  );
}

function dollarName(name: string): string {
  if (name === everything) return '$ARGUMENTS';
  const position = /^argument_([1-9])$/.exec(name)?.[1];
  return `$${
    position ??
    name
      .toUpperCase()
      .replaceAll(/[^A-Z0-9_]/g, '_')
      .replace(/^(?=[^A-Z])/, 'A')
  }`;
}
