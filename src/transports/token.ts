import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../atomic-file.ts';
import { messageOf } from '../json.ts';
import { log } from '../log.ts';
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
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(draft, `${newToken()}\n`, { mode: 0o600, flag: 'wx' });
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readToken(file);
}

/** Replaces the token in the file, or in the one that it links to. Servers accept the new one at once. */
export function rotateToken(named: string): string {
  const file = realpathSync(named);
  replaceFile(file, `${newToken()}\n`);
  return readToken(file);
}

export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

/** The token of the owner as its file has it now. A file that cannot be read, or that disappears, changes nothing. */
export class OwnerToken {
  readonly #file: string | undefined;
  #token: string;
  #version: string;

  /** `file` is absent if the token could not be stored. */
  constructor(token: string, file: string | undefined) {
    this.#token = token;
    this.#file = file;
    this.#version = this.#versionNow();
  }

  get current(): string {
    const version = this.#versionNow();
    if (this.#file !== undefined && version !== this.#version && version !== '')
      try {
        this.#version = version;
        this.#token = readToken(this.#file);
      } catch (error) {
        log('warning', `the token of the owner stays the same: ${messageOf(error)}`);
      }
    return this.#token;
  }

  #versionNow(): string {
    if (this.#file === undefined) return '';
    try {
      const { ino, mtimeMs, size } = statSync(this.#file);
      return `${ino} ${mtimeMs} ${size}`;
    } catch {
      return '';
    }
  }
}
