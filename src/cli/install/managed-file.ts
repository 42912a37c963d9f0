import { isUtf8 } from 'node:buffer';
import { existsSync, lstatSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { replaceFile } from '../../atomic-file.ts';
import { readRegularBytesSync } from '../../regular-file.ts';
import { UsageError } from '../terminal/command.ts';

/** A file as it was before our change. Its text is `undefined` if our change created it. */
export interface Original {
  readonly text: string | undefined;
}

/** A planned change of a file. */
export interface FileChange {
  readonly file: ManagedFile;
  readonly after: string;
  /** Writes the file. */
  write(): void;
}

/** A configuration file of another program. It is replaced atomically, and a backup is kept beside it. */
export class ManagedFile {
  readonly path: string;
  readonly backupPath: string;

  constructor(path: string) {
    this.path = path;
    this.backupPath = `${path}.before-adjutant`;
    if (!existsSync(path) && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new UsageError(`${path} is a broken link; create its target or remove the link`);
  }

  /** `undefined` if the file does not exist. */
  get text(): string | undefined {
    return readText(this.path);
  }

  get backup(): string | undefined {
    return readText(this.backupPath);
  }

  backUp(): void {
    const { text } = this;
    if (text === undefined) rmSync(this.backupPath, { force: true });
    else writeFileSync(this.backupPath, text, { mode: this.#mode() });
  }

  removeBackup(): void {
    rmSync(this.backupPath, { force: true });
  }

  remove(): void {
    rmSync(this.path);
  }

  /** Replaces the file in one step, so that no reader sees half of it. If it is a link, its target is replaced. */
  replace(text: string): void {
    replaceFile(existsSync(this.path) ? realpathSync(this.path) : this.path, text);
  }

  /**
   * The file as it was before our change, if nothing else has changed since: `again` makes our change to another text. Lets a second
   * installation start from the original, and an uninstallation restore it exactly.
   */
  async original(again: (text: string) => Promise<string>): Promise<Original | undefined> {
    const text = await again(this.backup ?? '').catch(() => undefined);
    return text === this.text ? { text: this.backup } : undefined;
  }

  /** The change that adds something of ours. */
  addition(after: string, original: Original | undefined): FileChange {
    const write = () => {
      if (original === undefined) this.backUp();
      this.replace(after);
    };
    return { file: this, after, write };
  }

  /** Brings back the text of before our change. Without an original, the file only loses what we added. */
  restore(after: string, original: Original | undefined): void {
    if (original === undefined) this.backUp();
    if (original !== undefined && original.text === undefined) this.remove();
    else this.replace(after);
    if (original !== undefined) this.removeBackup();
  }

  /** Replacing a file works even if it is read-only, but then its owner does not want it changed. */
  assertWritable(): void {
    if (existsSync(this.path) && (this.#mode() & 0o222) === 0)
      throw new UsageError(`${this.path} is read-only; make it writable first. Nothing was changed`);
  }

  #mode(): number {
    return existsSync(this.path) ? statSync(this.path).mode & 0o777 : 0o600;
  }
}

function readText(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const bytes = readRegularBytesSync(path);
  if (!isUtf8(bytes)) throw new UsageError(`${path} is not UTF-8 text. Nothing was changed`);
  return bytes.toString('utf8');
}
