import { promises as disk } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../../failure.ts';
import type { DelegateOptions } from '../settings/delegate-options.ts';
import type { DeliveryOptions } from '../workspace/delivery.ts';
import { FolderClaims } from '../workspace/folder-claims.ts';
import { type ChangedFiles, deliverKept, deliveryState } from '../workspace/kept-changes.ts';
import { workspaceFolder } from '../workspace/run-place.ts';
import { undoDelivery } from '../workspace/undo.ts';
import { Workspace } from '../workspace/workspace.ts';

type Options = Pick<DelegateOptions, 'queueFile' | 'env'>;

/** Delivers the changes that a run has kept: those of a failed run, or those that were in conflict. */
export async function applyRun(id: string, directory: string, options: Options): Promise<ChangedFiles> {
  return withWorkspaces(id, directory, options, (workspace, delivery) =>
    deliverKept(id, workspace, delivery),
  );
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
    // A run that was cancelled while its changes were collected has kept them, but has no list of them yet.
    const isKept = stat !== undefined || (await deliveryState(join(path, workspaceFolder))) === 'kept';
    if (workspace !== undefined && isKept)
      found.push({ run, workspace, time: stat?.mtimeMs ?? Number.POSITIVE_INFINITY });
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
