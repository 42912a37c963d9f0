import { promises as disk, existsSync } from 'node:fs';
import { join } from 'node:path';
import { type FolderChange, isApplicable } from './folder-changes.ts';
import { copy, makeParents } from './placed-file.ts';
import { removeFolder } from './remove-folder.ts';
import { isFolder, specialKind, within } from './tree.ts';

/** The folder with the changed files of a run whose changes are applied. */
export const contentToApplyAgain = 'again';

/** Exists if commits of the agent are not in a bundle. Then the workspace keeps its content. */
export const unreadCommits = 'commits.unread';

interface AppliedWorkspace {
  readonly storage: string;
  readonly content: string;
  collectChanges(): Promise<readonly FolderChange[]>;
  discardContent(): Promise<void>;
}

/**
 * Reduces a workspace whose changes are applied to what `undo` needs and to the changed files, so that they can be applied again
 * afterwards.
 */
export async function keepContent(workspace: AppliedWorkspace): Promise<void> {
  const { storage } = workspace;
  const target = join(storage, contentToApplyAgain);
  if (!existsSync(target)) {
    const incomplete = `${target}.new`;
    await removeFolder(incomplete);
    await disk.mkdir(incomplete, { mode: 0o700 });
    for (const change of (await workspace.collectChanges()).filter(hasFile)) {
      await makeParents(incomplete, change.path);
      const [from, to] = [within(workspace.content, change.path), within(incomplete, change.path)];
      await disk.link(from, to).catch(() => copy(from, to));
    }
    await disk.rename(incomplete, target);
  }
  await workspace.discardContent();
}

function hasFile(change: FolderChange): boolean {
  const { state } = change;
  return isApplicable(change) && state !== undefined && !isFolder(state) && specialKind(state) === undefined;
}
