import { join } from 'node:path';
import type { PromptDefinition } from '../definition/definition.ts';
import { everything } from '../rendering/arguments.ts';
import { printMarkdown, readMarkdown } from './file-syntax.ts';
import {
  filePerPrompt,
  fileReference,
  NotExpressible,
  pathForName,
  type Report,
  type TextFile,
} from './format.ts';
import { nativeMarkdown, ownFolder, shellCommand } from './native.ts';
import {
  argumentsIn,
  assertNumbered,
  assertPlain,
  onePrompt,
  printSegments,
  singleSegments,
  splitBody,
} from './segments.ts';

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
  folders: ['.opencode/command', '.opencode/commands'],
  documentation: [
    '`.opencode/command/**/*.md`',
    '`$ARGUMENTS`, `$1` … `$20`; the last one takes the remaining words',
    '`` !`command` ``, `@file`',
  ],
  native: {
    id: 'opencode',
    title: 'opencode',
    home: ({ env, userHome }) => join(env['XDG_CONFIG_HOME'] || join(userHome, '.config'), 'opencode'),
    projectHome: '.opencode',
    folder: join('command', ownFolder),
    typed: (name) => `/${ownFolder}/${name.replaceAll(':', '/')}`,
    // opencode does not offer commands to the model, so they need no field that hides them.
    print: nativeMarkdown(
      {
        whole: '$ARGUMENTS',
        special: new RegExp(
          String.raw`${shellCommand}|(?<![\w\`])@(?=[^\s\`,.]|\.\S)|\$(?=ARGUMENTS|\d)`,
          'g',
        ),
      },
      () => ({}),
    ),
  },
  accepts: (path) => path.endsWith('.md'),
  parse,
  path: (name) => pathForName(name.replaceAll('/', ':'), '.md'),
  print,
});

async function parse(file: TextFile, report: Report): Promise<PromptDefinition> {
  const { description, body, bodyLine } = await readMarkdown(file, report, {
    known: ['description', 'agent', 'model', 'subtask', 'variant'],
    syntax: clientSyntax,
    lenient: true,
  });
  const segments = splitBody(body, placeholder, ([found, whole, number]) => {
    if (whole !== undefined) return everything;
    // opencode counts from 1.
    if (number === '0') return { text: found };
    return positions[Number(number) - 1] ?? { text: '' };
  });
  const numbers = [...body.matchAll(placeholder)].map(([, , number]) => Number(number ?? 0));
  const last = Math.max(0, ...numbers);
  const used = argumentsIn(segments);
  return onePrompt(file, bodyLine, segments, {
    name: file.path.slice(0, -'.md'.length),
    description,
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
  });
}

async function print(definition: PromptDefinition): Promise<string> {
  const { segments, used, declared } = singleSegments(definition);
  assertPlain(segments, /\$(?:ARGUMENTS|\d+)|!`[^`\n]{1,2000}`/, 'opencode would interpret');
  if (used.length > 1 && used.includes(everything))
    throw new NotExpressible(
      'it uses the whole input together with single arguments, which opencode cannot express',
    );
  assertNumbered(declared, maxPositions);
  const body = printSegments(segments, (argument) =>
    used.length === 1 ? '$ARGUMENTS' : `$${declared.findIndex(({ name }) => name === argument) + 1}`,
  );
  return printMarkdown({ description: definition.description || undefined }, body);
}
