import { resolve } from 'node:path';
import { openPrompts } from '../../app.ts';
import { findPlaces, type LoadedConfig } from '../../config.ts';
import { Failure } from '../../failure.ts';
import { type NativePlace, NativePrompts, nativeClients } from '../../prompts/native/native-prompts.ts';
import { UsageError } from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Client } from './clients.ts';

/** What was written into the folder of a client. */
export type NativeReport = Awaited<ReturnType<NativePrompts['install']>>;
type Choice = Parameters<NativePrompts['assertKnown']>[0];

interface OpenNativePrompts extends AsyncDisposable {
  readonly prompts: NativePrompts;
}

export async function openNativePrompts({ config, origins }: LoadedConfig): Promise<OpenNativePrompts> {
  const feature = openPrompts(config, { origins });
  return {
    prompts: new NativePrompts(config['http.state_dir'], feature),
    [Symbol.asyncDispose]: async () => feature.close?.(),
  };
}

/** The folder for the prompts of a client. `undefined` if the client has no files that Adjutant can write. */
export async function nativePlace(
  { flags }: LoadedConfig,
  { env }: Terminal,
  { id }: Client,
): Promise<NativePlace | undefined> {
  const client = (await nativeClients()).find((known) => known.id === id);
  if (client === undefined) return undefined;
  const home = flags['project'] === true ? client.projectHome : client.home(findPlaces(env));
  return { client, home: resolve(home) };
}

/** The prompts that the flags name. `undefined` if none are wanted. */
export async function chosenPrompts(
  loaded: LoadedConfig,
  terminal: Terminal,
  client: Client,
): Promise<Choice | undefined> {
  const { flags } = loaded;
  const prompts = textsOf(flags['prompt']);
  const tags = textsOf(flags['tag']);
  const isNamed = prompts.length + tags.length > 0;
  if (!isNamed && flags['with-prompts'] !== true) return undefined;
  if ((await nativePlace(loaded, terminal, client)) === undefined) {
    const names = (await nativeClients()).map(({ id }) => id).join(', ');
    throw new UsageError(
      `${client.title} has no commands or skills that Adjutant can write; --with-prompts works with ${names}`,
    );
  }
  if (!isNamed) return { prompts, tags, exposed: true };
  await using native = await openNativePrompts(loaded);
  return known(native.prompts, { prompts, tags });
}

/** Updates the files that were written before. */
export async function syncPrompts(
  loaded: LoadedConfig,
  terminal: Terminal,
  client: Client | undefined,
): Promise<number> {
  const dry = loaded.flags['dry-run'] === true;
  await using native = await openNativePrompts(loaded);
  const clients = await native.prompts.sync({ dry, ...(client && { client: client.id }) });
  terminal.report({ clients, dry_run: dry }, () =>
    clients.length === 0
      ? 'No prompts are written in the folders of clients. Choose some with adjutant install CLIENT --with-prompts.'
      : clients.map(describeReport).join('\n'),
  );
  return 0;
}

export function describeReport({ folder, written, removed, kept, commands, problems }: NativeReport): string {
  return [
    `${folder}: ${count(written)} written, ${count(removed)} removed`,
    ...(commands.length > 0 ? [`  Type ${shown(commands)}`] : []),
    ...(removed.length > 0 ? [`  Removed ${shown(removed)}`] : []),
    ...problems.map(({ prompt, reason }) => `  ${prompt}: ${reason}`),
    ...kept.map(({ path, reason }) => `  ${path}: left unchanged, because it was ${reason}`),
  ].join('\n');
}

const maxShown = 12;

function shown(names: readonly string[]): string {
  const more = names.length > maxShown ? ` and ${names.length - maxShown} more` : '';
  return names.slice(0, maxShown).join(', ') + more;
}

function count({ length }: readonly string[]): string {
  return length === 1 ? '1 file' : `${length} files`;
}

async function known(native: NativePrompts, choice: Choice): Promise<Choice> {
  await native.assertKnown(choice).catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'invalid-params')
      throw new UsageError(`${error.message} Nothing was changed`, { cause: error });
    throw error;
  });
  return choice;
}

function textsOf(value: LoadedConfig['flags'][string]): readonly string[] {
  return (Array.isArray(value) ? value : value === undefined ? [] : [value]).map(String);
}
