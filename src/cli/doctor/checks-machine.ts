import { accessSync, constants, promises as disk, existsSync } from 'node:fs';
import { createServer as createListener } from 'node:net';
import { dirname } from 'node:path';
import type { Config } from '../../config.ts';
import { delegateOptions } from '../../delegate/run/delegate-options.ts';
import type { Finding } from '../../feature.ts';
import { isAdjutant } from '../../running-servers.ts';
import { locate } from '../../store/store.ts';

const namedFolders = (config: Config) =>
  Object.entries(config).filter(
    (entry): entry is [string, string] => /(_|\.)dir$/.test(entry[0]) && typeof entry[1] === 'string',
  );

export function checkFolders(config: Config): readonly Finding[] {
  const named = namedFolders(config);
  const wrong = named.flatMap(([name, folder]): Finding[] => {
    const nearestFolder = nearestExisting(folder);
    try {
      accessSync(nearestFolder, constants.R_OK | constants.W_OK | constants.X_OK);
      return [];
    } catch {
      const remedy = `make ${nearestFolder} writable, or choose another folder with the setting ${name}`;
      return [{ title: 'Folders', state: 'bad', detail: `${folder} (${name}) is not writable`, remedy }];
    }
  });
  return wrong.length > 0
    ? wrong
    : [{ title: 'Folders', state: 'good', detail: `${named.length} folders are writable` }];
}

/** The folder itself, or its nearest parent that exists. */
function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}

const megabyte = 1_000_000;
/** Free space below which the check fails or warns. Runs write logs, and the database needs space for its write-ahead log. */
const minimumBytes = 100 * megabyte;
const comfortableBytes = 1000 * megabyte;

/** Reports disks with little free space, or the fullest disk if all have enough. */
export async function checkDisks(config: Config): Promise<readonly Finding[]> {
  const { engine, place } = locate(config['assistant.database_url']);
  const folders = namedFolders(config).map(([, folder]) => folder);
  if (engine === 'sqlite') folders.unshift(dirname(place));
  const disks = new Map<number, { folder: string; free: number }>();
  for (const folder of folders.map(nearestExisting)) {
    const { dev } = await disk.stat(folder);
    if (disks.has(dev)) continue;
    const { bavail, bsize } = await disk.statfs(folder);
    disks.set(dev, { folder, free: bavail * bsize });
  }
  const bySpace = [...disks.values()].sort((one, other) => one.free - other.free);
  const low = bySpace.filter(({ free }) => free < comfortableBytes);
  return (low.length > 0 ? low : bySpace.slice(0, 1)).map(({ folder, free }) => ({
    title: 'Disk',
    state: free < minimumBytes ? 'bad' : free < comfortableBytes ? 'warning' : 'good',
    detail: `${amount(free)} free on the disk of ${folder}`,
    ...(free < comfortableBytes && { remedy: 'free some space, or choose another disk with --home' }),
  }));
}

function amount(bytes: number): string {
  return bytes < comfortableBytes
    ? `${Math.floor(bytes / megabyte)} MB`
    : `${(bytes / megabyte / 1000).toFixed(1)} GB`;
}

export async function checkWatching(): Promise<readonly Finding[]> {
  if (process.platform !== 'linux')
    return [{ title: 'Watching files', state: 'good', detail: 'by the operating system' }];
  const watches = Number(await disk.readFile('/proc/sys/fs/inotify/max_user_watches', 'utf8'));
  const detail = `${watches} watches allowed`;
  return watches >= 8192
    ? [{ title: 'Watching files', state: 'good', detail }]
    : [
        {
          title: 'Watching files',
          state: 'warning',
          detail,
          remedy: 'raise fs.inotify.max_user_watches; until then Adjutant polls for changes',
        },
      ];
}

/** Why `serve --http` cannot listen, and what to do about it. */
const obstacles: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  EADDRINUSE: ['is used by another program', 'stop that program, or choose another port with --port'],
  EACCES: ['needs administrator rights', 'choose a port above 1023 with --port'],
  EADDRNOTAVAIL: ['is not an address of this machine', 'choose another address with --host'],
  ENOTFOUND: ['is an unknown host name', 'choose another address with --host'],
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
  if (
    error.code === 'EADDRINUSE' &&
    (await isAdjutant(`http://${host.includes(':') ? `[${host}]` : host}:${port}/`))
  )
    return [{ title: 'Port', state: 'good', detail: `${where}: Adjutant is running` }];
  const [what, remedy] = obstacles[error.code ?? ''] ?? [
    `cannot be used (${error.code})`,
    'choose another with --host and --port',
  ];
  return [{ title: 'Port', state: 'warning', detail: `${where} ${what}`, remedy }];
}

/** How much space runs take, and which of them a server will delete. */
export async function checkRuns(config: Config): Promise<readonly Finding[]> {
  const { planRemoval } = await import('../../delegate/tools/retention.ts');
  const { runsDir, retention } = delegateOptions(config, {}, false);
  const { runs, bytes, removed, waiting } = await planRemoval(runsDir, retention);
  const days = retention.ageMs === undefined ? [] : [`${config['delegate.keep_days']} days`];
  const size = retention.bytes === undefined ? [] : [`${config['delegate.keep_mb']} MB`];
  const limits = [...days, ...size].join(' or ') || 'without a limit';
  const detail = [
    `${runs} runs, ${Math.ceil(bytes / 1e6)} MB, kept for ${limits}`,
    ...(removed.length > 0 ? [`${removed.length} are about to be deleted`] : []),
    ...(waiting.length > 0
      ? [`${waiting.length} old ones are kept, because their changes wait to be applied`]
      : []),
  ].join('; ');
  return [{ title: 'Runs', state: 'good', detail }];
}
