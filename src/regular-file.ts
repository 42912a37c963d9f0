import { closeSync, constants, promises as disk, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { Failure } from './failure.ts';

const megabyte = 1024 * 1024;
/** Enough for any file that people write by hand. */
const usualBytes = 16 * megabyte;
/** For files that grow with use, such as logs and histories. A longer text does not fit into one string. */
export const mostBytes = 500 * megabyte;

const chunkBytes = 64 * 1024;
/**
 * Opening a named pipe waits for a writer, and a thread that waits there cannot be interrupted. Opened without blocking,
 * the file is examined after it was opened, so that it cannot be replaced in between.
 */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** The text of a regular file. Links are followed; pipes, devices, sockets and folders are refused. */
export async function readRegularFile(path: string, maxBytes = usualBytes): Promise<string> {
  return (await readRegularBytes(path, maxBytes)).toString('utf8');
}

export async function readRegularBytes(path: string, maxBytes = usualBytes): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of regularFileChunks(path, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The content piece by piece, for files that are not needed in memory as a whole. */
export async function* regularFileChunks(path: string, maxBytes = Infinity): AsyncGenerator<Buffer> {
  const file = await openRegularFile(path);
  try {
    let total = 0;
    for (;;) {
      const chunk = Buffer.allocUnsafe(chunkBytes);
      const { bytesRead } = await file.read(chunk, 0, chunkBytes, null);
      if (bytesRead === 0) return;
      // The length that the file system states may be outdated, and is 0 for files of the kernel.
      total += bytesRead;
      if (total > maxBytes) throw tooLarge(path, maxBytes);
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Opens for reading. The caller closes the file. */
export async function openRegularFile(path: string): Promise<disk.FileHandle> {
  const file = await disk.open(path, flags).catch((error: unknown) => {
    throw openError(error, path);
  });
  try {
    assertRegular(await file.stat(), path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

export function readRegularFileSync(path: string, maxBytes = usualBytes): string {
  return readRegularBytesSync(path, maxBytes).toString('utf8');
}

export function readRegularBytesSync(path: string, maxBytes = usualBytes): Buffer {
  const file = openRegularFileSync(path);
  try {
    const chunks: Buffer[] = [];
    let total = 0;
    // Small files are read at once, with one byte to spare that shows the end.
    let next = Math.min(fstatSync(file).size + 1, chunkBytes);
    for (;;) {
      const chunk = Buffer.allocUnsafe(next);
      const count = readSync(file, chunk, 0, chunk.length, null);
      if (count === 0) return Buffer.concat(chunks);
      total += count;
      if (total > maxBytes) throw tooLarge(path, maxBytes);
      chunks.push(chunk.subarray(0, count));
      next = chunkBytes;
    }
  } finally {
    closeSync(file);
  }
}

/** Opens for reading. The caller closes the file. */
export function openRegularFileSync(path: string): number {
  let file: number;
  try {
    file = openSync(path, flags);
  } catch (error) {
    throw openError(error, path);
  }
  try {
    assertRegular(fstatSync(file), path);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function assertRegular(stat: Stats, path: string): void {
  if (stat.isFile()) return;
  // The same as reading a folder has always thrown, since callers know the code.
  if (stat.isDirectory())
    throw Object.assign(new Error(`EISDIR: ${path} is a folder`), { code: 'EISDIR', path });
  throw notRegular(path, kindOf(stat));
}

function kindOf(stat: Stats): string {
  if (stat.isFIFO()) return 'a named pipe';
  return stat.isCharacterDevice() || stat.isBlockDevice() ? 'a device' : 'a special file';
}

/** Sockets, and devices without hardware, cannot be opened at all. */
function openError(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENXIO' || code === 'ENODEV' ? notRegular(path, 'a socket or a device') : error;
}

function notRegular(path: string, kind: string): Failure {
  return new Failure('unavailable', `${path} cannot be read: it is ${kind}, not a regular file.`);
}

function tooLarge(path: string, maxBytes: number): Failure {
  const size = maxBytes < megabyte ? `${maxBytes} bytes` : `${Math.floor(maxBytes / megabyte)} MB`;
  return new Failure('unavailable', `${path} cannot be read: it is longer than ${size}.`);
}
