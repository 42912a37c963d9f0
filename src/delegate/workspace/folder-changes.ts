import { promises as disk } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ChangeKind } from '../changes/snapshot.ts';
import type { Environment } from '../launch/environment.ts';
import { findBaseContent, snapshotLayer } from './base-content.ts';
import {
  type FileState,
  type FolderState,
  isFolder,
  isLink,
  loadFolderState,
  modeOf,
  recordFolder,
  sameState,
  specialKind,
  stateOf,
} from './folder-state.ts';
import { hasSameContent } from './placed-file.ts';

/** One changed path, compared with the state of the folder when the run started. */
export interface FolderChange {
  /** Relative to the folder, with forward slashes. */
  readonly path: string;
  readonly change: ChangeKind;
  /** The state in the user's folder when the run started. Absent if there was nothing. */
  readonly base?: FileState;
  /** The state of the new content in `upper`. Absent for a deletion. */
  readonly state?: FileState;
}

interface Place {
  readonly env: Environment;
  readonly storage: string;
  readonly origin: string;
  readonly folder: string;
}

/** False for what an agent leaves behind without meaning to change the folder. */
export function isDeliverable(change: FolderChange): boolean {
  // Codex creates these empty folders as mount points, and leaves them behind when it is interrupted.
  if (isFolder(change.state) && /^\.[^/]+$/.test(change.path)) return false;
  return !isLeftover(change);
}

/** True for a new named pipe, socket or device. Programs create them for as long as they run. */
export function isLeftover({ base, state }: FolderChange): boolean {
  return base === undefined && specialKind(state) !== undefined;
}

/** Reads the changes from the upper folder of an overlay. */
export async function overlayChanges(
  place: Place,
  base: FolderState,
  listMerged: (folders: readonly string[]) => Promise<readonly string[]>,
  excluded: readonly string[],
): Promise<FolderChange[]> {
  const { storage, origin, env } = place;
  const { files: upper } = await recordFolder(
    join(storage, 'upper'),
    join(storage, 'changed'),
    excluded,
    env,
  );
  const shared = [
    '.',
    ...[...upper]
      .filter(([path, state]) => isFolder(state) && isFolder(base.get(path)))
      .map(([path]) => path),
  ];
  const merged = new Set(await listMerged(shared));
  const children = childrenOf(base, new Set(shared));
  const deleted: string[] = [];
  for (const path of children) {
    const whiteout = upper.get(path)?.startsWith('c') ?? false;
    // A path that is neither covered nor in the folder any more was removed by somebody else.
    if (
      !merged.has(path) &&
      (whiteout || (await exists(join(origin, path))) || (await exists(join(storage, snapshotLayer, path))))
    )
      deleted.push(path);
  }
  const isWhiteout = (state: FileState) => state.startsWith('c');
  const present = new Map([...upper].filter(([, state]) => !isWhiteout(state)));
  return compare(base, present, deleted, place);
}

/** Finds the changes in a copy by comparing it with its own state before the run. Moves the new content to `upper`. */
export async function copyChanges(
  place: Place,
  base: FolderState,
  excluded: readonly string[],
  signal: AbortSignal,
): Promise<FolderChange[]> {
  const { storage, folder, env } = place;
  const before = await loadFolderState(join(storage, 'copied'));
  const upperFolder = join(storage, 'upper');
  // A process that was killed may have moved some of the content already.
  const { files: moved } = await recordFolder(upperFolder, join(storage, 'changed'), [], env);
  const { files: after } = await recordFolder(folder, join(storage, 'changed'), excluded, env);
  const present = new Map([...moved].filter(([, state]) => !isFolder(state)));
  for (const [path, state] of after) {
    if (sameState(before.get(path), state)) continue;
    signal.throwIfAborted();
    const target = join(upperFolder, path);
    await disk.mkdir(isFolder(state) ? target : dirname(target), { recursive: true });
    if (!isFolder(state)) await disk.rename(join(folder, path), target);
    present.set(path, (await stateOf(target))!);
  }
  const deleted = [...before.keys()].filter((path) => !after.has(path) && !moved.has(path));
  return compare(base, present, deleted, place);
}

async function compare(
  base: FolderState,
  present: FolderState,
  deletedPaths: readonly string[],
  place: Place,
): Promise<FolderChange[]> {
  const changes = new Map<string, FolderChange>();
  const deleted = new Set(deletedPaths.filter((path) => base.has(path)));
  // Files below a folder that became something else are gone too.
  for (const [path, state] of present) if (isFolder(base.get(path)) && !isFolder(state)) deleted.add(path);
  if (deleted.size > 0)
    for (const [path, state] of base)
      if (isBelowAny(path, deleted)) changes.set(path, { path, change: 'deleted', base: state });
  for (const [path, state] of present) {
    const earlier = base.get(path);
    const change = {
      path,
      change: earlier === undefined ? 'added' : 'modified',
      state,
      ...(earlier && { base: earlier }),
    } as const;
    if (isFolder(state)) {
      if (isFolder(earlier)) continue;
      // A file that became a folder must be removed first.
      if (earlier !== undefined) changes.set(path, { path, change: 'deleted', base: earlier });
      else if (!hasChildren(path, present)) changes.set(path, change);
    } else if (!(await isUnchanged(place, path, state, earlier))) changes.set(path, change);
    else changes.delete(path);
  }
  return [...changes.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** True if a file was only opened for writing, or written with the content it had. */
async function isUnchanged(
  place: Place,
  path: string,
  state: FileState,
  base: FileState | undefined,
): Promise<boolean> {
  if (base === undefined || state[0] !== base[0] || (!isLink(state) && modeOf(state) !== modeOf(base)))
    return false;
  // The times of a named pipe change whenever a program uses it.
  if (specialKind(state) !== undefined) return true;
  const before = await findBaseContent(place, path, base);
  return before !== undefined && (await hasSameContent(join(place.storage, 'upper', path), before));
}

async function exists(path: string): Promise<boolean> {
  return (await stateOf(path)) !== undefined;
}

/** The paths whose parent is one of the folders. */
function childrenOf(state: FolderState, folders: ReadonlySet<string>): string[] {
  return [...state.keys()].filter((path) => folders.has(dirname(path)));
}

function isBelowAny(path: string, folders: ReadonlySet<string>): boolean {
  for (let parent = path; parent !== '.'; parent = dirname(parent)) if (folders.has(parent)) return true;
  return false;
}

function hasChildren(folder: string, state: FolderState): boolean {
  for (const path of state.keys()) if (path.startsWith(`${folder}/`)) return true;
  return false;
}
