import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readJson } from '../process/json-file.ts';
import { type FolderChange, isApplicable } from './folder-changes.ts';
import { RunDirectory } from './run-directory.ts';
import type { FileState } from './tree.ts';

/** One path, as recorded before anything is changed. */
export interface Step extends FolderChange {
  /** The state of the path before it was changed, and where its content is kept for `undo`. */
  readonly before?: FileState;
  readonly backup?: string;
  /** The content to write, if it is not the one of the run. */
  readonly merged?: string;
  readonly isMarked?: boolean;
  /** The permissions to set on a file. */
  readonly mode?: number;
  /** Name of the file that takes the place of the target, so that an interruption leaves nothing behind. */
  readonly temporary: string;
  /** The parent folders that had to be created. */
  readonly parents?: readonly string[];
  /** The result. Absent until the step is done. */
  readonly done?: 'delivered' | 'kept' | 'undone';
  readonly reason?: string;
  /** Hash of the written file, or target of the written link. */
  readonly hash?: string;
  /** True if nothing was written, because the folder has the content already or keeps its own. */
  readonly isUntouched?: boolean;
}

export interface Journal {
  /** `undone` is written by earlier versions only. */
  readonly state: 'started' | 'delivered' | 'undone';
  readonly steps: readonly Step[];
}

const journalName = 'delivery.json';

export async function loadJournal(storage: string): Promise<Journal | undefined> {
  return (await readJson(join(storage, journalName))) as unknown as Journal | undefined;
}

/** True if changes were applied, or if that was tried. */
export function hasJournal(storage: string): boolean {
  return existsSync(join(storage, journalName));
}

export function saveJournal(storage: string, journal: Journal): Promise<void> {
  return new RunDirectory(storage, '').writeJson(journalName, journal);
}

/** Where the changes of a run are: nowhere, only in its workspace, on a branch, or in the user's folder. */
export type ChangesState = 'none' | 'waiting' | 'branch' | 'applied' | 'undone';

/** `storage` is the folder of the run's workspace. */
export async function changesState(storage: string): Promise<ChangesState> {
  const journal = await loadJournal(storage);
  if (journal?.state === 'delivered' && journal.steps.every(({ done }) => done !== 'kept')) {
    const written = journal.steps.filter(({ isUntouched }) => !isUntouched);
    const isUndone = written.length > 0 && written.every(({ done }) => done === 'undone');
    return isUndone ? 'undone' : 'applied';
  }
  if (existsSync(join(storage, 'branch.json'))) return 'branch';
  if (existsSync(join(storage, 'upper')) || existsSync(join(storage, 'copy'))) {
    const known = await readJson(join(storage, 'changes.json'));
    const changes = known?.['changes'] as readonly FolderChange[] | undefined;
    return changes === undefined || changes.some(isApplicable) ? 'waiting' : 'none';
  }
  return journal?.state === 'undone' ? 'undone' : 'none';
}
