import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFileSync } from '../regular-file.ts';

/** Reads the token from a file. */
export function readToken(file: string): string {
  const token = readRegularFileSync(file).trim();
  if (!/^\S{16,}$/.test(token))
    throw new Error(
      `${file} must contain one token of at least 16 characters, without spaces, and nothing else`,
    );
  return token;
}

/** Reads the token of this installation, or creates it at the first start. Servers that start at once use the same one. */
export function ensureToken(folder: string): string {
  const file = join(folder, 'token');
  // Read it first, so that a server with a token starts on a full or read-only disk.
  if (existsSync(file)) return readToken(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `token.${process.pid}.${randomBytes(4).toString('hex')}`);
  try {
    writeFileSync(draft, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readToken(file);
}
