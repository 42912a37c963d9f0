import { constants, promises as disk } from 'node:fs';
import { join } from 'node:path';
import {
  type ApplyOptions,
  type ChangedPaths,
  holdFolder,
  put,
  reasonOf,
  resultOf,
  selection,
} from './apply.ts';
import { preserveForOthers } from './base-content.ts';
import { loadJournal, type Step, saveJournal } from './journal.ts';
import { contentHash, folderOf, isLike, linkAbove, makeParents, parentsOf, withMode } from './placed-file.ts';
import { limitStep } from './step-limit.ts';
import { isFolder, modeOf, stateOf, within } from './tree.ts';
import type { Workspace } from './workspace.ts';

/**
 * Takes applied changes back, path by path: contents, permissions, links and folders. A path that was changed afterwards stays
 * as it is. `undefined` if nothing is applied.
 */
export function undoChanges(workspace: Workspace, options: ApplyOptions): Promise<ChangedPaths | undefined> {
  return holdFolder(workspace, options, async (assertHeld) => {
    const journal = await loadJournal(workspace.storage);
    if (journal?.state !== 'delivered') return undefined;
    const isSelected = selection(options.paths);
    const written = journal.steps.filter(
      (step) =>
        step.done === 'delivered' &&
        !step.isUntouched &&
        // Earlier versions had no such flag.
        (step.state === undefined || isFolder(step.state) || step.hash !== undefined),
    );
    if (written.length === 0) return undefined;
    const selected = written.filter(({ path }) => isSelected(path));
    // A file needs its folder, and a folder that the run created goes with its last file.
    const above = new Set(selected.flatMap(({ path }) => parentsOf(path)));
    const steps = written.filter((step) => selected.includes(step) || above.has(step.path));
    const undone: Step[] = [];
    const failed: Step[] = [];
    for (const step of steps.toReversed()) {
      const reason = await limitStep(
        (signal) => undoStep(workspace, step, assertHeld, signal),
        options.signal,
      ).catch(reasonOf);
      if (reason === undefined) undone.push(step);
      else if (selected.includes(step)) failed.push({ ...step, done: 'kept', reason });
    }
    for (const { path, before } of undone.toReversed())
      if (isFolder(before)) await disk.chmod(within(workspace.origin, path), modeOf(before!)).catch(() => {});
    await keepOriginals(workspace, undone);
    const isUndone = new Set(undone);
    // What failed stays applied, so that it can be undone later.
    const left = journal.steps.map((step): Step => (isUndone.has(step) ? { ...step, done: 'undone' } : step));
    await saveJournal(workspace.storage, { ...journal, steps: left });
    return { ...resultOf([...undone.toReversed(), ...failed.toReversed()]), marked: [] };
  });
}

/** If the changes are applied again, the original contents are the common base of a merge. */
async function keepOriginals({ origin, storage }: Workspace, undone: readonly Step[]): Promise<void> {
  const originals = undone.flatMap(({ path, base, before, backup }) =>
    backup !== undefined && before !== undefined && before === base
      ? [{ path, state: before, file: join(storage, 'before', backup) }]
      : [],
  );
  await preserveForOthers([{ folder: origin, storage }], origin, originals);
}

/** Returns the reason why the path stays as it is. */
async function undoStep(
  { origin, storage }: Workspace,
  step: Step,
  assertHeld: () => void,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { path, state, before, backup, hash } = step;
  const target = within(origin, path);
  const changed = 'it was changed after it was applied';
  const link = await linkAbove(origin, path);
  if (link !== undefined) return `${link} is a link now`;
  const now = await stateOf(target);
  const saved = backup === undefined ? '' : join(storage, 'before', backup);
  const mode = before === undefined ? undefined : modeOf(before);
  // An undo that was interrupted may have done this step already.
  if (await isLike(target, now, before, saved === '' ? '' : await contentHash(saved))) return undefined;
  const isFree = state === undefined && isFolder(before) && isFolder(now);
  if (!isFree && !(await isLike(target, now, state, hash, step.mode))) return changed;
  signal.throwIfAborted();
  assertHeld();
  if (before !== undefined) await makeParents(origin, path);
  await withMode(folderOf(origin, path), constants.S_IRWXU, () =>
    put(origin, path, now, before, saved, { mode, signal }),
  );
  for (const folder of (step.parents ?? []).toReversed())
    await disk.rmdir(within(origin, folder)).catch(() => {});
  return undefined;
}
