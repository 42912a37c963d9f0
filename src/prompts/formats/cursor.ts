import { parseMarkdown, printMarkdown, textField } from './file-syntax.ts';
import { filePerPrompt, nameFromPath, pathForName } from './format.ts';
import { onePrompt, plainText } from './segments.ts';

/** Cursor sends the text as it is, followed by what the user typed after the command. */
export const cursor = filePerPrompt({
  name: 'cursor',
  title: 'Cursor commands',
  folders: ['.cursor/commands'],
  endings: ['.md'],
  documentation: ['`.cursor/commands/**/*.md`', 'none: the input is appended', ''],
  namedByPath: true,
  stores: ['description'],
  accepts: (path) => path.endsWith('.md'),
  async parse(file, report) {
    const { fields, body, bodyLine } = await parseMarkdown(file.text, report, { lenient: true });
    const description = textField(fields, 'description');
    return onePrompt(file, bodyLine, body, {
      name: nameFromPath(file.path, '.md'),
      description,
      arguments: [],
    });
  },
  path: (name) => pathForName(name, '.md'),
  print: async (definition) =>
    printMarkdown({ description: definition.description || undefined }, plainText(definition)),
});
