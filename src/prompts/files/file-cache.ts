import { realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import type { Problem } from '../../feature.ts';
import { messageOf } from '../../json.ts';
import { readRegularBytesSync } from '../../regular-file.ts';
import { FileProblem } from './front-matter.ts';

/** A file as it was last read. The very same object as long as the file does not change. */
export interface CachedFile<Value> {
  /** What the file said when it was last good. */
  readonly value?: Value;
  /** What is wrong with it now. */
  readonly problem?: Problem;
}

interface Entry<Value> extends CachedFile<Value> {
  readonly stamp: string;
  /** Changed so recently that a second change could bear the same time. */
  readonly unsettled: boolean;
}

export interface FileCacheOptions<Value> {
  /** Told what the file said when it was last good. */
  readonly parse: (bytes: Buffer, path: string, last: Value | undefined) => Value | Promise<Value>;
  readonly maxBytes?: number;
}

/** Clocks of file systems tick every few milliseconds only. */
const tickMs = 100;
/** An editor that empties a file before it writes it needs less. */
const emptyMs = 500;

/**
 * Files, always as they are now: each request asks the disk for the file's stamp, and what did not change is not read
 * again. A file that can no longer be read keeps its last good value beside the problem.
 */
export class FileCache<Value> {
  readonly #parse: FileCacheOptions<Value>['parse'];
  readonly #maxBytes: number;
  #entries = new Map<string, Entry<Value>>();

  constructor({ parse, maxBytes = 16 * 1024 * 1024 }: FileCacheOptions<Value>) {
    this.#parse = parse;
    this.#maxBytes = maxBytes;
  }

  /** What is known of the file, if it still is as it was; asks the disk, and waits for nothing. */
  unchanged(path: string): CachedFile<Value> | undefined {
    const known = this.#entries.get(path);
    if (known === undefined || known.unsettled) return undefined;
    try {
      const stat = statIfThere(path);
      return stat !== undefined && stampOf(stat) === known.stamp ? known : undefined;
    } catch {
      return undefined;
    }
  }

  /** `undefined` when there is no such file. Links may lead anywhere inside `root`. */
  async load(path: string, root: string = dirname(path)): Promise<CachedFile<Value> | undefined> {
    const known = this.#entries.get(path);
    let stamp = '';
    let unsettled = false;
    let entry: Entry<Value>;
    try {
      const stat = statIfThere(path);
      if (stat === undefined) {
        this.#entries.delete(path);
        return undefined;
      }
      const age = Date.now() - stat.ctimeMs;
      stamp = stampOf(stat);
      if (known?.stamp === stamp && !known.unsettled) return known;
      unsettled = Math.abs(age) < tickMs;
      if (stat.size === 0 && age < emptyMs && known?.value !== undefined) return known;
      if (!stat.isFile()) throw new FileProblem('this is not a file', 1);
      if (stat.size > this.#maxBytes)
        throw new FileProblem(`the file is longer than ${this.#maxBytes / 1024 / 1024} MB`, 1);
      assertInside(root, path);
      const bytes = readRegularBytesSync(path, this.#maxBytes);
      entry = { stamp, unsettled, value: await this.#parse(bytes, path, known?.value) };
    } catch (error) {
      entry = {
        stamp,
        unsettled,
        ...(known?.value !== undefined && { value: known.value }),
        problem: problemOf(path, error),
      };
    }
    this.#entries.set(path, entry);
    return entry;
  }

  /** Forgets every other file. */
  keepOnly(paths: ReadonlySet<string>): void {
    if (this.#entries.size === paths.size) return;
    this.#entries = new Map([...this.#entries].filter(([path]) => paths.has(path)));
  }
}

function stampOf({ ctimeMs, size, ino }: Stats): string {
  return `${ctimeMs}:${size}:${ino}`;
}

function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // What should be a folder on the way is a file.
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

/** Node puts the path into its messages; ours stands beside them. */
function withoutPath(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'the file may not be read by this user';
  if (code === 'ELOOP') return 'the link leads back to itself';
  return messageOf(error);
}

function assertInside(root: string, path: string): void {
  const real = realpathSync.native(path);
  if (real === path) return;
  const realRoot = realpathSync.native(root);
  if (!real.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep))
    throw new FileProblem('the link leads out of the folder', 1);
}
