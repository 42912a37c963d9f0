import { accessSync, constants, promises as disk, existsSync } from 'node:fs';
import { createServer as createListener } from 'node:net';
import { dirname } from 'node:path';
import { locate } from '../../assistant/store/store.ts';
import type { Config } from '../../config.ts';
import type { Finding } from './doctor.ts';

const namedFolders = (config: Config) =>
  Object.entries(config).filter(
    (entry): entry is [string, string] => /(_|\.)dir$/.test(entry[0]) && typeof entry[1] === 'string',
  );

export function checkFolders(config: Config): readonly Finding[] {
  const named = namedFolders(config);
  const wrong = named.flatMap(([name, folder]): Finding[] => {
    const nearestFolder = existing(folder);
    try {
      accessSync(nearestFolder, constants.R_OK | constants.W_OK | constants.X_OK);
      return [];
    } catch {
      const remedy = `make ${nearestFolder} writable for you, or choose another folder with the setting ${name}`;
      return [{ title: 'Folders', state: 'bad', detail: `${folder} (${name}) cannot be written`, remedy }];
    }
  });
  return wrong.length > 0
    ? wrong
    : [{ title: 'Folders', state: 'good', detail: `${named.length} folders can be written` }];
}

/** The folder itself or the nearest one above it that is there. */
function existing(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder));
}

const megabyte = 1_000_000;
/** Runs keep logs and a database needs room for its log: below the first nothing is safe, below the second not for long. */
const least = 100 * megabyte;
const comfortable = 1000 * megabyte;

/** The room on every disk that something of ours lies on; the tightest one where all have enough. */
export async function checkDisks(config: Config): Promise<readonly Finding[]> {
  const { engine, place } = locate(config['assistant.database_url']);
  const folders = namedFolders(config).map(([, folder]) => folder);
  if (engine === 'sqlite') folders.unshift(dirname(place));
  const disks = new Map<number, { folder: string; free: number }>();
  for (const folder of folders.map(existing)) {
    const { dev } = await disk.stat(folder);
    if (disks.has(dev)) continue;
    const { bavail, bsize } = await disk.statfs(folder);
    disks.set(dev, { folder, free: bavail * bsize });
  }
  const byRoom = [...disks.values()].sort((one, other) => one.free - other.free);
  const tight = byRoom.filter(({ free }) => free < comfortable);
  return (tight.length > 0 ? tight : byRoom.slice(0, 1)).map(({ folder, free }) => ({
    title: 'Disk',
    state: free < least ? 'bad' : free < comfortable ? 'warning' : 'good',
    detail: `${amount(free)} free where ${folder} is`,
    ...(free < comfortable && { remedy: 'make room there, or choose another place with --home' }),
  }));
}

function amount(bytes: number): string {
  return bytes < comfortable
    ? `${Math.floor(bytes / megabyte)} MB`
    : `${(bytes / megabyte / 1000).toFixed(1)} GB`;
}

export async function checkWatching(): Promise<readonly Finding[]> {
  if (process.platform !== 'linux')
    return [{ title: 'Watching files', state: 'good', detail: 'by the system' }];
  const watches = Number(await disk.readFile('/proc/sys/fs/inotify/max_user_watches', 'utf8'));
  const detail = `${watches} watches allowed`;
  return watches >= 8192
    ? [{ title: 'Watching files', state: 'good', detail }]
    : [
        {
          title: 'Watching files',
          state: 'warning',
          detail,
          remedy: 'raise fs.inotify.max_user_watches; until then changes are found by polling',
        },
      ];
}

/** What keeps `serve --http` from listening, and what to do about it. */
const obstacles: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  EADDRINUSE: ['is taken by another program', 'end that program, or choose another port with --port'],
  EACCES: ['may not be used by you', 'choose a port above 1023 with --port'],
  EADDRNOTAVAIL: ['is not an address of this machine', 'choose another address with --host'],
  ENOTFOUND: ['is not a name that is known here', 'choose another address with --host'],
};

export async function checkPort(config: Config): Promise<readonly Finding[]> {
  const [host, port] = [config['http.host'], config['http.port']];
  const where = `${port} on ${host}`;
  const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    const probe = createListener();
    probe.once('error', resolve);
    probe.listen(port, host, () => probe.close(() => resolve(undefined)));
  });
  if (error === undefined) return [{ title: 'Port', state: 'good', detail: `${where} is free` }];
  if (error.code === 'EADDRINUSE' && (await isOurs(host, port)))
    return [{ title: 'Port', state: 'good', detail: `${where}: Adjutant is running` }];
  const [what, remedy] = obstacles[error.code ?? ''] ?? [
    `cannot be used (${error.code})`,
    'choose another with --host and --port',
  ];
  return [{ title: 'Port', state: 'warning', detail: `${where} ${what}`, remedy }];
}

async function isOurs(host: string, port: number): Promise<boolean> {
  const address = host.includes(':') ? `[${host}]` : host;
  try {
    const page = await fetch(`http://${address}:${port}/`, { signal: AbortSignal.timeout(2000) });
    return (await page.text()).includes('<title>Adjutant</title>');
  } catch {
    return false;
  }
}
