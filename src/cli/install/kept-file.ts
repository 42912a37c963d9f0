import { isUtf8 } from 'node:buffer';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { readRegularBytesSync } from '../../regular-file.ts';
import { UsageError } from '../terminal/command.ts';

/** A file that belongs to another program: read as it is, replaced as a whole, and kept as it was beside it. */
export class ManagedFile {
  readonly path: string;
  readonly backupPath: string;

  constructor(path: string) {
    this.path = path;
    this.backupPath = `${path}.before-adjutant`;
    if (!existsSync(path) && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new UsageError(`${path} is a link to nothing; make its target or remove it`);
  }

  /** Nothing where there is no file. */
  get text(): string | undefined {
    return textOf(this.path);
  }

  get backup(): string | undefined {
    return textOf(this.backupPath);
  }

  backUp(): void {
    const { text } = this;
    if (text === undefined) rmSync(this.backupPath, { force: true });
    else writeFileSync(this.backupPath, text, { mode: this.#mode() });
  }

  /** The backup is no longer needed. */
  forget(): void {
    rmSync(this.backupPath, { force: true });
  }

  remove(): void {
    rmSync(this.path);
  }

  /** In one step, so that nobody ever reads half a file. A link goes on leading to where it did. */
  replace(text: string): void {
    mkdirSync(dirname(this.path), { recursive: true });
    const target = existsSync(this.path) ? realpathSync(this.path) : this.path;
    const draft = `${target}.${process.pid}.tmp`;
    try {
      writeFileSync(draft, text, { mode: this.#mode() });
      renameSync(draft, target);
    } catch (error) {
      rmSync(draft, { force: true });
      // Nobody has heard of the draft.
      throw Object.assign(error as Error, { path: this.path });
    }
  }

  /** To replace a file one needs no permission to write it, but whoever took that away had a reason. */
  assertWritable(): void {
    if (existsSync(this.path) && (this.#mode() & 0o222) === 0)
      throw new UsageError(`${this.path} is read-only; make it writable first, nothing was changed`);
  }

  #mode(): number {
    return existsSync(this.path) ? statSync(this.path).mode & 0o777 : 0o600;
  }
}

function textOf(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const bytes = readRegularBytesSync(path);
  if (!isUtf8(bytes)) throw new UsageError(`${path} is not UTF-8 text; nothing was changed`);
  return bytes.toString('utf8');
}
