import { chmodSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Replaces a file in one step, so that other programs see the old content or the new one and never a part of it, also after a
 * crash or on a full disk. Creates its folder. A file that exists keeps its permissions; a new one gets `mode`. A symbolic link is
 * replaced, not its target: to keep a link, pass its real path.
 */
export function replaceFile(file: string, content: string | Uint8Array, mode = 0o600): void {
  // No program takes a file with this extension for one of its own.
  const draft = `${file}.${process.pid}-${crypto.randomUUID()}.tmp`;
  try {
    // Who may read the file may also enter the folder.
    mkdirSync(dirname(file), { recursive: true, mode: mode | 0o100 | ((mode & 0o044) >> 2) });
    const known = statSync(file, { throwIfNoEntry: false });
    writeFileSync(draft, content, { mode, flag: 'wx' });
    if (known !== undefined) chmodSync(draft, known.mode & 0o777);
    renameSync(draft, file);
  } catch (error) {
    discard(draft);
    // Name the file in the error, not the draft.
    throw Object.assign(error as Error, { path: file });
  }
}

/** Deletes a file, unless its disk is read-only. */
function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {}
}
