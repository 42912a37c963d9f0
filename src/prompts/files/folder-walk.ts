import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import type { Problem } from '../../feature.ts';

interface Listing {
  readonly stamp: string;
  readonly settled: boolean;
  readonly entries: readonly Dirent[];
}

/** Two changes within this time may get the same timestamp: file systems store times with limited precision. */
const tickMs = 100;

/** Caches folder listings. A folder is read again only after an entry was added, removed or renamed. */
export class FolderCache {
  readonly #listings = new Map<string, Listing>();

  /** Entries sorted by name, without hidden ones. `undefined` if the folder does not exist. */
  entries(folder: string): readonly Dirent[] | undefined {
    const stat = statSync(folder, { throwIfNoEntry: false });
    if (stat === undefined) {
      this.#listings.delete(folder);
      return undefined;
    }
    const known = this.#listings.get(folder);
    const stamp = `${stat.mtimeMs}:${stat.ctimeMs}:${stat.ino}`;
    if (known?.stamp === stamp && known.settled) return known.entries;
    const settled = Math.abs(Date.now() - stat.ctimeMs) >= tickMs;
    const entries = readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !name.startsWith('.'))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    this.#listings.set(folder, { stamp, settled, entries });
    return entries;
  }
}

interface FolderWalk {
  readonly root: string;
  /** Gets the path relative to the root, with `/` as the separator. */
  readonly accepts: (path: string) => boolean;
  /** The entries of a folder, such as those of a `FolderCache`. */
  readonly list: (folder: string) => readonly Dirent[];
  /** Follows symbolic links, also those that lead out of the folder. */
  readonly followLinks?: boolean;
  /** Added to the problem of a link to a folder: how to have it followed. */
  readonly linkAdvice?: string;
  /** How many levels of subfolders are read. */
  readonly maxDepth?: number;
}

/** Limits for folders that are too large to be folders of prompts. */
const defaultDepth = 8;
const maxFiles = 200_000;

/** Lists the files in a folder and the folders to watch. Reports links that are not followed, loop or lead out. */
export function walkFolder(
  { root, accepts, list, followLinks = false, linkAdvice = '', maxDepth = defaultDepth }: FolderWalk,
  problems: Problem[],
): { readonly files: readonly string[]; readonly folders: readonly string[] } {
  const files: string[] = [];
  const folders = new Set<string>();
  const outside: string[] = [];
  const warn = (file: string, message: string): void => {
    problems.push({ file, severity: 'warning', message });
  };

  /** `parents` are the real paths of the folder and of those that contain it. */
  const visit = (folder: string, own: string, parents: readonly string[]) => {
    folders.add(folder);
    const prefix = join(folder, sep);
    for (const entry of list(folder)) {
      const path = prefix + entry.name;
      const inner = own + entry.name;
      if (files.length >= maxFiles) return;
      if (entry.isSymbolicLink()) visitLink(path, inner, parents);
      else if (!entry.isDirectory()) {
        if (accepts(inner)) files.push(path);
      } else if (parents.length <= maxDepth)
        visit(path, `${inner}/`, [...parents, followLinks ? (realIfExists(path) ?? path) : path]);
      else if (accepts(inner)) warn(path, 'this is a folder, not a prompt file');
    }
  };

  const visitLink = (path: string, inner: string, parents: readonly string[]): void => {
    const target = targetOf(path);
    if (target === 'folder') {
      if (maxDepth === 0 && !accepts(inner)) return;
      if (!followLinks) return warn(path, `this link to a folder is not followed${linkAdvice}`);
      const real = realIfExists(path);
      if (real === undefined) return; // The link was removed in the meantime.
      if (parents.includes(real))
        return warn(path, 'this link leads to a folder that contains it, so it is not followed');
      if (!real.startsWith(join(parents[0]!, sep))) outside.push(path);
      if (parents.length <= maxDepth) visit(path, `${inner}/`, [...parents, real]);
    } else if (accepts(inner)) {
      if (target === 'nothing') return warn(path, 'this link leads to a file that does not exist');
      files.push(path);
      const real = followLinks ? realIfExists(path) : undefined;
      if (real === undefined) return;
      if (!real.startsWith(join(parents[0]!, sep))) outside.push(path);
      // Watching the folder of the link does not report changes of the file that it leads to.
      folders.add(dirname(real));
    }
  };

  visit(root, '', [followLinks ? (realIfExists(root) ?? root) : root]);
  if (outside.length > 0) {
    const links = outside.length === 1 ? '1 link leads' : `${outside.length} links lead`;
    const message = `${links} out of this folder, such as ${outside[0]}`;
    problems.push({ file: root, severity: 'warning', rule: 'outside-link', message });
  }
  return { files, folders: [...folders] };
}

function targetOf(link: string): 'folder' | 'file' | 'nothing' {
  try {
    const target = statSync(link, { throwIfNoEntry: false });
    return target === undefined ? 'nothing' : target.isDirectory() ? 'folder' : 'file';
  } catch {
    // A link to itself, or a target that this user cannot reach. Whoever reads it reports the reason.
    return 'file';
  }
}

function realIfExists(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
