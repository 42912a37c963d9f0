import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A file that is ready to take another's place. Until it does, nothing has changed. */
export interface Replacement {
  commit(): void;
  discard(): void;
}

/** Writes the new content beside the file, down to the disk. */
export function prepareReplacement(path: string, content: Buffer): Replacement {
  const target = realPath(path);
  const temporary = join(dirname(target), `.${basename(target)}.new`);
  const mode = statSync(target, { throwIfNoEntry: false })?.mode ?? 0o644;
  const discard = () => rmSync(temporary, { force: true });
  try {
    withFile(temporary, 'w', (file) => writeAll(file, content), mode);
  } catch (error) {
    discard();
    throw error;
  }
  return {
    discard,
    commit() {
      renameSync(temporary, target);
      syncFolder(dirname(target));
    },
  };
}

/** Adds lines to a file, down to the disk; what cannot be added whole is not added at all. Tells how to take it back. */
export function appendDurably(path: string, lines: string): () => void {
  const isNew = statSync(path, { throwIfNoEntry: false }) === undefined;
  let size = 0;
  const undo = () => withFile(path, 'r+', (file) => ftruncateSync(file, size));
  withFile(path, 'a+', (file) => {
    size = fstatSync(file).size;
    try {
      // The last writer may have died in the middle of a line.
      writeAll(file, Buffer.from(endsWithin(file, size) ? `\n${lines}` : lines));
    } catch (error) {
      ftruncateSync(file, size);
      throw error;
    }
  });
  if (isNew) syncFolder(dirname(path));
  return undo;
}

/** A copy that is there whole or not at all. */
export function copyWhole(from: string, to: string): void {
  const temporary = `${to}.new`;
  try {
    copyFileSync(from, temporary, constants.COPYFILE_FICLONE);
    renameSync(temporary, to);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function withFile(path: string, flags: string, work: (file: number) => void, mode?: number): void {
  const file = openSync(path, flags, mode);
  try {
    work(file);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function writeAll(file: number, content: Buffer): void {
  for (let written = 0; written < content.length; ) written += writeSync(file, content, written);
}

function endsWithin(file: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
}

/** A link stays a link: what it leads to is replaced. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** A new name is on disk only when its folder is. Where folders cannot be opened the system does it by itself. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  withFile(folder, 'r', () => {});
}
