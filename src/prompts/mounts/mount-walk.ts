import { type Dirent, realpathSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import type { Problem } from '../../feature.ts';
import { problemOf } from '../files/file-cache.ts';
import type { FolderCache } from '../files/folder-cache.ts';

export interface MountWalk {
  readonly root: string;
  /** Gets the path relative to the root, with `/` as the separator. */
  readonly accepts: (path: string) => boolean;
  readonly followLinks: boolean;
}

/** Limits for folders that are too large to be folders of prompts. */
const maxDepth = 8;
const maxFiles = 200_000;

/** Lists the prompt files of a mount and the folders to watch. Reports links that are not followed, loop or lead out. */
export function walkMount(
  { root, accepts, followLinks }: MountWalk,
  listings: FolderCache,
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
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      const inner = own === '' ? entry.name : `${own}/${entry.name}`;
      if (files.length >= maxFiles) return;
      if (entry.isSymbolicLink()) visitLink(path, inner, parents);
      else if (entry.isDirectory()) {
        if (parents.length <= maxDepth)
          visit(path, inner, [...parents, followLinks ? (realIfExists(path) ?? path) : path]);
      } else if (accepts(inner)) files.push(path);
    }
  };

  const visitLink = (path: string, inner: string, parents: readonly string[]): void => {
    const target = statIfExists(path);
    if (target?.isDirectory()) {
      if (!followLinks)
        return warn(
          path,
          'this link to a folder is not followed; follow_links = true on this mount follows it',
        );
      const real = realIfExists(path);
      if (real === undefined) return; // The link was removed in the meantime.
      if (parents.includes(real))
        return warn(path, 'this link leads to a folder that contains it, so it is not followed');
      if (!real.startsWith(join(parents[0]!, sep))) outside.push(path);
      if (parents.length <= maxDepth) visit(path, inner, [...parents, real]);
    } else if (accepts(inner)) {
      if (target === undefined) return warn(path, 'this link leads to a file that does not exist');
      files.push(path);
      const real = followLinks ? realIfExists(path) : undefined;
      if (real === undefined) return;
      if (!real.startsWith(join(parents[0]!, sep))) outside.push(path);
      // Watching the folder of the link does not report changes of the file that it leads to.
      folders.add(dirname(real));
    }
  };

  const entriesOf = (folder: string): readonly Dirent[] => {
    try {
      const entries = listings.entries(folder);
      if (entries === undefined) warn(folder, 'the mounted folder does not exist');
      return entries ?? [];
    } catch (error) {
      problems.push(problemOf(folder, error));
      return [];
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

function statIfExists(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // A link to itself, or a target that this user cannot reach.
    return undefined;
  }
}

function realIfExists(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
