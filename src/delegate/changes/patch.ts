import { isUtf8 } from 'node:buffer';
import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import type { RunDirectory } from '../files/run-directory.ts';
import { Repository } from './git.ts';
import type { Change, Snapshot, SnapshotPlace } from './snapshot.ts';

/** What a run changed, as a patch. */
export const patchFile = 'changes.patch';
/** Hidden, and only there while the run is. */
const folder = '.before.git';
/** Larger files are named in the evidence only, and of more than that no patch is made: it has to be cheap. */
const limits = { fileBytes: 1024 * 1024, files: 3_000, bytes: 32 * 1024 * 1024 };
const patchBytes = 4 * 1024 * 1024;
const stage = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin'];
/** The plumbing, since what a person has set for their own eyes does not count there. */
const diff = ['diff-index', '-p', '--no-ext-diff', '--no-textconv', '--no-renames', '--relative'];

/**
 * The content of a folder around a run, in an index of its own. What the repository has not got is kept in the run's
 * directory, so that neither its objects nor its index are touched.
 */
class Keep {
  readonly #repository: Repository;
  readonly #cwd: string;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(repository: Repository, cwd: string, env: Readonly<Record<string, string>>) {
    this.#repository = repository;
    this.#cwd = cwd;
    this.#env = env;
  }

  /** With what a commit holds in it; opened again, with what it held last. */
  static async open(
    directory: RunDirectory,
    { cwd, env }: SnapshotPlace,
    { repository, head }: Snapshot,
  ): Promise<Keep> {
    const own = directory.file(folder);
    const [index, objects] = [join(own, 'index'), join(own, 'objects')];
    const isNew = !(await isThere(own));
    await disk.mkdir(objects, { recursive: true, mode: 0o700 });
    if (repository !== undefined) {
      const keep = new Keep(repository, cwd, {
        GIT_INDEX_FILE: index,
        GIT_OBJECT_DIRECTORY: objects,
        GIT_ALTERNATE_OBJECT_DIRECTORIES: repository.objects,
      });
      if (isNew && head !== undefined) await keep.#git(['read-tree', head]);
      return keep;
    }
    // What git asks of a repository, without the time it takes to let it make one.
    await disk.mkdir(join(own, 'refs'), { recursive: true, mode: 0o700 });
    await disk.writeFile(join(own, 'HEAD'), 'ref: refs/heads/none\n', { mode: 0o600 });
    return new Keep(new Repository({ gitDir: own, root: cwd, prefix: '', objects }, env), cwd, {});
  }

  /** Takes some files over as they are on the disk now. */
  async take(paths: readonly string[]): Promise<void> {
    await this.#git(stage, Buffer.from(paths.map((path) => `${path}\0`).join('')));
  }

  async tree(): Promise<string> {
    return (await this.#git(['write-tree'])).toString().trim();
  }

  async since(tree: string): Promise<Buffer> {
    return this.#git([...diff, '--cached', tree, '--', '.']);
  }

  async #git(args: readonly string[], input?: Buffer): Promise<Buffer> {
    const given = { env: this.#env, ...(input && { input }) };
    return (await this.#repository.run(this.#cwd, args, given)).output;
  }
}

/** What is needed to tell the difference afterwards. */
export interface Kept {
  readonly tree?: string;
  /** What was there and is not in the tree; nothing can be told of it. */
  readonly unkept?: readonly string[];
}

/** Keeps what a run may overwrite and no commit holds. */
export async function keepBefore(
  directory: RunDirectory,
  place: SnapshotPlace,
  snapshot: Snapshot,
): Promise<Kept> {
  const { head, files } = snapshot;
  if (head !== undefined && files.size === 0) return { tree: head };
  const paths = await diffable([...files.keys()], place);
  if (paths === undefined) return {};
  const keep = await Keep.open(directory, place, snapshot);
  await keep.take(paths);
  const kept = new Set(paths);
  return { tree: await keep.tree(), unkept: [...files.keys()].filter((path) => !kept.has(path)) };
}

/** What became of the kept state: a patch that leads from it to what is there now. */
export async function describeChanges(
  directory: RunDirectory,
  place: SnapshotPlace,
  { tree, unkept, ...snapshot }: Snapshot & Kept,
  changes: readonly Change[],
): Promise<string | undefined> {
  if (tree === undefined || changes.length === 0) return undefined;
  const untold = new Set(unkept);
  const changed = changes.map(({ path }) => path).filter((path) => !untold.has(path));
  const paths = await diffable(changed, place);
  if (paths === undefined) return undefined;
  const keep = await Keep.open(directory, place, snapshot);
  await keep.take(paths);
  return shorten(await keep.since(tree));
}

export async function forgetKept(directory: RunDirectory): Promise<void> {
  await disk.rm(directory.file(folder), { recursive: true, force: true });
}

/** Files and links of a sensible size, and what is no longer there; `undefined` where they are too many. */
async function diffable(
  paths: readonly string[],
  { cwd }: SnapshotPlace,
): Promise<readonly string[] | undefined> {
  if (paths.length > limits.files) return undefined;
  let bytes = 0;
  const kept = await Promise.all(
    paths.map(async (path) => {
      const stat = await disk.lstat(join(cwd, path)).catch(() => undefined);
      if (stat === undefined) return path;
      if (!(stat.isFile() || stat.isSymbolicLink()) || stat.size > limits.fileBytes) return [];
      bytes += stat.size;
      return path;
    }),
  );
  return bytes > limits.bytes ? undefined : kept.flat();
}

/** Whole files only, so that what is left is still a patch, and no file that would keep the others from being applied. */
function shorten(patch: Buffer): string | undefined {
  const files = splitFiles(patch).map(asText);
  let room = patchBytes;
  const end = files.findIndex((file) => {
    room -= file.length;
    return room < 0;
  });
  if (end === -1) return files.join('') || undefined;
  const left = files.length - end;
  return `${files.slice(0, end).join('')}# ${left} more files were changed; evidence.json names them.\n`;
}

/** A line of a file stands behind a sign, so what begins like this begins a file. */
function splitFiles(patch: Buffer): Buffer[] {
  const files: Buffer[] = [];
  for (let at = 0; at < patch.length; ) {
    const next = patch.indexOf('\ndiff --git ', at);
    const end = next === -1 ? patch.length : next + 1;
    files.push(patch.subarray(at, end));
    at = end;
  }
  return files;
}

/** What is no text is only mentioned. */
function asText(file: Buffer): string {
  const text = file.toString();
  const binary = /^Binary files .* differ$/m.exec(text)?.[0];
  if (binary !== undefined) return `# ${binary}\n`;
  return isUtf8(file)
    ? text
    : `${text.slice(0, text.indexOf('\n')).replace('diff --git', '#')}: not in UTF-8\n`;
}

async function isThere(path: string): Promise<boolean> {
  return (await disk.stat(path).catch(() => undefined)) !== undefined;
}
