import { join } from 'node:path';
import { basename, dirname } from 'node:path/posix';
import { lineOfField } from '../../front-matter.ts';
import type { ArgumentDefinition, PromptDefinition } from '../definition/definition.ts';
import { everything } from '../rendering/arguments.ts';
import { parseHint, printHint, printMarkdown, readMarkdown } from './file-syntax.ts';
import {
  filePerPrompt,
  NotExpressible,
  nameFromPath,
  pathForName,
  type Report,
  type TextFile,
} from './format.ts';
import { type ClientSyntax, nativeDescription, nativeText, ownFolder } from './native.ts';
import { argumentsIn, onePrompt, plainText, printSegments, singleSegments, splitBody } from './segments.ts';

/** `$$` stays as it is, and the word after it is not a placeholder. */
const placeholder = /\$\$|\$([1-9])|\$([A-Z][A-Z0-9_]*)/g;
const positions = Array.from({ length: 9 }, (_, index) => `argument_${index + 1}`);

export const codex = filePerPrompt({
  name: 'codex',
  title: 'Codex prompts',
  folders: ['.codex/prompts'],
  documentation: [
    '`~/.codex/prompts/*.md` (older versions)',
    '`$1` … `$9`, `$ARGUMENTS`, `$NAME`',
    'other fields',
  ],
  accepts: (path) => path.endsWith('.md') && !path.includes('/'),
  parse,
  path: (name, warn) => pathForName(name, '.md', warn),
  print,
});

/** Codex sends the whole file, including the front matter, and substitutes nothing. */
export const codexSkills = filePerPrompt({
  name: 'codex-skills',
  title: 'Codex skills',
  folders: ['.agents/skills', '.codex/skills'],
  documentation: [
    '`.agents/skills/*/SKILL.md`, `.codex/skills/*/SKILL.md`',
    'none: the whole file is sent, including the front matter',
    '',
  ],
  namedByPath: false,
  native: {
    id: 'codex',
    title: 'Codex',
    home: ({ env, userHome }) => env['CODEX_HOME'] || join(userHome, '.codex'),
    projectHome: '.codex',
    folder: join('skills', ownFolder),
    typed: (name) => `$${nativeName(name)}`,
    print: printNative,
  },
  accepts: (path) => path === 'SKILL.md' || path.endsWith('/SKILL.md'),
  isSkill: () => true,
  /** No skill is refused for its metadata. Warns if Codex would refuse it. */
  async parse(file, report) {
    const { fields, description } = await readMarkdown(file, report, { lenient: true, mayBeEmpty: true });
    if (!file.text.startsWith('---'))
      report('Codex loads no skill without front matter on its first line', 1);
    else if (description === undefined)
      report('Codex loads no skill without a description', lineOfField(file.text, 'description'));
    const { name } = fields;
    return onePrompt(file, 1, file.text.trimEnd(), {
      name: (typeof name === 'string' && name.trim()) || basename(dirname(file.path)),
      description,
      arguments: [],
    });
  },
  path(name, warn) {
    return `${pathForName(name, '', warn)}/SKILL.md`;
  },
  async print(definition, _, path) {
    if (!definition.description) throw new NotExpressible('it has no description, which Codex requires');
    const body = plainText(definition);
    // A skill that was read from a file already contains its front matter.
    return /^---\r?\n/.test(body)
      ? `${body}\n`
      : printMarkdown({ name: dirname(path), description: definition.description }, body);
  },
});

async function parse(file: TextFile, report: Report): Promise<PromptDefinition> {
  const known = ['description', 'argument-hint', 'argument_hint'];
  const { fields, description, body, bodyLine } = await readMarkdown(file, report, { known });
  const hint = parseHint(fields['argument-hint'] ?? fields['argument_hint']);
  const segments = splitBody(body, placeholder, ([, number, word]) => {
    if (number !== undefined) return `argument_${number}`;
    return word === 'ARGUMENTS' ? everything : word;
  });
  const all = argumentsIn(segments);
  // Codex requires all named arguments; positional arguments are optional.
  const isNamed = (name: string) => name !== everything && !/^argument_\d$/.test(name);
  return onePrompt(file, bodyLine, segments, {
    name: nameFromPath(file.path, '.md'),
    description,
    arguments: all.map((name): ArgumentDefinition => {
      if (isNamed(name)) return { name, required: true };
      const described = name === everything && all.length === 1 ? hint : undefined;
      // A number without a value stays in the text: it may be a price.
      const defaultValue = name === everything ? '' : `$${positions.indexOf(name) + 1}`;
      return { name, ...(described !== undefined && { description: described }), default: defaultValue };
    }),
    ...(!all.some(isNamed) && { typed: { positions, whole: everything } }),
  });
}

async function print(definition: PromptDefinition, warn: (message: string) => void): Promise<string> {
  const { segments, declared } = singleSegments(definition);
  for (const segment of segments) {
    const clash =
      typeof segment === 'string'
        ? [...segment.matchAll(placeholder)].find(([all]) => all !== '$$')
        : undefined;
    if (clash !== undefined)
      throw new NotExpressible(`its text contains ${clash[0]}, which Codex would replace`);
  }
  const written = new Map(declared.map(({ name }) => [name, dollarName(name)]));
  if (new Set(written.values()).size < written.size)
    throw new NotExpressible('two of its arguments have the same name in upper case');
  const optional = declared.filter(
    ({ name, required }) => !required && /^[A-Z]/.test(written.get(name)!.slice(1)) && name !== everything,
  );
  for (const { name } of optional) warn(`the argument ${name} is optional here but required in Codex`);
  const whole = declared.find(({ name }) => name === everything);
  return printMarkdown(
    {
      description: definition.description || undefined,
      'argument-hint': whole?.description ?? printHint(declared.filter(({ name }) => name !== everything)),
    },
    printSegments(segments, (argument) => written.get(argument) ?? ''),
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

/** Codex sends the file unchanged, and the typed text in a message of its own. */
const nativeSyntax: ClientSyntax = { whole: undefined, special: /(?!)/g };

async function printNative(
  definition: PromptDefinition,
  onEscape: (found: string) => void,
): Promise<readonly TextFile[]> {
  const name = nativeName(definition.name);
  const folder = name.slice(ownFolder.length + 1);
  const text = nativeText(definition, nativeSyntax, onEscape, `$${name}`);
  return [
    {
      path: `${folder}/SKILL.md`,
      text: await printMarkdown({ name, description: nativeDescription(definition).slice(0, 1024) }, text),
    },
    { path: `${folder}/agents/openai.yaml`, text: 'policy:\n  allow_implicit_invocation: false\n' },
  ];
}

/** Codex reads a name up to the first character that is not a letter, a digit, `-` or `_`. */
function nativeName(name: string): string {
  return `${ownFolder}-${pathForName(name, '').replaceAll(/[^A-Za-z0-9_-]/g, '-')}`;
}
