import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { npm } from '../npm.ts';
import type { RealClient } from './clients.ts';

const cache = join(import.meta.dirname, '..', '..', '.cache', 'clients');

/** Installs the newest version of a client, unless it is there already. Returns its program. */
export function installNewest({ npmPackage, program }: RealClient): string {
  mkdirSync(cache, { recursive: true });
  const version = npm(cache, 'view', npmPackage, 'version').trim();
  const folder = join(cache, `${basename(npmPackage)}-${version}`);
  const file = join(folder, 'node_modules', '.bin', program);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{}');
  process.stderr.write(`Installing ${npmPackage} ${version}…\n`);
  npm(folder, 'install', '--no-audit', '--no-fund', `${npmPackage}@${version}`);
  return file;
}
