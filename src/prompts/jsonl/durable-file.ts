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

/** New content of a file, already on disk. The file does not change before `commit`. */
export interface Replacement {
  commit(): void;
  discard(): void;
}

/** Writes the new content to a temporary file beside the target and flushes it to disk. */
export function prepareReplacement(path: string, content: Buffer): Replacement {
  const target = realPath(path);
  const temporary = join(dirname(target), `.${basename(target)}.new`);
  const mode = statSync(target, { throwIfNoEntry: false })?.mode ?? 0o600;
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

/** Appends lines and flushes them to disk. Rolls back a partial write. Returns a function that removes the lines again. */
export function appendDurably(path: string, lines: string): () => void {
  const isNew = statSync(path, { throwIfNoEntry: false }) === undefined;
  let size = 0;
  const undo = () => withFile(path, 'r+', (file) => ftruncateSync(file, size));
  withFile(path, 'a+', (file) => {
    size = fstatSync(file).size;
    try {
      // The last writer may have crashed in the middle of a line.
      writeAll(file, Buffer.from(endsWithoutLineFeed(file, size) ? `\n${lines}` : lines));
    } catch (error) {
      ftruncateSync(file, size);
      throw error;
    }
  });
  if (isNew) syncFolder(dirname(path));
  return undo;
}

/** Never leaves a partial copy behind. */
export function copyAtomically(from: string, to: string): void {
  const temporary = `${to}.new`;
  try {
    copyFileSync(from, temporary, constants.COPYFILE_FICLONE);
    renameSync(temporary, to);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function withFile(path: string, flags: string, work: (file: number) => void, mode = 0o600): void {
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

function endsWithoutLineFeed(file: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
}

/** Resolves a symbolic link, so that its target is replaced and not the link. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** Flushes the folder, so that a new or renamed file survives a crash. Windows cannot open folders and needs no flush. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  withFile(folder, 'r', () => {});
}
