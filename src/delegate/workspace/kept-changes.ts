import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../failure.ts';
import { type Conflict, type DeliveryOptions, redeliver } from './delivery.ts';
import { loadJournal } from './journal.ts';
import type { Workspace } from './workspace.ts';

/** What was done with the changes of an isolated run. */
export interface ChangedFiles {
  readonly files: readonly string[];
  /** Files that stay as they are, and why. */
  readonly conflicts: readonly Conflict[];
}

/** Delivers the changes that a run has kept: those of a failed run, or those that were in conflict. */
export async function deliverKept(
  id: string,
  workspace: Workspace,
  options: DeliveryOptions,
): Promise<ChangedFiles> {
  const journal = await loadJournal(workspace.storage);
  if (journal?.state === 'delivered' && journal.steps.every(({ done }) => done === 'delivered'))
    return { files: [], conflicts: [] };
  const isKept = await disk.stat(join(workspace.storage, 'upper')).then(
    () => true,
    () => false,
  );
  if (journal?.state === 'undone' && !isKept)
    throw new Failure(
      'refused',
      `The changes of run ${id} were undone and are not kept. Run the task again.`,
    );
  const { delivered, conflicts } = await redeliver(workspace, options);
  if (conflicts.length === 0) await workspace.discardContent();
  return { files: delivered.map(({ path }) => path), conflicts };
}
