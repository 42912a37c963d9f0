import { realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Failure } from '../../failure.ts';
import { log } from '../../log.ts';

/** Reads a git repository without starting hooks, filters or a pager. Returns the standard output. */
export interface GitReader {
  read(args: readonly string[]): Promise<string>;
}

/** Opens the repository that contains a folder. `undefined` if there is none. */
export type OpenRepository = (folder: string) => Promise<GitReader | undefined>;

export interface Commit {
  readonly commit: string;
  readonly time: string;
  readonly author: string;
  readonly subject: string;
}

const maxCommits = '100';

/** The commits that changed a file, newest first. Empty if the file is not in a repository. */
export async function commitsOf(file: string, open: OpenRepository | undefined): Promise<readonly Commit[]> {
  try {
    const { git, name } = (await openFor(file, open)) ?? {};
    if (git === undefined) return [];
    const format = '--format=%h%x1f%aI%x1f%an%x1f%s';
    const lines = await git.read([
      'log',
      `--max-count=${maxCommits}`,
      '--no-show-signature',
      format,
      '--',
      name!,
    ]);
    return lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [commit = '', time = '', author = '', subject = ''] = line.split('\x1f');
        return { commit, time, author, subject };
      });
  } catch (error) {
    // A repository without commits, or a broken one, has no history.
    log('debug', `could not read the git history of ${file}`, error);
    return [];
  }
}

/** The content of a file at a commit. Throws `prompt-not-found` if there is none. */
export async function fileAtCommit(
  file: string,
  commit: string,
  open: OpenRepository | undefined,
): Promise<string> {
  try {
    const { git, name } = (await openFor(file, open)) ?? {};
    if (git !== undefined && /^[0-9a-f]{4,40}$/.test(commit))
      return await git.read(['show', '--no-textconv', '--no-ext-diff', `${commit}:./${name}`]);
  } catch (error) {
    log('debug', `could not read ${file} at ${commit}`, error);
  }
  throw new Failure('prompt-not-found', `There is no revision, label or commit ${commit}`);
}

async function openFor(file: string, open: OpenRepository | undefined) {
  if (open === undefined) return undefined;
  // A linked file belongs to the repository of its target.
  const real = realpathSync(file);
  const git = await open(dirname(real));
  return git && { git, name: basename(real) };
}
