import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = join(import.meta.dirname, 'components');
const { resolve } = createRequire(join(folder, 'package.json'));

/** A module of the heavy components that only tests need. Its types are not installed with the program's. */
export function importComponent(name: string): Promise<Record<string, never>> {
  return import(pathToFileURL(resolve(name)).href);
}

/** A file inside one of their packages, whether or not the package exports it. */
export function componentFile(path: string): string {
  return join(folder, 'node_modules', path);
}
