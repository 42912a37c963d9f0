import { existsSync, type FSWatcher, lstatSync, readdirSync, statfsSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Problem } from '../feature.ts';
import { messageOf } from '../json.ts';
import { log } from '../log.ts';
import { Burst } from './burst.ts';

export interface FolderWatchOptions {
  /** Told once a burst of changes has settled. */
  readonly changed: () => void;
  /** Never rely on the system's notices. */
  readonly poll?: boolean;
  readonly pollMs?: number;
}

const mostFollowed = 2000;

/** File systems whose changes may be made elsewhere, unseen by this machine: nfs, smb, smb2, cifs, 9p, fuse, ceph, afs. */
const remote = new Set([
  0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x01021997, 0x65735546, 0x00c36400, 0x5346414f,
]);

/**
 * Notices changes in a set of folders, by the system's notices where they work and by looking again and again where they
 * do not. A folder that is not there is awaited in the nearest one above it.
 */
export class FolderWatch {
  readonly #options: FolderWatchOptions;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #burst = new Burst(() => {
    // A folder that was awaited may be there now, and one that was watched may be another one.
    this.set(this.#wanted);
    this.#options.changed();
  });
  #wanted: readonly string[] = [];
  #polling: { readonly timer: NodeJS.Timeout; readonly problem: Problem } | undefined;
  #closed = false;

  constructor(options: FolderWatchOptions) {
    this.#options = options;
  }

  /** The folders to watch from now on, subfolders not included. */
  set(folders: readonly string[]): void {
    if (this.#closed) return;
    this.#wanted = folders;
    if (this.#options.poll) return this.#poll(folders[0] ?? '', 'it was told to');
    const places = new Map(folders.map((folder) => placeOf(folder)));
    for (const [folder, watcher] of this.#watchers) {
      if (places.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const [folder, awaited] of places) if (!this.#watchers.has(folder)) this.#watch(folder, awaited);
  }

  /** Something happened: told when it has settled. */
  noticed(): void {
    this.#burst.event();
  }

  get problems(): readonly Problem[] {
    return this.#polling === undefined ? [] : [this.#polling.problem];
  }

  close(): void {
    this.#closed = true;
    this.#burst.close();
    clearInterval(this.#polling?.timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #watch(folder: string, awaited: string | undefined): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_, file) => {
        if (awaited !== undefined && file !== null && file !== awaited) return;
        if (file !== null) this.#follow(join(folder, file));
        this.noticed();
      });
      watcher.on('error', (error) => {
        watcher.close();
        this.#watchers.delete(folder);
        if (existsSync(folder)) this.#poll(folder, messageOf(error));
        this.noticed();
      });
      this.#watchers.set(folder, watcher);
      if (isRemote(folder)) this.#poll(folder, 'changes made on another machine are not announced here');
    } catch (error) {
      // Gone in the meantime: the next look finds the folder above it.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') this.noticed();
      else this.#poll(folder, messageOf(error));
    }
  }

  /** What comes into a folder that came just now belongs to the same burst, so it is watched at once. */
  #follow(path: string): void {
    if (this.#closed || this.#watchers.has(path) || this.#watchers.size >= mostFollowed) return;
    try {
      if (!lstatSync(path).isDirectory()) return;
      this.#watch(path, undefined);
      for (const entry of readdirSync(path, { withFileTypes: true }))
        if (entry.isDirectory()) this.#follow(join(path, entry.name));
    } catch {
      // It is gone again.
    }
  }

  #poll(folder: string, why: string): void {
    if (this.#polling !== undefined) return;
    const { pollMs = 2000, changed } = this.#options;
    const message = `changes are looked for every ${pollMs / 1000} s, because watching does not work: ${why}`;
    const timer = setInterval(changed, pollMs);
    timer.unref();
    this.#polling = { timer, problem: { file: folder, severity: 'warning', message } };
    if (!this.#options.poll) log('warning', `${folder}: ${message}`);
  }
}

/** Where to watch for a folder: in itself, or for the name of the next step towards it. */
function placeOf(folder: string): readonly [string, string | undefined] {
  let place = folder;
  let awaited: string | undefined;
  while (!existsSync(place)) {
    if (dirname(place) === place) break;
    awaited = basename(place);
    place = dirname(place);
  }
  return [place, awaited];
}

function isRemote(folder: string): boolean {
  try {
    return process.platform === 'linux' && remote.has(statfsSync(folder).type);
  } catch {
    return false;
  }
}
