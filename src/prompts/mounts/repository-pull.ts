import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { Failure } from '../../failure.ts';
import type { Problem } from '../../feature.ts';
import { messageOf } from '../../json.ts';
import { withoutPassword } from '../../without-password.ts';
import { Catalog } from '../catalog/catalog.ts';
import { prepareReplacement } from '../jsonl/durable-file.ts';
import { type TwigOptions, TwigSource } from '../sources/twig.ts';
import type { LocalRepository, RepositoryOptions, RepositoryState } from './local-repository.ts';
import { MountSource } from './mount.ts';

/** Runs git without the settings of the user or of any repository. Returns the standard output; throws its error message. */
export type RunGit = (
  args: readonly string[],
  variables?: Readonly<Record<string, string>>,
  options?: {
    readonly credentialsFor?: string;
    readonly tokenFile?: string;
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
    await keepState(repository, { of: repository.identity, commit, fetched: attempt, attempt });
    removeOthers(repository, [commit, before?.commit]);
    return { name, commit, changed: commit !== before?.commit };
  } catch (error) {
    const reason = withoutPassword(messageOf(error));
    const { commit, fetched } = before ?? {};
    await keepState(repository, {
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
    const found = await findErrors(repository, commit);
    const root = repository.filesOf(commit);
    return found.map(({ file, message }) => `${relative(root, file)}: ${message}`);
  };
  const known = new Set(await errorsAt(served));
  const broken = (await errorsAt(next)).filter((error) => !known.has(error));
  if (broken.length === 0) return;
  const more = broken.length > 1 ? ` and ${broken.length - 1} more` : '';
  throw new Error(`the commit ${next.slice(0, 7)} breaks prompts: ${broken[0]}${more}`);
}

/** A reference to prompts or files of other sources, which are not known here. */
const foreignReference = /prompt not found: |template not found: [^:]*:\//;

/** What lint and the tests of prompts find in a commit. */
async function findErrors(repository: LocalRepository, commit: string): Promise<readonly Problem[]> {
  const [{ createLibraryLint }, { failingTests }, { Composition }] = await Promise.all([
    import('../lint/lint.ts'),
    import('../testing/prompt-tests.ts'),
    import('../rendering/composition.ts'),
  ]);
  const composition = new Composition({
    find: (name) => catalog.find(name),
    libraryFile: async () => undefined,
  });
  const source = sourceAt(repository, commit, async () => composition);
  const catalog = new Catalog([source], { checks: failingTests });
  try {
    const problems = await createLibraryLint(catalog)();
    return problems.filter(
      ({ severity, message }) => severity === 'error' && !foreignReference.test(message),
    );
  } finally {
    catalog.close();
  }
}

/** The files of a commit never change, so each commit has a source of its own. */
export function sourceAt(
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
        ...((options.credentials ?? options.token_file) !== undefined && { credentialsFor: options.address }),
        ...(options.token_file !== undefined && { tokenFile: options.token_file }),
      },
    );
  } catch (error) {
    removePartialPacks(join(gitDir, 'objects', 'pack'));
    throw error;
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

async function keepState(repository: LocalRepository, state: RepositoryState): Promise<void> {
  mkdirSync(repository.folder, { recursive: true, mode: 0o700 });
  const text = `${JSON.stringify(state, undefined, 2)}\n`;
  await (await prepareReplacement(repository.stateFile, Buffer.from(text))).commit();
}

/** The previous commit stays for servers that are still reading it. */
function removeOthers({ folder }: LocalRepository, kept: readonly (string | undefined)[]): void {
  for (const name of readdirSync(folder))
    if (/^[0-9a-f]{40,64}$/.test(name) && !kept.includes(name))
      rmSync(join(folder, name), { recursive: true, force: true });
}
