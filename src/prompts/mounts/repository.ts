import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { Failure } from '../../failure.ts';
import type { Problem } from '../../feature.ts';
import { isObject, messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import { withoutPassword } from '../../without-password.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { PromptSource, TemplateSet } from '../definition/source.ts';
import { FileCache } from '../files/file-cache.ts';
import { prepareReplacement } from '../jsonl/durable-file.ts';
import { type FolderReading, FolderSource, type WatchOptions } from '../sources/folder-source.ts';
import { type TwigOptions, TwigSource } from '../sources/twig.ts';
import { MountSource } from './mount.ts';

/** A git repository of prompts, as configured. */
export interface RepositoryOptions {
  readonly address: string;
  /** Default: the last part of the address. */
  readonly name?: string;
  /** Default: the branch that the repository itself proposes. */
  readonly branch?: string;
  /** A full commit id. The repository then stays at this commit. */
  readonly commit?: string;
  /** The folder with the prompts. Default: the whole repository. */
  readonly folder?: string;
  /** `libraries`, or a format of mounts. */
  readonly format?: string;
  /** Added before every name, followed by a colon. Not for libraries. */
  readonly prefix?: string;
  readonly interval_minutes?: number;
  /** Lets git ask the person's own credential helper for a password of the address's host. */
  readonly credentials?: 'helper';
}

/** What is known about the last fetch. */
interface RepositoryState {
  /** The settings that the state belongs to. */
  readonly of: string;
  /** The commit that is served, and when it was fetched. */
  readonly commit?: string;
  readonly fetched?: string;
  /** The last attempt, and why it failed. */
  readonly attempt: string;
  readonly error?: string;
}

const defaultMinutes = 60;

/** One repository on this machine: `ROOT/NAME` holds `state.json`, the git objects, and one folder per commit. */
export class LocalRepository {
  readonly options: RepositoryOptions;
  readonly name: string;
  readonly folder: string;
  readonly #states = new FileCache<RepositoryState>({ parse: parseState });
  /** Milliseconds between updates. 0 if only `prompts pull` updates the repository. */
  readonly intervalMs: number;

  constructor(root: string, options: RepositoryOptions, name = nameOf(options)) {
    this.options = options;
    this.name = name;
    this.folder = join(root, this.name);
    this.intervalMs = (options.interval_minutes ?? defaultMinutes) * 60_000;
  }

  get stateFile(): string {
    return join(this.folder, 'state.json');
  }

  /** Other settings than those of the last fetch make its files useless. */
  get identity(): string {
    const { address, branch, commit, folder } = this.options;
    return JSON.stringify([address, branch ?? null, commit ?? null, folder ?? null]);
  }

  /** The folder with the files of a commit. Its name becomes the name of a library. */
  filesOf(commit: string): string {
    return join(this.folder, commit, basename(this.options.folder ?? '') || this.name);
  }

  /** `undefined` if the repository was never fetched with these settings. */
  async state(): Promise<RepositoryState | undefined> {
    const loaded = await this.#states.load(this.stateFile);
    return loaded?.value?.of === this.identity ? loaded.value : undefined;
  }

  /** When the next update is due, as a time in milliseconds. */
  async nextUpdate(): Promise<number> {
    return Date.parse((await this.state())?.attempt ?? '') + this.intervalMs || 0;
  }
}

async function parseState(bytes: Buffer): Promise<RepositoryState> {
  const state: unknown = JSON.parse(bytes.toString());
  if (!isObject(state)) throw new Error('state.json must be an object');
  return state as unknown as RepositoryState;
}

/** The configured repositories. Further ones of the same name get a number. */
export function localRepositories(
  root: string,
  list: readonly RepositoryOptions[],
): readonly LocalRepository[] {
  const count = new Map<string, number>();
  return list.map((options) => {
    const name = nameOf(options);
    const number = (count.get(name) ?? 0) + 1;
    count.set(name, number);
    return new LocalRepository(root, options, number === 1 ? name : `${name}-${number}`);
  });
}

function nameOf({ name, address }: RepositoryOptions): string {
  return name ?? nameFrom(address);
}

/** `git@host:team/my-prompts.git` is called `my-prompts`. */
export function nameFrom(address: string): string {
  const last = address
    .replace(/[/\\]+$/, '')
    .split(/[/\\:]/)
    .at(-1)!;
  return last.replace(/\.git$/, '').replaceAll(/[^\w-]/g, '-') || 'repository';
}

/** Runs git without the settings of the user or of any repository. Returns the standard output; throws its error message. */
export type RunGit = (
  args: readonly string[],
  variables?: Readonly<Record<string, string>>,
  options?: {
    readonly credentialsFor?: string;
    readonly limit?: { readonly gitDir: string; readonly bytes: number };
  },
) => Promise<string>;

/** What a repository may bring to this machine. */
const standardLimits = { bytes: 250_000_000, files: 50_000 };

interface Pulled {
  readonly name: string;
  readonly commit: string;
  /** Whether the commit is new on this machine. */
  readonly changed: boolean;
}

/**
 * Fetches the newest commit and then switches to it in one step. Whatever fails, the last commit stays as it was. Throws a
 * Failure with the reason, which is also kept in the state.
 */
export async function pullRepository(
  repository: LocalRepository,
  git: RunGit,
  limits = standardLimits,
): Promise<Pulled> {
  const { name } = repository;
  const attempt = new Date().toISOString();
  const before = await repository.state();
  try {
    assertAddress(repository.options.address);
    mkdirSync(repository.folder, { recursive: true, mode: 0o700 });
    const commit = await fetchCommit(repository, git, limits.bytes);
    if (!existsSync(repository.filesOf(commit))) {
      await assertSize(repository, commit, git, limits);
      await writeFiles(repository, commit, git);
    }
    if (before?.commit !== undefined && before.commit !== commit)
      await assertIntact(repository, before.commit, commit);
    keepState(repository, { of: repository.identity, commit, fetched: attempt, attempt });
    removeOthers(repository, [commit, before?.commit]);
    return { name, commit, changed: commit !== before?.commit };
  } catch (error) {
    const reason = withoutPassword(messageOf(error));
    const { commit, fetched } = before ?? {};
    keepState(repository, {
      of: repository.identity,
      ...(commit !== undefined && { commit, fetched: fetched! }),
      attempt,
      error: reason,
    });
    throw new Failure('unavailable', `The repository ${name} could not be updated: ${reason}`, {
      cause: error,
    });
  }
}

/** Throws if the new commit has errors that the served one has not: the prompts that people use must not break by themselves. */
async function assertIntact(repository: LocalRepository, served: string, next: string): Promise<void> {
  const errorsAt = async (commit: string) => {
    const source = sourceAt(repository, commit);
    try {
      const found = (await source.problems()).filter(({ severity }) => severity === 'error');
      const root = repository.filesOf(commit);
      return found.map(({ file, message }) => `${relative(root, file)}: ${message}`);
    } finally {
      source.close();
    }
  };
  const known = new Set(await errorsAt(served));
  const broken = (await errorsAt(next)).filter((error) => !known.has(error));
  if (broken.length === 0) return;
  const more = broken.length > 1 ? ` and ${broken.length - 1} more` : '';
  throw new Error(`the commit ${next.slice(0, 7)} breaks prompts: ${broken[0]}${more}`);
}

/** The files of a commit never change, so each commit has a source of its own. */
function sourceAt(
  repository: LocalRepository,
  commit: string,
  composition?: TwigOptions['composition'],
): TwigSource | MountSource {
  const { format = 'libraries', prefix } = repository.options;
  const path = repository.filesOf(commit);
  if (format !== 'libraries')
    return new MountSource({ format, path, ...(prefix !== undefined && { prefix }) });
  return new TwigSource({
    name: `repository ${repository.name}`,
    folder: existsSync(join(path, 'twig.toml')) ? dirname(path) : path,
    ...(composition && { composition }),
  });
}

/** https, ssh and files. Plain http only on this machine. */
const allowedAddress =
  /^(?:https:\/\/|ssh:\/\/|file:\/\/\/|\/|[A-Za-z]:[\\/]|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?\/|(?!-)[\w.-]+(?:@[\w.-]+)?:(?!:|\/\/)[^:]*$)/;

function assertAddress(address: string): void {
  if (!allowedAddress.test(address))
    throw new Error(
      `the address ${withoutPassword(address)} is not allowed; use https, ssh, host:path or an absolute path`,
    );
}

async function fetchCommit(
  { options, folder }: LocalRepository,
  git: RunGit,
  bytes: number,
): Promise<string> {
  const gitDir = join(folder, 'git');
  if (!existsSync(join(gitDir, 'HEAD'))) await git(['init', '--quiet', '--bare', gitDir]);
  const wanted = options.commit ?? (options.branch === undefined ? 'HEAD' : `refs/heads/${options.branch}`);
  const args = ['--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
  try {
    await git(
      [
        ...[`--git-dir=${gitDir}`, 'fetch', ...args],
        ...['--end-of-options', options.address, `+${wanted}:refs/adjutant/head`],
      ],
      {},
      {
        limit: { gitDir, bytes },
        ...(options.credentials === 'helper' && { credentialsFor: options.address }),
      },
    );
  } finally {
    removePartialPacks(join(gitDir, 'objects', 'pack'));
  }
  return (await git([`--git-dir=${gitDir}`, 'rev-parse', '--verify', 'refs/adjutant/head^{commit}'])).trim();
}

/** A fetch that was stopped leaves its pack behind. */
function removePartialPacks(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (name.startsWith('tmp_')) rmSync(join(folder, name), { force: true });
}

/** Compressed files can be much larger than what was fetched. */
async function assertSize(
  { folder, options }: LocalRepository,
  commit: string,
  git: RunGit,
  { bytes, files }: typeof standardLimits,
): Promise<void> {
  const tree = treeOf(options, commit);
  const entries = (await git([`--git-dir=${join(folder, 'git')}`, 'ls-tree', '-r', '-l', '-z', tree])).split(
    '\0',
  );
  const sizes = entries.slice(0, -1).map((entry) => Number(entry.split(/\s+/, 4)[3]) || 0);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (sizes.length > files) throw new Error(`it has ${sizes.length} files; at most ${files} are allowed`);
  if (total > bytes)
    throw new Error(
      `its files have ${Math.ceil(total / 1_000_000)} MB; at most ${Math.floor(bytes / 1_000_000)} MB are allowed`,
    );
}

function treeOf({ folder }: RepositoryOptions, commit: string): string {
  const path = folder?.replaceAll(/^\/+|\/+$/g, '');
  return path ? `${commit}:${path}` : commit;
}

/** Writes the files beside their place and then renames the folder, so that nobody sees half of them. */
async function writeFiles(repository: LocalRepository, commit: string, git: RunGit): Promise<void> {
  const { folder, options } = repository;
  const files = repository.filesOf(commit);
  const partial = join(folder, `.${commit}.${process.pid}`);
  const target = join(partial, basename(files));
  const gitDir = `--git-dir=${join(folder, 'git')}`;
  const variables = { GIT_INDEX_FILE: `${partial}.index`, GIT_WORK_TREE: target };
  try {
    mkdirSync(target, { recursive: true });
    await git([gitDir, 'read-tree', treeOf(options, commit)], variables);
    await git([gitDir, 'checkout-index', '--all', '--quiet', `--prefix=${target}/`], variables);
    rmSync(join(folder, commit), { recursive: true, force: true });
    renameSync(partial, join(folder, commit));
  } finally {
    rmSync(partial, { recursive: true, force: true });
    rmSync(`${partial}.index`, { force: true });
  }
}

function keepState(repository: LocalRepository, state: RepositoryState): void {
  mkdirSync(repository.folder, { recursive: true, mode: 0o700 });
  prepareReplacement(repository.stateFile, Buffer.from(`${JSON.stringify(state, undefined, 2)}\n`)).commit();
}

/** The previous commit stays for servers that are still reading it. */
function removeOthers({ folder }: LocalRepository, kept: readonly (string | undefined)[]): void {
  for (const name of readdirSync(folder))
    if (/^[0-9a-f]{40,64}$/.test(name) && !kept.includes(name))
      rmSync(join(folder, name), { recursive: true, force: true });
}

interface RepositorySourceOptions extends WatchOptions, Pick<TwigOptions, 'composition'> {
  readonly repository: LocalRepository;
  readonly git: RunGit;
}

/** The first update waits until the server has answered its client. */
const firstUpdateMs = 1000;
const day = 86_400_000;

/** Serves the prompts of a git repository as of one commit. While it is watched, it also updates the repository. */
export class RepositorySource extends FolderSource {
  readonly name: string;
  readonly prefix: string | undefined;
  readonly templates?: NonNullable<PromptSource['templates']>;
  readonly #repository: LocalRepository;
  readonly #git: RunGit;
  readonly #composition: TwigOptions['composition'];
  #opened: { readonly commit: string; readonly source: TwigSource | MountSource } | undefined;
  readonly #origins = new WeakMap<PromptDefinition, TwigSource | MountSource>();
  #timer: NodeJS.Timeout | undefined;

  constructor({ repository, git, composition, ...watching }: RepositorySourceOptions) {
    super(watching);
    this.#repository = repository;
    this.#git = git;
    this.#composition = composition;
    this.name = `repository ${repository.name}`;
    const { format = 'libraries', prefix } = repository.options;
    this.prefix = prefix;
    if (format === 'libraries') this.templates = (definition) => this.#templates(definition);
  }

  get translates(): boolean {
    return this.#opened?.source instanceof MountSource && this.#opened.source.translates;
  }

  async get(name: string): Promise<PromptDefinition | undefined> {
    const source = await this.#open();
    const definition = await source?.get(name);
    if (definition !== undefined) this.#origins.set(definition, source!);
    return definition;
  }

  /** The text of a template file, or `undefined` if there is no such library or file. */
  async templateFile(library: string, path: string): Promise<string | undefined> {
    const source = await this.#open();
    return source instanceof TwigSource ? source.templateFile(library, path) : undefined;
  }

  override async problems(): Promise<readonly Problem[]> {
    return [...(await super.problems()), ...((await (await this.#open())?.problems()) ?? [])];
  }

  override subscribe(listener: () => void): () => void {
    if (this.#timer === undefined && this.#repository.intervalMs > 0) this.#schedule(firstUpdateMs);
    return super.subscribe(listener);
  }

  override close(): void {
    clearTimeout(this.#timer);
    super.close();
    this.#opened?.source.close();
  }

  protected async read(): Promise<FolderReading> {
    const prompts = (await (await this.#open())?.list()) ?? [];
    return { prompts, problems: await this.#stateProblems(), folders: [this.#repository.folder] };
  }

  #templates(definition: PromptDefinition): Promise<TemplateSet> {
    return (this.#origins.get(definition) as TwigSource).templates(definition);
  }

  async #open(): Promise<TwigSource | MountSource | undefined> {
    const commit = (await this.#repository.state())?.commit;
    if (commit === undefined) return undefined;
    if (this.#opened?.commit === commit) return this.#opened.source;
    const source = sourceAt(this.#repository, commit, this.#composition);
    this.#opened?.source.close();
    this.#opened = { commit, source };
    return source;
  }

  async #stateProblems(): Promise<readonly Problem[]> {
    const { options, name } = this.#repository;
    const file = withoutPassword(options.address);
    const { commit, fetched, error } = (await this.#repository.state()) ?? {};
    if (commit !== undefined && error === undefined) return [];
    const reason = error === undefined ? '' : `: ${error}`;
    const message =
      commit === undefined
        ? `the repository ${name} has not been fetched${reason}; run adjutant prompts pull`
        : `the repository ${name} could not be updated${reason}; its prompts of ${fetched!.slice(0, 10)} (${commit.slice(0, 7)}) are served`;
    return [{ file, severity: commit === undefined ? 'error' : 'warning', message }];
  }

  #schedule(milliseconds: number): void {
    this.#timer = setTimeout(() => void this.#update(), Math.min(milliseconds, day)).unref();
  }

  /** Another server may have updated the repository in the meantime. */
  async #update(): Promise<void> {
    if ((await this.#repository.nextUpdate()) <= Date.now()) {
      await pullRepository(this.#repository, this.#git).catch((error: unknown) =>
        log('debug', `could not update the repository ${this.#repository.name}`, error),
      );
      this.notifyChange();
    }
    this.#schedule(Math.max(firstUpdateMs, (await this.#repository.nextUpdate()) - Date.now()));
  }
}
