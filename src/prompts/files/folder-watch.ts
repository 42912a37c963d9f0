import {
  existsSync,
  type FSWatcher,
  lstatSync,
  readdirSync,
  readlinkSync,
  statfsSync,
  statSync,
  watch,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Problem } from '../../feature.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';

export interface FolderWatchOptions {
  /** Called once after each burst of changes. */
  readonly changed: () => void;
  /** Always poll instead of using file system notifications. */
  readonly poll?: boolean;
  readonly pollMs?: number;
}

const maxNewFolders = 2000;

/** Types of network file systems, which other machines can change without a local notification: nfs, smb, smb2, cifs, 9p, fuse, ceph, afs. */
const remoteTypes = new Set([
  0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x01021997, 0x65735546, 0x00c36400, 0x5346414f,
]);

interface Watched {
  readonly watcher: FSWatcher;
  /** Device and inode of the watched folder. They differ if another folder now has the same path. */
  readonly identity: string | undefined;
  /** The folder was moved or deleted. Its watcher reports nothing more, even if a new folder reuses the inode. */
  replaced: boolean;
}

/**
 * Watches a set of folders for changes. Uses file system notifications where they work, and polling otherwise. For a
 * missing folder, it watches the nearest existing parent.
 */
export class FolderWatch {
  readonly #options: FolderWatchOptions;
  readonly #watched = new Map<string, Watched>();
  readonly #burst = new EventBurst(() => {
    this.#updateWatchers();
    this.#options.changed();
  });
  #folders: readonly string[] = [];
  #places: ReadonlyMap<string, Place> = new Map();
  #polling: { readonly timer: NodeJS.Timeout; readonly problem: Problem } | undefined;
  #closed = false;

  constructor(options: FolderWatchOptions) {
    this.#options = options;
  }

  /** Sets the folders to watch. Their subfolders are not included. */
  set(folders: readonly string[]): void {
    if (this.#closed) return;
    this.#folders = folders.map((folder) => resolve(folder));
    if (this.#options.poll) return this.#poll(folders[0] ?? '', 'polling is enabled in the settings');
    this.#updateWatchers();
    for (const folder of this.#watched.keys()) if (!this.#places.has(folder)) this.#unwatch(folder);
  }

  /** Adds a change to the current burst. */
  recordEvent(): void {
    this.#burst.recordEvent();
  }

  get problems(): readonly Problem[] {
    return this.#polling === undefined ? [] : [this.#polling.problem];
  }

  close(): void {
    this.#closed = true;
    this.#burst.close();
    clearInterval(this.#polling?.timer);
    for (const folder of this.#watched.keys()) this.#unwatch(folder);
  }

  /** Starts watchers for folders that are new or were replaced. */
  #updateWatchers(): void {
    if (this.#closed || this.#options.poll) return;
    this.#places = placesOf(this.#folders);
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
        if (needed && existsSync(folder))
          this.#poll(folder, `the folder cannot be watched: ${messageOf(error)}`);
        this.recordEvent();
      });
      this.#watched.set(folder, { watcher, identity: identityOf(folder), replaced: false });
      if (needed && isRemote(folder))
        this.#poll(folder, 'the network file system does not report changes made on other machines');
    } catch (error) {
      if (!needed) return;
      // The folder was removed in the meantime. The next update watches its parent instead.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') this.recordEvent();
      else this.#poll(folder, `the folder cannot be watched: ${messageOf(error)}`);
    } finally {
      // Close the old watcher after the new one is open, so that no change is missed.
      former?.watcher.close();
    }
  }

  #event(folder: string, file: string | null): void {
    const own = this.#watched.get(folder);
    const place = this.#places.get(folder);
    // The watcher of a moved or deleted folder reports the folder's own name.
    const isItself = file === basename(folder);
    if (own !== undefined && isItself) own.replaced = true;
    const isParentOfWatched = file !== null && place?.names.has(file) === true;
    if (place?.everything === false && file !== null && !isParentOfWatched && !isItself) return;
    const inner = file === null ? undefined : this.#watched.get(join(folder, file));
    if (inner !== undefined && isParentOfWatched) inner.replaced = true;
    if (isParentOfWatched && !place.everything) {
      this.#updateWatchers();
      for (const watched of this.#folders) this.#watchSubfolders(watched);
    } else if (file !== null && !isItself) this.#watchNewFolder(join(folder, file));
    this.recordEvent();
  }

  /** Watches a new folder immediately, so that files written into it belong to the same burst. */
  #watchNewFolder(path: string): void {
    if (this.#closed || this.#watched.get(path)?.replaced === false) return;
    if (this.#watched.size >= maxNewFolders) return;
    try {
      if (!lstatSync(path).isDirectory()) return;
    } catch {
      return; // The folder was removed in the meantime.
    }
    this.#watch(path, true);
    this.#watchSubfolders(path);
  }

  #watchSubfolders(folder: string): void {
    try {
      for (const entry of readdirSync(folder, { withFileTypes: true }))
        if (entry.isDirectory()) this.#watchNewFolder(join(folder, entry.name));
    } catch {
      // The folder does not exist yet, or was removed in the meantime.
    }
  }

  #unwatch(folder: string): void {
    this.#watched.get(folder)?.watcher.close();
    this.#watched.delete(folder);
  }

  #poll(folder: string, reason: string): void {
    if (this.#polling !== undefined) return;
    const { pollMs = 2000, changed } = this.#options;
    const message = `polling for changes every ${pollMs / 1000} s: ${reason}`;
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
    return process.platform === 'linux' && remoteTypes.has(statfsSync(folder).type);
  } catch {
    return false;
  }
}

/** A folder to watch: all entries, or only some names. */
interface Place {
  everything: boolean;
  readonly names: Set<string>;
  /** True if changes are missed without this place. Other places only detect a replaced parent folder. */
  needed: boolean;
}

/** The maximum number of symbolic links in one path, as on Linux. */
const maxLinks = 40;

/** Watch every parent folder on Linux only: elsewhere, a watcher also costs time for changes deep inside the folder. */
const watchesParents = process.platform === 'linux';

/**
 * The places to watch for changes in these folders: each folder, and in each parent the name that leads to it. The
 * parents are needed because replacing a folder or changing a symbolic link's target changes nothing inside the watched folder.
 */
function placesOf(folders: readonly string[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  const known = new Map<string, boolean>();
  const placeOf = (folder: string): Place => {
    const place = places.get(folder) ?? { everything: false, names: new Set(), needed: false };
    places.set(folder, place);
    return place;
  };

  /** Whether the path exists. Adds the places to watch in order to notice when it appears or disappears. */
  const walk = (path: string, links: number): boolean => {
    const seen = known.get(path);
    if (seen !== undefined) return seen;
    const parent = dirname(path);
    if (parent === path) return true;
    // Stops the recursion if a symbolic link points to itself.
    known.set(path, false);
    if (!walk(parent, links)) return false;
    const stat = lstatIfExists(path);
    if (stat === undefined) {
      placeOf(parent).names.add(basename(path));
      placeOf(parent).needed = true;
      return false;
    }
    const linked = stat.isSymbolicLink() ? targetOf(path) : undefined;
    if (watchesParents || linked !== undefined) placeOf(parent).names.add(basename(path));
    const exists = linked === undefined || (links < maxLinks && walk(linked, links + 1));
    known.set(path, exists);
    return exists;
  };

  for (const folder of folders) {
    if (!walk(folder, 0)) continue;
    const place = placeOf(folder);
    place.everything = true;
    place.needed = true;
    placeOf(dirname(folder)).names.add(basename(folder));
  }
  return places;
}

function lstatIfExists(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // A parent of the path is a file, or a folder without search permission.
    return undefined;
  }
}

function targetOf(link: string): string | undefined {
  try {
    return resolve(dirname(link), readlinkSync(link));
  } catch {
    return undefined;
  }
}

/** How long to wait for silence. A few events come from one save; many come from a checkout, which can pause in between. */
const shortQuietMs = 60;
const longQuietMs = 250;
const manyEvents = 20;
/** A burst that does not end is reported at this interval. */
const maxBurstMs = 1000;

/** Debounces events: calls back once after each burst. */
export class EventBurst {
  readonly #onBurstEnd: () => void;
  #timer: NodeJS.Timeout | undefined;
  #events = 0;
  #since = 0;
  #closed = false;

  constructor(onBurstEnd: () => void) {
    this.#onBurstEnd = onBurstEnd;
  }

  recordEvent(): void {
    if (this.#closed) return;
    this.#events++;
    if (this.#events === 1) this.#since = performance.now();
    if (this.#timer === undefined || !this.#isLong) this.#wait();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  get #isLong(): boolean {
    return performance.now() - this.#since >= maxBurstMs;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        const seen = this.#events;
        // On a busy machine the timer can fire before earlier events are delivered, so wait for those first.
        setImmediate(() => {
          if (this.#closed) return;
          // Newer events have restarted the timer, except in a long burst, which is reported anyway.
          if (seen !== this.#events && !this.#isLong) return;
          clearTimeout(this.#timer);
          this.#events = 0;
          this.#timer = undefined;
          this.#onBurstEnd();
        });
      },
      this.#events < manyEvents ? shortQuietMs : longQuietMs,
    );
    this.#timer.unref();
  }
}
