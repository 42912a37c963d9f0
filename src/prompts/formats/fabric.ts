import { basename, dirname } from 'node:path/posix';
import { FileProblem } from '../../front-matter.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { filePerPrompt, NotExpressible, pathForName, reportClientSyntax } from './format.ts';
import { argumentsIn, assertPlain, onePrompt, printSegments, singleSegments, splitBody } from './segments.ts';

const variable = /\{\{([A-Za-z_][\w-]*)\}\}/g;
const clientSyntax: readonly (readonly [RegExp, string])[] = [
  [/\{\{(?:plugin|ext):[^{}]*\}\}/g, 'calls a fabric extension'],
  // After an HTML tag, it is a template of another program.
  [
    /\{\{(?<!<[A-Za-z][^\n]{0,200}|>\s{0,40}\{\{)(?:\s+[\w-]+\s*|[\w-]+\s+)\}\}/g,
    'contains spaces, so fabric may not read it as a variable',
  ],
];

export const fabric = filePerPrompt({
  name: 'fabric',
  title: 'fabric patterns',
  folders: ['fabric/patterns'],
  documentation: ['`patterns/*/system.md`', '`{{input}}`, `{{name}}`', '`{{plugin:…}}`'],
  stores: [],
  accepts: (path) => path.endsWith('/system.md') || path === 'system.md',
  detects: ({ path }) => basename(path) === 'system.md',
  async parse(file, report) {
    const body = file.text.replace(/^\uFEFF/, '').trimEnd();
    if (body.trim() === '') throw new FileProblem('the file contains no prompt text', 1);
    reportClientSyntax(body, 1, report, clientSyntax);
    // fabric appends the input to a pattern without `{{input}}`.
    const whole = body.includes('{{input}}') ? body : `${body}\n{{input}}`;
    const segments = splitBody(whole, variable, ([, name]) => name);
    const folder = dirname(file.path);
    return onePrompt(file, 1, segments, {
      name: folder === '.' ? 'pattern' : basename(folder),
      arguments: argumentsIn(segments).map((name) => ({ name, required: true })),
    });
  },
  path: (name, warn) => `${pathForName(name, '', warn)}/system.md`,
  print,
});

async function print(definition: PromptDefinition, warn: (message: string) => void): Promise<string> {
  const { segments, used } = singleSegments(definition);
  assertPlain(segments, /\{\{/, 'fabric would replace');
  const invalid = used.find((name) => !/^[A-Za-z_][\w-]*$/.test(name));
  if (invalid !== undefined)
    throw new NotExpressible(`the argument ${invalid} is not a valid variable name in fabric`);
  // fabric always passes the input, so a single argument becomes the input.
  const written = (name: string) => (used.length === 1 ? 'input' : name);
  if (!used.map(written).includes('input')) warn('fabric appends the input to the text');
  return `${printSegments(segments, (argument) => `{{${written(argument)}}}`)}\n`;
}
