import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { readJson } from '../process/json-file.ts';
import { type FolderChange, summarize } from './folder-changes.ts';
import { changesState, loadJournal } from './journal.ts';
import { workspaceFolder } from './workspace.ts';

/** Changes of a run, or of the jobs of an autopilot, that are only in the folder of the run. */
export interface WaitingChanges {
  readonly files: number;
  /** Files that were not applied because they also changed in the user's folder. */
  readonly conflicts: number;
  /** True if the changes of another job of the run are applied, such as those of the best candidate. */
  readonly isPartlyApplied: boolean;
}

/** Returns `undefined` if nothing waits to be applied. */
export async function waitingChanges(runFolder: string): Promise<WaitingChanges | undefined> {
  const jobs = await disk.readdir(join(runFolder, 'subruns')).catch(() => []);
  const storages = [runFolder, ...jobs.map((job) => join(runFolder, 'subruns', job))].map((folder) =>
    join(folder, workspaceFolder),
  );
  const states = await Promise.all(storages.map(changesState));
  const waiting = storages.filter((_, index) => states[index] === 'waiting');
  if (waiting.length === 0) return undefined;
  let files = 0;
  let conflicts = 0;
  for (const storage of waiting) {
    const { changes = [] } = ((await readJson(join(storage, 'changes.json'))) ?? {}) as {
      readonly changes?: readonly FolderChange[];
    };
    files += summarize(changes).length;
    const steps = (await loadJournal(storage))?.steps ?? [];
    conflicts += steps.filter(({ done }) => done === 'kept').length;
  }
  return { files, conflicts, isPartlyApplied: states.includes('applied') };
}
