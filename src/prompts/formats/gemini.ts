import type { PromptDefinition } from '../definition/definition.ts';
import { FileProblem } from '../files/front-matter.ts';
import { filePerPrompt, NotExpressible, type Report, type TextFile } from './format.ts';
import { reportFields, reportPlaces } from './left-out.ts';
import { nameOfPath, pathOfName } from './prompt-path.ts';
import { argumentsIn, bracesOf, segmentsOf, singleText, splitBody } from './segments.ts';
import { parseToml, tomlText } from './toml.ts';

const meanings: readonly (readonly [RegExp, string])[] = [
  [/!\{[^\n}]{0,300}\}/g, 'runs a command in Gemini CLI'],
  [/@\{[^\n}]{0,300}\}/g, 'brings in a file in Gemini CLI'],
];

export const gemini = filePerPrompt({
  name: 'gemini',
  title: 'Gemini CLI commands',
  folder: '.gemini/commands',
  namedByPath: true,
  keeps: ['description'],
  accepts: (path) => path.endsWith('.toml'),
  parse,
  print: async (definition) => ({ path: pathOfName(definition.name, '.toml'), text: print(definition) }),
});

async function parse(file: TextFile, report: Report): Promise<PromptDefinition> {
  const content = await parseToml(file.text);
  const { prompt, description } = content;
  if (typeof prompt !== 'string' || prompt.trim() === '') throw new FileProblem('prompt must be text', 1);
  if (description !== undefined && typeof description !== 'string')
    throw new FileProblem('description must be text', 1);
  reportFields(content, ['prompt', 'description'], report, file.text);
  const body = prompt.replaceAll('\r\n', '\n').trim();
  // TOML does not remember lines; the body is found again by its first one.
  const line = lineOf(file.text, body);
  reportPlaces(body, line, report, meanings);
  const segments = splitBody(body, /\{\{args\}\}/g, () => 'args');
  return {
    name: nameOfPath(file.path, '.toml'),
    ...(description !== undefined && description.trim() !== '' && { description: description.trim() }),
    arguments: argumentsIn(segments).map((name) => ({ name, default: '' })),
    messages: [{ role: 'user', content: { type: 'text', text: bracesOf(segments, line) } }],
    tags: [],
    template: 'braces',
    file: file.path,
    line,
  };
}

function print(definition: PromptDefinition): string {
  const segments = segmentsOf(definition, singleText(definition));
  const used = argumentsIn(segments);
  if (used.length > 1)
    throw new NotExpressible(`it has the arguments ${used.join(', ')}, and Gemini CLI has one`);
  for (const segment of segments) {
    const clash = typeof segment === 'string' ? /\{\{args\}\}|[!@]\{/.exec(segment)?.[0] : undefined;
    if (clash !== undefined)
      throw new NotExpressible(`its text holds ${clash}, which Gemini CLI would act on`);
  }
  const body = segments.map((segment) => (typeof segment === 'string' ? segment : '{{args}}')).join('');
  return [
    ...(definition.description ? [`description = ${tomlText(definition.description)}`] : []),
    `prompt = ${tomlText(body.endsWith('\n') ? body : `${body}\n`)}`,
    '',
  ].join('\n');
}

function lineOf(text: string, body: string): number {
  const [first = ''] = body.split('\n', 1);
  const at = text.indexOf(first);
  return at < 0 ? 1 : text.slice(0, at).split('\n').length;
}
