import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Failure } from '../../failure.ts';
import { regularFileChunks } from '../../regular-file.ts';
import type { Document } from '../icalendar/parse.ts';
import { decode, type Read, tooLarge } from './source.ts';

/** Reads a calendar from a file, or from the .ics files in a folder and its subfolders. */
export const readFiles: Read = async ({ location, etag }, { maxBytes }) => {
  const files = await calendarFiles(location);
  const hash = createHash('sha256');
  let total = 0;
  for (const { path, size, mtimeMs } of files) {
    total += size;
    hash.update(`${path}\0${size}\0${mtimeMs}\0`);
  }
  if (total > maxBytes) throw tooLarge(location, maxBytes);
  const mark = hash.digest('base64url');
  if (mark === etag) return undefined;
  return {
    documents: files.map(({ path }): Document => {
      const name = path === location ? undefined : relative(location, path);
      // Opened only when it is read: a folder may have thousands of files.
      const pieces = { [Symbol.asyncIterator]: () => decode(readChunks(path), { maxBytes, name: path }) };
      return { ...(name !== undefined && { name }), pieces };
    }),
    marks: () => ({ etag: mark, sync_token: null }),
  };
};

async function* readChunks(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* regularFileChunks(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

interface CalendarFile {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}

export async function calendarFiles(location: string): Promise<readonly CalendarFile[]> {
  try {
    const { size, mtimeMs, ...kind } = await inspect(location);
    if (kind.isFile) return [{ path: location, size, mtimeMs }];
    if (!kind.isFolder) throw new Failure('invalid-params', `${location} is neither a file nor a folder.`);
    const entries = await readdir(location, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter(({ name }) => /\.(ics|ical|icalendar)$/i.test(name) && !name.startsWith('.'))
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort();
    const found = await Promise.all(
      // A file that is deleted in the meantime is left out.
      paths.map(async (path) => ({
        path,
        ...(await inspect(path).catch(() => ({ isFile: false, size: 0, mtimeMs: 0 }))),
      })),
    );
    return found.filter(({ isFile }) => isFile).map(({ path, size, mtimeMs }) => ({ path, size, mtimeMs }));
  } catch (error) {
    throw unreadable(location, error);
  }
}

export async function isFolder(path: string): Promise<boolean> {
  return (await inspect(path)).isFolder;
}

async function inspect(path: string) {
  const stats = await stat(path);
  return { isFile: stats.isFile(), isFolder: stats.isDirectory(), size: stats.size, mtimeMs: stats.mtimeMs };
}

function unreadable(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof Failure || typeof code !== 'string') return error;
  const reason =
    code === 'ENOENT' ? 'does not exist' : code === 'EACCES' ? 'is not readable' : `cannot be read (${code})`;
  return new Failure('unavailable', `${path} ${reason}.`, { cause: error });
}
