import { promises as disk } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { basename, join } from 'node:path';

/** Limit of the operating systems, minus the terminating zero: 104 bytes on macOS, 108 on Linux. */
const maxPathBytes = 103;

/**
 * Returns the path for the socket of a run host. Only the user can open it, because the folder has the mode 0700. On Windows
 * the path names a pipe.
 */
export async function createSocketPath(
  directory: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  // The name of a run directory is unique, because it ends in a random number.
  const name = basename(directory);
  if (process.platform === 'win32') return `\\\\.\\pipe\\adjutant-${name}`;
  const runtime = env['XDG_RUNTIME_DIR'];
  const folders = [
    ...(runtime ? [join(runtime, 'adjutant')] : []),
    join(tmpdir(), `adjutant-${userInfo().uid}`),
  ];
  for (const folder of folders) {
    const path = join(folder, name);
    if (Buffer.byteLength(path) <= maxPathBytes && (await isPrivate(folder))) return path;
  }
  throw new Error(`none of these folders can hold a socket: ${folders.join(', ')}`);
}

/** Creates the folder, and checks that nobody else can use it. */
async function isPrivate(folder: string): Promise<boolean> {
  try {
    await disk.mkdir(folder, { mode: 0o700 }).catch(() => {});
    const stats = await disk.lstat(folder);
    return stats.isDirectory() && stats.uid === userInfo().uid && (stats.mode & 0o077) === 0;
  } catch {
    return false;
  }
}
