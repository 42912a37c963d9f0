import { lstatSync, readlinkSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';

/** What matters in one folder: everything, or only some names in it. */
export interface Place {
  everything: boolean;
  readonly names: Set<string>;
  /** Without this place a change would go unnoticed; the others only tell of a replaced folder further up. */
  needed: boolean;
}

/** As many links on one path as Linux follows. */
const mostLinks = 40;

/** Only on Linux does a watched folder cost nothing but what happens directly in it. */
const everyStep = process.platform === 'linux';

/**
 * Where to watch for changes of these folders: in each of them, and for the next name in the folders above, because a folder
 * that is replaced, or a link that is retargeted, changes nothing in the folder that was watched.
 */
export function placesOf(folders: readonly string[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  const known = new Map<string, boolean>();
  const placeOf = (folder: string): Place => {
    const place = places.get(folder) ?? { everything: false, names: new Set(), needed: false };
    places.set(folder, place);
    return place;
  };

  /** Whether something is at the path, with the places that tell when that changes. */
  const walk = (path: string, links: number): boolean => {
    const seen = known.get(path);
    if (seen !== undefined) return seen;
    const above = dirname(path);
    if (above === path) return true;
    // A link that leads back to itself ends here.
    known.set(path, false);
    if (!walk(above, links)) return false;
    const stat = lstatIfThere(path);
    if (stat === undefined) {
      placeOf(above).names.add(basename(path));
      placeOf(above).needed = true;
      return false;
    }
    const linked = stat.isSymbolicLink() ? targetOf(path) : undefined;
    if (everyStep || linked !== undefined) placeOf(above).names.add(basename(path));
    const there = linked === undefined || (links < mostLinks && walk(linked, links + 1));
    known.set(path, there);
    return there;
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

function lstatIfThere(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // A file in the place of a folder, or a folder that may not be searched.
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
