import { openLocalClient } from '../client/local-client.ts';
import { type Command, unknownSubcommand } from '../terminal/command.ts';
import type { Action } from './prompts-action.ts';
import { catalogActions } from './prompts-catalog.ts';
import { editingActions } from './prompts-editing.ts';
import { libraryActions } from './prompts-library.ts';
import { move, pull } from './prompts-move.ts';
import { versionActions } from './prompts-versions.ts';

const actions: Readonly<Record<string, Action>> = {
  ...catalogActions,
  ...editingActions,
  ...versionActions,
  ...libraryActions,
  move,
  pull,
};

export const prompts: Command = {
  name: 'prompts',
  summary: 'Search, render, edit, label, test, lint, import, export and pull prompts.',
  usage:
    'prompts list|show|render|search|create|edit|delete|history|restore|label|test|usage|lint|import|export|move|pull [NAME|PATH …] [FLAGS]',
  maxWords: Number.POSITIVE_INFINITY,
  flags: {
    tag: {
      type: 'string',
      multiple: true,
      description: 'list, search, export: only prompts with this tag. create: tag to add.',
    },
    source: { type: 'string', description: 'list, search, export: only prompts from this source.' },
    input: { type: 'string', short: 'i', description: 'render: input text.' },
    title: { type: 'string', description: 'create: title.' },
    description: { type: 'string', description: 'create: description.' },
    text: { type: 'string', description: 'create: text of the prompt; {{name}} is an argument.' },
    file: { type: 'string', description: 'create: file with the text, - for standard input.' },
    format: { type: 'string', description: 'lint: format of the files.' },
    compare: { type: 'string', description: 'history: revision, label or commit to compare with.' },
    revision: { type: 'string', description: 'label: revision to label. Default: the current one.' },
    follow: { type: 'boolean', description: 'label: move it to every new revision.' },
    remove: { type: 'boolean', description: 'label: remove it.' },
    changed: { type: 'boolean', description: 'test: only prompts that changed since their tests passed.' },
    junit: { type: 'boolean', description: 'test: print a JUnit report.' },
    sarif: { type: 'boolean', description: 'lint: print a SARIF report.' },
    strict: { type: 'boolean', description: 'lint: fail on warnings too.' },
    prefix: { type: 'string', description: 'import: prefix for every name.' },
    replace: { type: 'boolean', description: 'import: replace prompts with the same name.' },
    'dry-run': {
      type: 'boolean',
      description: 'import, export, move: show the changes without making them.',
    },
    force: {
      type: 'boolean',
      description: 'export: overwrite existing files. label: move a protected label.',
    },
  },
  settings: ['home', 'config', 'commands.dir', 'jsonl.dir', 'twig.dir'],
  async run(loaded, terminal) {
    const [name = 'list', ...rest] = loaded.positionals;
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined) throw unknownSubcommand('prompts', name, Object.keys(actions));
    const confirms = name === 'label' && loaded.flags['force'] === true;
    await using client = await openLocalClient(loaded, terminal, {
      onRequest: confirms ? async () => ({ action: 'accept', content: { move: true } }) : undefined,
    });
    return await action({ client, terminal, config: loaded.config, flags: loaded.flags, rest });
  },
};
