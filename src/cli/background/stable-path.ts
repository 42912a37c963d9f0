import { realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/**
 * The name of a file on the PATH, if it leads to the same file. Package managers keep that name and change its target, while
 * the file itself can be in a folder of one version.
 */
export function stablePath(file: string, name: string, path: string): string {
  const real = realPath(file);
  const named = path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !folder.includes('node_modules'))
    .map((folder) => join(folder, name))
    .find((candidate) => real !== undefined && realPath(candidate) === real);
  return named ?? file;
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
