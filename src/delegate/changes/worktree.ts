import { promises as disk, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { readRegularFile } from '../../regular-file.ts';
import { type Environment, Repository, type RepositoryPaths } from './git.ts';
import { type LeftBehind, moveLeftBehind } from './left-behind.ts';
import { withRepositoryLock } from './repository-lock.ts';
import { type Change, committedChanges } from './snapshot.ts';
import { commitTree } from './tree-commit.ts';

/** Result of merging the changes of a job from its worktree. */
export interface Merge {
  readonly applied: boolean;
  /** Files that both sides changed in the same place. Empty if the merge succeeded or was not tried. */
  readonly conflicts: readonly string[];
  /** Files the job changed, relative to its working folder. */
  readonly changes: readonly Change[];
  readonly leftBehind?: LeftBehind;
}

/** Uses a plumbing command, because it ignores the user's diff settings. */
const diff = ['diff-tree', '-r', '-p', '--binary', '--full-index', '--no-ext-diff', '--no-textconv'];

export interface WorktreeOptions {
  readonly env: Environment;
  /** Folder for the lock files that serialize git operations on a repository across processes. */
  readonly locksDir: string;
}

export interface MergeOptions {
  /** If false, the changes are only written to the patch file. Default: true. */
  readonly apply?: boolean;
  /** Folder to which ignored files and nested repositories are moved, because git cannot merge them. */
  readonly leftBehindDir: string;
  /** Cancels waiting for the repository lock. A merge that has started is completed. */
  readonly signal?: AbortSignal;
}

/** A git worktree in which one job writes. It starts as a copy of the working tree with its uncommitted changes. */
export class Worktree {
  /** The folder in the worktree that corresponds to the job's working folder. */
  readonly folder: string;
  readonly #path: string;
  readonly #origin: Repository;
  readonly #copy: Repository;
  readonly #base: string;
  readonly #locksDir: string;

  private constructor(
    path: string,
    origin: Repository,
    copy: Repository,
    base: string,
    { locksDir }: WorktreeOptions,
  ) {
    this.folder = resolve(path, origin.prefix);
    this.#path = path;
    this.#origin = origin;
    this.#copy = copy;
    this.#base = base;
    this.#locksDir = locksDir;
  }

  static async create(
    cwd: string,
    path: string,
    options: WorktreeOptions,
    signal?: AbortSignal,
  ): Promise<Worktree> {
    const { env, locksDir } = options;
    const origin = await Repository.find(cwd, env);
    if (origin === undefined) throw new Failure('unavailable', `${cwd} is not in a git repository.`);
    await disk.mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const addWorktree = async () => {
      const head = await origin.text(cwd, ['rev-parse', '--verify', '--quiet', 'HEAD'], { expected: [1] });
      const commit = await commitTree(origin, head, `${path}.index`);
      // A server that crashed while creating the worktree has not written its state file.
      if (existsSync(path)) await removeWorktree(origin, path);
      await origin.run(origin.root, ['worktree', 'add', '--quiet', '--detach', path, commit]);
      return commit;
    };
    const base = await withRepositoryLock(locksDir, origin, addWorktree, signal);
    const copy = await Repository.find(path, env);
    if (copy === undefined) throw new Failure('unavailable', `git did not create a worktree in ${path}.`);
    const worktree = new Worktree(path, origin, copy, base, options);
    await disk.mkdir(worktree.folder, { recursive: true });
    const state: WorktreeState = { origin: origin.paths, copy: copy.paths, base };
    await disk.writeFile(`${path}.json`, JSON.stringify(state), { mode: 0o600 });
    return worktree;
  }

  /** Opens the worktree of another server. Uses the paths recorded at creation, because the job may have changed `.git`. */
  static async reopen(path: string, options: WorktreeOptions): Promise<Worktree> {
    const { origin, copy, base } = JSON.parse(await readRegularFile(`${path}.json`)) as WorktreeState;
    const { env } = options;
    return new Worktree(path, new Repository(origin, env), new Repository(copy, env), base, options);
  }

  /**
   * Writes the job's changes to a patch file and merges them into the original tree, all or none. Ignored files and
   * nested repositories are moved to `leftBehindDir`.
   */
  async merge(patchFile: string, { apply = true, leftBehindDir, signal }: MergeOptions): Promise<Merge> {
    const [origin, base] = [this.#origin, this.#base];
    const theirs = await commitTree(this.#copy, base, `${this.#path}.index`);
    const patch = await origin.run(origin.root, [...diff, base, theirs]);
    const changes = await committedChanges(this.#copy, this.folder, base, theirs);
    if (patch.output.length > 0) await disk.writeFile(patchFile, patch.output, { mode: 0o600 });
    const leftBehind = await this.#moveLeftBehind(theirs, leftBehindDir);
    const merged = { changes, ...(leftBehind && { leftBehind }) };
    if (patch.output.length === 0) return { applied: true, conflicts: [], ...merged };
    if (!apply) return { applied: false, conflicts: [], ...merged };
    try {
      const work = () => this.#apply(theirs);
      return { ...(await withRepositoryLock(this.#locksDir, origin, work, signal)), ...merged };
    } catch (error) {
      if (error === undefined || error !== signal?.reason) throw error;
      return { applied: false, conflicts: [], ...merged };
    }
  }

  /** Path of the job's working folder in the repository: empty at the root, otherwise with a trailing slash. */
  get prefix(): string {
    return this.#origin.prefix;
  }

  async remove(): Promise<void> {
    // Remove the state file first: otherwise a partly removed worktree could be merged as if the job had deleted files.
    await disk.rm(`${this.#path}.json`, { force: true });
    await withRepositoryLock(this.#locksDir, this.#origin, () => removeWorktree(this.#origin, this.#path));
  }

  async #apply(theirs: string): Promise<Pick<Merge, 'applied' | 'conflicts'>> {
    const origin = this.#origin;
    const { root } = origin;
    const ours = await commitTree(origin, this.#base, `${this.#path}.index`);
    const trialMerge = ['merge-tree', '--write-tree', '--name-only', '--no-messages', ours, theirs];
    const { code, output } = await origin.run(root, trialMerge, { expected: [1] });
    const [merged = '', ...conflicts] = output.toString().trim().split('\n');
    if (code !== 0) return { applied: false, conflicts };
    const { output: input } = await origin.run(root, [...diff, ours, merged]);
    if (input.length === 0) return { applied: true, conflicts: [] };
    try {
      await origin.run(root, ['apply', '--whitespace=nowarn'], { input });
      return { applied: true, conflicts: [] };
    } catch (error) {
      // The tree was modified since the trial merge. `git apply` changes nothing if it fails.
      return { applied: false, conflicts: [messageOf(error)] };
    }
  }

  async #moveLeftBehind(commit: string, folder: string): Promise<LeftBehind | undefined> {
    const listed = await this.#copy.run(this.#path, [
      'ls-tree',
      '-r',
      '-z',
      '--name-only',
      '--full-tree',
      commit,
    ]);
    const committed = listed.output.toString().split('\0');
    return moveLeftBehind(this.#path, committed, folder);
  }
}

/** Removes a worktree. `--force` twice also removes a locked one, such as one that git was still creating. */
async function removeWorktree(origin: Repository, path: string): Promise<void> {
  await origin.run(origin.root, ['worktree', 'remove', '--force', '--force', path]).catch(async () => {
    await disk.rm(path, { recursive: true, force: true });
    await origin.run(origin.root, ['worktree', 'prune']).catch(() => {});
  });
}

interface WorktreeState {
  readonly origin: RepositoryPaths;
  readonly copy: RepositoryPaths;
  readonly base: string;
}
