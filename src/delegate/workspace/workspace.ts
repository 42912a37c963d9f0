import { promises as disk, mkdirSync } from 'node:fs';
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { log } from '../../log.ts';
import { copyRegularFile, readRegularFile } from '../../regular-file.ts';
import { readJson } from '../files/json-file.ts';
import { removeFolder } from '../files/remove-folder.ts';
import { RunDirectory } from '../files/run-directory.ts';
import type { Environment } from '../launch/environment.ts';
import { capture } from '../launch/launch.ts';
import { systemEnvironment, systemProgram, workspaceFolders } from '../launch/programs.ts';
import { type Containment, contain, type Overlay } from '../process/containment.ts';
import { rememberIndex, snapshotLayer } from './base-content.ts';
import {
  copyChanges,
  type FolderChange,
  isDeliverable,
  isLeftover,
  overlayChanges,
} from './folder-changes.ts';
import { type FolderState, isFolder, loadFolderState, modeOf, recordFolder } from './folder-state.ts';
import { folderLimitMs, limitStep } from './step-limit.ts';

/** `overlay` shows the folder under its own path with the job's changes on top; `copy` is a copy in another place. */
export type WorkspaceKind = 'overlay' | 'copy';

export interface WorkspaceOptions {
  readonly containment?: Containment | 'auto' | undefined;
  /** Only these kinds are tried, in this order. */
  readonly kinds?: readonly WorkspaceKind[];
  /** Larger folders are not copied. */
  readonly copyLimitBytes: number;
  /** Folders to leave out, such as the folder with the run files. */
  readonly ignored: readonly string[];
  readonly env: Environment;
}

export interface CollectedChanges {
  readonly changes: readonly FolderChange[];
  /** Named pipes, sockets and devices that the agent created. They stay behind. */
  readonly leftovers: readonly string[];
}

interface Stored {
  /** The user's folder. */
  readonly origin: string;
  readonly kind: WorkspaceKind;
  readonly containment?: Containment | 'auto';
  readonly excluded: readonly string[];
}

/** The folder's own repository data is never delivered file by file. */
const ownRepository = '.git';
const copyTimeoutMs = 30 * 60_000;

/**
 * An isolated, complete view of a folder in which one agent writes. The agent's changes are kept in `storage`, until they
 * are delivered or discarded.
 */
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

  /** Where the agent's changes go, for `contain`. */
  get overlay(): Overlay | undefined {
    const { kind, origin } = this.#stored;
    return kind === 'overlay' ? { folder: origin, storage: this.storage } : undefined;
  }

  /** What the agent made of the folder's own repository data. */
  get repositoryData(): string {
    const { kind } = this.#stored;
    return kind === 'overlay' ? join(this.storage, 'upper', ownRepository) : join(this.folder, ownRepository);
  }

  /** Returns `undefined` if the folder cannot be isolated here, or is too large to be copied. */
  static async create(
    origin: string,
    storage: string,
    { containment, kinds = ['overlay', 'copy'], copyLimitBytes, ignored, env }: WorkspaceOptions,
  ): Promise<Workspace | undefined> {
    const folder = await disk.realpath(origin);
    const place = await disk
      .mkdir(storage, { recursive: true, mode: 0o700 })
      .then(() => disk.realpath(storage));
    if (isWithin(folder, place)) return undefined;
    const inside = await Promise.all(ignored.map((path) => disk.realpath(path).catch(() => resolve(path))));
    const excluded = [
      ownRepository,
      ...inside
        .filter((path) => path !== folder && isWithin(folder, path))
        .map((path) => relative(folder, path)),
    ];
    await rememberIndex(storage, folder, env);
    const { files, bytes, isOwned } = await recordFolder(folder, join(storage, 'base'), excluded, env);
    for (const kind of kinds) {
      const stored = { origin: folder, kind, ...(containment && { containment }), excluded };
      const workspace = new Workspace(storage, stored, env);
      const isReady =
        kind === 'overlay'
          ? isOwned && (await workspace.#tryOverlay(files))
          : await workspace.#tryCopy(bytes <= copyLimitBytes);
      if (!isReady) continue;
      await new RunDirectory(storage, '').writeJson('workspace.json', stored);
      return workspace;
    }
    await removeFolder(storage);
    return undefined;
  }

  /** Opens the workspace of another process. `undefined` if there is none. */
  static async open(storage: string, env: Environment): Promise<Workspace | undefined> {
    const stored = await readJson(join(storage, 'workspace.json'));
    return stored === undefined ? undefined : new Workspace(storage, stored as unknown as Stored, env);
  }

  /**
   * The changes of the agent, determined from the file system. The new content is in `upper` afterwards. Call it when the
   * agent has exited; further calls return the same changes.
   */
  async collectChanges(signal?: AbortSignal): Promise<CollectedChanges> {
    const known = await readJson(join(this.storage, 'changes.json'));
    // A run that an earlier version recorded has no list of leftovers.
    if (known !== undefined)
      return { leftovers: [], ...(known as unknown as Pick<CollectedChanges, 'changes'>) };
    return limitStep((stopped) => this.#collect(stopped), signal, folderLimitMs);
  }

  async #collect(signal: AbortSignal): Promise<CollectedChanges> {
    const base = await loadFolderState(join(this.storage, 'base'));
    const { kind, excluded } = this.#stored;
    const all =
      kind === 'overlay'
        ? await overlayChanges(this, base, (input) => this.#listMerged(input), excluded)
        : await copyChanges(this, base, excluded, signal);
    const collected = {
      changes: all.filter(isDeliverable),
      leftovers: all.filter(isLeftover).map(({ path }) => path),
    };
    signal.throwIfAborted();
    await new RunDirectory(this.storage, '').writeJson('changes.json', collected);
    await this.#removeTemporary();
    return collected;
  }

  /** Removes everything but what `undo` needs. */
  async discardContent(): Promise<void> {
    await this.#removeTemporary();
    for (const name of [
      'upper',
      'base',
      'kept.jsonl',
      snapshotLayer,
      'committed',
      'merged',
      'index',
      'copied',
      'changed',
    ])
      await removeFolder(join(this.storage, name));
  }

  async remove(): Promise<void> {
    await removeFolder(this.storage);
  }

  async #removeTemporary(): Promise<void> {
    for (const name of ['work', 'lower', 'copy']) await removeFolder(join(this.storage, name));
  }

  async #tryOverlay(files: FolderState): Promise<boolean> {
    const { origin, containment } = this.#stored;
    if (await hasMountsBelow(origin)) return false;
    try {
      for (const name of ['upper', 'work', 'lower', snapshotLayer])
        await disk.mkdir(join(this.storage, name), { recursive: true });
      const { mode } = await disk.stat(origin);
      for (const name of ['upper', snapshotLayer]) await disk.chmod(join(this.storage, name), mode & 0o7777);
      // The kernel looks for files only in folders that were there when it first saw the folder.
      for (const [path, state] of files)
        if (isFolder(state))
          mkdirSync(join(this.storage, snapshotLayer, path), { recursive: true, mode: modeOf(state) });
      const { command, args } = await contain(
        { command: await systemProgram('true', this.env), args: [] },
        origin,
        {
          env: this.env,
          containment,
          overlay: this.overlay,
        },
      );
      await this.#run(command, args);
      return true;
    } catch (error) {
      log('debug', `${origin} is copied, because an overlay does not work`, error);
      await this.#removeTemporary();
      return false;
    }
  }

  async #tryCopy(isSmall: boolean): Promise<boolean> {
    if (!isSmall) return false;
    await disk.mkdir(join(this.storage, 'copy'), { recursive: true });
    await disk.mkdir(join(this.storage, 'upper'), { recursive: true });
    const reflink = process.platform === 'linux' ? ['--reflink=auto'] : [];
    await this.#run('cp', ['-a', ...reflink, '--', this.origin, join(this.storage, 'copy')]);
    await ownRepositoryLink(this.folder);
    await recordFolder(this.folder, join(this.storage, 'copied'), this.#stored.excluded, this.env);
    return true;
  }

  /** Lists folders as the agent saw them: overlayfs marks a replaced folder in a way that Node cannot read. */
  async #listMerged(folders: readonly string[]): Promise<readonly string[]> {
    const script = `exec xargs -0 -r sh -c 'exec find "$@" -mindepth 1 -maxdepth 1 -print0' find 2>/dev/null`;
    const sh = { command: await systemProgram('sh', this.env), args: ['-c', script] };
    const { command, args } = await contain(sh, this.origin, {
      env: this.env,
      containment: this.#stored.containment,
      overlay: this.overlay,
    });
    const stdout = await this.#run(command, args, folders.map((path) => `./${path}\0`).join(''));
    return stdout.split('\0').flatMap((path) => (path === '' ? [] : [path.slice(2).replace(/^\.\//, '')]));
  }

  async #run(command: string, args: readonly string[], input = ''): Promise<string> {
    const untrusted = await workspaceFolders([this.origin], this.env);
    const program = { command, args, env: await systemEnvironment(this.env, untrusted) };
    const { code, output, errors, startError } = await capture(program, {
      input: Buffer.from(input),
      timeoutMs: copyTimeoutMs,
    });
    if (code === 0) return output.toString();
    throw startError ?? new Error(`${command} failed with code ${code}: ${errors.toString().trim()}`);
  }
}

/** A `.git` file refers to data outside the copy, so git commands in the copy would change the index of the original. */
async function ownRepositoryLink(copy: string): Promise<void> {
  const link = join(copy, ownRepository);
  const text = await readRegularFile(link).catch(() => '');
  const gitDir = /^gitdir: (.*)/.exec(text)?.[1];
  if (gitDir === undefined) return;
  const original = resolve(copy, gitDir);
  const common = await readRegularFile(join(original, 'commondir')).catch(() => '.');
  await disk.rm(link);
  await disk.mkdir(link);
  for (const name of ['HEAD', 'index'])
    await copyRegularFile(join(original, name), join(link, name)).catch(() => {});
  await disk.writeFile(join(link, 'commondir'), `${resolve(original, common.trim())}\n`);
}

/** An overlay does not show what is mounted below the folder. */
async function hasMountsBelow(folder: string): Promise<boolean> {
  const mounts = await readRegularFile('/proc/self/mountinfo').catch(() => '');
  return mounts.split('\n').some((line) => {
    const path = line
      .split(' ')[4]
      ?.replaceAll(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
    return path !== undefined && path !== folder && isWithin(folder, path);
  });
}

function isWithin(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below === '' || (below.split(sep)[0] !== '..' && !isAbsolute(below));
}
