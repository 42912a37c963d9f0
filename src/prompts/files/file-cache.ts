import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import type { Problem } from '../../feature.ts';
import { FileProblem } from '../../front-matter.ts';
import { messageOf } from '../../json.ts';
import { readRegularBytesSync, readUnlinkedFileSync } from '../../regular-file.ts';

/** A file as last read. The cache returns the same object until the file changes. */
export interface CachedFile<Value> {
  /** The last value that was parsed successfully. */
  readonly value?: Value;
  /** Why the file cannot be read or parsed now. */
  readonly problem?: Problem;
}

/** Compared field by field at every lookup: a text made of them would cost as much as the system call. */
type Stamp = Pick<Stats, 'ctimeMs' | 'size' | 'ino'>;

interface State extends Stamp {
  /** The file changed so recently that another change could have the same timestamp. */
  readonly unsettled: boolean;
}

type Entry<Value> = CachedFile<Value> & State;

interface FileCacheOptions<Value> {
  /** `last` is the last value that was parsed successfully. */
  readonly parse: (bytes: Buffer, path: string, last: Value | undefined) => Promise<Value>;
  readonly maxBytes?: number;
  /** Added to the error about a symbolic link that points outside the folder. */
  readonly linkAdvice?: string;
}

/** Two changes within this time may get the same timestamp: file systems store times with limited precision. */
const tickMs = 100;
/** Some editors truncate a file before they write it. A file that has been empty for less than this keeps its last value. */
const emptyMs = 500;

/**
 * Caches parsed files. A lookup checks the file's metadata, and an unchanged file is not read again. A file that
 * becomes unreadable keeps its last valid value in addition to the problem.
 */
export class FileCache<Value> {
  readonly #parse: FileCacheOptions<Value>['parse'];
  readonly #maxBytes: number;
  readonly #linkAdvice: string;
  #entries = new Map<string, Entry<Value>>();
  /** Files that are being parsed, so that concurrent requests parse a large file only once. */
  readonly #reading = new Map<string, { readonly stamp: Stamp; readonly file: Promise<CachedFile<Value>> }>();

  constructor({ parse, maxBytes = 16 * 1024 * 1024, linkAdvice = '' }: FileCacheOptions<Value>) {
    this.#parse = parse;
    this.#linkAdvice = linkAdvice;
    this.#maxBytes = maxBytes;
  }

  /** The cached file if it has not changed on disk, otherwise `undefined`. Checks synchronously. */
  unchanged(path: string): CachedFile<Value> | undefined {
    const known = this.#entries.get(path);
    if (known === undefined || known.unsettled) return undefined;
    try {
      const stat = statIfExists(path);
      return stat !== undefined && hasStamp(known, stat) ? known : undefined;
    } catch {
      return undefined;
    }
  }

  /** True if there is no such file, and none is cached. Checks synchronously. */
  isMissing(path: string): boolean {
    try {
      return !this.#entries.has(path) && statIfExists(path, lstatSync) === undefined;
    } catch {
      return false;
    }
  }

  /** Like `load` for a file directly in its folder that is known to exist. Reads a new file with fewer system calls. */
  async loadListed(path: string): Promise<CachedFile<Value> | undefined> {
    if (this.#entries.has(path) || this.#reading.has(path)) return this.load(path);
    const found = readUnlinkedFileSync(path, this.#maxBytes);
    return found === undefined ? this.load(path) : this.#parseNew(path, found.bytes, stateOf(found.stat));
  }

  /** `undefined` if the file does not exist. Symbolic links may point anywhere inside `root`. */
  async load(path: string, root: string = dirname(path)): Promise<CachedFile<Value> | undefined> {
    const known = this.#entries.get(path);
    try {
      const own = statIfExists(path, lstatSync);
      const isLink = own?.isSymbolicLink() ?? false;
      const stat = isLink ? statIfExists(path) : own;
      if (stat === undefined) {
        this.#entries.delete(path);
        return undefined;
      }
      if (known === undefined || known.unsettled || !hasStamp(known, stat))
        return await this.#read(path, root, stat, isLink);
      return known;
    } catch (error) {
      return this.#keepProblem(path, error, unread);
    }
  }

  async #read(path: string, root: string, stat: Stats, isLink: boolean): Promise<CachedFile<Value>> {
    const known = this.#entries.get(path)?.value;
    const age = Date.now() - stat.ctimeMs;
    if (stat.size === 0 && age < emptyMs && known !== undefined) return this.#entries.get(path)!;
    const state = stateOf(stat);
    const reading = this.#reading.get(path);
    if (reading !== undefined && hasStamp(reading.stamp, state) && !state.unsettled) return reading.file;
    try {
      if (!stat.isFile()) throw new FileProblem('this is not a file', 1);
      if (stat.size > this.#maxBytes)
        throw new FileProblem(`the file is larger than ${this.#maxBytes / 1024 / 1024} MB`, 1);
      if (!isInside(root, path, isLink))
        throw new FileProblem(`the symbolic link points outside the folder${this.#linkAdvice}`, 1);
      return await this.#parseNew(path, readRegularBytesSync(path, this.#maxBytes), state);
    } catch (error) {
      return this.#keepProblem(path, error, state);
    }
  }

  async #parseNew(path: string, bytes: Buffer, state: State): Promise<CachedFile<Value>> {
    const file = this.#parseAndKeep(path, bytes, state);
    this.#reading.set(path, { stamp: state, file });
    const parsed = await file;
    if (this.#reading.get(path)?.file === file) this.#reading.delete(path);
    return parsed;
  }

  async #parseAndKeep(path: string, bytes: Buffer, state: State): Promise<CachedFile<Value>> {
    try {
      const value = await this.#parse(bytes, path, this.#entries.get(path)?.value);
      return this.#keep(path, { ...state, value });
    } catch (error) {
      return this.#keepProblem(path, error, state);
    }
  }

  #keep(path: string, entry: Entry<Value>): CachedFile<Value> {
    this.#entries.set(path, entry);
    return entry;
  }

  #keepProblem(path: string, error: unknown, state: State) {
    const value = this.#entries.get(path)?.value;
    return this.#keep(path, {
      ...(isSystemError(error) ? unread : state),
      ...(value !== undefined && { value }),
      problem: problemOf(path, error),
    });
  }

  /** Removes all other files from the cache. */
  keepOnly(paths: ReadonlySet<string>): void {
    if (this.#entries.size === paths.size) return;
    this.#entries = new Map([...this.#entries].filter(([path]) => paths.has(path)));
  }
}

/** The next lookup reads the file again. */
const unread: State = { ctimeMs: -1, size: -1, ino: -1, unsettled: false };

/** Too many open files, for example. It says nothing about the content of the file. */
function isSystemError(error: unknown): boolean {
  return /^(E[A-Z]+|ERR_WORKER_INIT_FAILED)$/.test((error as NodeJS.ErrnoException).code ?? '');
}

function stateOf(stat: Stats): State {
  const { ctimeMs, size, ino } = stat;
  return { ctimeMs, size, ino, unsettled: Math.abs(Date.now() - ctimeMs) < tickMs };
}

function hasStamp(known: Stamp, { ctimeMs, size, ino }: Stamp): boolean {
  return known.ctimeMs === ctimeMs && known.size === size && known.ino === ino;
}

const unlessMissing = { throwIfNoEntry: false } as const;

function statIfExists(path: string, read: typeof statSync = statSync): Stats | undefined {
  try {
    return read(path, unlessMissing);
  } catch (error) {
    // A parent of the path is a file, not a folder.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw error;
  }
}

export function problemOf(file: string, error: unknown): Problem {
  const where =
    error instanceof FileProblem
      ? { line: error.line, ...(error.column !== undefined && { column: error.column }) }
      : {};
  return { file, ...where, severity: 'error', message: withoutPath(error) };
}

/** Node's messages repeat the path, which a problem already contains. */
function withoutPath(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied: this user cannot read the file';
  if (code === 'ELOOP') return 'the symbolic link points to itself';
  return messageOf(error);
}

/** True if the path, after symbolic links are resolved, is inside the folder. Throws if it does not exist. */
function isInside(folder: string, path: string, isLink: boolean): boolean {
  if (dirname(path) === folder && !isLink) return true;
  const real = realpathSync.native(path);
  if (real === path) return true;
  const root = realpathSync.native(folder);
  return real.startsWith(root.endsWith(sep) ? root : root + sep);
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Decodes UTF-8 text and removes a byte order mark. Line breaks stay as they are. Throws if the bytes are not valid UTF-8. */
export function decodeText(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new FileProblem('the file is not UTF-8 text', 1);
  }
}
