import { isUtf8 } from 'node:buffer';
import { type BigIntStats, promises as disk } from 'node:fs';
import { join } from 'node:path';
import { type FilePath, maxFileBytes, readRegularBytes } from '../../regular-file.ts';
import { readMounts } from '../process/bounds.ts';
import type { Environment } from '../process/environment.ts';
import { isInFolder } from '../process/folder-scope.ts';
import { capture } from '../process/launch.ts';

/**
 * What the file system tells about a file without reading it: type, permissions, size, times and inode, in the format of
 * `find -printf`. Two equal states mean equal content. A folder's state is only its type and permissions.
 */
export type FileState = string;

/** The files of a folder by relative path, with forward slashes. See `decodePath`. */
export type FolderState = ReadonlyMap<string, FileState>;

const listTimeoutMs = 10 * 60_000;
const format = '%y%m:%s:%T@:%C@:%i - %P\\0';

/** The text of a path. A byte that is not UTF-8 becomes a lone surrogate, as in Python, so that `encodePath` restores it. */
export function decodePath(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find(
      (one) => at + one <= bytes.length && isUtf8(bytes.subarray(at, at + one)),
    );
    text +=
      length === undefined
        ? String.fromCharCode(0xdc00 + bytes[at]!)
        : bytes.toString('utf8', at, at + length);
    at += length ?? 1;
  }
  return text;
}

export function encodePath(text: string): FilePath {
  if (text.isWellFormed()) return text;
  return Buffer.concat(
    Array.from(text, (letter) =>
      letter.isWellFormed() ? Buffer.from(letter) : Buffer.of(letter.charCodeAt(0) & 0xff),
    ),
  );
}

/** A path for people and clients: a byte that is not UTF-8 is shown as `\xff`. */
export function displayPath(path: string): string {
  return path.isWellFormed()
    ? path
    : Array.from(path, (letter) =>
        letter.isWellFormed() ? letter : `\\x${(letter.charCodeAt(0) & 0xff).toString(16)}`,
      ).join('');
}

/** The place of a relative path in a folder. */
export function within(folder: string, path: string): FilePath {
  if (path.isWellFormed()) return join(folder, path);
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(encodePath(path))]);
}

/** The folder that contains the path. `.` at the top. */
export function parentOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end < 0 ? '.' : path.slice(0, end);
}

/** Writes the state of all files in a folder to a file, except those in the excluded folders. */
export async function recordFolder(
  folder: string,
  file: string,
  excluded: readonly string[],
  env: Environment,
): Promise<void> {
  const listed = (await listByFind(folder, excluded, env)) ?? (await listByWalk(folder, excluded));
  await disk.writeFile(`${file}.new`, listed, { mode: 0o600 });
  await disk.rename(`${file}.new`, file);
}

export async function loadFolderState(file: string): Promise<FolderState> {
  const bytes = await readRegularBytes(file, maxFileBytes);
  const files = new Map<string, FileState>();
  const isText = isUtf8(bytes);
  for (const record of isText ? bytes.toString().split('\0') : records(bytes)) {
    const end = record.indexOf(' ');
    // After the state comes a field that earlier versions used for the owner.
    const start = record.indexOf(' ', end + 1) + 1;
    if (start <= end + 1 || start === record.length) continue;
    const path = typeof record === 'string' ? record.slice(start) : decodePath(record.subarray(start));
    const state = typeof record === 'string' ? record.slice(0, end) : record.toString('latin1', 0, end);
    // A folder's times change with its entries.
    files.set(path, isFolder(state) ? state.split(':')[0]! : state);
  }
  return files;
}

function* records(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0, at);
    yield bytes.subarray(at, end);
    at = end + 1;
  }
}

export function sizeOf(files: FolderState): number {
  let bytes = 0;
  for (const state of files.values()) if (isRegularFile(state)) bytes += fileBytes(state);
  return bytes;
}

export function fileBytes(state: FileState): number {
  return Number(state.split(':')[1]);
}

/** When the file was last changed, in seconds. */
export function changeTime(state: FileState): number {
  return Number(state.split(':')[3] ?? 0);
}

/** The state of a file whose content at the start of a run is not known: it equals no other. */
export function unknownState(state: FileState): FileState {
  return `${state.split(':')[0]}:?`;
}

/** The current state of one file. `undefined` if it does not exist. */
export async function stateOf(path: FilePath): Promise<FileState | undefined> {
  const stat = await disk.lstat(path, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  return stat && describe(stat);
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

/** GNU find is several times faster than a walk with Node, and does not block this process. */
async function listByFind(
  folder: string,
  excluded: readonly string[],
  env: Environment,
): Promise<Buffer | undefined> {
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
  return code === 0 ? output : undefined;
}

async function listByWalk(folder: string, excluded: readonly string[]): Promise<Buffer> {
  const skipped = new Set(excluded);
  const records: Buffer[] = [];
  const visit = async (below: string): Promise<void> => {
    const names = await disk.readdir(within(folder, below), { encoding: 'buffer' }).catch(() => []);
    for (const name of names.map(decodePath)) {
      const path = below === '' ? name : `${below}/${name}`;
      const state = skipped.has(path)
        ? undefined
        : await stateOf(within(folder, path)).catch(() => undefined);
      if (state === undefined) continue;
      records.push(Buffer.from(`${state} - `), Buffer.from(encodePath(path)), Buffer.of(0));
      if (isFolder(state)) await visit(path);
    }
  };
  await visit('');
  return Buffer.concat(records);
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

/** An overlay does not show what is mounted below the folder. */
export async function hasMountsBelow(folder: string): Promise<boolean> {
  const mounts = await readMounts().catch(() => []);
  return mounts.some(({ target }) => target !== folder && isInFolder(target, folder));
}
