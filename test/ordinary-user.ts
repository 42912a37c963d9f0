import { execFileSync } from 'node:child_process';
import { cpSync, linkSync, mkdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

interface User {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The user that tests become where root may do what they test, or must not do it. `undefined` if the tests already run as an
 * ordinary user.
 */
export const ordinaryUser: User | undefined = process.getuid?.() === 0 ? findNobody() : undefined;

function findNobody(): User {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/**
 * A path by which the ordinary user can read a file or folder: itself, or a copy below `folder` if it is in a folder of root,
 * such as a clone in a home with mode 0700.
 */
export function readable(path: string, folder: string): string {
  const isShared = (statSync(path).mode & 0o005) === 0o005;
  if (ordinaryUser === undefined || (isShared && isReachable(dirname(path)))) return path;
  const copy = join(folder, 'readable', basename(path));
  mkdirSync(dirname(copy), { recursive: true });
  // Node is large, and a link to it works as well. A link has the mode of the file.
  if (isShared && canLink(path, copy)) return copy;
  cpSync(path, copy, { recursive: true, verbatimSymlinks: true });
  execFileSync('chmod', ['-R', 'a+rX', copy]);
  return copy;
}

/** False for a folder, and for a file on another disk. */
function canLink(path: string, copy: string): boolean {
  try {
    linkSync(path, copy);
    return true;
  } catch {
    return false;
  }
}

function isReachable(folder: string): boolean {
  return (
    (statSync(folder).mode & 0o001) !== 0 && (folder === dirname(folder) || isReachable(dirname(folder)))
  );
}

/** Runs work in this process as the ordinary user. Modules that the work needs must be loaded before. */
export async function asOrdinaryUser<Value>(work: () => Promise<Value>): Promise<Value> {
  if (ordinaryUser === undefined) return work();
  process.seteuid!(ordinaryUser.uid);
  try {
    return await work();
  } finally {
    process.seteuid!(0);
  }
}
