import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '../../feature.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';

/** The prompts of a server, with a notification of every change. */
export interface FollowedPrompts {
  entries(): Promise<readonly CatalogEntry[]>;
  /** Those of the entries that clients list. */
  exposed(entries: readonly CatalogEntry[]): Promise<readonly CatalogEntry[]>;
  subscribe(listener: () => void): () => void;
}

/** The list of folders that this Adjutant writes. */
export function nativeListFile(stateDir: string): string {
  return join(stateDir, 'native-prompts.json');
}

/** Commands that are still installed although clients list their prompts no longer. */
export async function nativeProblems(
  prompts: Pick<FollowedPrompts, 'entries' | 'exposed'>,
  stateDir: string,
): Promise<readonly Problem[]> {
  if (!existsSync(nativeListFile(stateDir))) return [];
  try {
    const { NativePrompts } = await import('./native-prompts.ts');
    const reports = await new NativePrompts(stateDir, prompts).sync({ dry: true, keepsUnlisted: true });
    return reports.flatMap(({ folder, unlisted }): readonly Problem[] => {
      const message = `clients no longer list ${unlisted.join(', ')}`;
      const remedy = 'adjutant install --sync removes them';
      return unlisted.length === 0 ? [] : [{ file: folder, severity: 'warning', message, remedy }];
    });
  } catch (error) {
    const message = `the commands in the folders of clients could not be checked: ${messageOf(error)}`;
    return [{ file: nativeListFile(stateDir), severity: 'warning', message }];
  }
}

/** The first update waits until the server has answered its first requests. */
const firstSyncMs = 1000;

/** Updates the commands and skills in the folders of clients whenever a prompt changes, and once after the start. */
export function followPrompts(prompts: FollowedPrompts, stateDir: string): void {
  let running = Promise.resolve();
  let waiting = false;
  const told = new Map<string, string>();
  const sync = async () => {
    waiting = false;
    // Checked each time: the user can install while the server runs.
    if (!existsSync(nativeListFile(stateDir))) return;
    try {
      const { NativePrompts } = await import('./native-prompts.ts');
      const native = new NativePrompts(stateDir, prompts);
      for (const { folder, written, removed, unlisted } of await native.sync({ keepsUnlisted: true })) {
        if (written.length + removed.length > 0)
          log('info', `${folder}: ${written.length} files written, ${removed.length} removed`);
        const names = unlisted.join(', ');
        if (names !== '' && names !== told.get(folder))
          log('warning', `${folder}: clients no longer list ${names}; adjutant install --sync removes them`);
        told.set(folder, names);
      }
    } catch (error) {
      log('warning', `The prompts in the folders of clients were not updated: ${messageOf(error)}`);
    }
  };
  const queue = () => {
    if (waiting) return;
    waiting = true;
    running = running.then(sync);
  };
  prompts.subscribe(queue);
  setTimeout(queue, firstSyncMs).unref();
}
