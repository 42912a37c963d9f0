import type { Environment } from '../process/environment.ts';
import { findBaseContent } from './base-content.ts';
import { hasSameContent, parentsOf } from './placed-file.ts';
import {
  type FileState,
  type FolderState,
  isFolder,
  isLink,
  modeOf,
  parentOf,
  specialKind,
  stateOf,
  within,
} from './tree.ts';

export type ChangeKind = 'added' | 'modified' | 'deleted';

export interface Change {
  /** Relative to the working folder, with forward slashes. */
  readonly path: string;
  readonly change: ChangeKind;
}

/** One changed path, compared with the state of the folder when the run started. */
export interface FolderChange extends Change {
  /** The state in the user's folder when the run started. Absent if there was nothing. */
  readonly base?: FileState;
  /** The state of the new content. Absent for a deletion. */
  readonly state?: FileState;
}

interface Place {
  readonly env: Environment;
  readonly storage: string;
  readonly origin: string;
  /** The folder with the new content. */
  readonly content: string;
}

/** Codex creates these empty folders as mount points, and leaves them behind when it is interrupted. */
const mountPoints = new Set(['.git', '.codex', '.agents', '.aws']);

/** Finds the changes in the upper folder of an overlay. */
export async function overlayChanges(
  place: Place,
  base: FolderState,
  upper: FolderState,
  listMerged: (folders: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<FolderChange[]> {
  const isWhiteout = (state: FileState | undefined) => state?.startsWith('c') ?? false;
  const shared = new Set(['.']);
  for (const [path, state] of upper) if (isFolder(state) && isFolder(base.get(path))) shared.add(path);
  const merged = await listMerged([...shared]);
  const deleted: string[] = [];
  for (const path of base.keys())
    if (shared.has(parentOf(path)) && !merged.has(path)) {
      // A path that is neither covered nor in the folder any more was removed by somebody else.
      const exists = isWhiteout(upper.get(path)) || (await stateOf(within(place.origin, path))) !== undefined;
      if (exists) deleted.push(path);
    }
  const present = new Map([...upper].filter(([, state]) => !isWhiteout(state)));
  return compare(base, present, deleted, place);
}

/** Finds the changes in a copy by comparing it with its own state before the run. */
export async function copyChanges(
  place: Place,
  base: FolderState,
  before: FolderState,
  after: FolderState,
): Promise<FolderChange[]> {
  const present = new Map([...after].filter(([path, state]) => before.get(path) !== state));
  const deleted = [...before.keys()].filter((path) => !after.has(path));
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
      if (deleted.has(path) || parentsOf(path).some((parent) => deleted.has(parent)))
        changes.set(path, { path, change: 'deleted', base: state });
  for (const [path, state] of present) {
    const earlier = base.get(path);
    const change = earlier === undefined ? 'added' : 'modified';
    if (await isUnchanged(place, path, state, earlier)) changes.delete(path);
    else changes.set(path, { path, change, state, ...(earlier && { base: earlier }) });
  }
  const all = [...changes.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
  const isLeftBehind = ({ path, base, state }: FolderChange) =>
    mountPoints.has(path) &&
    base === undefined &&
    isFolder(state) &&
    !all.some((other) => other.path.startsWith(`${path}/`));
  return all.filter((change) => !isLeftBehind(change));
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
  if (isFolder(state) || specialKind(state) !== undefined) return true;
  const before = await findBaseContent(place, path, base);
  return before !== undefined && (await hasSameContent(within(place.content, path), before));
}

/** The git data that contains the path, such as `nested/.git`. Applying never writes there. */
export function gitDataOf(path: string): string | undefined {
  const parts = path.split('/');
  const at = parts.findIndex((part) => part.toLowerCase() === '.git');
  return at < 0 ? undefined : parts.slice(0, at + 1).join('/');
}

/** False for git data, and for new named pipes, sockets and devices, which programs create for as long as they run. */
export function isApplicable({ path, base, state }: FolderChange): boolean {
  return gitDataOf(path) === undefined && !(base === undefined && specialKind(state) !== undefined);
}

/**
 * The changes as people read them: without folders that only contain other changes, and with one line for the data of a nested
 * repository. What git writes there when it only looks at files is left out.
 */
export function summarize(changes: readonly FolderChange[]): Change[] {
  const lines = new Map<string, Change>();
  for (const change of changes) {
    const { path, base, state } = change;
    const data = gitDataOf(path);
    if (data === undefined) lines.set(path, { path, change: change.change });
    else if (data === path && (!isFolder(state) || !isFolder(base)))
      lines.set(path, { path, change: change.change });
    else if (!lines.has(data) && !/^\/(index|.*\.lock)$|^$/.test(path.slice(data.length)))
      lines.set(data, { path: data, change: 'modified' });
  }
  const folders = new Set(changes.filter((one) => isFolder(one.state ?? one.base)).map(({ path }) => path));
  // A new folder is known from its files, and so is a deleted one. One whose permissions changed is not.
  const implied = new Set(
    [...lines.values()].flatMap(({ path, change }) =>
      change === 'modified' ? [] : parentsOf(path).filter((parent) => lines.get(parent)?.change === change),
    ),
  );
  return [...lines.values()].filter(({ path }) => !(folders.has(path) && implied.has(path)));
}
