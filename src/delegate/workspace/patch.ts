import { isUtf8 } from 'node:buffer';
import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { copyRegularFile, type FilePath } from '../../regular-file.ts';
import { findBaseContent } from './base-content.ts';
import { type FolderChange, gitDataOf } from './folder-changes.ts';
import { diffFolders } from './git.ts';
import { isRegularFile, parentOf, within } from './tree.ts';
import type { Workspace } from './workspace.ts';

/** File in the run directory with the changes of the run. */
export const patchFile = 'changes.patch';
/** Limits that keep the patch cheap. Larger files appear only in the evidence; with more files there is no patch at all. */
const limits = { fileBytes: 1024 * 1024, patchBytes: 4 * 1024 * 1024 };
export const maxPatchFiles = 3_000;

/** Compares the content that the run started from with what it made of it. Omits large files and those that are not text. */
export async function createPatch(
  workspace: Workspace,
  changes: readonly FolderChange[],
): Promise<string | undefined> {
  const files = changes.filter(
    ({ path, base, state }) => gitDataOf(path) === undefined && (isRegularFile(base) || isRegularFile(state)),
  );
  if (files.length === 0 || files.length > maxPatchFiles) return undefined;
  const { storage, content, env } = workspace;
  const place = join(storage, 'patch');
  try {
    for (const side of ['a', 'b']) await disk.mkdir(join(place, side), { recursive: true });
    for (const { path, base, state } of files) {
      const before = base === undefined ? '' : await findBaseContent(workspace, path, base);
      if (before === undefined) continue;
      if (isRegularFile(base)) await copyForPatch(before, join(place, 'a'), path);
      if (isRegularFile(state)) await copyForPatch(within(content, path), join(place, 'b'), path);
    }
    return shortenPatch(await diffFolders(place, 'a', 'b', env));
  } finally {
    await disk.rm(place, { recursive: true, force: true });
  }
}

async function copyForPatch(source: FilePath, side: string, path: string): Promise<void> {
  if ((await disk.stat(source)).size > limits.fileBytes) return;
  if (path.includes('/')) await disk.mkdir(within(side, parentOf(path)), { recursive: true });
  await copyRegularFile(source, within(side, path));
}

/** Shortens a patch by whole files and comments out binary files, so that `git apply` accepts the rest. */
function shortenPatch(patch: Buffer): string | undefined {
  const files = splitFiles(patch).map(asText);
  let remaining = limits.patchBytes;
  const end = files.findIndex((file) => {
    remaining -= file.length;
    return remaining < 0;
  });
  if (end === -1) return files.join('') || undefined;
  const omitted = files.length - end;
  return `${files.slice(0, end).join('')}# ${omitted} more files were changed; evidence.json names them.\n`;
}

/** Content lines in a patch start with a space, `+` or `-`, so `diff --git` at the start of a line begins a new file. */
function splitFiles(patch: Buffer): Buffer[] {
  const files: Buffer[] = [];
  for (let at = 0; at < patch.length; ) {
    const next = patch.indexOf('\ndiff --git ', at);
    const end = next === -1 ? patch.length : next + 1;
    files.push(patch.subarray(at, end));
    at = end;
  }
  return files;
}

/** Replaces a file that is not text with a comment. */
function asText(file: Buffer): string {
  const text = file.toString();
  const binary = /^Binary files .* differ$/m.exec(text)?.[0];
  if (binary !== undefined) return `# ${binary}\n`;
  return isUtf8(file)
    ? text
    : `${text.slice(0, text.indexOf('\n')).replace('diff --git', '#')}: not in UTF-8\n`;
}
