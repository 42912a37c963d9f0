import { promises as disk } from 'node:fs';
import { dirname, join } from 'node:path';
import { copyRegularFile, regularFileChunks } from '../../regular-file.ts';
import { isFolder, isLink, isRegularFile, stateOf } from './folder-state.ts';

/** Copies to a temporary file in the same folder, which then takes the place of the target. */
export async function replace(
  source: string,
  target: string,
  mode: number,
  signal: AbortSignal,
  name = temporaryName(),
): Promise<void> {
  const temporary = join(dirname(target), name);
  try {
    await copy(source, temporary);
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
export async function copy(source: string, target: string): Promise<void> {
  if ((await disk.lstat(source)).isSymbolicLink()) await disk.symlink(await disk.readlink(source), target);
  else await copyRegularFile(source, target);
}

/** Creates the missing parent folders and returns them. Never writes through a link, which could lead out of the folder. */
export async function makeParents(root: string, path: string): Promise<string[]> {
  const created: string[] = [];
  const parts = path.split('/').slice(0, -1);
  for (let at = 1; at <= parts.length; at++) {
    const below = parts.slice(0, at).join('/');
    const state = await stateOf(join(root, below));
    if (state === undefined) {
      await disk.mkdir(join(root, below)).catch(ignoreExisting);
      created.push(below);
    } else if (!isFolder(state)) throw new Error(`${below} is not a folder any more`);
  }
  return created;
}

export async function contentHash(path: string): Promise<string> {
  const state = await stateOf(path);
  return isLink(state) ? `link ${await disk.readlink(path)}` : isRegularFile(state) ? hashFile(path) : '';
}

export function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

/** Compares two regular files or two links. */
export async function hasSameContent(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([disk.lstat(one), disk.lstat(other)]);
  if (first.isSymbolicLink() && second.isSymbolicLink())
    return (await disk.readlink(one)) === (await disk.readlink(other));
  if (!first.isFile() || !second.isFile() || first.size !== second.size) return false;
  return (await hashFile(one)) === (await hashFile(other));
}

async function hashFile(path: string): Promise<string> {
  const { createHash } = await import('node:crypto');
  const hash = createHash('sha256');
  for await (const chunk of regularFileChunks(path)) hash.update(chunk);
  return hash.digest('hex');
}
