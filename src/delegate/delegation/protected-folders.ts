import { isInFolder } from '../files/folder-scope.ts';

/** System folders that are protected with everything below them. */
const protectedTrees = [
  '/bin',
  '/boot',
  '/etc',
  '/lib',
  '/lib32',
  '/lib64',
  '/proc',
  '/sbin',
  '/sys',
  '/usr',
  '/System',
  '/Library',
  '/private/etc',
];

/** Folders that are protected, but whose subfolders are not, because those may be projects. */
const protectedFolders = [
  '/Applications',
  '/Users',
  '/Volumes',
  '/dev',
  '/home',
  '/media',
  '/mnt',
  '/opt',
  '/private',
  '/private/var',
  '/root',
  '/run',
  '/srv',
  '/var',
  '/var/cache',
  '/var/lib',
  '/var/log',
  '/var/spool',
];

/** Why runs must not write to this real path; `undefined` for an ordinary folder. */
export function protectionReason(path: string, userHome: string): string | undefined {
  if (path === userHome) return 'it is your home folder';
  if (/^([A-Z]:)?[\\/]$/i.test(path)) return 'it is the root of the file system';
  if (userHome !== '' && isInFolder(userHome, path)) return 'it contains your home folder';
  const isSystem =
    protectedFolders.includes(path) ||
    protectedTrees.some((folder) => isInFolder(path, folder)) ||
    /^[A-Z]:\\(Windows|Program Files[^\\]*|ProgramData)(\\|$)/i.test(path);
  return isSystem ? 'it is a system folder' : undefined;
}
