import { basename } from 'node:path/posix';
import type { ArgumentDefinition, PromptDefinition } from '../definition/definition.ts';
import { printMarkdown, readMarkdown, textField } from './file-syntax.ts';
import { filePerPrompt, NotExpressible, pathForName, type Report, type TextFile } from './format.ts';
import { argumentsIn, assertPlain, onePrompt, printSegments, singleSegments, splitBody } from './segments.ts';

const extension = '.prompt.md';
// A hint ends where another variable begins, so that inputs that are never closed are not searched again and again.
const input = /\$\{input:([^:}$]{1,200})(?::((?:[^}$]|\$(?!\{)){0,2000}))?\}/g;

/** Fields that VS Code knows. Most of them matter only to the client itself. */
const knownFields = ['name', 'description', 'title', 'agent', 'mode', 'model', 'tools', 'argument-hint'];

const clientSyntax: readonly (readonly [RegExp, string])[] = [
  [
    /\$\{(?:(?:workspaceFolder|workspaceFolderBasename|file|fileBasename|fileDirname|fileBasenameNoExtension|relativeFile|selection|selectedText|lineNumber)(?::[^}]{0,200})?|(?:env|config|command):[^}]{1,200})\}/g,
    'is replaced by VS Code',
  ],
  [/(?<=\s|^)#(?:file|tool|folder|symbol):\S{1,200}/gm, 'is a reference that VS Code resolves'],
  [/\]\((?!\w{1,20}:|#)[^)\s]{1,500}\)/g, 'is a link to a file that VS Code includes'],
];

export const vscode = filePerPrompt({
  name: 'vscode',
  title: 'VS Code prompt files',
  folders: ['.github/prompts'],
  documentation: [
    '`.github/prompts/*.prompt.md`',
    `\`\${input:name:hint}\``,
    `\`\${selection}\` and similar, \`#file:…\`, links to files, other fields`,
  ],
  namedByPath: false,
  stores: ['title', 'description', 'argument descriptions'],
  accepts: (path) => path.endsWith(extension),
  detects: ({ path }) => path.endsWith(extension),
  parse,
  path: (name, warn) => pathForName(name, extension, warn),
  print,
});

async function parse(file: TextFile, report: Report): Promise<PromptDefinition> {
  const { fields, description, body, bodyLine } = await readMarkdown(file, report, {
    known: knownFields,
    syntax: clientSyntax,
  });
  const hints = new Map<string, string>();
  for (const [, name, hint] of body.matchAll(input)) if (hint) hints.set(name!, hint);
  const segments = splitBody(body, input, ([, name]) => name);
  return onePrompt(file, bodyLine, segments, {
    name: textField(fields, 'name') ?? basename(file.path, extension),
    title: textField(fields, 'title'),
    description,
    // VS Code always asks for every input.
    arguments: argumentsIn(segments).map(
      (name): ArgumentDefinition => ({
        name,
        ...(hints.has(name) && { description: hints.get(name)! }),
        required: true,
      }),
    ),
  });
}

async function print(definition: PromptDefinition, warn: (message: string) => void): Promise<string> {
  const { segments } = singleSegments(definition);
  assertPlain(segments, /\$\{input:[^}]{0,40}\}?/, 'VS Code would replace');
  for (const text of segments.filter((segment) => typeof segment === 'string'))
    for (const [found] of text.matchAll(/\$\{\w{1,100}[^}]{0,200}\}/g)) warn(`VS Code may replace ${found}`);
  const printed = new Set<string>();
  const body = printSegments(segments, (name) => {
    if (/[:}]/.test(name)) throw new NotExpressible(`the name of the argument ${name} contains : or }`);
    const declared = definition.arguments.find((one) => one.name === name);
    const first = !printed.has(name);
    printed.add(name);
    if (first && declared && !declared.required)
      warn(`the argument ${name} is optional here but required in VS Code`);
    const hint = first ? declared?.description?.replaceAll(/\s+/g, ' ') : undefined;
    return hint === undefined || hint.includes('}') ? `\${input:${name}}` : `\${input:${name}:${hint}}`;
  });
  return printMarkdown({ description: definition.description || undefined, title: definition.title }, body);
}
