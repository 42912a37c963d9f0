import { basename, dirname } from 'node:path/posix';
import { FileProblem } from '../../front-matter.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { filePerPrompt, NotExpressible, type Report, type TextFile } from './format.ts';
import { reportClientSyntax } from './left-out.ts';
import { pathForName } from './prompt-path.ts';
import { argumentsIn, singleText, splitBody, toBraces, toSegments } from './segments.ts';

const variable = /\{\{([A-Za-z_][\w-]*)\}\}/g;
const clientSyntax: readonly (readonly [RegExp, string])[] = [
  [/\{\{(?:plugin|ext):[^{}]*\}\}/g, 'calls a fabric extension'],
  [/\{\{\s+[\w-]+\s*\}\}|\{\{[\w-]+\s+\}\}/g, 'contains spaces, so fabric may not read it as a variable'],
];

export const fabric = filePerPrompt({
  name: 'fabric',
  title: 'fabric patterns',
  folder: '~/.config/fabric/patterns',
  namedByPath: true,
  stores: [],
  accepts: (path) => path.endsWith('/system.md') || path === 'system.md',
  parse,
  print: async (definition, warn) => ({
    path: `${pathForName(definition.name, '', warn)}/system.md`,
    text: print(definition, warn),
  }),
});

async function parse({ path, text }: TextFile, report: Report): Promise<PromptDefinition> {
  const body = text.replace(/^\uFEFF/, '').trimEnd();
  if (body.trim() === '') throw new FileProblem('the file contains no prompt text', 1);
  reportClientSyntax(body, 1, report, clientSyntax);
  // fabric appends the input to a pattern without `{{input}}`.
  const whole = body.includes('{{input}}') ? body : `${body}\n{{input}}`;
  const segments = splitBody(whole, variable, ([, name]) => name);
  return {
    name: dirname(path) === '.' ? 'pattern' : basename(dirname(path)),
    arguments: argumentsIn(segments).map((name) => ({ name, required: true })),
    messages: [{ role: 'user', content: { type: 'text', text: toBraces(segments, 1) } }],
    tags: [],
    template: 'braces',
    file: path,
    line: 1,
  };
}

function print(definition: PromptDefinition, warn: (message: string) => void): string {
  const segments = toSegments(definition, singleText(definition));
  if (segments.some((segment) => typeof segment === 'string' && segment.includes('{{')))
    throw new NotExpressible('its text contains {{, which fabric would replace');
  const names = argumentsIn(segments);
  const invalid = names.find((name) => !/^[A-Za-z_][\w-]*$/.test(name));
  if (invalid !== undefined)
    throw new NotExpressible(`the argument ${invalid} is not a valid variable name in fabric`);
  // fabric always passes the input, so a single argument becomes the input.
  const written = (name: string) => (names.length === 1 ? 'input' : name);
  if (!names.map(written).includes('input')) warn('fabric appends the input to the text');
  return `${segments.map((segment) => (typeof segment === 'string' ? segment : `{{${written(segment.argument)}}}`)).join('')}\n`;
}
