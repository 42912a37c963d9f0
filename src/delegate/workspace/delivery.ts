import { isUtf8 } from 'node:buffer';
import { promises as disk } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { readRegularBytes } from '../../regular-file.ts';
import { mergeTexts } from '../changes/git.ts';
import type { Change } from '../changes/snapshot.ts';
import type { Environment } from '../launch/environment.ts';
import { findBaseContent, preserveForOthers } from './base-content.ts';
import type { FolderChange } from './folder-changes.ts';
import type { FolderClaims } from './folder-claims.ts';
import {
  type FileState,
  isFolder,
  isRegularFile,
  modeOf,
  sameState,
  specialKind,
  stateOf,
} from './folder-state.ts';
import { type Journal, loadJournal, type Step, saveJournal } from './journal.ts';
import {
  contentHash,
  copy,
  hasSameContent,
  ignoreExisting,
  makeParents,
  replace,
  temporaryName,
} from './placed-file.ts';
import { folderLimitMs, limitStep } from './step-limit.ts';
import type { Workspace } from './workspace.ts';

/** A path whose change was not delivered, because the user's folder has changed there too. */
export interface Conflict {
  readonly path: string;
  readonly reason: string;
}

export interface Delivery {
  readonly delivered: readonly Change[];
  readonly conflicts: readonly Conflict[];
}

export interface DeliveryOptions {
  readonly run: string;
  readonly claims: FolderClaims;
  readonly env: Environment;
  readonly signal?: AbortSignal;
}

/**
 * Moves the changes of a workspace into the user's folder, path by path. A path that is as it was when the run started gets
 * the new content. Where both sides changed a text in different places, the texts are merged. Otherwise the user's version
 * stays, and the run's version is kept. A delivery that was interrupted continues where it stopped.
 */
export async function deliver(workspace: Workspace, options: DeliveryOptions): Promise<Delivery> {
  const { changes } = await workspace.collectChanges(options.signal);
  if (changes.length === 0) return { delivered: [], conflicts: [] };
  return holdFolder(workspace, options, async (assertHeld) => {
    const journal = await loadJournal(workspace.storage);
    if (journal?.state === 'delivered') return resultOf(journal);
    const steps = journal?.state === 'started' ? journal.steps : await prepare(workspace, changes, options);
    return applySteps(workspace, steps, assertHeld, options.signal);
  });
}

/** Tries again to deliver what is still kept in the workspace: all of it after an undo or a failed run. */
export async function redeliver(workspace: Workspace, options: DeliveryOptions): Promise<Delivery> {
  const { changes } = await workspace.collectChanges(options.signal);
  return holdFolder(workspace, options, async (assertHeld) => {
    const journal = await loadJournal(workspace.storage);
    if (journal?.state === 'started') return applySteps(workspace, journal.steps, assertHeld, options.signal);
    const finished =
      journal?.state === 'delivered' ? journal.steps.filter(({ done }) => done === 'delivered') : [];
    const delivered = new Set(finished.map(({ path }) => path));
    const open = changes.filter(({ path }) => !delivered.has(path));
    const steps = [...finished, ...(await prepare(workspace, open, options))];
    return applySteps(workspace, steps, assertHeld, options.signal);
  });
}

/** Throws if the folder of a run was deleted. */
export async function demandFolder(origin: string): Promise<void> {
  if (!isFolder(await stateOf(origin)))
    throw new Failure('unavailable', 'the folder does not exist any more');
}

/** Does the work when no other process delivers to the folder. It calls `assertHeld` before each change. */
export async function holdFolder<Value>(
  { origin, storage }: Workspace,
  { run, claims, signal }: DeliveryOptions,
  work: (assertHeld: () => void) => Promise<Value>,
): Promise<Value> {
  await demandFolder(origin);
  const claim = { folder: origin, run: `${run} ${crypto.randomUUID()}`, kind: 'delivery', storage } as const;
  return claims.hold(claim, ['delivery'], work, signal, folderLimitMs);
}

/** Decides what to do with each path, and saves the content that will be replaced. */
async function prepare(
  workspace: Workspace,
  changes: readonly FolderChange[],
  options: DeliveryOptions,
): Promise<readonly Step[]> {
  const { storage, origin } = workspace;
  await disk.mkdir(join(storage, 'before'), { recursive: true, mode: 0o700 });
  const steps: Step[] = [];
  for (const change of inOrder(changes))
    steps.push(
      await limitStep(() => prepareStep(workspace, change, options), options.signal).catch(
        (error: unknown) => {
          options.signal?.throwIfAborted();
          return { ...change, temporary: temporaryName(), done: 'kept' as const, reason: messageOf(error) };
        },
      ),
    );
  const replaced = steps.flatMap(({ path, before, backup }) =>
    before !== undefined && backup !== undefined
      ? [{ path: join(origin, path), state: before, file: join(storage, 'before', backup) }]
      : [],
  );
  const others = options.claims.isolatedBeside(origin, options.run);
  await limitStep(() => preserveForOthers(others, replaced), options.signal, folderLimitMs);
  await saveJournal(storage, { state: 'started', steps });
  return steps;
}

async function prepareStep(
  workspace: Workspace,
  change: FolderChange,
  options: DeliveryOptions,
): Promise<Step> {
  const target = join(workspace.origin, change.path);
  const before = await stateOf(target);
  const step = { ...change, ...(before && { before }), temporary: temporaryName() };
  const kept = (reason: string): Step => ({ ...step, done: 'kept', reason });
  const special = specialKind(before);
  if (special !== undefined) return kept(`it is ${special}, which a run cannot replace`);
  const made = specialKind(change.state);
  if (made !== undefined)
    return kept(`the run made it ${made}, and only files, links and folders are delivered`);
  // If the user removes a named pipe, the run's file can take its place.
  const isAsBefore = sameState(before, specialKind(change.base) === undefined ? change.base : undefined);
  if (!isAsBefore && (await isAlreadyThere(workspace, change, target, before)))
    return { ...step, done: 'delivered' };
  let merged: string | undefined;
  if (!isAsBefore) {
    if (before === undefined) return kept('it was deleted meanwhile');
    if (change.change === 'deleted') return kept('it was changed meanwhile, and the run deleted it');
    merged = await mergeFile(workspace, change, target, before, options.env);
    if (merged === undefined)
      return kept(
        change.change === 'added'
          ? 'it was created meanwhile with other content'
          : 'it was changed meanwhile',
      );
  }
  const backup = before === undefined || isFolder(before) ? undefined : crypto.randomUUID();
  if (backup !== undefined) await copy(target, join(workspace.storage, 'before', backup));
  return { ...step, ...(backup && { backup }), ...(merged && { merged }) };
}

async function isAlreadyThere(
  { storage }: Workspace,
  { path, state }: FolderChange,
  target: string,
  now: FileState | undefined,
): Promise<boolean> {
  if (state === undefined || now === undefined) return state === now;
  if (isFolder(state)) return isFolder(now);
  return !isFolder(now) && (await hasSameContent(join(storage, 'upper', path), target));
}

async function applySteps(
  workspace: Workspace,
  steps: readonly Step[],
  assertHeld: () => void,
  cancelled: AbortSignal | undefined,
): Promise<Delivery> {
  const finished: Step[] = [];
  for (const step of steps) {
    if (step.done !== undefined) finished.push(step);
    else
      finished.push(
        await limitStep((signal) => applyStep(workspace, step, assertHeld, signal), cancelled).catch(
          (error: unknown) => ({
            ...step,
            done: 'kept' as const,
            reason: messageOf(error),
          }),
        ),
      );
  }
  const journal: Journal = { state: 'delivered', steps: finished };
  await saveJournal(workspace.storage, journal);
  return resultOf(journal);
}

async function applyStep(
  { origin, storage }: Workspace,
  step: Step,
  assertHeld: () => void,
  signal: AbortSignal,
): Promise<Step> {
  const { path, state, before, merged } = step;
  const target = join(origin, path);
  await disk.rm(join(dirname(target), step.temporary), { force: true }).catch(() => {});
  const source = merged === undefined ? join(storage, 'upper', path) : join(storage, 'merged', merged);
  const hash = state === undefined || isFolder(state) ? undefined : await contentHash(source);
  const done: Step = { ...step, done: 'delivered', ...(hash !== undefined && { hash }) };
  const now = await stateOf(target);
  if (!sameState(now, before)) {
    // A delivery that was interrupted may have done this step already.
    const isDone =
      now === undefined || hash === undefined
        ? (now === undefined) === (state === undefined)
        : (await contentHash(target)) === hash;
    return isDone ? done : { ...step, done: 'kept', reason: 'it was changed during the delivery' };
  }
  signal.throwIfAborted();
  assertHeld();
  if (state === undefined) {
    await (isFolder(now) ? disk.rmdir(target).catch(ignoreNotEmpty) : disk.rm(target, { force: true }));
    return done;
  }
  const parents = await makeParents(origin, path);
  if (isFolder(state)) await disk.mkdir(target, { mode: modeOf(state) }).catch(ignoreExisting);
  else {
    if (isFolder(now)) await disk.rmdir(target);
    const mode = merged === undefined ? modeOf(state) : modeOf(before!);
    await replace(source, target, mode, signal, step.temporary);
  }
  return { ...done, ...(parents.length > 0 && { parents }) };
}

/** Deletions first, from the deepest path up; then the rest from the top down. */
function inOrder(changes: readonly FolderChange[]): FolderChange[] {
  const deleted = changes.filter(({ state }) => state === undefined);
  return [...deleted.toReversed(), ...changes.filter(({ state }) => state !== undefined)];
}

function resultOf({ steps }: Journal): Delivery {
  // The data of a nested repository is delivered, but its many files say nothing to a reader.
  const listed = steps.filter(
    ({ path, state, base, done }) =>
      !isFolder(state ?? base) && (done === 'kept' || !/(^|\/)\.git\//.test(path)),
  );
  return {
    delivered: listed
      .filter(({ done }) => done === 'delivered')
      .map(({ path, change }) => ({ path, change })),
    conflicts: listed
      .filter(({ done }) => done === 'kept')
      .map(({ path, reason = '' }) => ({ path, reason })),
  };
}

function ignoreNotEmpty(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
}

const maxTextBytes = 4 * 1024 * 1024;

/**
 * Merges the run's version of a text with the user's version. Returns the name of the merged file in `merged`, or
 * `undefined` if both changed the same lines, the files are not text, or their common base is not known.
 */
async function mergeFile(
  workspace: Workspace,
  { path, base, state }: FolderChange,
  target: string,
  now: FileState,
  env: Environment,
): Promise<string | undefined> {
  if (base === undefined || ![base, state, now].every(isRegularFile)) return undefined;
  const { storage } = workspace;
  const theirs = join(storage, 'upper', path);
  const baseFile = await findBaseContent(workspace, path, base);
  if (baseFile === undefined) return undefined;
  if (!(await Promise.all([theirs, target, baseFile].map(isText))).every(Boolean)) return undefined;
  const text = await mergeTexts(storage, { ours: target, base: baseFile, theirs }, env);
  if (text === undefined) return undefined;
  await disk.mkdir(join(storage, 'merged'), { recursive: true, mode: 0o700 });
  const name = crypto.randomUUID();
  await disk.writeFile(join(storage, 'merged', name), text, { mode: 0o600 });
  return name;
}

async function isText(file: string): Promise<boolean> {
  const content = await readRegularBytes(file, maxTextBytes).catch(() => undefined);
  return content !== undefined && isUtf8(content) && !content.includes(0);
}
