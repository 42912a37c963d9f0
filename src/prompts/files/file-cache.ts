import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { currentArrival } from '../../arrival.ts';
import type { Awaitable } from '../../awaitable.ts';
import type { Problem } from '../../feature.ts';
import { messageOf } from '../../json.ts';
import { readRegularBytesSync } from '../../regular-file.ts';
import { FileProblem } from './front-matter.ts';

/** A file as last read. The cache returns the same object until the file changes. */
export interface CachedFile<Value> {
  /** The last value that was parsed successfully. */
  readonly value?: Value;
  /** Why the file cannot be read or parsed now. */
  readonly problem?: Problem;
}

interface Entry<Value> extends CachedFile<Value> {
  readonly stamp: string;
  /** The file changed so recently that another change could have the same timestamp. */
  readonly unsettled: boolean;
  /** The arrival for which the stamp was compared with the file. */
  checked?: object | undefined;
}

export interface FileCacheOptions<Value> {
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

  /** `undefined` if the file does not exist. Symbolic links may point anywhere inside `root`. */
  load(path: string, root: string = dirname(path)): Awaitable<CachedFile<Value> | undefined> {
    const known = this.#entries.get(path);
    const arrival = this.#oncePerArrival ? currentArrival() : undefined;
    if (arrival !== undefined) {
      if (known?.checked === arrival && !known.unsettled) return known;
      if (this.#absent?.checked === arrival && this.#absent.path === path) return undefined;
    }
    try {
      const stat = statIfExists(path);
      if (stat === undefined) {
        this.#entries.delete(path);
        this.#absent = { path, checked: arrival };
        return undefined;
      }
      if (known === undefined || known.unsettled || known.stamp !== stampOf(stat))
        return this.#read(path, root, stat);
      known.checked = arrival;
      return known;
    } catch (error) {
      return this.#keepProblem(path, error, { stamp: '', unsettled: false });
    }
  }

  #read(path: string, root: string, stat: Stats): Awaitable<CachedFile<Value>> {
    const known = this.#entries.get(path)?.value;
    const age = Date.now() - stat.ctimeMs;
    if (stat.size === 0 && age < emptyMs && known !== undefined) return this.#entries.get(path)!;
    const state = { stamp: stampOf(stat), unsettled: Math.abs(age) < tickMs };
    const reading = this.#reading.get(path);
    if (reading?.stamp === state.stamp && !state.unsettled) return reading.file;
    try {
      if (!stat.isFile()) throw new FileProblem('this is not a file', 1);
      if (stat.size > this.#maxBytes)
        throw new FileProblem(`the file is larger than ${this.#maxBytes / 1024 / 1024} MB`, 1);
      this.#assertInside(root, path);
      const value = this.#parse(readRegularBytesSync(path, this.#maxBytes), path, known);
      if (!(value instanceof Promise)) return this.#keep(path, { ...state, value });
      const file = value
        .then(
          (parsed) => this.#keep(path, { ...state, value: parsed }),
          (error: unknown) => this.#keepProblem(path, error, state),
        )
        .finally(() => {
          if (this.#reading.get(path)?.file === file) this.#reading.delete(path);
        });
      this.#reading.set(path, { stamp: state.stamp, file });
      return file;
    } catch (error) {
      return this.#keepProblem(path, error, state);
    }
  }

  #keep(path: string, entry: Entry<Value>): CachedFile<Value> {
    this.#entries.set(path, entry);
    return entry;
  }

  #keepProblem(path: string, error: unknown, state: Pick<Entry<Value>, 'stamp' | 'unsettled'>) {
    const value = this.#entries.get(path)?.value;
    return this.#keep(path, {
      ...state,
      ...(value !== undefined && { value }),
      problem: problemOf(path, error),
    });
  }

  #assertInside(root: string, path: string): void {
    if (!isInside(root, path))
      throw new FileProblem(`the symbolic link points outside the folder${this.#linkAdvice}`, 1);
  }

  /** Removes all other files from the cache. */
  keepOnly(paths: ReadonlySet<string>): void {
    if (this.#entries.size === paths.size) return;
    this.#entries = new Map([...this.#entries].filter(([path]) => paths.has(path)));
  }
}

function stampOf({ ctimeMs, size, ino }: Stats): string {
  return `${ctimeMs}:${size}:${ino}`;
}

function statIfExists(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
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
function isInside(folder: string, path: string): boolean {
  if (dirname(path) === folder && !lstatSync(path).isSymbolicLink()) return true;
  const real = realpathSync.native(path);
  if (real === path) return true;
  const root = realpathSync.native(folder);
  return real.startsWith(root.endsWith(sep) ? root : root + sep);
}
