import { promises as disk, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../../failure.ts';
import type { DelegateOptions } from '../run/delegate-options.ts';
import { keepContent } from '../workspace/applied-content.ts';
import { type ApplyOptions, applyChanges, type ChangedPaths, selection } from '../workspace/apply.ts';
import { commitsToBranches } from '../workspace/commits.ts';
import { summarize } from '../workspace/folder-changes.ts';
import { FolderClaims } from '../workspace/folder-claims.ts';
import { changesState } from '../workspace/journal.ts';
import { createPatch, maxPatchFiles } from '../workspace/patch.ts';
import { displayPath } from '../workspace/tree.ts';
import { undoChanges } from '../workspace/undo.ts';
import { Workspace, workspaceFolder } from '../workspace/workspace.ts';

type Options = Pick<DelegateOptions, 'queueFile' | 'env'>;

/** A run, and the files that a person chose. */
export interface ChosenChanges {
  readonly id: string;
  readonly directory: string;
  readonly paths?: readonly string[] | undefined;
}

/** What was done with the changes of a run. */
export interface ChangedFiles {
  readonly files: readonly string[];
  /** Texts with conflict markers. */
  readonly marked: readonly string[];
  /** Files that stay as they are, and why. */
  readonly conflicts: readonly { readonly path: string; readonly reason: string }[];
}

export interface RunDiff {
  /** The text changes, as far as they fit into a patch. */
  readonly patch: string;
  readonly files: readonly { readonly path: string; readonly change: 'added' | 'modified' | 'deleted' }[];
  readonly state: 'none' | 'waiting' | 'branch' | 'applied' | 'undone';
}

/** Applies the changes that a run has kept. Conflicts in texts are marked, unless the caller takes one side. */
export async function applyRun(
  chosen: ChosenChanges,
  take: 'run' | 'folder' | undefined,
  options: Options,
): Promise<ChangedFiles> {
  return withWorkspaces(chosen, options, async (workspace, own) => {
    const state = await changesState(workspace.storage);
    // Earlier versions did not keep what was applied.
    const isKept = existsSync(workspace.content);
    if (state === 'applied' && !isKept) return nothing;
    if (state === 'undone' && !isKept)
      throw new Failure(
        'refused',
        `The changes of run ${chosen.id} were undone and are not kept. Run the task again.`,
      );
    const applied = await applyChanges(workspace, { ...own, take: take ?? 'markers' });
    if ((await changesState(workspace.storage)) === 'applied') await keepContent(workspace);
    return applied;
  });
}

/** Takes back the changes of a run that are in the folder. */
export async function undoRun(chosen: ChosenChanges, options: Options): Promise<ChangedFiles> {
  const changed = await withWorkspaces(
    chosen,
    options,
    async (workspace, own) => (await undoChanges(workspace, own)) ?? nothing,
  );
  const known = [...changed.files, ...changed.conflicts.map(({ path }) => path)];
  const unknown = (chosen.paths ?? []).filter((path) => !known.some(selection([path])));
  const reason = 'the run has not changed it in your folder';
  return { ...changed, conflicts: [...changed.conflicts, ...unknown.map((path) => ({ path, reason }))] };
}

/** Makes branches of the commits that the agent of a run made. */
export async function branchCommits({ id, directory }: ChosenChanges, { env }: Options): Promise<string[]> {
  const [found] = await findWorkspaces(id, directory, env);
  return commitsToBranches(found!.workspace, id);
}

/** The changes of a run, whether they are applied or not. */
export async function diffRun(
  { id, directory, paths }: ChosenChanges,
  stored: string,
  { env }: Options,
): Promise<RunDiff> {
  const isChosen = selection(paths);
  const found = await findWorkspaces(id, directory, env);
  const patches: string[] = [];
  const files: RunDiff['files'][number][] = [];
  let state: RunDiff['state'] = 'none';
  for (const { workspace } of found.toReversed()) {
    const own = await changesState(workspace.storage);
    if (state === 'none' || own === 'waiting') state = own;
    const changes = (await workspace.collectChanges()).filter(({ path }) => isChosen(path));
    files.push(...summarize(changes).map((one) => ({ ...one, path: displayPath(one.path) })));
    if (own === 'waiting' || own === 'branch') patches.push((await createPatch(workspace, changes)) ?? '');
  }
  // The content of applied changes is in the folder, and their patch in the run directory.
  const patch = patches.length > 0 ? patches.join('') : filterPatch(stored, isChosen);
  if (patch !== '' || files.length <= maxPatchFiles) return { patch, files, state };
  const note = `# More than ${maxPatchFiles} files were changed, so there is no patch of all of them.\n`;
  return { patch: note, files, state };
}

function filterPatch(patch: string, isChosen: (path: string) => boolean): string {
  return patch
    .split(/^(?=diff --git )/m)
    .filter((file) => isChosen(/^diff --git [ab]\/(.*) [ab]\/\1$/m.exec(file)?.[1] ?? ''))
    .join('');
}

const nothing: ChangedPaths = { changed: [], marked: [], conflicts: [] };

/** Does the work for each workspace: that of the run or those of the jobs of an autopilot, the latest first. */
async function withWorkspaces(
  { id, directory, paths }: ChosenChanges,
  { queueFile, env }: Options,
  work: (workspace: Workspace, options: ApplyOptions) => Promise<ChangedPaths>,
): Promise<ChangedFiles> {
  const found = await findWorkspaces(id, directory, env);
  const claims = await FolderClaims.open(dirname(queueFile));
  try {
    const results: ChangedPaths[] = [];
    for (const { run, workspace } of found)
      results.push(await work(workspace, { run, claims, env, ...(paths && { paths }) }));
    return {
      files: results.flatMap(({ changed }) => changed.map(({ path }) => displayPath(path))),
      marked: results.flatMap(({ marked }) => marked.map(displayPath)),
      conflicts: results.flatMap(({ conflicts }) =>
        conflicts.map(({ path, reason }) => ({ path: displayPath(path), reason })),
      ),
    };
  } finally {
    claims.close();
  }
}

async function findWorkspaces(id: string, directory: string, env: Options['env']) {
  const jobs = await disk.readdir(join(directory, 'subruns')).catch(() => []);
  const places = [
    { run: id, path: directory },
    ...jobs.map((job) => ({ run: `${id}/${job}`, path: join(directory, 'subruns', job) })),
  ];
  const found: { readonly run: string; readonly workspace: Workspace; readonly time: number }[] = [];
  for (const { run, path } of places) {
    const storage = join(path, workspaceFolder);
    const workspace = await Workspace.open(storage, env);
    const stat = await disk.stat(join(storage, 'changes.json')).catch(() => undefined);
    if (workspace !== undefined)
      found.push({ run, workspace, time: stat?.mtimeMs ?? Number.POSITIVE_INFINITY });
  }
  if (found.length > 0) return found.sort((one, other) => other.time - one.time);
  const [autopilot, job] = id.split('/');
  if (job !== undefined && existsSync(join(directory, '..', '..', workspaceFolder)))
    throw new Failure('refused', `The jobs of ${autopilot} share their changes. Name ${autopilot} instead.`);
  const continued = (await disk.readdir(join(directory, workspaceFolder)).catch(() => [])).length > 0;
  throw new Failure(
    'refused',
    continued
      ? `The changes of run ${id} were continued by a later run, which has them all.`
      : `Run ${id} has no recorded changes: it could not write, or it worked in the folder itself (danger-full-access).`,
  );
}
