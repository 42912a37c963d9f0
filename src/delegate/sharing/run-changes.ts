import { promises as disk } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../../failure.ts';
import type { DelegateOptions } from '../settings/delegate-options.ts';
import { type Conflict, type DeliveryOptions, redeliver } from '../workspace/delivery.ts';
import { FolderClaims } from '../workspace/folder-claims.ts';
import { loadJournal } from '../workspace/journal.ts';
import { workspaceFolder } from '../workspace/run-place.ts';
import { undoDelivery } from '../workspace/undo.ts';
import { Workspace } from '../workspace/workspace.ts';

/** What a command did with the changes of an isolated run. */
export interface ChangedFiles {
  readonly files: readonly string[];
  /** Files that stay as they are, and why. */
  readonly conflicts: readonly Conflict[];
}

type Options = Pick<DelegateOptions, 'queueFile' | 'env'>;

/** Delivers the changes that a run has kept: those of a failed run, or those that were in conflict. */
export async function applyRun(id: string, directory: string, options: Options): Promise<ChangedFiles> {
  return withWorkspaces(id, directory, options, async (workspace, delivery) => {
    const journal = await loadJournal(workspace.storage);
    if (journal?.state === 'delivered' && journal.steps.every(({ done }) => done === 'delivered'))
      return undefined;
    if (journal?.state === 'undone' && !(await exists(join(workspace.storage, 'upper'))))
      throw new Failure(
        'refused',
        `The changes of run ${id} were undone and are not kept. Run the task again.`,
      );
    const { delivered, conflicts } = await redeliver(workspace, delivery);
    if (conflicts.length === 0) await workspace.discardContent();
    return { files: delivered.map(({ path }) => path), conflicts };
  });
}

/** Takes back the changes that a run has delivered. */
export async function undoRun(
  id: string,
  directory: string,
  options: Options,
  paths?: readonly string[],
): Promise<ChangedFiles> {
  const changed = await withWorkspaces(id, directory, options, async (workspace, delivery) => {
    const undone = await undoDelivery(workspace, delivery, paths);
    return undone && { files: undone.undone.map(({ path }) => path), conflicts: undone.conflicts };
  });
  const known = new Set([...changed.files, ...changed.conflicts.map(({ path }) => path)]);
  const unknown = (paths ?? []).filter((path) => !known.has(path));
  const reason = 'the run did not deliver it';
  return { ...changed, conflicts: [...changed.conflicts, ...unknown.map((path) => ({ path, reason }))] };
}

/** Does the work for each isolated run: the run itself or the jobs of an autopilot, the latest first. */
async function withWorkspaces(
  id: string,
  directory: string,
  { queueFile, env }: Options,
  work: (workspace: Workspace, options: DeliveryOptions) => Promise<ChangedFiles | undefined>,
): Promise<ChangedFiles> {
  const jobs = await disk.readdir(join(directory, 'subruns')).catch(() => []);
  const places = [
    { run: id, path: directory },
    ...jobs.map((job) => ({ run: `${id}/${job}`, path: join(directory, 'subruns', job) })),
  ];
  const found: { readonly run: string; readonly workspace: Workspace; readonly time: number }[] = [];
  for (const { run, path } of places) {
    const workspace = await Workspace.open(join(path, workspaceFolder), env);
    const stat = await disk.stat(join(path, workspaceFolder, 'changes.json')).catch(() => undefined);
    if (workspace !== undefined && stat !== undefined) found.push({ run, workspace, time: stat.mtimeMs });
  }
  if (found.length === 0)
    throw new Failure(
      'refused',
      `Run ${id} has no isolated changes: it worked in the folder itself, or it changed nothing. changes.patch contains what its agent reported writing; "git apply -R" takes that back.`,
    );
  const claims = await FolderClaims.open(dirname(queueFile));
  try {
    const results: ChangedFiles[] = [];
    for (const { run, workspace } of found.sort((one, other) => other.time - one.time))
      results.push((await work(workspace, { run, claims, env })) ?? { files: [], conflicts: [] });
    return {
      files: results.flatMap(({ files }) => files),
      conflicts: results.flatMap(({ conflicts }) => conflicts),
    };
  } finally {
    claims.close();
  }
}

async function exists(path: string): Promise<boolean> {
  return (await disk.stat(path).catch(() => undefined)) !== undefined;
}
