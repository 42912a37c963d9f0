import { type BigIntStats, promises as disk } from 'node:fs';
import { join } from 'node:path';
import { maxFileBytes, readRegularFile } from '../../regular-file.ts';
import type { Environment } from '../launch/environment.ts';
import { capture } from '../launch/launch.ts';

/**
 * What the file system tells about a file without reading it: type, permissions, size, times and inode, in the format of
 * `find -printf`. Two equal states mean equal content. A folder's state is only its type and permissions.
 */
export type FileState = string;

/** The files of a folder by relative path. */
export type FolderState = ReadonlyMap<string, FileState>;

export interface RecordedFolder {
  readonly files: FolderState;
  readonly bytes: number;
  /** False if another user or group owns a file. */
  readonly isOwned: boolean;
}

const listTimeoutMs = 10 * 60_000;
const format = '%y%m:%s:%T@:%C@:%i %U:%G %P\\0';

/** Writes the state of all files in a folder to a file, except those in the excluded folders. */
export async function recordFolder(
  folder: string,
  file: string,
  excluded: readonly string[],
  env: Environment,
): Promise<RecordedFolder> {
  const isComplete = await listByFind(folder, file, excluded, env).catch(() => false);
  if (!isComplete) await disk.writeFile(file, await listByWalk(folder, excluded), { mode: 0o600 });
  return readRecorded(file);
}

export async function loadFolderState(file: string): Promise<FolderState> {
  return (await readRecorded(file)).files;
}

/** The current state of one file. `undefined` if it does not exist. */
export async function stateOf(path: string): Promise<FileState | undefined> {
  const stat = await disk.lstat(path, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  return stat && describe(stat);
}

export function sameState(one: FileState | undefined, other: FileState | undefined): boolean {
  return one === other || (isFolder(one) && isFolder(other));
}

export function isFolder(state: FileState | undefined): boolean {
  return state?.startsWith('d') ?? false;
}

export function isRegularFile(state: FileState | undefined): boolean {
  return state?.startsWith('f') ?? false;
}

export function isLink(state: FileState | undefined): boolean {
  return state?.startsWith('l') ?? false;
}

/** What a file is that must not be opened or copied. `undefined` for regular files, links, folders and missing files. */
export function specialKind(state: FileState | undefined): string | undefined {
  return state && specialKinds[state[0]!];
}

const specialKinds: Readonly<Record<string, string>> = {
  p: 'a named pipe',
  s: 'a socket',
  c: 'a device',
  b: 'a device',
};

/** The permissions of a file or folder. */
export function modeOf(state: FileState): number {
  return Number.parseInt(state.slice(1), 8);
}

async function readRecorded(file: string): Promise<RecordedFolder> {
  const text = await readRegularFile(file, maxFileBytes);
  const files = new Map<string, FileState>();
  const owner = `${process.getuid?.()}:${process.getgid?.()}`;
  let [bytes, isOwned] = [0, true];
  for (const record of text.split('\0')) {
    const stateEnd = record.indexOf(' ');
    const ownerEnd = record.indexOf(' ', stateEnd + 1);
    if (ownerEnd < 0) continue;
    isOwned &&= record.slice(stateEnd + 1, ownerEnd) === owner;
    const path = record.slice(ownerEnd + 1);
    if (path === '') continue;
    const state = record.slice(0, stateEnd);
    files.set(path, isFolder(state) ? state.slice(0, state.indexOf(':')) : state);
    if (isRegularFile(state)) bytes += Number(state.split(':')[1]);
  }
  return { files, bytes, isOwned };
}

/** GNU find is several times faster than a walk with Node, and does not block this process. */
async function listByFind(
  folder: string,
  file: string,
  excluded: readonly string[],
  env: Environment,
): Promise<boolean> {
  const prune = excluded.flatMap((path) => [
    '-path',
    `./${path.replaceAll(/[\\*?[\]]/g, '\\$&')}`,
    '-prune',
    '-o',
  ]);
  const find = {
    command: 'find',
    args: ['.', ...prune, '-printf', format],
    cwd: folder,
    env: { ...env, LC_ALL: 'C' },
  };
  const { code, output } = await capture(find, { timeoutMs: listTimeoutMs });
  if (code === 0) await disk.writeFile(file, output, { mode: 0o600 });
  return code === 0;
}

async function listByWalk(folder: string, excluded: readonly string[]): Promise<string> {
  const skipped = new Set(excluded);
  const root = await disk.lstat(folder, { bigint: true });
  const records = [record(root, '')];
  const visit = async (below: string): Promise<void> => {
    const names = await disk.readdir(join(folder, below)).catch(() => []);
    for (const name of names) {
      const path = below === '' ? name : `${below}/${name}`;
      const stat = skipped.has(path)
        ? undefined
        : await disk.lstat(join(folder, path), { bigint: true }).catch(() => undefined);
      if (stat === undefined) continue;
      records.push(record(stat, path));
      if (stat.isDirectory()) await visit(path);
    }
  };
  await visit('');
  return records.join('');
}

function record(stat: BigIntStats, path: string): string {
  return `${describe(stat)} ${stat.uid}:${stat.gid} ${path}\0`;
}

function describe(stat: BigIntStats): FileState {
  const mode = `${letterOf(stat)}${(stat.mode & 0o7777n).toString(8)}`;
  if (stat.isDirectory()) return mode;
  return [mode, stat.size, seconds(stat.mtimeNs), seconds(stat.ctimeNs), stat.ino].join(':');
}

function letterOf(stat: BigIntStats): string {
  if (stat.isFile()) return 'f';
  if (stat.isDirectory()) return 'd';
  if (stat.isSymbolicLink()) return 'l';
  if (stat.isFIFO()) return 'p';
  if (stat.isSocket()) return 's';
  return stat.isCharacterDevice() ? 'c' : 'b';
}

/** `find` prints ten decimals. */
function seconds(nanoseconds: bigint): string {
  const text = String(nanoseconds).padStart(10, '0');
  return `${text.slice(0, -9)}.${text.slice(-9)}0`;
}
