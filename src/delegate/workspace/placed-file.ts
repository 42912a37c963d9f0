import { constants, promises as disk } from 'node:fs';
import { join } from 'node:path';
import { copyRegularFile, type FilePath, regularFileChunks } from '../../regular-file.ts';
import {
  type FileState,
  isFolder,
  isLink,
  isRegularFile,
  modeOf,
  parentOf,
  stateOf,
  within,
} from './tree.ts';

/** Copies to a temporary file in the same folder, which then takes the place of the target. */
export async function replace(
  source: FilePath,
  root: string,
  path: string,
  options: { readonly mode: number; readonly signal: AbortSignal; readonly temporary?: string },
): Promise<void> {
  const { mode, signal, temporary: name = temporaryName() } = options;
  const target = within(root, path);
  const temporary = within(root, join(parentOf(path), name));
  const { uid, gid } = await disk.lstat(target).catch(() => ({ uid: undefined, gid: undefined }));
  try {
    await withMode(source, constants.S_IRUSR, () => copy(source, temporary));
    // Only root can keep the owner of a file of somebody else.
    if (uid !== undefined && process.getuid?.() === 0) await disk.lchown(temporary, uid, gid!);
    if (!(await disk.lstat(temporary)).isSymbolicLink()) await disk.chmod(temporary, mode);
    signal.throwIfAborted();
    await disk.rename(temporary, target);
  } catch (error) {
    await disk.rm(temporary, { force: true });
    throw error;
  }
}

export function temporaryName(): string {
  return `.adjutant-${crypto.randomUUID()}`;
}

/** Copies a regular file or a link. Rejects anything else without opening it. */
export async function copy(source: FilePath, target: FilePath): Promise<void> {
  if ((await disk.lstat(source)).isSymbolicLink())
    await disk.symlink(await disk.readlink(source, { encoding: 'buffer' }), target);
  else await copyRegularFile(source, target);
}

/** Does the work, and again with more permissions if it is denied. The permissions are restored. */
export async function withMode<Value>(
  path: FilePath,
  permissions: number,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const stat = code === 'EACCES' ? await disk.lstat(path).catch(() => undefined) : undefined;
    if (stat === undefined || stat.isSymbolicLink() || (stat.mode & permissions) === permissions) throw error;
    await disk.chmod(path, (stat.mode & 0o7777) | permissions);
    try {
      return await work();
    } finally {
      await disk.chmod(path, stat.mode & 0o7777).catch(() => {});
    }
  }
}

/** Creates the missing parent folders and returns them. Never follows a link, which could lead out of the folder. */
export async function makeParents(root: string, path: string): Promise<string[]> {
  const created: string[] = [];
  for (const below of parentsOf(path)) {
    const state = await stateOf(within(root, below));
    if (state === undefined) {
      await disk.mkdir(within(root, below)).catch(ignoreExisting);
      created.push(below);
    } else if (!isFolder(state)) throw new Error(`${below} is not a folder any more`);
  }
  return created;
}

/** The link above a path, which leads elsewhere. */
export async function linkAbove(root: string, path: string): Promise<string | undefined> {
  for (const below of parentsOf(path)) if (isLink(await stateOf(within(root, below)))) return below;
  return undefined;
}

/** The folders above a path, from the top down. */
export function parentsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}

export async function contentHash(path: FilePath): Promise<string> {
  const state = await stateOf(path);
  if (isLink(state)) return `link ${(await disk.readlink(path, { encoding: 'buffer' })).toString('latin1')}`;
  return isRegularFile(state) ? withMode(path, constants.S_IRUSR, () => hashFile(path)) : '';
}

/** True if a path is of the same kind as before, with the same permissions and the content with this hash. Times do not count. */
export async function isLike(
  target: FilePath,
  now: FileState | undefined,
  before: FileState | undefined,
  hash: string | undefined,
  mode = before === undefined ? undefined : modeOf(before),
): Promise<boolean> {
  if (before === undefined || now === undefined) return before === now;
  if (before[0] !== now[0]) return false;
  if (!isLink(now) && modeOf(now) !== mode) return false;
  return isFolder(now) || (await contentHash(target)) === hash;
}

export function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

/** Compares two regular files or two links. */
export async function hasSameContent(one: FilePath, other: FilePath): Promise<boolean> {
  const [first, second] = await Promise.all([disk.lstat(one), disk.lstat(other)]);
  if (first.isFile() !== second.isFile() || (first.isFile() && first.size !== second.size)) return false;
  const [hash, otherHash] = await Promise.all([contentHash(one), contentHash(other)]);
  return hash !== '' && hash === otherHash;
}

async function hashFile(path: FilePath): Promise<string> {
  const { createHash } = await import('node:crypto');
  const hash = createHash('sha256');
  for await (const chunk of regularFileChunks(path)) hash.update(chunk);
  return hash.digest('hex');
}

/** The folder of a run's file, for `withMode`. */
export function folderOf(root: string, path: string): FilePath {
  return path.includes('/') ? within(root, parentOf(path)) : root;
}
