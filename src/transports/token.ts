import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFileSync } from '../regular-file.ts';

/** The token of a file that somebody brought. */
export function readToken(file: string): string {
  const token = readRegularFileSync(file).trim();
  if (!/^\S{16,}$/.test(token))
    throw new Error(`${file} must hold one token of at least 16 characters and nothing else`);
  return token;
}

/** The token of this installation, made on first start. Two servers that start at once agree on one. */
export function ensureToken(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'token');
  const draft = join(folder, `token.${process.pid}.${randomBytes(4).toString('hex')}`);
  writeFileSync(draft, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readToken(file);
}
