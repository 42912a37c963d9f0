import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { withoutPassword } from '../../without-password.ts';
import { prepareReplacement } from '../jsonl/durable-file.ts';
import type { LocalRepository, RepositoryState } from './repository.ts';

/** Runs git without the settings of the user or of any repository. Returns the standard output; throws its error message. */
export type RunGit = (
  args: readonly string[],
  variables?: Readonly<Record<string, string>>,
) => Promise<string>;

export interface Pulled {
  readonly name: string;
  readonly commit: string;
  /** Whether the commit is new on this machine. */
  readonly changed: boolean;
}

/**
 * Fetches the newest commit and then switches to it in one step. Whatever fails, the last commit stays as it was. Throws a
 * Failure with the reason, which is also kept in the state.
 */
export async function pullRepository(repository: LocalRepository, git: RunGit): Promise<Pulled> {
  const { name } = repository;
  const attempt = new Date().toISOString();
  const before = repository.state();
  try {
    assertAddress(repository.options.address);
    mkdirSync(repository.folder, { recursive: true, mode: 0o700 });
    const commit = await fetchCommit(repository, git);
    if (!existsSync(repository.filesOf(commit))) await writeFiles(repository, commit, git);
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

/** https, ssh and files. Plain http only on this machine. */
const allowedAddress =
  /^(?:https:\/\/|ssh:\/\/|file:\/\/\/|\/|[A-Za-z]:[\\/]|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?\/|(?!-)[\w.-]+(?:@[\w.-]+)?:(?!:|\/\/)[^:]*$)/;

function assertAddress(address: string): void {
  if (!allowedAddress.test(address))
    throw new Error(
      `the address ${withoutPassword(address)} is not allowed; use https, ssh, host:path or an absolute path`,
    );
}

async function fetchCommit({ options, folder }: LocalRepository, git: RunGit): Promise<string> {
  const gitDir = join(folder, 'git');
  if (!existsSync(join(gitDir, 'HEAD'))) await git(['init', '--quiet', '--bare', gitDir]);
  const wanted = options.commit ?? (options.branch === undefined ? 'HEAD' : `refs/heads/${options.branch}`);
  await git([
    `--git-dir=${gitDir}`,
    'fetch',
    '--quiet',
    '--depth=1',
    '--no-tags',
    '--no-recurse-submodules',
    '--no-write-fetch-head',
    '--end-of-options',
    options.address,
    `+${wanted}:refs/adjutant/head`,
  ]);
  return (await git([`--git-dir=${gitDir}`, 'rev-parse', '--verify', 'refs/adjutant/head^{commit}'])).trim();
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
    const path = options.folder?.replaceAll(/^\/+|\/+$/g, '');
    await git([gitDir, 'read-tree', path ? `${commit}:${path}` : commit], variables);
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
