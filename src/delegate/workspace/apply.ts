import { isUtf8 } from 'node:buffer';
import { constants, promises as disk } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { type FilePath, readRegularBytes } from '../../regular-file.ts';
import type { Environment } from '../process/environment.ts';
import { findBaseContent, preserveForOthers, replacedContents } from './base-content.ts';
import { type Change, type FolderChange, isApplicable, summarize } from './folder-changes.ts';
import type { FolderClaims } from './folder-claims.ts';
import { mergeTexts } from './git.ts';
import { loadJournal, type Step, saveJournal } from './journal.ts';
import {
  contentHash,
  copy,
  folderOf,
  hasSameContent,
  ignoreExisting,
  isLike,
  linkAbove,
  makeParents,
  parentsOf,
  replace,
  temporaryName,
  withMode,
} from './placed-file.ts';
import { folderLimitMs, limitStep } from './step-limit.ts';
import {
  displayPath,
  type FileState,
  isFolder,
  isLink,
  isRegularFile,
  modeOf,
  specialKind,
  stateOf,
  within,
} from './tree.ts';
import type { Workspace } from './workspace.ts';

/** A path whose change was not applied or not undone, and why. */
export interface Conflict {
  readonly path: string;
  readonly reason: string;
}

export interface ChangedPaths {
  readonly changed: readonly Change[];
  /** Texts that now contain both versions of some lines, between conflict markers. */
  readonly marked: readonly string[];
  readonly conflicts: readonly Conflict[];
}

export interface ApplyOptions {
  readonly run: string;
  readonly claims: FolderClaims;
  readonly env: Environment;
  readonly signal?: AbortSignal;
  /** Only these files and folders. */
  readonly paths?: readonly string[];
  /**
   * What becomes of a path that the folder has changed too, if the texts cannot be merged: the version of the run or of the
   * folder, or both with conflict markers. Default: the change is kept for later.
   */
  readonly take?: 'run' | 'folder' | 'markers';
}

/**
 * Applies the changes of a run to the user's folder, path by path. A path that is as it was when the run started gets the
 * content of the run. Where both sides changed a text in different places, the texts are merged. An interrupted call
 * continues where it stopped. Git data is never written.
 */
export async function applyChanges(workspace: Workspace, options: ApplyOptions): Promise<ChangedPaths> {
  const changes = (await workspace.collectChanges(options.signal)).filter(isApplicable);
  if (changes.length === 0) return { changed: [], marked: [], conflicts: [] };
  return holdFolder(workspace, options, async (assertHeld) => {
    const journal = await loadJournal(workspace.storage);
    if (journal?.state === 'started') return applySteps(workspace, journal.steps, [], assertHeld, options);
    const earlier = journal?.state === 'delivered' ? journal.steps : [];
    const finished = new Set(earlier.flatMap(({ path, done }) => (done === 'delivered' ? [path] : [])));
    const isSelected = selection(options.paths);
    const open = changes.filter(({ path }) => !finished.has(path));
    const later = open
      .filter(({ path }) => !isSelected(path))
      .map((change) => earlier.find(({ path }) => path === change.path) ?? postponed(change));
    const done = [...earlier.filter(({ path }) => finished.has(path)), ...later];
    const undone = new Map(earlier.flatMap((step) => (step.done === 'undone' ? [[step.path, step]] : [])));
    const steps = await prepare(
      workspace,
      open.filter(({ path }) => isSelected(path)),
      undone,
      options,
    );
    await saveJournal(workspace.storage, { state: 'started', steps: [...done, ...steps] });
    return applySteps(workspace, steps, done, assertHeld, options);
  });
}

function postponed(change: FolderChange): Step {
  return { ...change, temporary: temporaryName(), done: 'kept', reason: 'it was not selected' };
}

/** Selects paths by their own name, by the name of a folder above them, or by the way they are shown. */
export function selection(paths: readonly string[] | undefined): (path: string) => boolean {
  if (paths === undefined) return () => true;
  const wanted = new Set(paths.map((path) => path.replace(/^\.\//, '').replace(/\/+$/, '')));
  return (path) => [path, ...parentsOf(path)].some((one) => wanted.has(one) || wanted.has(displayPath(one)));
}

/** Throws if the folder of a run was deleted. */
export async function demandFolder(origin: string): Promise<void> {
  if (!isFolder(await stateOf(origin)))
    throw new Failure('unavailable', 'the folder does not exist any more');
}

/** Does the work when no other process writes changes to the folder. It calls `assertHeld` before each change. */
export async function holdFolder<Value>(
  { origin, storage }: Workspace,
  { run, claims, signal }: ApplyOptions,
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
  undone: ReadonlyMap<string, Step>,
  options: ApplyOptions,
): Promise<readonly Step[]> {
  const { storage, origin } = workspace;
  await disk.mkdir(join(storage, 'before'), { recursive: true, mode: 0o700 });
  const folders = new Set(changes.filter(({ state }) => isFolder(state)).map(({ path }) => path));
  const steps: Step[] = [];
  for (const change of inOrder(changes))
    steps.push(
      await limitStep(() => prepareStep(workspace, change, folders, undone, options), options.signal).catch(
        (error: unknown) => {
          options.signal?.throwIfAborted();
          return { ...postponed(change), reason: messageOf(error) };
        },
      ),
    );
  const replaced = steps.flatMap(({ path, before, backup }) =>
    before !== undefined && backup !== undefined
      ? [{ path, state: before, file: join(storage, 'before', backup) }]
      : [],
  );
  const others = options.claims.isolatedBeside(origin, options.run);
  await limitStep(() => preserveForOthers(others, origin, replaced), options.signal, folderLimitMs);
  return steps;
}

async function prepareStep(
  workspace: Workspace,
  change: FolderChange,
  /** Folders that take the place of something else. */
  folders: ReadonlySet<string>,
  /** Earlier steps that were undone. */
  undone: ReadonlyMap<string, Step>,
  options: ApplyOptions,
): Promise<Step> {
  const { path, base, state } = change;
  const target = within(workspace.origin, path);
  const step = { ...change, temporary: temporaryName() };
  const kept = (reason: string): Step => ({ ...step, done: 'kept', reason });
  const link = await linkAbove(workspace.origin, path);
  if (link !== undefined && !folders.has(link)) return kept(`${link} is a link now`);
  const before = link === undefined ? await stateOf(target) : undefined;
  const special = specialKind(before);
  if (special !== undefined) return kept(`it is ${special}, which a run cannot replace`);
  const made = specialKind(state);
  if (made !== undefined)
    return kept(`the run made it ${made}, and only files, links and folders are applied`);
  const known = { ...step, ...(before && { before }) };
  const again = await repeatStep(workspace, undone.get(path), target, before);
  if (again !== undefined) return { ...again, ...known };
  // If the user removes a named pipe, the run's file can take its place.
  const isAsBefore = before === (specialKind(base) === undefined ? base : undefined);
  if (!isAsBefore && (await isAlreadyThere(workspace, change, target, before)))
    return { ...known, done: 'delivered', isUntouched: true };
  const merge =
    isAsBefore || options.take === 'run' ? {} : await mergeFile(workspace, change, target, before, options);
  if (typeof merge === 'string')
    return options.take === 'folder' ? { ...known, done: 'delivered', isUntouched: true } : kept(merge);
  const hasContent = before !== undefined && !isFolder(before);
  const backup = hasContent ? crypto.randomUUID() : undefined;
  if (backup !== undefined) await copy(target, join(workspace.storage, 'before', backup));
  const isModeKept = base !== undefined && state !== undefined && modeOf(base) === modeOf(state);
  const written = merge.merged !== undefined && isModeKept ? before : state;
  const mode = written === undefined ? undefined : modeOf(written);
  return { ...known, ...(backup && { backup }), ...(mode !== undefined && { mode }), ...merge };
}

/** The same step again, if the path is as its undo has left it. */
async function repeatStep(
  { storage }: Workspace,
  undone: Step | undefined,
  target: FilePath,
  now: FileState | undefined,
): Promise<Partial<Step> | undefined> {
  if (undone === undefined || undone.isMarked) return undefined;
  const { before, backup, merged, mode } = undone;
  const hash = backup === undefined ? '' : await contentHash(join(storage, 'before', backup));
  if (!(await isLike(target, now, before, hash))) return undefined;
  return { ...(backup && { backup }), ...(merged && { merged }), ...(mode !== undefined && { mode }) };
}

async function isAlreadyThere(
  { content }: Workspace,
  { path, state }: FolderChange,
  target: FilePath,
  now: FileState | undefined,
): Promise<boolean> {
  if (state === undefined || now === undefined) return state === now;
  if (state[0] !== now[0] || (!isLink(state) && modeOf(state) !== modeOf(now))) return false;
  return isFolder(state) || hasSameContent(within(content, path), target);
}

/** Applies the steps, then sets the permissions of folders: a folder may be read-only at the end. */
async function applySteps(
  workspace: Workspace,
  steps: readonly Step[],
  earlier: readonly Step[],
  assertHeld: () => void,
  { signal: cancelled }: ApplyOptions,
): Promise<ChangedPaths> {
  const finished: Step[] = [];
  for (const step of steps) {
    const apply = () =>
      limitStep((signal) => applyStep(workspace, step, assertHeld, signal), cancelled).catch(
        (error: unknown): Step => ({ ...step, done: 'kept', reason: reasonOf(error) }),
      );
    finished.push(step.done === undefined ? await apply() : step);
  }
  for (const { path, state, done, isUntouched } of finished.toReversed())
    if (isFolder(state) && done === 'delivered' && !isUntouched)
      await disk.chmod(within(workspace.origin, path), modeOf(state!)).catch(() => {});
  await saveJournal(workspace.storage, { state: 'delivered', steps: [...earlier, ...finished] });
  return resultOf(finished);
}

async function applyStep(
  { origin, storage, content }: Workspace,
  step: Step,
  assertHeld: () => void,
  signal: AbortSignal,
): Promise<Step> {
  const { path, state, before, merged, temporary } = step;
  const target = within(origin, path);
  await disk.rm(within(origin, join(path, '..', temporary)), { force: true }).catch(() => {});
  const source = merged === undefined ? within(content, path) : join(storage, 'merged', merged);
  const hash = state === undefined || isFolder(state) ? undefined : await contentHash(source);
  const done: Step = { ...step, done: 'delivered', ...(hash !== undefined && { hash }) };
  const link = await linkAbove(origin, path);
  if (link !== undefined) throw new Error(`${link} is a link now`);
  const now = await stateOf(target);
  if (now !== before) {
    // A call that was interrupted may have done this step already.
    const isDone =
      now === undefined || hash === undefined
        ? isFolder(now) === isFolder(state) && (now === undefined) === (state === undefined)
        : (await contentHash(target)) === hash;
    return isDone ? done : { ...step, done: 'kept', reason: 'it was changed while it was applied' };
  }
  signal.throwIfAborted();
  assertHeld();
  const parents = state === undefined ? [] : await makeParents(origin, path);
  const mode = step.mode ?? (state === undefined ? undefined : modeOf(state));
  await withMode(folderOf(origin, path), constants.S_IRWXU, () =>
    put(origin, path, now, state, source, { mode, signal, temporary }),
  );
  return { ...done, ...(parents.length > 0 && { parents }) };
}

/** Brings a path from one state to another. A folder gets its final permissions later. */
export async function put(
  origin: string,
  path: string,
  from: FileState | undefined,
  to: FileState | undefined,
  source: FilePath,
  options: { readonly mode: number | undefined; readonly signal: AbortSignal; readonly temporary?: string },
): Promise<void> {
  const target = within(origin, path);
  const { mode = 0o600, ...rest } = options;
  if (isFolder(from) && !isFolder(to)) await disk.rmdir(target);
  else if (from !== undefined && (to === undefined || (isFolder(to) && !isFolder(from))))
    await disk.rm(target, { force: true });
  if (to === undefined) return;
  if (!isFolder(to)) await replace(source, origin, path, { mode, ...rest });
  else if (!isFolder(from)) await disk.mkdir(target, { mode: modeOf(to) | 0o700 }).catch(ignoreExisting);
}

export function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOTEMPTY' || code === 'EEXIST' ? 'the folder is not empty' : messageOf(error);
}

/** Deletions first, from the deepest path up; then the rest from the top down. */
function inOrder(changes: readonly FolderChange[]): FolderChange[] {
  const deleted = changes.filter(({ state }) => state === undefined);
  return [...deleted.toReversed(), ...changes.filter(({ state }) => state !== undefined)];
}

export function resultOf(steps: readonly Step[]): ChangedPaths {
  const kept = steps.filter(({ done }) => done === 'kept');
  const blocked = new Set(kept.flatMap(({ path }) => parentsOf(path)));
  return {
    changed: summarize(steps.filter(({ done }) => done === 'delivered')),
    marked: steps.flatMap(({ path, isMarked, done }) => (isMarked && done === 'delivered' ? [path] : [])),
    // A folder that stays because of a file in it is not another conflict.
    conflicts: kept
      .filter(({ path, base, state }) => !(isFolder(state ?? base) && blocked.has(path)))
      .map(({ path, reason = '' }) => ({ path, reason })),
  };
}

/** Larger files are not merged. */
export const maxTextBytes = 4 * 1024 * 1024;

/** The merged file, or the reason why the texts conflict. */
type Merge = string | Pick<Step, 'merged' | 'isMarked'>;

/** Merges the run's version of a text with the folder's. Returns the merged file, or the reason why they conflict. */
async function mergeFile(
  workspace: Workspace,
  { path, base, state, change }: FolderChange,
  target: FilePath,
  now: FileState | undefined,
  options: ApplyOptions,
): Promise<Merge> {
  const { run, env, take } = options;
  if (now === undefined) return 'it was deleted meanwhile';
  if (change === 'deleted') return 'it was changed meanwhile, and the run deleted it';
  const conflict =
    change === 'added' ? 'it was created meanwhile with other content' : 'it was changed meanwhile';
  if (!isRegularFile(state) || !isRegularFile(now)) return conflict;
  const { storage, content } = workspace;
  const known = isRegularFile(base) ? await findBaseContent(workspace, path, base!) : undefined;
  if (known === undefined && take !== 'markers') return conflict;
  const merge = join(storage, 'merge');
  const versions = { ours: join(merge, 'folder'), base: join(merge, 'base'), theirs: join(merge, 'run') };
  await disk.rm(merge, { recursive: true, force: true });
  await disk.mkdir(merge, { mode: 0o700 });
  for (const [file, source] of [
    [versions.ours, target],
    [versions.base, known],
    [versions.theirs, within(content, path)],
  ] as const) {
    const bytes = source === undefined ? Buffer.alloc(0) : await readText(source);
    if (bytes === undefined) return `${conflict}, and it is not a text that can be merged`;
    await disk.writeFile(file, bytes, { mode: 0o600 });
  }
  const fromStart = await mergeTexts(merge, versions, run, env);
  const { text, conflicts } =
    fromStart.conflicts === 0 ? fromStart : await mergeFromLater(workspace, path, merge, versions, options);
  if (conflicts > 0 && take !== 'markers') return conflict;
  await disk.mkdir(join(storage, 'merged'), { recursive: true, mode: 0o700 });
  const merged = crypto.randomUUID();
  await disk.writeFile(join(storage, 'merged', merged), text, { mode: 0o600 });
  return { merged, ...(conflicts > 0 && { isMarked: true }) };
}

/**
 * Merges again from the latest content that the agent has seen: an overlay shows what other runs applied before the agent read
 * the file. The agent has seen a content if its version has all changes that led to it.
 */
async function mergeFromLater(
  { storage }: Workspace,
  path: string,
  merge: string,
  versions: { readonly ours: string; readonly base: string; readonly theirs: string },
  { run, env }: ApplyOptions,
): Promise<{ readonly text: Buffer; readonly conflicts: number }> {
  const theirs = await readRegularBytes(versions.theirs);
  const later = join(merge, 'later');
  for (const replaced of (await replacedContents(storage, path)).toReversed()) {
    const bytes = await readText(replaced);
    if (bytes === undefined) continue;
    await disk.writeFile(later, bytes, { mode: 0o600 });
    const seen = await mergeTexts(merge, { ...versions, ours: later }, run, env);
    if (seen.conflicts === 0 && seen.text.equals(theirs))
      return mergeTexts(merge, { ...versions, base: later }, run, env);
  }
  return mergeTexts(merge, versions, run, env);
}

async function readText(file: FilePath): Promise<Buffer | undefined> {
  const content = await readRegularBytes(file, maxTextBytes).catch(() => undefined);
  return content !== undefined && isUtf8(content) && !content.includes(0) ? content : undefined;
}
