import type { ArgumentDefinition, PromptDefinition } from '../definition/definition.ts';
import { parseCommand } from '../sources/commands.ts';
import { scanTemplate } from '../template/scanner.ts';
import { printMarkdown } from './file-syntax.ts';
import { filePerPrompt, NotExpressible, pathForName } from './format.ts';
import { singleText, usedArguments } from './segments.ts';

export const commands = filePerPrompt({
  name: 'commands',
  title: 'Markdown commands',
  documentation: ['`*.md` with front matter', '`{{input}}`, or the field `arguments`', ''],
  isOwn: true,
  stores: ['title', 'description', 'tags', 'argument descriptions', 'defaults', 'values'],
  accepts: (path) => /\.md$/i.test(path) && !path.includes('/'),
  // Markdown without front matter is documentation, not a prompt.
  detects: ({ path, text }) => path.endsWith('.md') && /^\uFEFF?---/.test(text),
  parse: async ({ path, text }) => parseCommand(text, path, false),
  path: (name, warn) => pathForName(name, '.md', warn),
  print,
});

async function print(definition: PromptDefinition): Promise<string> {
  const { title, description, tags, template } = definition;
  const declared = usedArguments(definition);
  const text = singleText(definition);
  if (template === 'jinja' && scanTemplate(text).references.length > 0)
    throw new NotExpressible('it includes other templates');
  return printMarkdown(
    {
      title,
      description: description ?? '',
      tags: tags.length > 0 ? tags : undefined,
      template: template === 'input' ? undefined : template,
      arguments: template === 'input' || declared.length === 0 ? undefined : declared.map(definedFields),
    },
    text,
  );
}

function definedFields(argument: ArgumentDefinition): object {
  return Object.fromEntries(Object.entries(argument).filter(([, value]) => value !== undefined));
}
