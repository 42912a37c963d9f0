import { promises as disk } from 'node:fs';
import { sep } from 'node:path';

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
