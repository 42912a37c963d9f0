import { basename, dirname } from 'node:path/posix';
import type { PromptDefinition } from '../definition/definition.ts';
import { FileProblem } from '../files/front-matter.ts';
import { filePerPrompt, NotExpressible, type Report, type TextFile } from './format.ts';
import { reportPlaces } from './left-out.ts';
import { pathOfName } from './prompt-path.ts';
import { argumentsIn, bracesOf, segmentsOf, singleText, splitBody } from './segments.ts';

const variable = /\{\{([A-Za-z_][\w-]*)\}\}/g;
const meanings: readonly (readonly [RegExp, string])[] = [
  [/\{\{(?:plugin|ext):[^{}]*\}\}/g, 'calls an extension of fabric'],
  [/\{\{\s+[\w-]+\s*\}\}|\{\{[\w-]+\s+\}\}/g, 'has blanks inside, which may or may not be a variable'],
];

export const fabric = filePerPrompt({
  name: 'fabric',
  title: 'fabric patterns',
  folder: '~/.config/fabric/patterns',
  namedByPath: true,
  keeps: [],
  accepts: (path) => path.endsWith('/system.md') || path === 'system.md',
  parse,
  print: async (definition, warn) => ({
    path: `${pathOfName(definition.name, '', warn)}/system.md`,
    text: print(definition, warn),
  }),
});

async function parse({ path, text }: TextFile, report: Report): Promise<PromptDefinition> {
  const body = text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .trimEnd();
  if (body.trim() === '') throw new FileProblem('there is no text in it', 1);
  reportPlaces(body, 1, report, meanings);
  // Where a pattern has no place for the input, fabric sends it after the text.
  const whole = body.includes('{{input}}') ? body : `${body}\n{{input}}`;
  const segments = splitBody(whole, variable, ([, name]) => name);
  return {
    name: dirname(path) === '.' ? 'pattern' : basename(dirname(path)),
    arguments: argumentsIn(segments).map((name) => ({ name, required: true })),
    messages: [{ role: 'user', content: { type: 'text', text: bracesOf(segments, 1) } }],
    tags: [],
    template: 'braces',
    file: path,
    line: 1,
  };
}

function print(definition: PromptDefinition, warn: (message: string) => void): string {
  const segments = segmentsOf(definition, singleText(definition));
  if (segments.some((segment) => typeof segment === 'string' && segment.includes('{{')))
    throw new NotExpressible('its text holds {{, which fabric would replace');
  const names = argumentsIn(segments);
  const wrong = names.find((name) => !/^[A-Za-z_][\w-]*$/.test(name));
  if (wrong !== undefined) throw new NotExpressible(`the argument ${wrong} cannot be a variable of fabric`);
  // The one thing a pattern is always given is its input.
  const written = (name: string) => (names.length === 1 ? 'input' : name);
  if (!names.map(written).includes('input')) warn('fabric puts the input behind the text');
  return `${segments.map((segment) => (typeof segment === 'string' ? segment : `{{${written(segment.argument)}}}`)).join('')}\n`;
}
