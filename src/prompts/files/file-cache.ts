import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { currentArrival } from '../../arrival.ts';
import { type Awaitable, attempt } from '../../awaitable.ts';
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

interface State {
  readonly stamp: string;
  /** The file changed so recently that another change could have the same timestamp. */
  readonly unsettled: boolean;
}

interface Entry<Value> extends CachedFile<Value>, State {
  /** The arrival for which the stamp was compared with the file. */
  checked?: object | undefined;
}

interface FileCacheOptions<Value> {
  /** `last` is the last value that was parsed successfully. */
  readonly parse: (bytes: Buffer, path: string, last: Value | undefined) => Value | Promise<Value>;
  readonly maxBytes?: number;
  /** Checks a file once for messages that arrive together. After a change by this process, `endArrival` must be called. */
  readonly oncePerArrival?: boolean;
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
  readonly #oncePerArrival: boolean;
  readonly #linkAdvice: string;
  #entries = new Map<string, Entry<Value>>();
  /** Files that are being parsed, so that concurrent requests parse a large file only once. */
  readonly #reading = new Map<
    string,
    { readonly stamp: string; readonly file: Promise<CachedFile<Value>> }
  >();
  /** The file that was looked for last and does not exist. */
  #absent: { readonly path: string; readonly checked: object | undefined } | undefined;

  constructor({
    parse,
    maxBytes = 16 * 1024 * 1024,
    oncePerArrival = false,
    linkAdvice = '',
  }: FileCacheOptions<Value>) {
    this.#parse = parse;
    this.#linkAdvice = linkAdvice;
    this.#maxBytes = maxBytes;
    this.#oncePerArrival = oncePerArrival;
  }

  /** The cached file if it has not changed on disk, otherwise `undefined`. Checks synchronously. */
  unchanged(path: string): CachedFile<Value> | undefined {
    const known = this.#entries.get(path);
    if (known === undefined || known.unsettled) return undefined;
    const arrival = this.#oncePerArrival ? currentArrival() : undefined;
    if (arrival !== undefined && known.checked === arrival) return known;
    try {
      const stat = statIfExists(path);
      if (stat === undefined || stampOf(stat) !== known.stamp) return undefined;
      known.checked = arrival;
      return known;
    } catch {
      return undefined;
    }
  }

  /** Like `load` for a file directly in its folder that is known to exist. Reads a new file with fewer system calls. */
  loadListed(path: string): Awaitable<CachedFile<Value> | undefined> {
    if (this.#entries.has(path) || this.#reading.has(path)) return this.load(path);
    const found = readUnlinkedFileSync(path, this.#maxBytes);
    return found === undefined ? this.load(path) : this.#parseNew(path, found.bytes, stateOf(found.stat));
  }

  /** `undefined` if the file does not exist. Symbolic links may point anywhere inside `root`. */
  load(path: string, root: string = dirname(path)): Awaitable<CachedFile<Value> | undefined> {
    const known = this.#entries.get(path);
    const arrival = this.#oncePerArrival ? currentArrival() : undefined;
    if (arrival !== undefined) {
      if (known?.checked === arrival && !known.unsettled) return known;
      if (this.#absent?.checked === arrival && this.#absent.path === path) return undefined;
    }
    try {
      const own = statIfExists(path, lstatSync);
      const isLink = own?.isSymbolicLink() ?? false;
      const stat = isLink ? statIfExists(path) : own;
      if (stat === undefined) {
        this.#entries.delete(path);
        this.#absent = { path, checked: arrival };
        return undefined;
      }
      if (known === undefined || known.unsettled || known.stamp !== stampOf(stat))
        return this.#read(path, root, stat, isLink);
      known.checked = arrival;
      return known;
    } catch (error) {
      return this.#keepProblem(path, error, unread);
    }
  }

  #read(path: string, root: string, stat: Stats, isLink: boolean): Awaitable<CachedFile<Value>> {
    const known = this.#entries.get(path)?.value;
    const age = Date.now() - stat.ctimeMs;
    if (stat.size === 0 && age < emptyMs && known !== undefined) return this.#entries.get(path)!;
    const state = stateOf(stat);
    const reading = this.#reading.get(path);
    if (reading?.stamp === state.stamp && !state.unsettled) return reading.file;
    try {
      if (!stat.isFile()) throw new FileProblem('this is not a file', 1);
      if (stat.size > this.#maxBytes)
        throw new FileProblem(`the file is larger than ${this.#maxBytes / 1024 / 1024} MB`, 1);
      if (!isInside(root, path, isLink))
        throw new FileProblem(`the symbolic link points outside the folder${this.#linkAdvice}`, 1);
      return this.#parseNew(path, readRegularBytesSync(path, this.#maxBytes), state);
    } catch (error) {
      return this.#keepProblem(path, error, state);
    }
  }

  #parseNew(path: string, bytes: Buffer, state: State): Awaitable<CachedFile<Value>> {
    const parsed = attempt(
      () => this.#parse(bytes, path, this.#entries.get(path)?.value),
      (value) => this.#keep(path, { ...state, value }),
      (error) => this.#keepProblem(path, error, state),
    );
    if (!(parsed instanceof Promise)) return parsed;
    const file = parsed.finally(() => {
      if (this.#reading.get(path)?.file === file) this.#reading.delete(path);
    });
    this.#reading.set(path, { stamp: state.stamp, file });
    return file;
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
const unread: State = { stamp: '', unsettled: false };

/** Too many open files, for example. It says nothing about the content of the file. */
function isSystemError(error: unknown): boolean {
  return /^(E[A-Z]+|ERR_WORKER_INIT_FAILED)$/.test((error as NodeJS.ErrnoException).code ?? '');
}

function stateOf(stat: Stats): State {
  return { stamp: stampOf(stat), unsettled: Math.abs(Date.now() - stat.ctimeMs) < tickMs };
}

function stampOf({ ctimeMs, size, ino }: Stats): string {
  return `${ctimeMs}:${size}:${ino}`;
}

function statIfExists(path: string, read: typeof statSync = statSync): Stats | undefined {
  try {
    return read(path, { throwIfNoEntry: false });
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
