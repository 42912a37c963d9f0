import { isUtf8 } from 'node:buffer';
import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import type { RunDirectory } from '../files/run-directory.ts';
import { Repository } from './git.ts';
import type { Change, Snapshot, SnapshotOptions } from './snapshot.ts';

/** File in the run directory with the changes of the run. */
export const patchFile = 'changes.patch';
/** Hidden folder that exists only until the run ends. */
const storeFolder = '.before.git';
/** Limits that keep the patch cheap. Larger files appear only in the evidence; beyond the other limits there is no patch at all. */
const limits = { fileBytes: 1024 * 1024, files: 3_000, bytes: 32 * 1024 * 1024 };
const maxPatchBytes = 4 * 1024 * 1024;
const stage = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin'];
/** Uses a plumbing command, because it ignores the user's diff settings. */
const diff = ['diff-index', '-p', '--no-ext-diff', '--no-textconv', '--no-renames', '--relative'];

/**
 * Stores the content of a folder before and after a run in a separate git index. New objects go to the run directory, so
 * that the objects and the index of the repository do not change.
 */
export class ContentStore {
  readonly #repository: Repository;
  readonly #cwd: string;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(repository: Repository, cwd: string, env: Readonly<Record<string, string>>) {
    this.#repository = repository;
    this.#cwd = cwd;
    this.#env = env;
  }

  /** A new store starts with the files of the last commit. A reopened one has its previous content. */
  static async open(
    directory: RunDirectory,
    { cwd, env }: SnapshotOptions,
    { repository, head }: Snapshot,
  ): Promise<ContentStore> {
    const storePath = directory.file(storeFolder);
    const [index, objects] = [join(storePath, 'index'), join(storePath, 'objects')];
    const isNew = !(await exists(storePath));
    await disk.mkdir(objects, { recursive: true, mode: 0o700 });
    if (repository !== undefined) {
      const store = new ContentStore(repository, cwd, {
        GIT_INDEX_FILE: index,
        GIT_OBJECT_DIRECTORY: objects,
        GIT_ALTERNATE_OBJECT_DIRECTORIES: repository.objects,
      });
      if (isNew && head !== undefined) await store.#git(['read-tree', head]);
      return store;
    }
    // The minimum that git accepts as a repository. Faster than `git init`.
    await disk.mkdir(join(storePath, 'refs'), { recursive: true, mode: 0o700 });
    await disk.writeFile(join(storePath, 'HEAD'), 'ref: refs/heads/none\n', { mode: 0o600 });
    return new ContentStore(
      new Repository({ gitDir: storePath, root: cwd, prefix: '', objects }, env),
      cwd,
      {},
    );
  }

  /** Stores the current content of the files. */
  async add(paths: readonly string[]): Promise<void> {
    await this.#git(stage, Buffer.from(paths.map((path) => `${path}\0`).join('')));
  }

  /** Stores another content for a file than the one on disk. The mode of the file stays as it was. */
  async put(tree: string, path: string, content: string): Promise<void> {
    const { mode = '100644' } = (await this.#find(tree, path)) ?? {};
    const object = await this.#git(['hash-object', '-w', '--stdin'], Buffer.from(content));
    const name = `${this.#repository.prefix}${path}`;
    await this.#git(['update-index', '--add', '--cacheinfo', `${mode},${object.toString().trim()},${name}`]);
  }

  /** The content of a file in a tree; `undefined` if there is no such file. */
  async read(tree: string, path: string): Promise<string | undefined> {
    const found = await this.#find(tree, path);
    return found && (await this.#git(['cat-file', 'blob', found.object])).toString();
  }

  async #find(
    tree: string,
    path: string,
  ): Promise<{ readonly mode: string; readonly object: string } | undefined> {
    const listing = (await this.#git(['ls-tree', '-z', tree, '--', path])).toString();
    const [, mode, object] = /^(\d+) blob ([\da-f]+)\t/.exec(listing) ?? [];
    return mode === undefined || object === undefined ? undefined : { mode, object };
  }

  async writeTree(): Promise<string> {
    return (await this.#git(['write-tree'])).toString().trim();
  }

  async diffSince(tree: string): Promise<Buffer> {
    return this.#git([...diff, '--cached', tree, '--', '.']);
  }

  async #git(args: readonly string[], input?: Buffer): Promise<Buffer> {
    const options = { env: this.#env, ...(input && { input }) };
    return (await this.#repository.run(this.#cwd, args, options)).output;
  }
}

/** What is needed to create the patch after the run. */
export interface StoredContent {
  readonly tree?: string;
  /** Files that were not stored, for example because of their size. The patch omits them. */
  readonly unkept?: readonly string[];
}

/** Stores the uncommitted content that a run may overwrite. */
export async function storeContent(
  directory: RunDirectory,
  options: SnapshotOptions,
  snapshot: Snapshot,
): Promise<StoredContent> {
  const { head, files } = snapshot;
  if (head !== undefined && files.size === 0) return { tree: head };
  const paths = await selectDiffable([...files.keys()], options);
  if (paths === undefined) return {};
  const store = await ContentStore.open(directory, options, snapshot);
  await store.add(paths);
  const stored = new Set(paths);
  return { tree: await store.writeTree(), unkept: [...files.keys()].filter((path) => !stored.has(path)) };
}

/** Creates a patch from the stored content to the current content of the changed files, and to these other contents. */
export async function createPatch(
  open: () => Promise<ContentStore>,
  options: SnapshotOptions,
  { tree, unkept }: StoredContent,
  changes: readonly Change[],
  contents: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  if (tree === undefined || changes.length + contents.size === 0) return undefined;
  const omitted = new Set(unkept);
  const changed = changes.map(({ path }) => path).filter((path) => !omitted.has(path));
  const paths = await selectDiffable(changed, options);
  if (paths === undefined) return undefined;
  const store = await open();
  await store.add(paths);
  for (const [path, content] of contents) await store.put(tree, path, content);
  return shortenPatch(await store.diffSince(tree));
}

export async function discardStore(directory: RunDirectory): Promise<void> {
  await disk.rm(directory.file(storeFolder), { recursive: true, force: true });
}

/** Selects deleted files and those small enough for a patch. Returns `undefined` if there are too many. */
async function selectDiffable(
  paths: readonly string[],
  { cwd }: SnapshotOptions,
): Promise<readonly string[] | undefined> {
  if (paths.length > limits.files) return undefined;
  let bytes = 0;
  const selected = await Promise.all(
    paths.map(async (path) => {
      const stat = await disk.lstat(join(cwd, path)).catch(() => undefined);
      if (stat === undefined) return path;
      if (!(stat.isFile() || stat.isSymbolicLink()) || stat.size > limits.fileBytes) return [];
      bytes += stat.size;
      return path;
    }),
  );
  return bytes > limits.bytes ? undefined : selected.flat();
}

/** Shortens a patch by whole files and comments out binary files, so that `git apply` accepts the rest. */
export function shortenPatch(patch: Buffer): string | undefined {
  const files = splitFiles(patch).map(asText);
  let remaining = maxPatchBytes;
  const end = files.findIndex((file) => {
    remaining -= file.length;
    return remaining < 0;
  });
  if (end === -1) return files.join('') || undefined;
  const omitted = files.length - end;
  return `${files.slice(0, end).join('')}# ${omitted} more files were changed; evidence.json names them.\n`;
}

/** Content lines in a patch start with a space, `+` or `-`, so `diff --git` at the start of a line begins a new file. */
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

/** Replaces a file that is not text with a comment. */
function asText(file: Buffer): string {
  const text = file.toString();
  const binary = /^Binary files .* differ$/m.exec(text)?.[0];
  if (binary !== undefined) return `# ${binary}\n`;
  return isUtf8(file)
    ? text
    : `${text.slice(0, text.indexOf('\n')).replace('diff --git', '#')}: not in UTF-8\n`;
}

async function exists(path: string): Promise<boolean> {
  return (await disk.stat(path).catch(() => undefined)) !== undefined;
}
