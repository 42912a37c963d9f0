import { lstatSync, readlinkSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';

/** A folder to watch: all entries, or only some names. */
export interface Place {
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
export function placesOf(folders: readonly string[]): ReadonlyMap<string, Place> {
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
