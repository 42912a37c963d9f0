import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join, parse, resolve } from 'node:path';
import { findPlaces, type LoadedConfig } from '../../config.ts';
import { nearest } from '../../nearest.ts';
import { settings } from '../../settings.ts';
import { stableProgram } from '../background/stable-path.ts';
import { type Flags, several, single, toggle, UsageError } from '../terminal/command.ts';
import { type Terminal, tableText } from '../terminal/terminal.ts';
import type { Entry } from './client-entry.ts';
import { readEntry, withEntry, withoutEntry } from './client-file.ts';
import { type Client, clients } from './clients.ts';
import { hookToAdd, hookToRemove } from './hook-change.ts';
import { type FileChange, ManagedFile, type Original } from './managed-file.ts';
import {
  chosenPrompts,
  describeReport,
  type NativeReport,
  nativePlace,
  openNativePrompts,
  syncPrompts,
} from './native-files.ts';

const names = clients.map(({ id }) => id).join(', ');
const shared: Flags = {
  project: toggle('Use the configuration of the project in the current folder'),
  'dry-run': toggle('Show the changes without making them'),
};

export const install = single('install', {
  summary: 'Connect a client',
  args: '[CLIENT]',
  notes: { CLIENT: `${names}; without a name, those found here are listed` },
  flags: {
    ...shared,
    http: toggle('Connect the client to a running adjutant serve --http'),
    'with-prompts': toggle('Also write prompts as the own commands or skills of the client'),
    'with-hook': toggle('Also expand :name before the model reads a message, by a hook of the client'),
    prompt: several('PROMPT', 'Prompt to write; can be repeated'),
    tag: several('TAG', 'Write all prompts with this tag; can be repeated'),
    sync: toggle('Update the prompts written before, in all clients or in one'),
  },
  examples: ['install', 'install claude'],
  async run({ loaded, terminal }) {
    if (loaded.flags['sync'] === true)
      return syncPrompts(
        loaded,
        terminal,
        loaded.positionals.length > 0 ? findClient(loaded.positionals) : undefined,
      );
    if (loaded.positionals.length === 0) return listClients(loaded, terminal);
    const { client, file } = target(loaded, terminal);
    const http = loaded.flags['http'] === true;
    if (http && client.http === false)
      throw new UsageError(`${client.title} can only start a server itself; leave out --http`);
    const choice = await chosenPrompts(loaded, terminal, client);
    const entry = await (http ? httpEntry(loaded) : stdioEntry(loaded, terminal, client));
    const planned = await plannedConnection(client, file, entry);
    await using native = await openNativePrompts(loaded);
    const place = await nativePlace(loaded, terminal, client);
    const hook = await hookToAdd(loaded, terminal, client, () => stdioEntry(loaded, terminal, client));
    const result = await change(loaded, terminal, {
      client,
      ...planned,
      ...(hook && { hook }),
      native: async (dry) => place && choice && native.prompts.install(place, choice, { dry }),
    });
    const secret = entry.kind === 'http' ? 'the token of the server' : 'paths of this machine';
    if (loaded.flags['project'] === true && (entry.kind === 'http' || entry.command !== 'adjutant'))
      terminal.hint(`${file.path} contains ${secret}. Do not share or commit it.\n`);
    return result;
  },
});

export const uninstall = single('uninstall', {
  summary: 'Remove Adjutant from the configuration of a client',
  args: 'CLIENT',
  notes: { CLIENT: names },
  flags: shared,
  examples: ['uninstall claude', 'uninstall claude --dry-run'],
  async run({ loaded, terminal }) {
    const { client, file } = target(loaded, terminal);
    const original = await findOriginal(file, client);
    const after = original ? (original.text ?? '') : await withoutEntry(file.text ?? '', file.path, client);
    await using native = await openNativePrompts(loaded);
    const place = await nativePlace(loaded, terminal, client);
    const hook = await hookToRemove(loaded, terminal, client);
    return change(loaded, terminal, {
      client,
      file,
      after,
      ...(hook && { hook }),
      write: () => file.restore(after, original),
      native: async (dry) => place && native.prompts.uninstall(place, { dry }),
    });
  },
});

async function findOriginal(file: ManagedFile, client: Client): Promise<Original | undefined> {
  const { path, text = '' } = file;
  const entry = await readEntry(text, path, client);
  return entry === undefined ? undefined : file.original((before) => withEntry(before, path, client, entry));
}

/** The change that adds our entry to the configuration of a client. */
export async function plannedConnection(
  client: Client,
  file: ManagedFile,
  entry: Entry,
): Promise<FileChange> {
  const original = await findOriginal(file, client);
  const after = await withEntry(original?.text ?? file.text ?? '', file.path, client, client.entry(entry));
  return file.addition(after, original);
}

interface Change extends FileChange {
  readonly client: Client;
  /** The change of the file with the hooks of the client, if it is another one. */
  readonly hook?: FileChange;
  /** Writes or removes the prompts in the client's own folder. `undefined` if there are none. */
  native(dry: boolean): Promise<NativeReport | undefined>;
}

/** Shows the changes, then makes them. */
async function change(
  { flags }: LoadedConfig,
  terminal: Terminal,
  { client, hook, native, ...main }: Change,
): Promise<number> {
  const dry = flags['dry-run'] === true;
  const show = (text: string) => {
    if (!terminal.json) terminal[dry ? 'answer' : 'report'](undefined, text);
  };
  const files = await Promise.all(
    [main, ...(hook === undefined ? [] : [hook])].map(async (one) => {
      const before = one.file.text ?? '';
      const changed = one.after !== before;
      return { ...one, changed, difference: await textDifference(before, one.after) };
    }),
  );
  for (const { file, changed, difference } of files)
    show(changed ? `${file.path}\n${difference}` : `${file.path}: no changes needed`);
  const changed = files.filter((one) => one.changed);
  if (!dry) for (const { file } of changed) file.assertWritable();
  // Find out first whether the prompts can be written, so that a refusal leaves everything unchanged.
  const planned = await native(true);
  if (!dry) for (const { write } of changed) write();
  const prompts = dry ? planned : await native(false);
  if (prompts !== undefined) show(describeReport(prompts));
  const changedAny =
    changed.length > 0 || (planned !== undefined && planned.written.length + planned.removed.length > 0);
  if (changedAny && dry) show('Dry run: nothing was changed.');
  if (changedAny && !dry) {
    for (const { file } of changed)
      if (file.backup !== undefined) show(`Backup of the original: ${file.backupPath}`);
    show(`Done. Restart ${client.title} if it is running.`);
  }
  if (terminal.json) {
    const [report, hookReport] = files.map((one) => ({
      file: one.file.path,
      changed: one.changed,
      difference: one.difference,
      backup: one.changed && !dry && one.file.backup !== undefined ? one.file.backupPath : null,
    }));
    terminal.answer(
      {
        client: client.id,
        ...report,
        dry_run: dry,
        ...(hookReport && { hook: hookReport }),
        ...(prompts !== undefined && { prompts }),
      },
      '',
    );
  }
  return 0;
}

function target({ flags, positionals }: LoadedConfig, terminal: Terminal) {
  const client = findClient(positionals);
  if (flags['project'] === true && client.projectFile === undefined)
    throw new UsageError(`${client.title} has no configuration in a project; leave out --project`);
  const path =
    flags['project'] === true
      ? resolve(client.projectFile!)
      : client.file(findPlaces(terminal.env), process.platform);
  return { client, file: new ManagedFile(path) };
}

function findClient([name]: readonly string[]): Client {
  const client = clients.find(
    ({ id, names: others = [] }) => id === name || others.includes(name!.toLowerCase()),
  );
  if (client !== undefined) return client;
  const all = clients.flatMap(({ id, names: others = [] }) => [id, ...others]);
  const meant = nearest(name!, all);
  throw new UsageError(
    meant
      ? `unknown client "${name}"; did you mean ${meant}?`
      : `unknown client "${name}"; known are ${names}`,
  );
}

/** Lists the clients on this machine, and the command that connects each. */
async function listClients({ flags }: LoadedConfig, terminal: Terminal): Promise<number> {
  if (Object.keys(shared).some((flag) => flags[flag] === true))
    throw new UsageError(`name a client: ${names}`);
  const command = await commandHere(terminal.env);
  const rows = (await findClients(terminal.env)).map(({ id, title, installed, connected }) => ({
    ...{ client: id, title, installed, connected },
    command: `${command} install ${id}`,
  }));
  terminal.answer({ clients: rows }, () => {
    const here = rows.filter(({ installed }) => installed);
    const others = rows.flatMap(({ client, installed }) => (installed ? [] : [client]));
    const lines = here.map(({ title, connected, command: line }) => [
      title,
      connected ? '✓ connected' : line,
    ]);
    return [
      here.length === 0 ? 'No client was found on this machine.' : tableText(terminal, undefined, lines),
      ...(others.length > 0 ? [`Not found: ${others.join(', ')}`] : []),
    ].join('\n');
  });
  return 0;
}

/** How this program is started on this machine, with its own Node if `adjutant` is not on the PATH. */
export async function commandHere(env: Terminal['env']): Promise<string> {
  const { isOnPath, node, script } = await stableProgram(env['PATH'], 'adjutant install');
  return isOnPath ? 'adjutant' : `${node} ${script}`;
}

/** Every client, whether it seems to be installed, and whether it has our entry. */
export async function findClients(env: Terminal['env']) {
  const places = findPlaces(env);
  const folders = (env['PATH'] ?? '').split(delimiter);
  return Promise.all(
    clients.map(async (client) => {
      const file = client.file(places, process.platform);
      // Some keep their file in the home folder, which says nothing.
      const folder = dirname(file) === places.userHome ? file : dirname(file);
      const installed = existsSync(folder) || folders.some((one) => existsSync(join(one, client.id)));
      const text = existsSync(file) ? new ManagedFile(file).text : undefined;
      const entry = await readEntry(text ?? '', file, client).catch(() => undefined);
      return { ...client, installed, connected: entry !== undefined };
    }),
  );
}

/** A client without the PATH of a shell finds neither `adjutant` nor the Node in its first line, and gets the full paths. */
export async function stdioEntry(
  { config }: LoadedConfig,
  terminal: Terminal,
  client: Client,
): Promise<Extract<Entry, { kind: 'stdio' }>> {
  const { node, script, isOnPath } = await stableProgram(
    terminal.env['PATH'],
    `adjutant install ${client.id}`,
  );
  // A client that searches for tools finds only those that the server lists.
  const listsAll = 'toolsets' in settings && defersTools(client, terminal.env);
  const args = [
    'serve',
    ...(config.home === undefined ? [] : ['--home', config.home]),
    ...(listsAll ? ['--toolsets', 'all'] : []),
  ];
  return isOnPath && !client.hasWindow
    ? { kind: 'stdio', command: 'adjutant', args }
    : { kind: 'stdio', command: node, args: [script, ...args] };
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

/** True if the installed version of the client shows the model only the names of tools until it searches for them. */
export function defersTools(
  { defersTools: defers }: Pick<Client, 'defersTools'>,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (defers === undefined) return false;
  const { stdout } = spawnSync(defers.program, ['--version'], {
    // Relative folders of the PATH may be in a repository.
    cwd: parse(process.execPath).root,
    env,
    encoding: 'utf8',
    timeout: 10_000,
  });
  const version = /\d+\.\d+\.\d+/.exec(stdout ?? '')?.[0];
  const { otherHost } = defers;
  const since = otherHost !== undefined && env[otherHost.variable] ? otherHost.since : defers.since;
  return version !== undefined && isAtLeast(version, since);
}

function isAtLeast(version: string, since: string): boolean {
  return version.localeCompare(since, 'en', { numeric: true }) >= 0;
}

/** Comparison time grows with the square of the changed lines. Beyond this limit, both texts are shown in full. */
const maxChangedLines = 1000;

/** Formats removed and added lines with two unchanged lines around them, and `…` between distant changes. */
export async function textDifference(before: string, after: string): Promise<string> {
  const { structuredPatch } = await import('diff');
  const options = { context: 2, maxEditLength: maxChangedLines };
  const patch = structuredPatch('', '', before, after, undefined, undefined, options);
  if (patch === undefined) return allLines('-', before) + allLines('+', after);
  return patch.hunks
    .map(({ lines }) =>
      lines
        .filter((line) => !line.startsWith('\\'))
        .map((line) => `${line[0]} ${line.slice(1)}\n`)
        .join(''),
    )
    .join('  …\n');
}

function allLines(mark: string, text: string): string {
  return text === '' ? '' : text.replace(/\n$/, '').replaceAll(/^/gm, `${mark} `).concat('\n');
}
