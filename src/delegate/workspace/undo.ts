import { promises as disk } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../json.ts';
import type { Change } from '../changes/snapshot.ts';
import { type Conflict, type DeliveryOptions, holdFolder } from './delivery.ts';
import { isFolder, modeOf, stateOf } from './folder-state.ts';
import { loadJournal, type Step, saveJournal } from './journal.ts';
import { contentHash, makeParents, replace } from './placed-file.ts';
import { limitStep } from './step-limit.ts';
import type { Workspace } from './workspace.ts';

export interface Undone {
  readonly undone: readonly Change[];
  readonly conflicts: readonly Conflict[];
}

/**
 * Takes a delivery back, path by path, or only some of its paths. A path that was changed after the delivery stays as it
 * is.
 */
export function undoDelivery(
  workspace: Workspace,
  options: DeliveryOptions,
  paths?: readonly string[],
): Promise<Undone | undefined> {
  return holdFolder(workspace, options, async (assertHeld) => {
    const journal = await loadJournal(workspace.storage);
    if (journal?.state !== 'delivered') return undefined;
    const undone: Change[] = [];
    const conflicts: Conflict[] = [];
    for (const step of journal.steps.toReversed()) {
      if (paths !== undefined && !paths.includes(step.path)) continue;
      // A step without a hash found its content already there, so the delivery did not write it.
      if (
        step.done !== 'delivered' ||
        (step.state !== undefined && step.hash === undefined && !isFolder(step.state))
      )
        continue;
      const { path, change } = step;
      const reason = await limitStep(
        (signal) => undoStep(workspace, step, assertHeld, signal),
        options.signal,
      ).catch(messageOf);
      if (reason !== undefined) conflicts.push({ path, reason });
      else if (!isFolder(step.state ?? step.base)) undone.push({ path, change });
    }
    // To undo a path again changes nothing, so paths that are undone one by one need no record.
    if (paths === undefined) await saveJournal(workspace.storage, { ...journal, state: 'undone' });
    return { undone, conflicts };
  });
}

/** Returns the reason why the path stays as it is. */
async function undoStep(
  { origin, storage }: Workspace,
  step: Step,
  assertHeld: () => void,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { path, state, before, backup, hash } = step;
  const target = join(origin, path);
  const now = await stateOf(target);
  if (isFolder(state ?? before)) {
    if (state !== undefined && now !== undefined) await disk.rmdir(target).catch(() => {});
    return undefined;
  }
  const saved = backup === undefined ? undefined : join(storage, 'before', backup);
  const restored = saved === undefined ? undefined : await contentHash(saved);
  const current = now === undefined ? undefined : await contentHash(target);
  // An undo that was interrupted may have done this step already.
  if (current === restored) return undefined;
  if (current !== (state === undefined ? undefined : hash)) return 'it was changed after the delivery';
  signal.throwIfAborted();
  assertHeld();
  if (saved !== undefined) {
    await makeParents(origin, path);
    await replace(saved, target, modeOf(before!), signal);
    return undefined;
  }
  await disk.rm(target, { force: true });
  await removeEmptyParents(origin, step);
  return undefined;
}

async function removeEmptyParents(origin: string, { path, parents = [] }: Step): Promise<void> {
  for (let folder = dirname(path); parents.includes(folder); folder = dirname(folder))
    await disk.rmdir(join(origin, folder)).catch(() => {});
}
