import { readJson } from '../process/json-file.ts';
import { type Claim, compareClaims, type Evidence, type FileEvidence } from './evidence.ts';
import { type FolderChange, summarize } from './folder-changes.ts';
import { RunDirectory } from './run-directory.ts';
import { pathInFolder } from './settle.ts';
import type { Workspace } from './workspace.ts';

/** All changes in the workspace when the last job ended. */
const observedFile = 'observed.json';

/**
 * Compares the claims of a job with what it changed in the workspace that it shares with the jobs before it. The changes stay in
 * the workspace.
 */
export async function observeJob(workspace: Workspace, claims: readonly Claim[]): Promise<Evidence> {
  const { storage, folder, origin, kind } = workspace;
  const known = await readJson(`${storage}/${observedFile}`);
  const earlier = (known?.['changes'] ?? []) as readonly FolderChange[];
  const now = await workspace.findChanges();
  await new RunDirectory(storage, '').writeJson(observedFile, { changes: now });
  const paths = claims.map(({ path }) => ({ path: pathInFolder(path, folder, origin) }));
  const { files, omitted } = await compareClaims(paths, summarize(since(earlier, now)), origin);
  return { method: kind, complete: true, omitted, files: seenWith(now, files) };
}

/** What earlier work has made exists, but not in the folder yet. */
export function seenWith(
  changes: readonly FolderChange[],
  files: readonly FileEvidence[],
): readonly FileEvidence[] {
  const present = new Set(changes.flatMap(({ path, state }) => (state === undefined ? [] : [path])));
  return files.map((one) =>
    one.status === 'missing' && present.has(one.path) ? { ...one, status: 'unchanged' } : one,
  );
}

/** What differs between two lists of changes of the same folder. */
function since(earlier: readonly FolderChange[], now: readonly FolderChange[]): FolderChange[] {
  const before = new Map(earlier.map((one) => [one.path, one]));
  const after = new Set(now.map(({ path }) => path));
  const changed = now.flatMap(({ path, base, state }): FolderChange[] => {
    const one = before.get(path);
    if (one !== undefined && one.state === state) return [];
    const from = one === undefined ? base : one.state;
    const change = state === undefined ? 'deleted' : from === undefined ? 'added' : 'modified';
    return [{ path, change, ...(from && { base: from }), ...(state && { state }) }];
  });
  // A job can take back what an earlier one did.
  const reverted = earlier
    .filter(({ path }) => !after.has(path))
    .map(({ path, base, state }): FolderChange => {
      const change = base === undefined ? 'deleted' : state === undefined ? 'added' : 'modified';
      return { path, change, ...(state && { base: state }), ...(base && { state: base }) };
    });
  return [...changed, ...reverted];
}
