import { printMarkdown, readMarkdown } from './file-syntax.ts';
import { filePerPrompt, nameFromPath, pathForName } from './format.ts';
import { onePrompt, plainText } from './segments.ts';

/** Cursor sends the text as it is, followed by what the user typed after the command. */
export const cursor = filePerPrompt({
  name: 'cursor',
  title: 'Cursor commands',
  folders: ['.cursor/commands'],
  documentation: ['`.cursor/commands/**/*.md`', 'none: the input is appended', ''],
  accepts: (path) => path.endsWith('.md'),
  async parse(file, report) {
    const { description, body, bodyLine } = await readMarkdown(file, report, { lenient: true });
    const name = nameFromPath(file.path, '.md');
    return onePrompt(file, bodyLine, body, { name, description, arguments: [] });
  },
  path: (name) => pathForName(name, '.md'),
  print: async (definition) =>
    printMarkdown({ description: definition.description || undefined }, plainText(definition)),
});
