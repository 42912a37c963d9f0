import { sep } from 'node:path';

/** Folders of the system with everything below them. */
const system = [
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

/** Folders that hold projects as well as the system's own data: they themselves, but not what is below them. */
const shared = [
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

export function isBelow(place: string, folder: string): boolean {
  return place === folder || place.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** What makes a real path one that no run should write to as a whole; `undefined` for an ordinary folder. */
export function protectionReason(place: string, userHome: string): string | undefined {
  if (place === userHome) return 'it is your home folder';
  if (/^([A-Z]:)?[\\/]$/i.test(place)) return 'it is the root of the file system';
  if (userHome !== '' && isBelow(userHome, place)) return 'it holds your home folder';
  const isSystem =
    shared.includes(place) ||
    system.some((folder) => isBelow(place, folder)) ||
    /^[A-Z]:\\(Windows|Program Files[^\\]*|ProgramData)(\\|$)/i.test(place);
  return isSystem ? 'it is a folder of the system' : undefined;
}
