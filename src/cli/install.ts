import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { type LoadedConfig, placesOf } from '../config.ts';
import { nearest } from '../nearest.ts';
import { withEntry, withoutEntry } from './client-file.ts';
import { type Client, clients, type Entry } from './clients.ts';
import { type Command, type Terminal, UsageError } from './command.ts';
import { textDifference } from './text-difference.ts';

const names = clients.map(({ id }) => id).join('|');
const shared = {
  project: { type: 'boolean', description: 'Use the configuration of the project in the working folder.' },
  'dry-run': { type: 'boolean', description: 'Show what would change and change nothing.' },
} as const;

export const install: Command = {
  name: 'install',
  summary: 'Put Adjutant into the configuration of a client.',
  usage: `install ${names} [--project] [--http] [--dry-run]`,
  words: 1,
  flags: {
    ...shared,
    http: { type: 'boolean', description: 'Let the client connect to a running `adjutant serve --http`.' },
  },
  settings: ['home', 'config', 'http.host', 'http.port', 'http.token_file'],
  async run(loaded, terminal) {
    const entry = loaded.flags['http'] === true ? await httpEntry(loaded) : stdioEntry(loaded, terminal);
    return change(loaded, terminal, (client, text, file) =>
      withEntry(text, file, client, client.entry(entry)),
    );
  },
};

export const uninstall: Command = {
  name: 'uninstall',
  summary: 'Take Adjutant out of the configuration of a client again.',
  usage: `uninstall ${names} [--project] [--dry-run]`,
  words: 1,
  flags: shared,
  settings: [],
  run: (loaded, terminal) =>
    change(loaded, terminal, (client, text, file) => withoutEntry(text, file, client)),
};

async function change(
  { flags, positionals }: LoadedConfig,
  terminal: Terminal,
  edit: (client: Client, text: string, file: string) => Promise<string>,
): Promise<number> {
  const client = clientNamed(positionals);
  const file =
    flags['project'] === true
      ? resolve(client.projectFile)
      : client.file(placesOf(terminal.env), process.platform);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const after = await edit(client, before, file);
  const changed = after !== before;
  const backup = changed && before !== '' && flags['dry-run'] !== true ? backUp(file, before) : undefined;
  if (changed && flags['dry-run'] !== true) replace(file, after);

  const dry = flags['dry-run'] === true;
  const told = [
    changed ? `${file}\n${textDifference(before, after)}` : `${file}: nothing to change\n`,
    backup === undefined ? '' : `The file as it was: ${backup}\n`,
    !changed
      ? ''
      : dry
        ? 'Nothing was changed (--dry-run).\n'
        : `Done. Restart ${client.title} if it is running.\n`,
  ].join('');
  terminal[dry ? 'answer' : 'report'](
    { client: client.id, file, changed, backup: backup ?? null, dry_run: dry },
    told,
  );
  return 0;
}

function clientNamed([name]: readonly string[]): Client {
  const client = clients.find(({ id }) => id === name);
  if (client !== undefined) return client;
  const meant =
    name === undefined
      ? undefined
      : nearest(
          name,
          clients.map(({ id }) => id),
        );
  throw new UsageError(
    name === undefined
      ? `which client? One of ${names}`
      : `no client is called "${name}"${meant ? `; did you mean ${meant}?` : `; there is ${names}`}`,
  );
}

/** Written by its full path where `adjutant` is not on the PATH: clients of the desktop often have a short one. */
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
  const { keepToken, readToken } = await import('../transports/token.ts');
  const file = config['http.token_file'];
  const host = config['http.host'].includes(':') ? `[${config['http.host']}]` : config['http.host'];
  return {
    kind: 'http',
    url: `http://${host}:${config['http.port']}/mcp`,
    token: file === undefined ? keepToken(config['http.state_dir']) : readToken(file),
  };
}

function backUp(file: string, text: string): string {
  const backup = `${file}.before-adjutant`;
  writeFileSync(backup, text, { mode: statSync(file).mode & 0o777 });
  return backup;
}

/** In one step, so that a client never reads half a file. */
function replace(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const target = existsSync(file) ? realpathSync(file) : file;
  const draft = `${target}.${process.pid}.tmp`;
  writeFileSync(draft, text, { mode: existsSync(target) ? statSync(target).mode & 0o777 : 0o600 });
  renameSync(draft, target);
}
