import { FileProblem } from '../../front-matter.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { filePerPrompt, NotExpressible, type Report, type TextFile } from './format.ts';
import { reportClientSyntax, reportUnknownFields } from './left-out.ts';
import { endingOf, parseMarkdown, textField } from './markdown.ts';
import { nameFromPath, pathForName } from './prompt-path.ts';
import { argumentsIn, singleText, splitBody, toBraces, toSegments } from './segments.ts';
import { parseToml, tomlText } from './toml.ts';

const clientSyntax: readonly (readonly [RegExp, string])[] = [
  [/!\{[^\n}]{0,300}\}/g, 'runs a command in Gemini CLI'],
  [/@\{[^\n}]{0,300}\}/g, 'includes a file in Gemini CLI'],
];

export const gemini = filePerPrompt({
  name: 'gemini',
  title: 'Gemini CLI commands',
  folder: '.gemini/commands',
  namedByPath: true,
  stores: ['description'],
  accepts: (path) => path.endsWith('.toml'),
  parse: parseTomlFile,
  print: async (definition) => ({ path: pathForName(definition.name, '.toml'), text: print(definition) }),
});

/** Qwen Code reads the TOML files of Gemini CLI, and Markdown with the same placeholders. */
export const qwen = filePerPrompt({
  name: 'qwen',
  title: 'Qwen Code commands',
  folder: '.qwen/commands',
  namedByPath: true,
  stores: ['description'],
  accepts: (path) => path.endsWith('.toml') || path.endsWith('.md'),
  parse: (file, report) =>
    file.path.endsWith('.md') ? parseMarkdownFile(file, report) : parseTomlFile(file, report),
  print: async (definition) => ({ path: pathForName(definition.name, '.toml'), text: print(definition) }),
});

async function parseTomlFile(file: TextFile, report: Report): Promise<PromptDefinition> {
  const content = await parseToml(file.text);
  const { prompt, description } = content;
  if (typeof prompt !== 'string' || prompt.trim() === '') throw new FileProblem('prompt must be text', 1);
  if (description !== undefined && typeof description !== 'string')
    throw new FileProblem('description must be text', 1);
  reportUnknownFields(content, ['prompt', 'description'], report, file.text);
  const body = prompt.trim();
  // The TOML parser reports no positions, so find the body by its first line.
  return define(
    file.path,
    nameFromPath(file.path, '.toml'),
    description?.trim(),
    body,
    endingOf(prompt),
    findLine(file.text, body),
    report,
  );
}

async function parseMarkdownFile(file: TextFile, report: Report): Promise<PromptDefinition> {
  const { fields, body, ending, bodyLine } = await parseMarkdown(file.text, report, { lenient: true });
  reportUnknownFields(fields, ['description'], report, file.text);
  return define(
    file.path,
    nameFromPath(file.path, '.md'),
    textField(fields, 'description'),
    body,
    ending,
    bodyLine,
    report,
  );
}

function define(
  file: string,
  name: string,
  description: string | undefined,
  body: string,
  ending: string,
  line: number,
  report: Report,
): PromptDefinition {
  reportClientSyntax(body, line, report, clientSyntax);
  const segments = splitBody(body, /\{\{args\}\}/g, () => 'args');
  return {
    name,
    ...(description && { description }),
    arguments: [{ name: 'args', default: '' }],
    // Without a placeholder, the client appends the command as it was typed.
    typed: { positions: [], whole: 'args', ending, appendix: `\n\n/${name} ` },
    messages: [{ role: 'user', content: { type: 'text', text: toBraces(segments, line) } }],
    tags: [],
    template: 'braces',
    file,
    line,
  };
}

function print(definition: PromptDefinition): string {
  const segments = toSegments(definition, singleText(definition));
  const used = argumentsIn(segments);
  if (used.length > 1)
    throw new NotExpressible(`it has the arguments ${used.join(', ')}, but Gemini CLI supports only one`);
  for (const segment of segments) {
    const clash = typeof segment === 'string' ? /\{\{args\}\}|[!@]\{/.exec(segment)?.[0] : undefined;
    if (clash !== undefined)
      throw new NotExpressible(`its text contains ${clash}, which Gemini CLI would interpret`);
  }
  const body = segments.map((segment) => (typeof segment === 'string' ? segment : '{{args}}')).join('');
  return [
    ...(definition.description ? [`description = ${tomlText(definition.description)}`] : []),
    `prompt = ${tomlText(body + (definition.typed?.ending ?? (body.endsWith('\n') ? '' : '\n')))}`,
    '',
  ].join('\n');
}

function findLine(text: string, body: string): number {
  const [first = ''] = body.split('\n', 1);
  const at = text.indexOf(first);
  return at < 0 ? 1 : text.slice(0, at).split('\n').length;
}
