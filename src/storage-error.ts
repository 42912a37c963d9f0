import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free some space',
  EDQUOT: 'the disk quota is exceeded; free some space',
  EFBIG: 'the file would be too large',
  EROFS: 'the disk is read-only; make it writable or choose another place',
  EACCES: 'permission denied; change the permissions or choose another place',
  EPERM: 'permission denied; change the permissions or choose another place',
  EMFILE: 'the process has too many open files; raise its limit (ulimit -n)',
  ENFILE: 'the system has too many open files; close other programs',
};

/** A disk with less free space cannot store the files that SQLite needs even for reading. */
const minimumBytes = 64 * 1024;

/**
 * Why a file could not be read or written, and what to do. Returns `undefined` for other errors. SQLite, and Node when it
 * creates several folders, do not report the real cause; for them, `place` is checked.
 */
export function storageReason(error: unknown, place?: string): string | undefined {
  const { code = '', path } = error as NodeJS.ErrnoException;
  // Permission errors without a path are about processes and ports.
  const isAboutFiles = path !== undefined || place !== undefined || !/^(EACCES|EPERM)$/.test(code);
  if (Object.hasOwn(reasons, code) && isAboutFiles) return reasons[code];
  const isUnclear = code === 'ERR_SQLITE_ERROR' || code === 'ENOENT';
  return place !== undefined && isUnclear ? reasons[problemAt(place)] : undefined;
}

/** Why files at a place cannot be written at the moment. */
export function placeReason(place: string): string | undefined {
  return reasons[problemAt(place)];
}

function problemAt(place: string): string {
  const parent = dirname(place);
  if (!existsSync(place) && parent !== place) return problemAt(parent);
  try {
    accessSync(place, constants.W_OK);
    const { bavail, bsize } = statfsSync(place);
    return bavail * bsize < minimumBytes ? 'ENOSPC' : '';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? '';
  }
}
