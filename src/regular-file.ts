import {
  closeSync,
  constants,
  promises as disk,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from './failure.ts';

const megabyte = 1024 * 1024;
/** Default limit, enough for any file that people write by hand. */
const defaultMaxBytes = 16 * megabyte;
/** For files that grow with use, such as logs and histories. A longer text would exceed V8's maximum string length. */
export const maxFileBytes = 500 * megabyte;

const chunkBytes = 64 * 1024;
/**
 * Opening a named pipe normally blocks until there is a writer, and a blocked thread cannot be interrupted. The file type is
 * checked after the file is opened, so that the file cannot be replaced between the check and the read.
 */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** A path as text, or as bytes if its name is not valid UTF-8. */
export type FilePath = string | Buffer;

/** Reads the text of a regular file. Follows links; rejects pipes, devices, sockets and folders. */
export async function readRegularFile(path: string, maxBytes = defaultMaxBytes): Promise<string> {
  return (await readRegularBytes(path, maxBytes)).toString('utf8');
}

export async function readRegularBytes(path: FilePath, maxBytes = defaultMaxBytes): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of regularFileChunks(path, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Yields the content in chunks, for files that need not be in memory as a whole. */
export async function* regularFileChunks(path: FilePath, maxBytes = Infinity): AsyncGenerator<Buffer> {
  const { file, size } = await openWithSize(path);
  try {
    let total = 0;
    for (let next = firstChunkBytes(size); ; next = chunkBytes) {
      const chunk = Buffer.allocUnsafe(next);
      const { bytesRead } = await file.read(chunk, 0, next, null);
      // The size reported by `stat` can be outdated, and is 0 for files such as /proc/self/status.
      total += bytesRead;
      if (total > maxBytes) throw tooLarge(path, maxBytes);
      if (bytesRead > 0) yield chunk.subarray(0, bytesRead);
      if (isAtEnd(bytesRead, next, total, size)) return;
    }
  } finally {
    await file.close();
  }
}

/** One byte more than the file's size, so that most small files need a single read. */
const firstChunkBytes = (size: number) => Math.min(size + 1, chunkBytes);

/** A short read after as many bytes as the file has is its end. */
const isAtEnd = (read: number, requested: number, total: number, size: number) =>
  read === 0 || (read < requested && total === size);

/** Opens for reading. The caller closes the file. */
export async function openRegularFile(path: FilePath): Promise<disk.FileHandle> {
  return (await openWithSize(path)).file;
}

/**
 * Copies a regular file to a new one. Linux copies from the open file, so that nobody can put a named pipe in its place between
 * the check and the copy.
 */
export async function copyRegularFile(source: FilePath, target: FilePath): Promise<void> {
  const file = await openRegularFile(source);
  try {
    const opened = process.platform === 'linux' ? `/proc/self/fd/${file.fd}` : source;
    await disk.copyFile(opened, target, constants.COPYFILE_FICLONE);
  } finally {
    await file.close();
  }
}

async function openWithSize(path: FilePath): Promise<{ file: disk.FileHandle; size: number }> {
  const file = await disk.open(path, flags).catch((error: unknown) => {
    throw openError(error, path);
  });
  try {
    const stat = await file.stat();
    assertRegular(stat, path);
    return { file, size: stat.size };
  } catch (error) {
    await file.close();
    throw error;
  }
}

export function readRegularFileSync(path: string, maxBytes = defaultMaxBytes): string {
  return readRegularBytesSync(path, maxBytes).toString('utf8');
}

export function readRegularBytesSync(path: string, maxBytes = defaultMaxBytes): Buffer {
  return readOpened(openChecked(path), path, maxBytes);
}

/** Reads a file and its state. `undefined` if it is a symbolic link or cannot be read. */
export function readUnlinkedFileSync(
  path: string,
  maxBytes: number,
): { readonly bytes: Buffer; readonly stat: Stats } | undefined {
  if (constants.O_NOFOLLOW === undefined) return undefined;
  try {
    const opened = openChecked(path, flags | constants.O_NOFOLLOW);
    return { bytes: readOpened(opened, path, maxBytes), stat: opened.stat };
  } catch {
    return undefined;
  }
}

function readOpened({ file, stat: { size } }: OpenedFile, path: string, maxBytes: number): Buffer {
  try {
    const chunks: Buffer[] = [];
    let total = 0;
    for (let next = firstChunkBytes(size); ; next = chunkBytes) {
      const chunk = Buffer.allocUnsafe(next);
      const count = readSync(file, chunk, 0, chunk.length, null);
      total += count;
      if (total > maxBytes) throw tooLarge(path, maxBytes);
      if (count > 0) chunks.push(chunk.subarray(0, count));
      if (isAtEnd(count, next, total, size)) return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    }
  } finally {
    closeSync(file);
  }
}

/** Opens for reading. The caller closes the file. */
export function openRegularFileSync(path: string): number {
  return openChecked(path).file;
}

interface OpenedFile {
  readonly file: number;
  readonly stat: Stats;
}

function openChecked(path: string, how = flags): OpenedFile {
  let file: number;
  try {
    file = openSync(path, how);
  } catch (error) {
    throw openError(error, path);
  }
  try {
    const stat = fstatSync(file);
    assertRegular(stat, path);
    return { file, stat };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function assertRegular(stat: Stats, path: FilePath): void {
  if (stat.isFile()) return;
  // Callers check for the code that Node itself throws when it reads a folder.
  if (stat.isDirectory())
    throw Object.assign(new Error(`EISDIR: ${path} is a folder`), { code: 'EISDIR', path });
  throw notRegular(path, kindOf(stat));
}

function kindOf(stat: Stats): string {
  if (stat.isFIFO()) return 'a named pipe';
  return stat.isCharacterDevice() || stat.isBlockDevice() ? 'a device' : 'a special file';
}

/** Opening a socket, or a device without hardware, fails with ENXIO or ENODEV. */
function openError(error: unknown, path: FilePath): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENXIO' || code === 'ENODEV' ? notRegular(path, 'a socket or a device') : error;
}

function notRegular(path: FilePath, kind: string): Failure {
  return new Failure('unavailable', `${path} cannot be read: it is ${kind}, not a regular file.`);
}

function tooLarge(path: FilePath, maxBytes: number): Failure {
  const size = maxBytes < megabyte ? `${maxBytes} bytes` : `${Math.floor(maxBytes / megabyte)} MB`;
  return new Failure('unavailable', `${path} cannot be read: it is longer than ${size}.`);
}

/** Creates an empty file that only its owner can read, and its folder. Does nothing if they exist. SQLite would let everyone read its files. */
export function createPrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}
