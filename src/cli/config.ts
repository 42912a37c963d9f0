import { dirname } from 'node:path';
import { parseSetting, settingsInForce, withSetting } from '../config.ts';
import { nearest } from '../nearest.ts';
import type { Setting } from '../setting.ts';
import { settings } from '../settings.ts';
import { changeSettingsFile } from './install/settings-file.ts';
import { type Action, type Command, toggle, UsageError, type Use } from './terminal/command.ts';
import { tableText } from './terminal/terminal.ts';
import { withSuggestions } from './terminal/usage-error.ts';

const table: Readonly<Record<string, Setting>> = settings;
const key = { KEY: 'the name of a setting, such as http.port' };

async function known(
  action: 'get' | 'set' | 'unset',
  [name = '', value]: readonly string[],
): Promise<string> {
  if (Object.hasOwn(table, name)) return name;
  const problem = `there is no setting "${name}"`;
  const { linesOfSetting } = await import('./guesses.ts');
  const lines = linesOfSetting(action, name, value);
  if (lines.length > 0) throw new UsageError(withSuggestions(problem, lines, ''));
  const meant =
    nearest(name, Object.keys(table)) ?? Object.keys(table).find((one) => one.endsWith(`.${name}`));
  throw new UsageError(
    `${problem}${meant === undefined ? '\n  adjutant config list shows all' : `\n  Did you mean: ${meant}`}`,
  );
}

const shown = (value: unknown) =>
  value === null || value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value);

const list: Action = {
  summary: 'List settings that differ from their default, or all that contain some words',
  args: '[WORD…]',
  flags: { all: toggle('List all settings') },
  examples: ['config list', 'config list mail'],
  async run({ loaded, config, flags, words, terminal }) {
    const isAll = flags['all'] === true || words.length > 0;
    const found = settingsInForce(config, loaded.origins).filter(
      ({ name, description, origin }) =>
        (isAll || origin !== 'default') &&
        words.every((word) => `${name} ${description}`.toLowerCase().includes(word.toLowerCase())),
    );
    terminal.answer({ file: loaded.file, settings: found }, () =>
      found.length === 0
        ? words.length > 0
          ? 'No setting contains these words.'
          : `Every setting has its default. adjutant config list --all shows them; they can be set in ${loaded.file}.`
        : tableText(
            terminal,
            ['SETTING', 'VALUE', 'FROM', 'MEANING'],
            found.map(({ name, value, origin, description }) => [name, shown(value), origin, description]),
          ),
    );
    return 0;
  },
};

const get: Action = {
  summary: 'Print the value of a setting',
  args: 'KEY',
  notes: key,
  examples: ['config get http.port', 'config get delegate.agent --json'],
  async run({ loaded, config, words, terminal }) {
    const name = await known('get', words);
    const found = settingsInForce(config, loaded.origins).find((one) => one.name === name)!;
    terminal.answer(found, found.value === null ? '' : shown(found.value));
    return 0;
  },
};

const set: Action = {
  summary: 'Change a setting in the configuration file',
  args: 'KEY VALUE',
  notes: key,
  changes: 'settings',
  examples: ['config set http.port 8080', 'config set delegate.agent claude'],
  async run(use) {
    const [name, raw] = [await known('set', use.words), use.words[1]!];
    if (name === 'home' || name === 'config')
      throw new UsageError(`${name} cannot be set in the file; use the flag --${name}`);
    const { type } = table[name]!;
    if (type === 'structure')
      throw new UsageError(`${name} has several values; write it into ${use.loaded.file}`);
    const folder = dirname(use.loaded.file);
    const parsed = await parseSetting({ name, raw, origin: 'config set', folder });
    // A path stays as it was written; the file is its base folder.
    return write(use, name, type === 'path' || type === 'list' ? unresolved(raw, type) : parsed);
  },
};

function unresolved(raw: string, type: 'path' | 'list'): unknown {
  return type === 'path' ? raw : raw.split(',').map((item) => item.trim());
}

const unset: Action = {
  summary: 'Return a setting to its default',
  args: 'KEY',
  notes: key,
  changes: 'settings',
  examples: ['config unset http.port', 'config list'],
  run: async (use) => write(use, await known('unset', use.words), undefined),
};

async function write({ loaded, terminal }: Use, name: string, value: unknown): Promise<number> {
  const { file } = loaded;
  const changed = await changeSettingsFile(file, (text) => withSetting(text, name, value));
  terminal.report(
    { name, file, changed },
    !changed
      ? `${file}: no change needed`
      : `✓ ${file}\n  Servers that are running keep their settings until they start again.`,
  );
  return 0;
}

export const config: Command = {
  name: 'config',
  summary: 'Read and change settings',
  actions: { list, get, set, unset },
};
