import { resolve } from 'node:path';
import { findPlaces, type LoadedConfig } from '../../config.ts';
import { UsageError } from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type Client, clients } from './clients.ts';
import { hookCommand, withHook, withoutHook } from './hook-file.ts';
import { type FileChange, ManagedFile, type Original } from './managed-file.ts';

/** The change that adds our hook, if `--with-hook` asks for it. */
export async function hookToAdd(
  loaded: LoadedConfig,
  terminal: Terminal,
  client: Client,
  stdioEntry: () => Promise<{ readonly command: string; readonly args: readonly string[] }>,
): Promise<FileChange | undefined> {
  if (loaded.flags['with-hook'] !== true) return undefined;
  const place = hookPlace(loaded, terminal, client);
  if (place === undefined) {
    const able = clients.filter(({ hook }) => hook !== undefined).map(({ id }) => id);
    throw new UsageError(`${client.title} has no hooks; --with-hook works with ${able.join(', ')}`);
  }
  const { file, event } = place;
  const entry = await stdioEntry();
  const home = loaded.config.home === undefined ? [] : ['--home', loaded.config.home];
  const program = entry.command === 'adjutant' ? ['adjutant'] : [entry.command, entry.args[0]!];
  const words = [...program, 'prompts', 'hook', ...home];
  const command = words
    .map((word) => (/^[\w@%+=:,./~-]+$/.test(word) ? word : JSON.stringify(word)))
    .join(' ');
  const original = await hookOriginal(file, event);
  const after = await withHook(
    original === undefined ? (file.text ?? '') : (original.text ?? ''),
    file.path,
    event,
    command,
  );
  return file.addition(after, original);
}

/** The change that removes our hook, if there is one. */
export async function hookToRemove(
  loaded: LoadedConfig,
  terminal: Terminal,
  client: Client,
): Promise<FileChange | undefined> {
  const { file, event } = hookPlace(loaded, terminal, client) ?? {};
  if (file?.text === undefined || event === undefined) return undefined;
  if ((await hookCommand(file.text, file.path, event)) === undefined) return undefined;
  const original = await hookOriginal(file, event);
  const after =
    original === undefined ? await withoutHook(file.text, file.path, event) : (original.text ?? '');
  return { file, after, write: () => file.restore(after, original) };
}

function hookPlace({ flags }: LoadedConfig, { env }: Terminal, { hook }: Client) {
  if (hook === undefined) return undefined;
  const path = flags['project'] === true ? resolve(hook.projectFile) : hook.file(findPlaces(env));
  return { file: new ManagedFile(path), event: hook.event };
}

async function hookOriginal(file: ManagedFile, event: string): Promise<Original | undefined> {
  const { path, text = '' } = file;
  const command = await hookCommand(text, path, event);
  return command === undefined
    ? undefined
    : file.original((before) => withHook(before, path, event, command));
}
