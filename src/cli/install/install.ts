import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { findPlaces, type LoadedConfig } from '../../config.ts';
import { nearest } from '../../nearest.ts';
import { type Command, type Terminal, UsageError } from '../terminal/command.ts';
import type { Entry } from './client-entry.ts';
import { readEntry, withEntry, withoutEntry } from './client-file.ts';
import { type Client, clients } from './clients.ts';
import { ManagedFile } from './managed-file.ts';
import { textDifference } from './text-difference.ts';

const names = clients.map(({ id }) => id).join('|');
const shared = {
  project: { type: 'boolean', description: 'Use the configuration of the project in the current folder.' },
  'dry-run': { type: 'boolean', description: 'Show the changes without making them.' },
} as const;

export const install: Command = {
  name: 'install',
  summary: 'Add Adjutant to the configuration of a client.',
  usage: `install ${names} [--project] [--http] [--dry-run]`,
  maxWords: 1,
  flags: {
    ...shared,
    http: { type: 'boolean', description: 'Connect the client to a running `adjutant serve --http`.' },
  },
  settings: ['home', 'config', 'http.host', 'http.port', 'http.token_file'],
  async run(loaded, terminal) {
    const { client, file } = target(loaded, terminal);
    const http = loaded.flags['http'] === true;
    const entry = client.entry(http ? await httpEntry(loaded) : stdioEntry(loaded, terminal));
    const original = await findOriginal(file, client);
    const after = await withEntry(original?.text ?? file.text ?? '', file.path, client, entry);
    const result = await change(loaded, terminal, { client, file, after }, () => {
      if (original === undefined) file.backUp();
      file.replace(after);
    });
    if (http && loaded.flags['project'] === true)
      terminal.hint(`${file.path} contains the token of the server. Do not share or commit it.\n`);
    return result;
  },
};

export const uninstall: Command = {
  name: 'uninstall',
  summary: 'Remove Adjutant from the configuration of a client.',
  usage: `uninstall ${names} [--project] [--dry-run]`,
  maxWords: 1,
  flags: shared,
  settings: [],
  async run(loaded, terminal) {
    const { client, file } = target(loaded, terminal);
    const original = await findOriginal(file, client);
    const after = original ? (original.text ?? '') : await withoutEntry(file.text ?? '', file.path, client);
    return change(loaded, terminal, { client, file, after }, () => {
      if (original === undefined) file.backUp();
      if (original !== undefined && original.text === undefined) file.remove();
      else file.replace(after);
      if (original !== undefined) file.removeBackup();
    });
  },
};

/**
 * The file as it was before the installation, if nothing but our entry has changed since. Its text is `undefined` if the
 * installation created the file. Lets a reinstallation start from the original, and an uninstallation restore it exactly.
 */
async function findOriginal(
  { path, text = '', backup }: ManagedFile,
  client: Client,
): Promise<{ readonly text: string | undefined } | undefined> {
  const entry = await readEntry(text, path, client);
  if (entry === undefined) return undefined;
  const again = await withEntry(backup ?? '', path, client, entry).catch(() => undefined);
  return again === text ? { text: backup } : undefined;
}

interface Change {
  readonly client: Client;
  readonly file: ManagedFile;
  readonly after: string;
}

/** Shows the changes, then makes them. */
async function change(
  { flags }: LoadedConfig,
  terminal: Terminal,
  { client, file, after }: Change,
  write: () => void,
): Promise<number> {
  const before = file.text ?? '';
  const changed = after !== before;
  const dry = flags['dry-run'] === true;
  const show = (text: string) => {
    if (!terminal.json) terminal[dry ? 'answer' : 'report'](undefined, text);
  };
  const difference = await textDifference(before, after);
  show(changed ? `${file.path}\n${difference}` : `${file.path}: no changes needed`);
  if (changed && dry) show('Dry run: nothing was changed.');
  if (changed && !dry) {
    file.assertWritable();
    write();
    if (file.backup !== undefined) show(`Backup of the original: ${file.backupPath}`);
    show(`Done. Restart ${client.title} if it is running.`);
  }
  if (terminal.json)
    terminal.answer(
      {
        client: client.id,
        file: file.path,
        changed,
        difference,
        backup: changed && !dry && file.backup !== undefined ? file.backupPath : null,
        dry_run: dry,
      },
      '',
    );
  return 0;
}

function target({ flags, positionals }: LoadedConfig, terminal: Terminal) {
  const client = findClient(positionals);
  const path =
    flags['project'] === true
      ? resolve(client.projectFile)
      : client.file(findPlaces(terminal.env), process.platform);
  return { client, file: new ManagedFile(path) };
}

function findClient([name]: readonly string[]): Client {
  const client = clients.find(({ id }) => id === name);
  if (client !== undefined) return client;
  if (name === undefined) throw new UsageError(`name a client: ${names}`);
  const meant = nearest(
    name,
    clients.map(({ id }) => id),
  );
  throw new UsageError(
    `unknown client "${name}"; ${meant ? `did you mean ${meant}?` : `known are ${names}`}`,
  );
}

/** Uses full paths unless `adjutant` is on the PATH. */
function stdioEntry({ config }: LoadedConfig, terminal: Terminal): Entry {
  const bundle = realpathSync(process.argv[1]!);
  const onPath = (terminal.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'adjutant'))
    .some((file) => existsSync(file) && realpathSync(file) === bundle);
  const args = ['serve', ...(config.home === undefined ? [] : ['--home', config.home])];
  return onPath
    ? { kind: 'stdio', command: 'adjutant', args }
    : { kind: 'stdio', command: process.execPath, args: [bundle, ...args] };
}

async function httpEntry({ config }: LoadedConfig): Promise<Entry> {
  const { ensureToken, readToken } = await import('../../transports/token.ts');
  const file = config['http.token_file'];
  const host = config['http.host'].includes(':') ? `[${config['http.host']}]` : config['http.host'];
  return {
    kind: 'http',
    url: `http://${host}:${config['http.port']}/mcp`,
    token: file === undefined ? ensureToken(config['http.state_dir']) : readToken(file),
  };
}
