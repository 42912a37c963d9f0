import { promises as disk, existsSync } from 'node:fs';
import { join } from 'node:path';

export function readPageFile(name: string): Promise<Buffer> {
  return disk.readFile(join(pageFolder(), name));
}

/** `page` is next to the bundle. When the server runs from source, the page is in `dist`. */
export function pageFolder(): string {
  const nextToBundle = join(import.meta.dirname, 'page');
  return existsSync(join(nextToBundle, 'main.js'))
    ? nextToBundle
    : join(import.meta.dirname, '..', '..', 'dist', 'page');
}
