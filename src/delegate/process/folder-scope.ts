import { promises as disk, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import type { Environment } from './environment.ts';

/** The folder for temporary files of the programs that get this environment. */
export function temporaryFolder(env: Environment): string {
  return resolve(env['TMPDIR'] || tmpdir());
}

/** The folder for the sockets of run hosts. `userInfo` fails for a user without a name, as containers have. */
export function hostFolder(): string {
  return join(tmpdir(), `adjutant-${process.getuid?.()}`);
}

/** True for the folder itself and for every path below it. */
export function isInFolder(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Whether a folder is one of these folders or below one. Links are resolved; a missing folder is in none. */
export async function isInside(cwd: string, folders: readonly string[]): Promise<boolean> {
  const path = await realpath(cwd);
  const allowed = await Promise.all(folders.map(realpath));
  return allowed.some((folder) => path !== undefined && folder !== undefined && isInFolder(path, folder));
}

export function realpath(path: string): Promise<string | undefined> {
  return disk.realpath(path).catch(() => undefined);
}

/** What sandboxed commands must not see. */
export interface HiddenFiles {
  /** Files and folders with credentials and messages. */
  readonly unreadable: readonly string[];
  /** Folders that belong to Adjutant alone. */
  readonly ownFolders: readonly string[];
}

/**
 * The paths that are hidden from a run in this folder. A sandbox cannot hide a file that is created during the run, so
 * Adjutant's own folders are hidden as a whole, unless the run works in one of them or above it, or must read a part of them.
 */
export async function hiddenPaths(
  { unreadable, ownFolders }: HiddenFiles,
  cwd: string,
  reads: readonly string[] = [],
): Promise<readonly string[]> {
  const place = (await realpath(cwd)) ?? cwd;
  const resolved = await Promise.all(ownFolders.map(async (folder) => (await realpath(folder)) ?? folder));
  const isApart = (folder: string) => !isInFolder(place, folder) && !isInFolder(folder, place);
  const hidden = ownFolders.filter((folder, at) => existsSync(folder) && isApart(resolved[at]!));
  const paths = [...hidden, ...unreadable.filter((path) => !hidden.some((one) => isInFolder(path, one)))];
  return (await Promise.all(paths.map((path) => exceptFor(path, reads)))).flat();
}

/** The path itself, or, if some of it must stay readable, everything else in it. */
async function exceptFor(path: string, reads: readonly string[]): Promise<readonly string[]> {
  if (reads.some((one) => isInFolder(path, one))) return [];
  if (!reads.some((one) => isInFolder(one, path))) return [path];
  const names = await disk.readdir(path).catch(() => []);
  return (await Promise.all(names.map((name) => exceptFor(join(path, name), reads)))).flat();
}
