import { promises as disk, existsSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import { type Containment, contain, type Overlay, type Program } from '../process/containment.ts';
import type { Environment } from '../process/environment.ts';
import { isInFolder } from '../process/folder-scope.ts';
import { readJson } from '../process/json-file.ts';
import { capture } from '../process/launch.ts';
import { systemEnvironment, systemProgram, workspaceFolders } from '../process/programs.ts';
import { contentToApplyAgain, unreadCommits } from './applied-content.ts';
import type { ApplyMode } from './apply-mode.ts';
import { keptFiles, rememberIndex } from './base-content.ts';
import { copyChanges, type FolderChange, overlayChanges } from './folder-changes.ts';
import { FolderClaims } from './folder-claims.ts';
import { ownRepositoryLink } from './git.ts';
import { hasJournal } from './journal.ts';
import { removeFolder } from './remove-folder.ts';
import { RunDirectory } from './run-directory.ts';
import { folderLimitMs, limitStep } from './step-limit.ts';
import {
  changeTime,
  decodePath,
  encodePath,
  type FileState,
  type FolderState,
  hasMountsBelow,
  isFolder,
  loadFolderState,
  recordFolder,
  sizeOf,
  stateOf,
  unknownState,
} from './tree.ts';

/**
 * Every writing run works in a workspace: a view of the user's folder in which its changes go to another place. Its changes are
 * *collected* when the agent has exited, then *waiting* → *applied* → *undone*, path by path, or put on a *branch*. A run
 * that is resumed before its changes are applied is *continued*: the new run takes over its workspace.
 *
 * `overlay` shows the folder under its own path with the changes of the run on top; `copy` is a copy in another place.
 */
export type WorkspaceKind = 'overlay' | 'copy';

/** The hidden folder in a run directory that holds the workspace of the run. */
export const workspaceFolder = '.workspace';

export interface WorkspaceOptions {
  /** The folder that all servers of the user share. */
  readonly stateDir: string;
  readonly containment?: Containment | 'auto' | undefined;
  /** Only these kinds are tried, in this order. */
  readonly workspaceKinds?: readonly WorkspaceKind[];
  /** Larger folders are not copied. */
  readonly copyLimitBytes: number;
  /** Folders that do not belong to the user's files, such as the one with the run files. */
  readonly ignored: readonly string[];
  readonly env: Environment;
  readonly apply?: ApplyMode;
  /** The run directory of an earlier run whose changes are not applied. This run continues with them. */
  readonly continues?: string | undefined;
}

interface Stored {
  /** The user's folder. */
  readonly origin: string;
  readonly kind: WorkspaceKind;
  readonly containment?: Containment | 'auto';
  readonly excluded: readonly string[];
  readonly apply?: ApplyMode;
  /** When the run started, in seconds, by the clock of the file system. */
  readonly startedAt?: number;
}

/** The folder's own repository data is never applied, and only read for commits. */
const ownRepository = '.git';
const copyTimeoutMs = 30 * 60_000;
/** What is needed after all changes are applied: to undo them, to apply them again, and for commits of the agent. */
const neededLater =
  /^(workspace\.json|changes\.json|delivery\.json|before|again|merged|kept|kept\.jsonl|branch\.json|commits.*)$/;

/** Recordings of folders in progress, by the storage of their workspaces. The agent does not wait for them. */
const recordings = new Map<string, Promise<unknown>>();

export class Workspace {
  /** The folder the agent works in: the user's folder itself for an overlay. */
  readonly folder: string;
  readonly storage: string;
  readonly env: Environment;
  readonly #stored: Stored;

  private constructor(storage: string, stored: Stored, env: Environment) {
    this.storage = storage;
    this.env = env;
    this.#stored = stored;
    this.folder = stored.kind === 'overlay' ? stored.origin : join(storage, 'copy', basename(stored.origin));
  }

  get origin(): string {
    return this.#stored.origin;
  }

  get kind(): WorkspaceKind {
    return this.#stored.kind;
  }

  get apply(): ApplyMode {
    return this.#stored.apply ?? 'auto';
  }

  /** Where the agent's changes go, for `contain`. */
  get overlay(): Overlay | undefined {
    const { kind, origin } = this.#stored;
    return kind === 'overlay' ? { folder: origin, storage: this.storage } : undefined;
  }

  /** The folder with the new content of the changed files. */
  get content(): string {
    const again = join(this.storage, contentToApplyAgain);
    if (existsSync(again)) return again;
    // Earlier versions moved the changed files out of a copy.
    return this.kind === 'copy' && existsSync(this.folder) ? this.folder : join(this.storage, 'upper');
  }

  /**
   * Gives a run its view of a folder, or opens the one that it shares. Throws if the folder cannot be isolated. Waits while the changes of another run are being
   * applied; from then on, every other run keeps what it replaces.
   */
  static async create(
    run: { readonly id: string; readonly path: string },
    origin: string,
    options: WorkspaceOptions,
    signal?: AbortSignal,
  ): Promise<Workspace> {
    const storage = join(run.path, workspaceFolder);
    const folder = await disk.realpath(origin);
    await disk.mkdir(storage, { recursive: true, mode: 0o700 });
    const inside = await disk.realpath(storage);
    if (isInFolder(inside, folder))
      throw new Failure(
        'refused',
        `${folder} contains the files of runs (${inside}), so a run cannot have an isolated view of it. Set delegate.runs_dir to a folder outside, work in a folder below, or use the sandbox danger-full-access, whose changes cannot be undone.`,
      );
    const claims = await FolderClaims.open(options.stateDir);
    try {
      const claim = { folder, run: run.id, kind: 'isolated', storage } as const;
      const lock = { ...claim, run: `${run.id} start`, kind: 'delivery' } as const;
      const { continues, env } = options;
      // No other process applies the changes of the earlier run while they move.
      const start = async () => {
        await claims.tryClaim(claim, []);
        return continues === undefined ? undefined : continueFrom(continues, folder, storage, options);
      };
      const continued = await claims.hold(lock, ['delivery'], start, signal);
      const shared = continued ?? (await Workspace.open(storage, env));
      return shared ?? (await isolate(folder, storage, options));
    } catch (error) {
      claims.release(run.id, 'isolated');
      throw error;
    } finally {
      claims.close();
    }
  }

  /** Opens the workspace of another process. `undefined` if there is none. */
  static async open(storage: string, env: Environment): Promise<Workspace | undefined> {
    const stored = await readJson(join(storage, 'workspace.json'));
    return stored === undefined ? undefined : new Workspace(storage, stored as unknown as Stored, env);
  }

  static async prepare(storage: string, stored: Stored, copyLimitBytes: number, env: Environment) {
    const workspace = new Workspace(storage, stored, env);
    if (stored.kind === 'overlay') {
      await workspace.#mount();
      workspace.#recordBase().catch(() => {});
    } else await workspace.#copy(copyLimitBytes);
    await new RunDirectory(storage, '').writeJson('workspace.json', stored);
    return workspace;
  }

  /** Mounts the overlay once, to see that it works. */
  async #mount(): Promise<void> {
    for (const name of ['upper', 'work', 'lower'])
      await disk.mkdir(join(this.storage, name), { recursive: true });
    const { mode, uid } = await disk.stat(this.origin);
    if (process.getuid?.() !== 0 && uid !== process.getuid?.())
      throw new Error('the folder belongs to another user');
    if (await hasMountsBelow(this.origin)) throw new Error('something is mounted below it');
    await disk.chmod(join(this.storage, 'upper'), mode & 0o7777);
    await this.#inView({ command: await systemProgram('true', this.env), args: [] });
  }

  async #copy(limitBytes: number): Promise<void> {
    const { excluded } = this.#stored;
    await this.#recordBase();
    const data = join(this.storage, 'data');
    const repository = join(this.origin, ownRepository);
    if (isFolder(await stateOf(repository))) await recordFolder(repository, data, [], this.env);
    const bytes =
      sizeOf(await loadFolderState(join(this.storage, 'base'))) +
      sizeOf(await loadFolderState(data).catch(() => new Map()));
    if (bytes > limitBytes) throw new TooLarge(bytes);
    await disk.mkdir(join(this.storage, 'copy'), { recursive: true });
    const clone = { linux: ['--reflink=auto'], darwin: ['-c'] }[process.platform as string] ?? [];
    await this.#run('cp', ['-a', ...clone, '--', this.origin, join(this.storage, 'copy')]);
    await ownRepositoryLink(this.folder);
    await recordFolder(this.folder, join(this.storage, 'copied'), excluded, this.env);
  }

  /** Records the folder as it was at the start. The agent of an overlay need not wait for it: it cannot change the folder. */
  #recordBase(): Promise<unknown> {
    const { storage, origin, env } = this;
    const recording = Promise.all([
      rememberIndex(storage, origin, env),
      recordFolder(origin, join(storage, 'base'), this.#stored.excluded, env),
    ]).finally(() => recordings.delete(storage));
    recordings.set(storage, recording);
    return recording;
  }

  /** The state of the folder when the run started. */
  async #base(): Promise<FolderState> {
    const file = join(this.storage, 'base');
    await recordings.get(this.storage);
    // The process that recorded it was killed.
    if (!existsSync(file)) await this.#recordBase();
    const { startedAt = Number.POSITIVE_INFINITY } = this.#stored;
    const files = new Map<string, FileState>(await loadFolderState(file));
    for (const [path, state] of files)
      if (!isFolder(state) && changeTime(state) > startedAt) files.set(path, unknownState(state));
    for (const [path, { state }] of await keptFiles(this.storage)) files.set(path, state);
    return files;
  }

  /**
   * The changes of the agent, determined from the file system. Call it when the agent has exited; further calls return the same
   * changes.
   */
  async collectChanges(signal?: AbortSignal): Promise<readonly FolderChange[]> {
    const known = await readJson(join(this.storage, 'changes.json'));
    if (known !== undefined) return known['changes'] as readonly FolderChange[];
    const changes = await this.findChanges(signal);
    await new RunDirectory(this.storage, '').writeJson('changes.json', { changes });
    return changes;
  }

  /** The changes so far. Call it while no agent works. */
  findChanges(signal?: AbortSignal): Promise<readonly FolderChange[]> {
    return limitStep((stopped) => this.#find(stopped), signal, folderLimitMs);
  }

  async #find(signal: AbortSignal): Promise<readonly FolderChange[]> {
    const base = await this.#base();
    const { kind, excluded } = this.#stored;
    const changed = join(this.storage, 'changed');
    await recordFolder(this.content, changed, excluded, this.env);
    const now = await loadFolderState(changed);
    const changes =
      kind === 'overlay'
        ? await overlayChanges(this, base, now, (folders) => this.#listMerged(folders))
        : await copyChanges(this, base, await loadFolderState(join(this.storage, 'copied')), now);
    signal.throwIfAborted();
    return changes;
  }

  /** Removes everything but what `undo` needs, and the changed files if `keepContent` has kept them. */
  async discardContent(): Promise<void> {
    if (existsSync(join(this.storage, unreadCommits))) return;
    for (const name of await disk.readdir(this.storage))
      if (!neededLater.test(name)) await removeFolder(join(this.storage, name));
  }

  async remove(): Promise<void> {
    await removeFolder(this.storage);
  }

  /** Lists folders as the agent saw them: overlayfs marks a replaced folder in a way that Node cannot read. */
  async #listMerged(folders: readonly string[]): Promise<ReadonlySet<string>> {
    const script = `exec xargs -0 -r sh -c 'exec find "$@" -mindepth 1 -maxdepth 1 -print0' find 2>/dev/null`;
    const sh = { command: await systemProgram('sh', this.env), args: ['-c', script] };
    const input = folders.flatMap((path) => [Buffer.from(encodePath(`./${path}`)), Buffer.of(0)]);
    const output = await this.#inView(sh, Buffer.concat(input));
    const listed = new Set<string>();
    for (let at = 0; at < output.length; ) {
      const end = output.indexOf(0, at);
      listed.add(decodePath(output.subarray(at, end)).replace(/^\.\/(\.\/)?/, ''));
      at = end + 1;
    }
    return listed;
  }

  async #inView(program: Program, input?: Buffer): Promise<Buffer> {
    const { containment } = this.#stored;
    const { env, overlay } = this;
    const { command, args } = await contain(program, this.origin, { env, containment, overlay });
    return this.#run(command, args, input);
  }

  async #run(command: string, args: readonly string[], input?: Buffer): Promise<Buffer> {
    const untrusted = await workspaceFolders([this.origin], this.env);
    const program = { command, args, env: await systemEnvironment(this.env, untrusted) };
    const { code, output, errors, startError } = await capture(program, {
      ...(input && { input }),
      timeoutMs: copyTimeoutMs,
    });
    if (code === 0) return output;
    throw startError ?? new Error(`${command} failed with code ${code}: ${errors.toString().trim()}`);
  }
}

/** Ends the claim of a run whose changes no other run has to consider any more. */
export async function releaseWorkspace(stateDir: string, run: string): Promise<void> {
  const claims = await FolderClaims.open(stateDir);
  claims.release(run, 'isolated');
  claims.close();
}

class TooLarge extends Error {
  constructor(bytes: number) {
    super(`it has ${Math.ceil(bytes / 1e6)} MB`);
  }
}

async function isolate(folder: string, storage: string, options: WorkspaceOptions): Promise<Workspace> {
  const { workspaceKinds = ['overlay', 'copy'], containment, copyLimitBytes, env, apply } = options;
  const inside = await Promise.all(
    options.ignored.map((path) => disk.realpath(path).catch(() => resolve(path))),
  );
  const excluded = [
    ownRepository,
    ...inside
      .filter((path) => path !== folder && isInFolder(path, folder))
      .map((path) => relative(folder, path)),
  ];
  // What was changed before now belongs to the folder that the run starts from.
  await disk.chmod(storage, 0o700);
  const { ctimeNs } = await disk.stat(storage, { bigint: true });
  const startedAt = Number(ctimeNs) / 1e9;
  let problem: unknown;
  for (const kind of workspaceKinds) {
    const stored = { origin: folder, kind, excluded, startedAt, ...(containment && { containment }) };
    try {
      const complete = { ...stored, ...(apply && { apply }) };
      return await Workspace.prepare(storage, complete, copyLimitBytes, env);
    } catch (error) {
      log('debug', `${folder} cannot be isolated as ${kind}`, error);
      problem = error;
      await removeFolder(storage);
      await disk.mkdir(storage, { recursive: true, mode: 0o700 });
    }
  }
  await removeFolder(storage);
  const reason =
    problem instanceof TooLarge
      ? `an overlay does not work here, and ${problem.message}, more than delegate.copy_limit_mb (${Math.floor(copyLimitBytes / 1e6)}) allows to copy. Raise delegate.copy_limit_mb`
      : `${messageOf(problem)}. Make the folder readable`;
  throw new Failure(
    'refused',
    `The run was not started, because ${folder} cannot be isolated: ${reason}, or use the sandbox danger-full-access, whose changes cannot be undone.`,
  );
}

/** What a run needs of the workspace that it continues. The rest describes what became of the changes of the earlier run. */
const continued =
  /^(workspace\.json|upper|work|lower|copy|copied|base|index|repository\.json|kept|kept\.jsonl|committed)$/;

/** Moves the workspace of an earlier run to a new one. `undefined` if its changes do not wait to be applied. */
async function continueFrom(
  earlierRun: string,
  folder: string,
  storage: string,
  { env, apply }: WorkspaceOptions,
): Promise<Workspace | undefined> {
  const from = join(earlierRun, workspaceFolder);
  const stored = await readJson(join(from, 'workspace.json'));
  if (stored?.['origin'] !== folder || hasJournal(from)) return undefined;
  if (!existsSync(join(from, 'upper')) && !existsSync(join(from, 'copy'))) return undefined;
  // In one step: if this process is killed, one of the two runs has all changes.
  await disk.rename(from, storage);
  // What is left says where the changes are.
  await disk.mkdir(from, { mode: 0o700 });
  await disk.writeFile(join(from, 'continued'), '');
  for (const name of await disk.readdir(storage))
    if (!continued.test(name)) await removeFolder(join(storage, name));
  await new RunDirectory(storage, '').writeJson('workspace.json', { ...stored, ...(apply && { apply }) });
  return Workspace.open(storage, env);
}
