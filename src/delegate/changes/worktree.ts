import { promises as disk, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { readRegularFile } from '../../regular-file.ts';
import { type Environment, Repository, type RepositoryPlace } from './git.ts';
import { keepLeftBehind, type LeftBehind } from './left-behind.ts';
import { withRepositoryLock } from './repository-lock.ts';
import { type Change, committedChanges } from './snapshot.ts';
import { commitTree } from './tree-commit.ts';

/** What became of the changes a job made in its own copy of the tree. */
export interface Merge {
  readonly applied: boolean;
  /** Files that both sides changed in the same place; empty when the changes are in. */
  readonly conflicts: readonly string[];
  /** What the job changed, relative to its working folder. */
  readonly changes: readonly Change[];
  readonly leftBehind?: LeftBehind;
}

/** The plumbing, since what a person has set for their own eyes does not count there. */
const diff = ['diff-tree', '-r', '-p', '--binary', '--full-index', '--no-ext-diff', '--no-textconv'];

export interface WorktreeOptions {
  readonly env: Environment;
  /** Where processes that work on one repository keep out of each other's way. */
  readonly locksDir: string;
}

export interface MergeOptions {
  /** False where the changes are to stay a patch. */
  readonly isWanted?: boolean;
  /** Where what git does not carry is moved to. */
  readonly keepIn: string;
  /** Ends the waiting for a turn; a merge that has begun is finished. */
  readonly signal?: AbortSignal;
}

/** A copy of a repository's working tree, uncommitted work included, for one job to write in. */
export class Worktree {
  /** The counterpart of the folder it was made for. */
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
    const make = async () => {
      const head = await origin.text(cwd, ['rev-parse', '--verify', '--quiet', 'HEAD'], { expected: [1] });
      const state = await commitTree(origin, head, `${path}.index`);
      // A server that died over making it has left no note of it.
      if (existsSync(path)) await drop(origin, path);
      await origin.run(origin.root, ['worktree', 'add', '--quiet', '--detach', path, state]);
      return state;
    };
    const base = await withRepositoryLock(locksDir, origin, make, signal);
    const copy = await Repository.find(path, env);
    if (copy === undefined) throw new Failure('unavailable', `git made no working tree in ${path}.`);
    const worktree = new Worktree(path, origin, copy, base, options);
    await disk.mkdir(worktree.folder, { recursive: true });
    const note: Note = { origin: origin.place, copy: copy.place, base };
    await disk.writeFile(`${path}.json`, JSON.stringify(note), { mode: 0o600 });
    return worktree;
  }

  /** One that a server has left behind; what its files say of themselves now does not count. */
  static async reopen(path: string, options: WorktreeOptions): Promise<Worktree> {
    const { origin, copy, base } = JSON.parse(await readRegularFile(`${path}.json`)) as Note;
    const { env } = options;
    return new Worktree(path, new Repository(origin, env), new Repository(copy, env), base, options);
  }

  /**
   * Writes the job's changes to a patch and, if wanted, brings them into the tree they were made for, all or none. What
   * git does not carry is kept.
   */
  async merge(patchFile: string, { isWanted = true, keepIn, signal }: MergeOptions): Promise<Merge> {
    const [origin, base] = [this.#origin, this.#base];
    const theirs = await commitTree(this.#copy, base, `${this.#path}.index`);
    const patch = await origin.run(origin.root, [...diff, base, theirs]);
    const changes = await committedChanges(this.#copy, this.folder, base, theirs);
    if (patch.output.length > 0) await disk.writeFile(patchFile, patch.output, { mode: 0o600 });
    const leftBehind = await this.#keepLeftBehind(theirs, keepIn);
    const merged = { changes, ...(leftBehind && { leftBehind }) };
    if (patch.output.length === 0) return { applied: true, conflicts: [], ...merged };
    if (!isWanted) return { applied: false, conflicts: [], ...merged };
    try {
      const apply = () => this.#apply(theirs);
      return { ...(await withRepositoryLock(this.#locksDir, origin, apply, signal)), ...merged };
    } catch (error) {
      if (error === undefined || error !== signal?.reason) throw error;
      return { applied: false, conflicts: [], ...merged };
    }
  }

  /** The folder it was made for, within the repository: empty at the root, else with a slash at its end. */
  get prefix(): string {
    return this.#origin.prefix;
  }

  async remove(): Promise<void> {
    // The note goes first: half of a tree must not be taken for the work of a job that deleted the rest.
    await disk.rm(`${this.#path}.json`, { force: true });
    await withRepositoryLock(this.#locksDir, this.#origin, () => drop(this.#origin, this.#path));
  }

  async #apply(theirs: string): Promise<Pick<Merge, 'applied' | 'conflicts'>> {
    const origin = this.#origin;
    const { root } = origin;
    const ours = await commitTree(origin, this.#base, `${this.#path}.index`);
    const trial = ['merge-tree', '--write-tree', '--name-only', '--no-messages', ours, theirs];
    const { code, output } = await origin.run(root, trial, { expected: [1] });
    const [merged = '', ...conflicts] = output.toString().trim().split('\n');
    if (code !== 0) return { applied: false, conflicts };
    const { output: input } = await origin.run(root, [...diff, ours, merged]);
    if (input.length === 0) return { applied: true, conflicts: [] };
    try {
      await origin.run(root, ['apply', '--whitespace=nowarn'], { input });
      return { applied: true, conflicts: [] };
    } catch (error) {
      // Somebody wrote to the tree in between; git has then changed nothing.
      return { applied: false, conflicts: [messageOf(error)] };
    }
  }

  async #keepLeftBehind(commit: string, folder: string): Promise<LeftBehind | undefined> {
    const listed = await this.#copy.run(this.#path, [
      'ls-tree',
      '-r',
      '-z',
      '--name-only',
      '--full-tree',
      commit,
    ]);
    const committed = listed.output.toString().split('\0');
    return keepLeftBehind(this.#path, committed, folder);
  }
}

/** Also one that is locked, as it is while git makes it. */
async function drop(origin: Repository, path: string): Promise<void> {
  await origin.run(origin.root, ['worktree', 'remove', '--force', '--force', path]).catch(async () => {
    await disk.rm(path, { recursive: true, force: true });
    await origin.run(origin.root, ['worktree', 'prune']).catch(() => {});
  });
}

interface Note {
  readonly origin: RepositoryPlace;
  readonly copy: RepositoryPlace;
  readonly base: string;
}
