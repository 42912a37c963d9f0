import { join } from 'node:path';
import { readJson } from '../files/json-file.ts';
import { RunDirectory } from '../files/run-directory.ts';
import type { FolderChange } from './folder-changes.ts';
import type { FileState } from './folder-state.ts';

/** One path of a delivery, as recorded before anything is changed. */
export interface Step extends FolderChange {
  /** The state of the path before the delivery, and where its content is kept for `undo`. */
  readonly before?: FileState;
  readonly backup?: string;
  /** The content to deliver, if it is not the one in `upper`. */
  readonly merged?: string;
  /** Name of the file that takes the place of the target, so that an interrupted delivery leaves nothing behind. */
  readonly temporary: string;
  /** The parent folders that the delivery created. */
  readonly parents?: readonly string[];
  /** The result. Absent until the step is done. */
  readonly done?: 'delivered' | 'kept';
  readonly reason?: string;
  /** Hash of the delivered file, or target of the delivered link. */
  readonly hash?: string;
}

export interface Journal {
  readonly state: 'started' | 'delivered' | 'undone';
  readonly steps: readonly Step[];
}

const journalName = 'delivery.json';

export async function loadJournal(storage: string): Promise<Journal | undefined> {
  return (await readJson(join(storage, journalName))) as unknown as Journal | undefined;
}

export function saveJournal(storage: string, journal: Journal): Promise<void> {
  return new RunDirectory(storage, '').writeJson(journalName, journal);
}
