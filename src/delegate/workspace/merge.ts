import { isUtf8 } from 'node:buffer';
import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { readRegularBytes } from '../../regular-file.ts';
import { type Environment, mergeTexts } from '../changes/git.ts';
import { findBaseContent } from './base-content.ts';
import type { FolderChange } from './folder-changes.ts';
import { type FileState, isRegularFile } from './folder-state.ts';
import type { Workspace } from './workspace.ts';

const maxTextBytes = 4 * 1024 * 1024;

/**
 * Merges the run's version of a text with the user's version. Returns the name of the merged file in `merged`, or
 * `undefined` if both changed the same lines, the files are not text, or their common base is not known.
 */
export async function mergeFile(
  workspace: Workspace,
  { path, base, state }: FolderChange,
  target: string,
  now: FileState,
  env: Environment,
): Promise<string | undefined> {
  if (base === undefined || ![base, state, now].every(isRegularFile)) return undefined;
  const { storage } = workspace;
  const theirs = join(storage, 'upper', path);
  const baseFile = await findBaseContent(workspace, path, base);
  if (baseFile === undefined) return undefined;
  if (!(await Promise.all([theirs, target, baseFile].map(isText))).every(Boolean)) return undefined;
  const text = await mergeTexts(storage, { ours: target, base: baseFile, theirs }, env);
  if (text === undefined) return undefined;
  await disk.mkdir(join(storage, 'merged'), { recursive: true, mode: 0o700 });
  const name = crypto.randomUUID();
  await disk.writeFile(join(storage, 'merged', name), text, { mode: 0o600 });
  return name;
}

async function isText(file: string): Promise<boolean> {
  const content = await readRegularBytes(file, maxTextBytes).catch(() => undefined);
  return content !== undefined && isUtf8(content) && !content.includes(0);
}
