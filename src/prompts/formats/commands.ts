import type { ArgumentDefinition, PromptDefinition } from '../definition/definition.ts';
import { parseCommand } from '../sources/commands.ts';
import { scanTemplate } from '../template/scanner.ts';
import { filePerPrompt, NotExpressible } from './format.ts';
import { printMarkdown } from './markdown.ts';
import { pathForName } from './prompt-path.ts';
import { singleText } from './segments.ts';

export const commands = filePerPrompt({
  name: 'commands',
  title: 'Markdown commands',
  folder: 'commands',
  namedByPath: true,
  stores: ['title', 'description', 'tags', 'argument descriptions', 'defaults', 'values'],
  accepts: (path) => /\.md$/i.test(path) && !path.includes('/'),
  parse: async ({ path, text }) => parseCommand(text, path, false),
  print: async (definition, warn) => ({
    path: pathForName(definition.name, '.md', warn),
    text: await print(definition),
  }),
});

async function print(definition: PromptDefinition): Promise<string> {
  const { title, description, tags, template, arguments: declared } = definition;
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
