import { FileProblem, lineOfField } from '../../front-matter.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { FieldProblem } from '../definition/prompt-fields.ts';
import { parseToml } from '../sources/twig-manifest.ts';
import { endingOf, readMarkdown, tomlText } from './file-syntax.ts';
import {
  filePerPrompt,
  NotExpressible,
  nameFromPath,
  pathForName,
  type Report,
  reportClientSyntax,
  reportUnknownFields,
  type TextFile,
} from './format.ts';
import {
  type ClientSyntax,
  nativeDescription,
  nativeMarkdown,
  nativePath,
  nativeText,
  slashCommands,
} from './native.ts';
import { assertPlain, onePrompt, printSegments, singleSegments, splitBody } from './segments.ts';

const clientSyntax: readonly (readonly [RegExp, string])[] = [
  [/!\{[^\n}]{0,300}\}/g, 'runs a command in Gemini CLI'],
  [/@\{[^\n}]{0,300}\}/g, 'includes a file in Gemini CLI'],
];

const nativeSyntax: ClientSyntax = { whole: '{{args}}', special: /[!@](?=\{)|\{(?=\{args\}\})/g };

export const gemini = filePerPrompt({
  name: 'gemini',
  title: 'Gemini CLI commands',
  folders: ['.gemini/commands'],
  endings: ['.toml'],
  documentation: ['`.gemini/commands/**/*.toml`', '`{{args}}`', '`!{command}`, `@{file}`, other keys'],
  native: slashCommands({
    id: 'gemini',
    title: 'Gemini CLI',
    projectHome: '.gemini',
    async print(definition, onEscape) {
      const path = nativePath(definition, '.toml');
      const prompt = tomlText(nativeText(definition, nativeSyntax, onEscape));
      const description = tomlText(nativeDescription(definition));
      return [{ path, text: `description = ${description}\nprompt = ${prompt}\n` }];
    },
  }),
  accepts: (path) => path.endsWith('.toml'),
  detects: ({ path }) => path.endsWith('.toml'),
  parse: parseTomlFile,
  path: (name) => pathForName(name, '.toml'),
  print,
});

/** Qwen Code reads the TOML files of Gemini CLI, and Markdown with the same placeholders. */
export const qwen = filePerPrompt({
  name: 'qwen',
  title: 'Qwen Code commands',
  folders: ['.qwen/commands'],
  endings: ['.toml', '.md'],
  documentation: ['`.qwen/commands/**/*.toml`, `**/*.md`', '`{{args}}`', 'the same'],
  native: slashCommands({
    id: 'qwen',
    title: 'Qwen Code',
    projectHome: '.qwen',
    print: nativeMarkdown(nativeSyntax, () => ({ 'disable-model-invocation': true })),
  }),
  accepts: (path) => path.endsWith('.toml') || path.endsWith('.md'),
  parse: (file, report) =>
    file.path.endsWith('.md') ? parseMarkdownFile(file, report) : parseTomlFile(file, report),
  path: (name) => pathForName(name, '.toml'),
  print,
});

async function parseTomlFile(file: TextFile, report: Report): Promise<PromptDefinition> {
  const content = await parseToml(file.text.replace(/^\uFEFF/, ''));
  const { prompt, description } = content;
  if (prompt === undefined) throw new FileProblem('prompt is missing', 1);
  if (typeof prompt !== 'string') throw new FieldProblem('prompt must be text');
  if (prompt.trim() === '') throw new FileProblem('prompt is empty', lineOfField(file.text, 'prompt'));
  if (description !== undefined && typeof description !== 'string')
    throw new FieldProblem('description must be text');
  reportUnknownFields(content, ['prompt', 'description'], report, file.text);
  const body = prompt.trim();
  // The TOML parser reports no positions, so find the body by its first line.
  const line = findLine(file.text, body);
  return define(
    file,
    '.toml',
    { description: description?.trim(), body, ending: endingOf(prompt), line },
    report,
  );
}

async function parseMarkdownFile(file: TextFile, report: Report): Promise<PromptDefinition> {
  const rules = { known: ['description'], lenient: true };
  const { bodyLine: line, ...content } = await readMarkdown(file, report, rules);
  return define(file, '.md', { ...content, line }, report);
}

interface Content {
  readonly description: string | undefined;
  readonly body: string;
  readonly ending: string;
  readonly line: number;
}

function define(
  file: TextFile,
  extension: string,
  { description, body, ending, line }: Content,
  report: Report,
): PromptDefinition {
  reportClientSyntax(body, line, report, clientSyntax);
  const name = nameFromPath(file.path, extension);
  const segments = splitBody(body, /\{\{args\}\}/g, () => 'args');
  return onePrompt(file, line, segments, {
    name,
    description: description || undefined,
    arguments: [{ name: 'args', default: '' }],
    // Without a placeholder, the client appends the command as it was typed.
    typed: { positions: [], whole: 'args', ending, appendix: `\n\n/${name} ` },
  });
}

async function print(definition: PromptDefinition): Promise<string> {
  const { segments, used } = singleSegments(definition);
  if (used.length > 1)
    throw new NotExpressible(`it has the arguments ${used.join(', ')}, but Gemini CLI supports only one`);
  assertPlain(segments, /\{\{args\}\}|[!@]\{/, 'Gemini CLI would interpret');
  const body = printSegments(segments, () => '{{args}}');
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
