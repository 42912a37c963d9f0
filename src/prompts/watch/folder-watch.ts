import { existsSync, type FSWatcher, lstatSync, readdirSync, statfsSync, statSync, watch } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Problem } from '../../feature.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import { EventBurst } from './event-burst.ts';
import { type Place, placesOf } from './watch-places.ts';

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

interface Watched {
  readonly watcher: FSWatcher;
  /** Which folder it was: another one may have taken its name. */
  readonly identity: string | undefined;
  /** The folder was moved or deleted, so its watcher is silent even if another one has its inode. */
  replaced: boolean;
}

/**
 * Notices changes in a set of folders, by the system's notices where they work and by looking again and again where they
 * do not. A folder that is missing is awaited in the nearest one above it.
 */
export class FolderWatch {
  readonly #options: FolderWatchOptions;
  readonly #watched = new Map<string, Watched>();
  readonly #burst = new EventBurst(() => {
    this.#arrange();
    this.#options.changed();
  });
  #wanted: readonly string[] = [];
  #places: ReadonlyMap<string, Place> = new Map();
  #polling: { readonly timer: NodeJS.Timeout; readonly problem: Problem } | undefined;
  #closed = false;

  constructor(options: FolderWatchOptions) {
    this.#options = options;
  }

  /** The folders to watch from now on, subfolders not included. */
  set(folders: readonly string[]): void {
    if (this.#closed) return;
    this.#wanted = folders.map((folder) => resolve(folder));
    if (this.#options.poll) return this.#poll(folders[0] ?? '', 'it was told to');
    this.#arrange();
    for (const folder of this.#watched.keys()) if (!this.#places.has(folder)) this.#forget(folder);
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
    for (const folder of this.#watched.keys()) this.#forget(folder);
  }

  /** Watches every place as it is now: a folder may have come, gone, or be another one under the same name. */
  #arrange(): void {
    if (this.#closed || this.#options.poll) return;
    this.#places = placesOf(this.#wanted);
    for (const [folder, { needed }] of this.#places) {
      const known = this.#watched.get(folder);
      if (known !== undefined && !known.replaced && known.identity === identityOf(folder)) continue;
      this.#watch(folder, needed);
    }
  }

  #watch(folder: string, needed: boolean): void {
    const former = this.#watched.get(folder);
    this.#watched.delete(folder);
    try {
      const watcher = watch(folder, { persistent: false }, (_, file) => this.#event(folder, file));
      watcher.on('error', (error) => {
        if (this.#watched.get(folder)?.watcher === watcher) this.#watched.delete(folder);
        watcher.close();
        if (needed && existsSync(folder)) this.#poll(folder, messageOf(error));
        this.noticed();
      });
      this.#watched.set(folder, { watcher, identity: identityOf(folder), replaced: false });
      if (needed && isRemote(folder))
        this.#poll(folder, 'changes made on another machine are not announced here');
    } catch (error) {
      if (!needed) return;
      // Gone in the meantime: the next look finds the folder above it.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') this.noticed();
      else this.#poll(folder, messageOf(error));
    } finally {
      // Closed last, so that nothing is missed in between.
      former?.watcher.close();
    }
  }

  #event(folder: string, file: string | null): void {
    const own = this.#watched.get(folder);
    const place = this.#places.get(folder);
    // A folder that is moved or deleted reports its own name.
    const isItself = file === basename(folder);
    if (own !== undefined && isItself) own.replaced = true;
    const onTheWay = file !== null && place?.names.has(file) === true;
    if (place?.everything === false && file !== null && !onTheWay && !isItself) return;
    const inner = file === null ? undefined : this.#watched.get(join(folder, file));
    if (inner !== undefined && onTheWay) inner.replaced = true;
    if (onTheWay && !place.everything) {
      this.#arrange();
      for (const wanted of this.#wanted) this.#followInside(wanted);
    } else if (file !== null && !isItself) this.#follow(join(folder, file));
    this.noticed();
  }

  /** What comes into a folder that came just now belongs to the same burst, so it is watched at once. */
  #follow(path: string): void {
    if (this.#closed || this.#watched.get(path)?.replaced === false) return;
    if (this.#watched.size >= mostFollowed) return;
    try {
      if (!lstatSync(path).isDirectory()) return;
    } catch {
      return; // It is gone again.
    }
    this.#watch(path, true);
    this.#followInside(path);
  }

  #followInside(folder: string): void {
    try {
      for (const entry of readdirSync(folder, { withFileTypes: true }))
        if (entry.isDirectory()) this.#follow(join(folder, entry.name));
    } catch {
      // It is not there yet, or gone again.
    }
  }

  #forget(folder: string): void {
    this.#watched.get(folder)?.watcher.close();
    this.#watched.delete(folder);
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

function identityOf(folder: string): string | undefined {
  try {
    const { dev, ino } = statSync(folder);
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

function isRemote(folder: string): boolean {
  try {
    return process.platform === 'linux' && remote.has(statfsSync(folder).type);
  } catch {
    return false;
  }
}
