import { basename, dirname } from 'node:path/posix';
import { FileProblem } from '../../front-matter.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { filePerPrompt, NotExpressible, type TextFile } from './format.ts';
import { firstLine, parseMarkdown, printMarkdown, textField } from './markdown.ts';
import { nameFromPath, pathForName } from './prompt-path.ts';
import { argumentsIn, singleText, toSegments } from './segments.ts';

/** Cursor sends the text as it is, followed by what the user typed after the command. */
export const cursor = filePerPrompt({
  name: 'cursor',
  title: 'Cursor commands',
  folder: '.cursor/commands',
  namedByPath: true,
  stores: ['description'],
  accepts: (path) => path.endsWith('.md'),
  async parse(file, report) {
    const { fields, body, bodyLine } = await parseMarkdown(file.text, report, { lenient: true });
    const description = textField(fields, 'description') ?? firstLine(body);
    return wholeText(file, nameFromPath(file.path, '.md'), description, body, bodyLine);
  },
  print: async (definition) => ({
    path: pathForName(definition.name, '.md'),
    text: await printMarkdown({ description: definition.description || undefined }, plainText(definition)),
  }),
});

/** Codex sends the whole file, including the front matter, and substitutes nothing. */
export const codexSkills = filePerPrompt({
  name: 'codex-skills',
  title: 'Codex skills',
  folder: '.agents/skills',
  namedByPath: false,
  stores: ['description'],
  accepts: (path) => path === 'SKILL.md' || path.endsWith('/SKILL.md'),
  async parse(file, report) {
    if (file.text.startsWith('\uFEFF') || !file.text.startsWith('---'))
      throw new FileProblem('Codex loads no skill without front matter on its first line', 1);
    const { fields } = await parseMarkdown(file.text, report);
    const description = textField(fields, 'description');
    if (description === undefined) throw new FileProblem('Codex loads no skill without a description', 2);
    const name = textField(fields, 'name') ?? basename(dirname(file.path));
    return wholeText(file, name, description, file.text.trimEnd(), 1);
  },
  async print(definition, warn) {
    if (!definition.description) throw new NotExpressible('it has no description, which Codex requires');
    const name = pathForName(definition.name, '', warn);
    const body = plainText(definition);
    // A skill that was read from a file already contains its front matter.
    const text = /^---\r?\n/.test(body)
      ? `${body}\n`
      : await printMarkdown({ name, description: definition.description }, body);
    return { path: `${name}/SKILL.md`, text };
  },
});

function wholeText(
  file: TextFile,
  name: string,
  description: string,
  text: string,
  line: number,
): PromptDefinition {
  return {
    name,
    description,
    arguments: [],
    messages: [{ role: 'user', content: { type: 'text', text } }],
    tags: [],
    template: 'none',
    file: file.path,
    line,
  };
}

function plainText(definition: PromptDefinition): string {
  const text = singleText(definition);
  const used = argumentsIn(toSegments(definition, text));
  if (used.length > 0)
    throw new NotExpressible(`it has the arguments ${used.join(', ')}, but the format has no placeholders`);
  return text;
}
