import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../failure.ts';
import { type Conflict, type DeliveryOptions, redeliver } from './delivery.ts';
import { type Journal, loadJournal } from './journal.ts';
import type { Workspace } from './workspace.ts';

/** What was done with the changes of an isolated run. */
export interface ChangedFiles {
  readonly files: readonly string[];
  /** Files that stay as they are, and why. */
  readonly conflicts: readonly Conflict[];
}

/** Where the changes of an isolated run are: only in its own folder, in the user's folder, or nowhere. */
export type DeliveryState = 'nothing' | 'kept' | 'delivered' | 'undone';

/** `storage` is the folder of the run's workspace. */
export async function deliveryState(storage: string): Promise<DeliveryState> {
  const journal = await loadJournal(storage);
  if (isDelivered(journal)) return 'delivered';
  if (existsSync(join(storage, 'upper'))) return 'kept';
  return journal?.state === 'undone' ? 'undone' : 'nothing';
}

function isDelivered(journal: Journal | undefined): boolean {
  return journal?.state === 'delivered' && journal.steps.every(({ done }) => done === 'delivered');
}

/** Delivers the changes that a run has kept: those of a failed run, or those that were in conflict. */
export async function deliverKept(
  id: string,
  workspace: Workspace,
  options: DeliveryOptions,
): Promise<ChangedFiles> {
  const journal = await loadJournal(workspace.storage);
  if (isDelivered(journal)) return { files: [], conflicts: [] };
  if ((await deliveryState(workspace.storage)) === 'undone')
    throw new Failure(
      'refused',
      `The changes of run ${id} were undone and are not kept. Run the task again.`,
    );
  const { delivered, conflicts } = await redeliver(workspace, options);
  if (conflicts.length === 0) await workspace.discardContent();
  return { files: delivered.map(({ path }) => path), conflicts };
}
