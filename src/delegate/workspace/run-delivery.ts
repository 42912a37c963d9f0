import { promises as disk } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import { copyRegularFile, readRegularFile } from '../../regular-file.ts';
import {
  type Claim,
  compareClaims,
  type Evidence,
  type EvidenceStatus,
  plainPath,
} from '../changes/evidence.ts';
import { diffFolders, Repository } from '../changes/git.ts';
import { shortenPatch } from '../changes/patch.ts';
import type { Change } from '../changes/snapshot.ts';
import type { Environment } from '../launch/environment.ts';
import { findBaseContent } from './base-content.ts';
import { type Conflict, type Delivery, deliver, demandFolder } from './delivery.ts';
import type { FolderChange } from './folder-changes.ts';
import { FolderClaims } from './folder-claims.ts';
import { isRegularFile, stateOf } from './folder-state.ts';
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

const commitLimits = { refs: 2_000, named: 5 };
const bundleName = 'commits.bundle';
const refName = /^refs\/(heads|tags)\/[\w.+-]+(\/[\w.+-]+)*$/;
const objectName = /^[\da-f]{40,64}$/;

/**
 * Keeps the commits that an agent made in its view, because the `.git` folder is not delivered. Returns a warning that names
 * them. Only the objects and refs of the agent's `.git` are read, never its settings.
 */
async function keepCommits(workspace: Workspace): Promise<readonly string[]> {
  const { storage, origin, env } = workspace;
  const temporary = join(storage, 'commits.git');
  try {
    const refs = await readRefs(workspace.repositoryData);
    const user = refs.size > 0 ? await Repository.find(origin, env) : undefined;
    if (user === undefined || user.root !== origin) return [];
    const known = await user.text(origin, ['for-each-ref', '--format=^%(objectname)']);
    await createRepository(temporary, refs);
    const objects = join(workspace.repositoryData, 'objects');
    const own = new Repository({ gitDir: temporary, root: temporary, prefix: '', objects }, env);
    const run = (args: readonly string[]) =>
      own.run(temporary, [...args, '--stdin'], {
        env: { GIT_OBJECT_DIRECTORY: objects, GIT_ALTERNATE_OBJECT_DIRECTORIES: user.objects },
        input: Buffer.from([...refs.keys(), known, ''].join('\n')),
      });
    const { output } = await run([
      'rev-list',
      '--reverse',
      '--topo-order',
      '--no-commit-header',
      '--format=%h %s',
    ]);
    const commits = output.toString().trim().split('\n').filter(Boolean);
    if (commits.length === 0) return [];
    const bundle = join(storage, bundleName);
    await run(['bundle', 'create', '-q', bundle]);
    return [describe(commits, bundle)];
  } catch (error) {
    log('warning', `the commits of the agent in ${origin} could not be kept: ${messageOf(error)}`);
    return [];
  } finally {
    await disk.rm(temporary, { recursive: true, force: true });
  }
}

function describe(commits: readonly string[], bundle: string): string {
  const named = commits.slice(0, commitLimits.named).map((commit) => commit.slice(0, 80));
  const more = commits.length > named.length ? `, and ${commits.length - named.length} more` : '';
  return `The commits of the agent are not in your repository, only their content: ${named.join(', ')}${more}. They are kept: git fetch '${bundle}' 'refs/*:refs/run/*'`;
}

/** The branches, tags and detached HEAD in the files of a repository. Files that git would not write are left out. */
async function readRefs(folder: string): Promise<ReadonlyMap<string, string>> {
  const refs = new Map<string, string>();
  const packed = await readRegularFile(join(folder, 'packed-refs')).catch(() => '');
  for (const line of packed.split('\n')) add(refs, line.slice(41), line.slice(0, 40));
  const entries = await disk
    .readdir(join(folder, 'refs'), { recursive: true, withFileTypes: true })
    .catch(() => []);
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile())
      add(refs, relative(folder, path), (await readRegularFile(path, 256).catch(() => '')).trim());
  }
  // A detached HEAD names a commit instead of a branch.
  const head = await readRegularFile(join(folder, 'HEAD'), 256).catch(() => '');
  add(refs, 'refs/heads/detached', head.trim());
  return refs;
}

function add(refs: Map<string, string>, name: string, object: string): void {
  const isValid = refName.test(name) && !/\.\.|\.lock|\.$/.test(name) && objectName.test(object);
  if (isValid && refs.size < commitLimits.refs) refs.set(name, object);
}

/** Creates the minimum that git accepts as a repository. */
async function createRepository(folder: string, refs: ReadonlyMap<string, string>): Promise<void> {
  await disk.mkdir(join(folder, 'refs'), { recursive: true, mode: 0o700 });
  await disk.mkdir(join(folder, 'objects'));
  await disk.writeFile(join(folder, 'HEAD'), 'ref: refs/heads/none\n');
  const packed = [...refs].map(([name, object]) => `${object} ${name}\n`);
  await disk.writeFile(join(folder, 'packed-refs'), packed.sort().join(''));
}
