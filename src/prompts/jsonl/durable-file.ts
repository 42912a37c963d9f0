import { promises as disk, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** New content of a file, already on disk. The file does not change before `commit`. */
export interface Replacement {
  commit(): Promise<void>;
  discard(): Promise<void>;
}

/** Writes the new content to a temporary file beside the target and flushes it to disk, which other requests do not wait for. */
export async function prepareReplacement(path: string, content: Buffer): Promise<Replacement> {
  const target = realPath(path);
  const temporary = join(dirname(target), `.${basename(target)}.new`);
  const mode = statSync(target, { throwIfNoEntry: false })?.mode ?? 0o600;
  const discard = () => disk.rm(temporary, { force: true });
  try {
    await withFile(temporary, 'w', (file) => file.writeFile(content), mode);
  } catch (error) {
    await discard();
    throw error;
  }
  return {
    discard,
    async commit() {
      await disk.rename(temporary, target);
      await syncFolder(dirname(target));
    },
  };
}

/** Appends lines and flushes them to disk. Rolls back a partial write. Resolves to a function that removes the lines again. */
export async function appendDurably(path: string, lines: string): Promise<() => Promise<void>> {
  const isNew = statSync(path, { throwIfNoEntry: false }) === undefined;
  let size = 0;
  await withFile(path, 'a+', async (file) => {
    ({ size } = await file.stat());
    try {
      // The last writer may have crashed in the middle of a line.
      await file.writeFile((await endsWithoutLineFeed(file, size)) ? `\n${lines}` : lines);
    } catch (error) {
      await file.truncate(size);
      throw error;
    }
  });
  if (isNew) await syncFolder(dirname(path));
  return () => withFile(path, 'r+', (file) => file.truncate(size));
}

/** Never leaves a partial copy behind. */
export async function copyAtomically(from: string, to: string): Promise<void> {
  const temporary = `${to}.new`;
  try {
    await disk.copyFile(from, temporary, disk.constants.COPYFILE_FICLONE);
    await disk.rename(temporary, to);
  } catch (error) {
    await disk.rm(temporary, { force: true });
    throw error;
  }
}

async function withFile(
  path: string,
  flags: string,
  work: (file: disk.FileHandle) => Promise<void>,
  mode = 0o600,
): Promise<void> {
  const file = await disk.open(path, flags, mode);
  try {
    await work(file);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function endsWithoutLineFeed(file: disk.FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false;
  const { bytesRead, buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return bytesRead === 1 && buffer[0] !== 0x0a;
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
async function syncFolder(folder: string): Promise<void> {
  if (process.platform !== 'win32') await withFile(folder, 'r', async () => {});
}
