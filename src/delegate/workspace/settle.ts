import { resolve, sep } from 'node:path';
import { messageOf } from '../../json.ts';
import type { Environment } from '../process/environment.ts';
import { readJson } from '../process/json-file.ts';
import { keepContent } from './applied-content.ts';
import { applyChanges, type ChangedPaths, type Conflict, demandFolder, maxTextBytes } from './apply.ts';
import { keepBase } from './base-content.ts';
import { type Branch, commitToBranch, keepCommits } from './commits.ts';
import { type Claim, compareClaims, type Evidence, type FileEvidence, plainPath } from './evidence.ts';
import { type Change, type FolderChange, gitDataOf, isApplicable, summarize } from './folder-changes.ts';
import { FolderClaims } from './folder-claims.ts';
import { createPatch } from './patch.ts';
import { RunDirectory } from './run-directory.ts';
import { folderLimitMs, limitStep } from './step-limit.ts';
import { displayPath, specialKind } from './tree.ts';
import type { Workspace } from './workspace.ts';

export interface SettledRun {
  /** True if the run changed any file, or if its changes could not be collected. */
  readonly hasChanges: boolean;
  /** True if all changes are in the user's folder. */
  readonly isApplied: boolean;
  readonly conflicts: readonly Conflict[];
  readonly evidence: Evidence;
  /** What the user should know about commits of the agent, and about files that are never applied. */
  readonly warnings: readonly string[];
  /** The commit with the changes, if the run asked for a branch. */
  readonly branch?: Branch;
  /** The changes as a patch, as far as they are text. */
  readonly patch?: string;
}

export interface SettleOptions {
  readonly run: string;
  readonly stateDir: string;
  readonly env: Environment;
  /** Whether to apply the changes, commit them to a branch, or only keep them. */
  readonly end: 'apply' | 'branch' | 'keep';
  /** The subject of the commit on the branch. */
  readonly subject?: string;
  readonly claims: readonly Claim[];
  readonly signal?: AbortSignal;
}

/** Ends the work of a run in its workspace: collects its changes, compares them with the claims of the agent, and applies them. */
export async function settleRun(workspace: Workspace, options: SettleOptions): Promise<SettledRun> {
  const { origin, kind } = workspace;
  const { end, signal } = options;
  const inFolder = <Value>(work: () => Promise<Value>) => limitStep(work, signal, folderLimitMs);
  const warnings: string[] = [];
  let changes: readonly FolderChange[] | undefined;
  let lines: readonly Change[] = [];
  let patch: string | undefined;
  let branch: Branch | undefined;
  let applied: ChangedPaths = { changed: [], marked: [], conflicts: [] };
  try {
    // Without the folder, other errors only follow from that.
    await demandFolder(origin);
    changes = await workspace.collectChanges(signal);
    lines = summarize(changes);
    warnings.push(...(await inFolder(() => keepCommits(workspace, lines, options.run))));
    warnings.push(...neverApplied(changes, lines));
    const collected = changes.filter(isApplicable);
    patch = await inFolder(() => createPatch(workspace, collected)).catch(() => undefined);
    if (end !== 'apply') await inFolder(() => keepBase(workspace, collected, maxTextBytes));
    if (end === 'apply' && collected.length > 0) applied = await applyAll(workspace, options);
    if (end === 'branch' && collected.length > 0)
      branch = await inFolder(() => commitToBranch(workspace, collected, options));
    warnings.push(...(branch?.omitted ?? []));
  } catch (error) {
    applied = { ...applied, conflicts: [{ path: origin, reason: messageOf(error) }] };
  }
  const claims = changes === undefined ? [] : options.claims;
  const own = claims.map(({ path }) => ({ path: pathInFolder(path, workspace.folder, origin) }));
  const evidence: Evidence = {
    method: kind,
    complete: changes !== undefined,
    ...(await compareClaims(own, lines, origin)),
  };
  const conflicts = applied.conflicts.map((one) => ({ ...one, path: displayPath(one.path) }));
  const hasChanges = changes?.some(isApplicable) ?? true;
  const isApplied = end === 'apply' && conflicts.length === 0;
  // What was not applied is kept for `adjutant runs apply`.
  if (!hasChanges) await workspace.discardContent();
  else if (isApplied) await keepContent(workspace);
  return {
    hasChanges,
    isApplied,
    conflicts,
    evidence,
    warnings,
    ...(branch && { branch }),
    ...(patch !== undefined && { patch }),
  };
}

async function applyAll(
  workspace: Workspace,
  { run, stateDir, env, signal }: SettleOptions,
): Promise<ChangedPaths> {
  const claims = await FolderClaims.open(stateDir);
  try {
    const applied = await applyChanges(workspace, { run, claims, env, ...(signal && { signal }) });
    claims.release(run, 'isolated');
    return applied;
  } finally {
    claims.close();
  }
}

export function branchNote(name: string): string {
  return `The changes are on the branch ${name}; the folder is as it was.`;
}

export function waitingNote(run: string): string {
  return `The changes wait: "adjutant runs diff ${run}" shows them, "adjutant runs apply ${run}" applies them.`;
}

function neverApplied(changes: readonly FolderChange[], lines: readonly Change[]): string[] {
  const data = lines.filter(({ path }) => gitDataOf(path) === path);
  const special = changes.filter(({ base, state }) => base === undefined && specialKind(state) !== undefined);
  return [
    ...data.map(
      ({ path, change }) =>
        `${displayPath(path)} was ${change} by the run, and is never applied: it is git data.`,
    ),
    ...special.map(
      ({ path }) => `${displayPath(path)} was not applied: it is a named pipe, a socket or a device.`,
    ),
  ];
}

/** A path that names a file in a copy means the same file in the user's folder. */
export function pathInFolder(path: string, folder: string, origin: string): string {
  if (folder === origin || !resolve(folder, path).startsWith(folder + sep)) return path;
  return plainPath(path, folder) ?? path;
}

/** All changes in the workspace when the last job ended. */
const observedFile = 'observed.json';

/**
 * Compares the claims of a job with what it changed in the workspace that it shares with the jobs before it. The changes stay in
 * the workspace.
 */
export async function observeJob(workspace: Workspace, claims: readonly Claim[]): Promise<Evidence> {
  const { storage, folder, origin, kind } = workspace;
  const known = await readJson(`${storage}/${observedFile}`);
  const earlier = (known?.['changes'] ?? []) as readonly FolderChange[];
  const now = await workspace.findChanges();
  await new RunDirectory(storage, '').writeJson(observedFile, { changes: now });
  const paths = claims.map(({ path }) => ({ path: pathInFolder(path, folder, origin) }));
  const { files, omitted } = await compareClaims(paths, summarize(since(earlier, now)), origin);
  return { method: kind, complete: true, omitted, files: seenWith(now, files) };
}

/** What earlier work has made exists, but not in the folder yet. */
export function seenWith(
  changes: readonly FolderChange[],
  files: readonly FileEvidence[],
): readonly FileEvidence[] {
  const present = new Set(changes.flatMap(({ path, state }) => (state === undefined ? [] : [path])));
  return files.map((one) =>
    one.status === 'missing' && present.has(one.path) ? { ...one, status: 'unchanged' } : one,
  );
}

/** What differs between two lists of changes of the same folder. */
function since(earlier: readonly FolderChange[], now: readonly FolderChange[]): FolderChange[] {
  const before = new Map(earlier.map((one) => [one.path, one]));
  const after = new Set(now.map(({ path }) => path));
  const changed = now.flatMap(({ path, base, state }): FolderChange[] => {
    const one = before.get(path);
    if (one !== undefined && one.state === state) return [];
    const from = one === undefined ? base : one.state;
    const change = state === undefined ? 'deleted' : from === undefined ? 'added' : 'modified';
    return [{ path, change, ...(from && { base: from }), ...(state && { state }) }];
  });
  // A job can take back what an earlier one did.
  const reverted = earlier
    .filter(({ path }) => !after.has(path))
    .map(({ path, base, state }): FolderChange => {
      const change = base === undefined ? 'deleted' : state === undefined ? 'added' : 'modified';
      return { path, change, ...(state && { base: state }), ...(base && { state: base }) };
    });
  return [...changed, ...reverted];
}
