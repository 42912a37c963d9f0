import { openLocalClient } from '../client/local-client.ts';
import { type Command, unknownWord } from '../terminal/command.ts';
import { catalogActions } from './prompts-catalog.ts';
import { editingActions } from './prompts-editing.ts';
import { libraryActions } from './prompts-library.ts';

const actions = { ...catalogActions, ...editingActions, ...libraryActions };

export const prompts: Command = {
  name: 'prompts',
  summary: 'The prompt library from the shell: find, render, edit, check, bring in, hand on.',
  usage:
    'prompts list|show|render|search|create|edit|delete|history|restore|lint|import|export [NAME|PATH …] [FLAGS]',
  words: Number.POSITIVE_INFINITY,
  flags: {
    tag: {
      type: 'string',
      multiple: true,
      description: 'list, search, export: only with this tag. create: its tags.',
    },
    source: { type: 'string', description: 'list, search, export: only of this source.' },
    input: { type: 'string', short: 'i', description: 'render: the text for prompts that take one input.' },
    title: { type: 'string', description: 'create: the title.' },
    description: { type: 'string', description: 'create: what it is for.' },
    text: { type: 'string', description: 'create: the prompt; {{name}} stands for an argument.' },
    file: { type: 'string', description: 'create: the file with the prompt, - for standard input.' },
    format: { type: 'string', description: 'lint: the form of the files.' },
    strict: { type: 'boolean', description: 'lint: warnings fail too.' },
    prefix: { type: 'string', description: 'import: put before every name.' },
    replace: { type: 'boolean', description: 'import: replace prompts of the same name.' },
    'dry-run': { type: 'boolean', description: 'import, export: only tell what would be done.' },
    force: { type: 'boolean', description: 'export: write over files that are there.' },
  },
  settings: ['home', 'config', 'commands.dir', 'jsonl.dir', 'twig.dir'],
  async run(loaded, terminal) {
    const [name = 'list', ...rest] = loaded.positionals;
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined) throw unknownWord('prompts', name, Object.keys(actions));
    await using door = await openLocalClient(loaded, terminal);
    return await action({ door, terminal, flags: loaded.flags, rest });
  },
};
