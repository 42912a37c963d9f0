import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = join(import.meta.dirname, 'components');
const { resolve } = createRequire(join(folder, 'package.json'));

/** Imports a module from test/components, whose types are not installed. */
export function importComponent(name: string): Promise<Record<string, never>> {
  return import(pathToFileURL(resolve(name)).href);
}

/** Path of a file in a package of test/components, even if the package does not export it. */
export function componentFile(path: string): string {
  return join(folder, 'node_modules', path);
}
