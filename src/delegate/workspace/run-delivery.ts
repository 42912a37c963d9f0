import { promises as disk } from 'node:fs';
import { isAbsolute, join, resolve, sep } from 'node:path';
import { messageOf } from '../../json.ts';
import { copyRegularFile } from '../../regular-file.ts';
import {
  type Claim,
  compareClaims,
  type Evidence,
  type EvidenceStatus,
  plainPath,
} from '../changes/evidence.ts';
import { diffFolders } from '../changes/git.ts';
import { shortenPatch } from '../changes/patch.ts';
import type { Change } from '../changes/snapshot.ts';
import type { Environment } from '../launch/environment.ts';
import { findBaseContent } from './base-content.ts';
import { type Conflict, type Delivery, deliver, demandFolder } from './delivery.ts';
import type { FolderChange } from './folder-changes.ts';
import { FolderClaims } from './folder-claims.ts';
import { isRegularFile, stateOf } from './folder-state.ts';
import { keepCommits } from './kept-commits.ts';
import { folderLimitMs, limitStep } from './step-limit.ts';
import type { Workspace } from './workspace.ts';

/** A person who cancels a run waits for its result. */
const cancelledLimitMs = 10_000;
const limits = { files: 3_000, fileBytes: 1024 * 1024 };

export interface RunDelivery {
  /** True if the run changed any file, or if its changes could not be collected. */
  readonly hasChanges: boolean;
  /** True if all changes are in the user's folder. */
  readonly isDelivered: boolean;
  readonly conflicts: readonly Conflict[];
  readonly evidence: Evidence;
  /** What the user should know about commits of the agent. */
  readonly warnings: readonly string[];
  /** The changes as a patch, as far as they are text. */
  readonly patch?: string;
}

export interface RunDeliveryOptions {
  readonly run: string;
  readonly stateDir: string;
  readonly env: Environment;
  /** False for a run that did not complete: its changes are only kept. */
  readonly isWanted: boolean;
  /** True to compare the claims with the changes that are kept, not with the user's folder. */
  readonly judgesKept?: boolean;
  readonly claims: readonly Claim[];
  readonly signal?: AbortSignal;
}

/** Delivers the changes of an isolated run, and compares what the agent claims with the user's folder afterwards. */
export async function deliverRun(workspace: Workspace, options: RunDeliveryOptions): Promise<RunDelivery> {
  const { isWanted, signal } = options;
  const { origin } = workspace;
  const inFolder = <Value>(work: () => Promise<Value>) => limitStep(work, signal, folderLimitMs);
  const warnings: string[] = [];
  let changes: readonly FolderChange[] | undefined;
  let patch: string | undefined;
  let delivery: Delivery = { delivered: [], conflicts: [] };
  try {
    warnings.push(...(await inFolder(() => keepCommits(workspace))));
    const collected = await workspace.collectChanges(signal);
    warnings.push(...collected.leftovers.map(describeLeftover));
    changes = collected.changes;
    patch = await inFolder(() => createPatch(workspace, collected.changes, options.env)).catch(
      () => undefined,
    );
    if (isWanted && changes.length > 0) delivery = await deliverChanges(workspace, options);
  } catch (error) {
    delivery = { delivered: [], conflicts: [{ path: origin, reason: messageOf(error) }] };
  }
  const kept = options.judgesKept ? (changes ?? []) : [];
  const examine = async () => {
    // In a folder that was deleted, other errors only follow from that.
    if (isWanted) await demandFolder(origin);
    return judge(workspace, options.claims, delivery.delivered, kept, changes !== undefined);
  };
  // A run that was cancelled gets its evidence too, unless the file system does not answer.
  const limitMs = signal?.aborted ? cancelledLimitMs : folderLimitMs;
  const evidence = await limitStep(examine, undefined, limitMs).catch((error: unknown): Evidence => {
    delivery = { ...delivery, conflicts: [{ path: origin, reason: messageOf(error) }] };
    return { method: 'walk', complete: false, files: [], omitted: 0 };
  });
  const isDelivered = isWanted && delivery.conflicts.length === 0;
  // What was not delivered is kept for `adjutant runs apply`.
  if (isDelivered) await workspace.discardContent();
  return {
    hasChanges: changes === undefined || changes.length > 0,
    isDelivered,
    conflicts: delivery.conflicts,
    evidence,
    warnings,
    ...(patch !== undefined && { patch }),
  };
}

async function deliverChanges(
  workspace: Workspace,
  { run, stateDir, env, signal }: RunDeliveryOptions,
): Promise<Delivery> {
  const claims = await FolderClaims.open(stateDir);
  try {
    const delivery = await deliver(workspace, { run, claims, env, ...(signal && { signal }) });
    claims.release(run, 'isolated');
    return delivery;
  } finally {
    claims.close();
  }
}

function describeLeftover(path: string): string {
  return `${path} was not delivered: it is a named pipe, a socket or a device.`;
}

async function judge(
  { origin, folder }: Workspace,
  claims: readonly Claim[],
  delivered: readonly Change[],
  kept: readonly Change[],
  complete: boolean,
): Promise<Evidence> {
  const present = await Promise.all(
    delivered.map(async (change) =>
      ((await stateOf(join(origin, change.path))) !== undefined) === (change.change !== 'deleted')
        ? [change]
        : [],
    ),
  );
  const statusOf = async (path: string): Promise<EvidenceStatus> => {
    if (isAbsolute(path)) return 'unchecked';
    return (await stateOf(resolve(origin, path))) === undefined ? 'missing' : 'unchanged';
  };
  const own = claims.map(({ path }) => ({ path: pathInFolder(path, folder, origin) }));
  return {
    method: 'walk',
    complete,
    ...(await compareClaims(own, [...present.flat(), ...kept], origin, statusOf)),
  };
}

/** A path that names a file in a copy means the same file in the user's folder. */
export function pathInFolder(path: string, folder: string, origin: string): string {
  if (folder === origin || !resolve(folder, path).startsWith(folder + sep)) return path;
  return plainPath(path, folder) ?? path;
}

/** Compares the content that the run started from with what it made of it. Omits large files and those that are not text. */
async function createPatch(
  workspace: Workspace,
  changes: readonly FolderChange[],
  env: Environment,
): Promise<string | undefined> {
  const files = changes.filter(({ base, state }) => isRegularFile(base) || isRegularFile(state));
  if (files.length === 0 || files.length > limits.files) return undefined;
  const { storage } = workspace;
  const place = join(storage, 'patch');
  try {
    for (const { path, base, state } of files) {
      const before = base === undefined ? '' : await findBaseContent(workspace, path, base);
      if (before === undefined) continue;
      if (isRegularFile(base)) await copyForPatch(before, join(place, 'a', path));
      if (isRegularFile(state)) await copyForPatch(join(storage, 'upper', path), join(place, 'b', path));
    }
    for (const side of ['a', 'b']) await disk.mkdir(join(place, side), { recursive: true });
    return shortenPatch(await diffFolders(place, 'a', 'b', env));
  } finally {
    await disk.rm(place, { recursive: true, force: true });
  }
}

async function copyForPatch(source: string, target: string): Promise<void> {
  if ((await disk.stat(source)).size > limits.fileBytes) return;
  await disk.mkdir(join(target, '..'), { recursive: true });
  await copyRegularFile(source, target);
}
