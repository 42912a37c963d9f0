import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import { readRegularFileSync } from '../../regular-file.ts';
import { withoutPassword } from '../../without-password.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { printMarkdown } from '../formats/file-syntax.ts';
import { formatNamed, mountable } from '../formats/formats.ts';
import { LocalRepository, localRepositories, nameFrom, type RepositoryOptions } from './local-repository.ts';
import { type MountOptions, MountSource } from './mount.ts';
import { recognizeFile, recognizePrompts } from './recognize.ts';
import { pullRepository, type RunGit, sourceAt } from './repository-pull.ts';

/** What a new source would serve, and the setting that adds it. */
export interface NewSource {
  readonly setting: 'prompts.mounts' | 'prompts.repositories';
  readonly entry: MountOptions | RepositoryOptions;
  /** The display name of its format. */
  readonly title: string;
  readonly place: string;
  readonly prompts: readonly string[];
  /** Number of files that cannot be served. */
  readonly errors: number;
}

interface Choice {
  readonly format?: string | undefined;
  readonly prefix?: string | undefined;
}

/** The sources in a folder. The format is recognized, unless it is named. */
export async function sourcesInFolder(
  path: string,
  { format, prefix }: Choice,
  mounts: readonly MountOptions[],
): Promise<readonly NewSource[]> {
  const found = format === undefined ? await recognizePrompts(path) : [{ format, path: '' }];
  if (found.some((one) => one.format === 'libraries'))
    throw refusal(`"${path}" is a library of Jinja prompts; copy it into the folder that is set as twig.dir`);
  if (found.length === 0) throw nothingFound(path);
  return Promise.all(
    found.map((one) => {
      const isOwn = 'isClientFolder' in one || format !== undefined;
      const own = isOwn ? undefined : prefixOf(found.length > 1 ? one.path : path);
      return mountAt(join(path, one.path), one.format, prefix ?? own, mounts);
    }),
  );
}

/** The source for a single file; undefined for a text that is in no format of its own. */
export async function sourceOfFile(
  path: string,
  { format, prefix }: Choice,
  mounts: readonly MountOptions[],
): Promise<NewSource | undefined> {
  const found = format === undefined ? recognizeFile(path) : { format, at: path };
  return found && mountAt(found.at, found.format, prefix, mounts);
}

/**
 * A single Markdown file as a command of our own. One that is written for Claude Code is converted, because our commands have
 * other placeholders; every other file stays as it is.
 */
export async function commandFromFile(
  path: string,
): Promise<{ readonly name: string; readonly text: string; readonly isConverted: boolean }> {
  const name = basename(path).replace(/\.\w+$/, '');
  const file = { path: `${name}.md`, text: readRegularFileSync(path) };
  const own = { name, text: file.text, isConverted: false };
  if (
    !/^---\r?\n/.test(file.text) &&
    /\{\{[\p{L}_][\p{L}\p{N}_-]*\}\}/u.test(file.text.replaceAll('{{input}}', ''))
  )
    return { ...own, text: await withDeclaredArguments(file.text), isConverted: true };
  if (!/\$ARGUMENTS|\$\d/.test(file.text)) return own;
  const { prompts, problems } = await (await formatNamed('claude-code')).read([file]);
  const [prompt] = prompts;
  if (prompt === undefined) throw refusal(`"${path}" is no prompt: ${problems[0]?.message ?? 'it is empty'}`);
  const isUsed = prompt.messages.some(
    ({ content }) =>
      content.type === 'text' && prompt.arguments.some((one) => content.text.includes(`{{${one.name}}}`)),
  );
  if (!isUsed) return own;
  const written = await (await formatNamed('commands')).write([prompt]);
  const [command] = written.files;
  if (command === undefined) throw refusal(`"${path}" cannot be converted: ${written.problems[0]!.message}`);
  return { name, text: command.text, isConverted: true };
}

/** Declares the names in double braces as required arguments. */
async function withDeclaredArguments(text: string): Promise<string> {
  const names = new Set([...text.matchAll(/\{\{([\p{L}_][\p{L}\p{N}_-]*)\}\}/gu)].map(([, name]) => name!));
  const declared = [...names].map((name) => ({ name, required: true }));
  return printMarkdown({ description: '', template: 'braces', arguments: declared }, text);
}

/** The sources in a git repository, which is fetched into a temporary folder to look at it. */
export async function sourcesInRepository(
  options: RepositoryOptions,
  git: RunGit,
  known: readonly RepositoryOptions[],
): Promise<readonly NewSource[]> {
  const { address, folder, format, prefix } = options;
  if (/\/\/[^/@]*:[^/@]*@/.test(address))
    throw refusal(
      'the address contains a password, which must not be in the settings; leave it out, and use --credentials helper or --token-file',
    );
  const root = mkdtempSync(join(tmpdir(), 'adjutant-add-'));
  try {
    const whole = new LocalRepository(root, options);
    const { commit } = await pullRepository(whole, git);
    const files = whole.filesOf(commit);
    const found = format === undefined ? await recognizePrompts(files) : [{ format, path: '' }];
    if (found.length === 0) throw nothingFound(withoutPassword(address));
    return await Promise.all(
      found.map(async (one) => {
        const inner = [folder, one.path].filter(Boolean).join('/');
        if (known.some((other) => other.address === address && (other.folder ?? '') === inner))
          throw refusal(`${withoutPassword(address)} is served already; adjutant prompts pull updates it`);
        const isLibrary = one.format === 'libraries';
        const own = prefix ?? (found.length > 1 ? prefixOf(one.path) : undefined) ?? nameFrom(address);
        const source = isLibrary
          ? sourceAt(whole, commit)
          : new MountSource({ format: one.format, path: join(files, one.path), prefix: own });
        return {
          setting: 'prompts.repositories' as const,
          entry: {
            ...options,
            ...(inner !== '' && { folder: inner }),
            ...(!isLibrary && { format: one.format, prefix: own }),
          },
          place: [withoutPassword(address), inner].filter(Boolean).join(', folder '),
          ...(await contents(source, one.format)),
        };
      }),
    );
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Fetches repositories that were just added to where they are served from. They are the last of the list. */
export async function fetchAdded(
  folder: string,
  list: readonly RepositoryOptions[],
  count: number,
  git: RunGit,
): Promise<void> {
  for (const repository of localRepositories(folder, list).slice(list.length - count))
    await pullRepository(repository, git);
}

async function mountAt(
  path: string,
  format: string,
  prefix: string | undefined,
  mounts: readonly MountOptions[],
): Promise<NewSource> {
  if (mounts.some((one) => resolve(one.path) === path))
    throw refusal(`${path} is served already; adjutant prompts list shows its prompts`);
  const entry = { format, path, ...(prefix !== undefined && { prefix }) };
  return {
    setting: 'prompts.mounts',
    entry,
    place: path,
    ...(await contents(new MountSource(entry), format)),
  };
}

interface Readable {
  list(): Promise<readonly PromptDefinition[]>;
  problems(): Promise<readonly { readonly severity: string }[]>;
  close(): void;
}

async function contents(source: Readable, format: string) {
  try {
    const title = format === 'libraries' ? 'Jinja libraries' : (await formatNamed(format)).title;
    const prompts = (await source.list()).map(({ name }) => name);
    const errors = (await source.problems()).filter(({ severity }) => severity === 'error').length;
    return { title, prompts, errors };
  } finally {
    source.close();
  }
}

/** A collection of somebody else gets a prefix, so that its names cannot hide others. */
function prefixOf(path: string): string | undefined {
  const name = basename(path).replaceAll(/[:/\\\s]+/g, '-');
  return name === '' || name === '.' ? undefined : name;
}

function nothingFound(place: string): Failure {
  return refusal(`no prompts were found in ${place}; --format names their format: ${mountable.join(', ')}`);
}

function refusal(problem: string): Failure {
  return new Failure('invalid-params', problem);
}
