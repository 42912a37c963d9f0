import { promises as disk } from 'node:fs';
import { dirname, join } from 'node:path';
import { log } from '../../log.ts';

/** What git did not carry from a job's own tree to the tree of the person, and where it is now. */
export interface LeftBehind {
  readonly folder: string;
  /** Relative to the root of the repository; a folder ends in a slash. */
  readonly paths: readonly string[];
}

/** The files that a commit holds, and the folders that lead to them. */
class Carried {
  readonly #files: ReadonlySet<string>;
  readonly #folders = new Set<string>();

  constructor(files: readonly string[]) {
    this.#files = new Set(files);
    for (const file of files)
      for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1)) {
        if (this.#folders.has(file.slice(0, at))) break;
        this.#folders.add(file.slice(0, at));
      }
  }

  /** Whether the entry is in the commit, holds such files, or has nothing to do with it. */
  contains(path: string, entry: Entry): 'whole' | 'part' | 'nothing' {
    // In the commit a submodule has a name, but no content.
    if (entry.isDirectory()) return this.#folders.has(path) ? 'part' : 'nothing';
    return this.#files.has(path) && (entry.isFile() || entry.isSymbolicLink()) ? 'whole' : 'nothing';
  }
}

type Entry = Pick<Awaited<ReturnType<typeof disk.lstat>>, 'isDirectory' | 'isFile' | 'isSymbolicLink'> & {
  readonly name: string;
};

/**
 * Moves what no commit holds out of a job's tree, before the tree is removed: ignored files, repositories within it,
 * the content of submodules. What was moved earlier, by a server that died over it, is part of the answer.
 */
export async function keepLeftBehind(
  tree: string,
  committed: readonly string[],
  folder: string,
): Promise<LeftBehind | undefined> {
  const carried = new Carried(committed);
  for (const path of await uncarried(tree, carried)) {
    try {
      await move(join(tree, path), join(folder, path));
    } catch (error) {
      // The rest of the work is worth more than a file that cannot be kept.
      log('warning', `${join(tree, path)} cannot be kept in ${folder}`, error);
    }
  }
  const paths = await uncarried(folder, carried);
  return paths.length === 0 ? undefined : { folder, paths };
}

async function move(from: string, to: string): Promise<void> {
  await disk.mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await disk.rm(to, { recursive: true, force: true });
  await disk.rename(from, to);
}

/** A folder that holds nothing of the commit is named as a whole; one that holds no file is not named. */
async function uncarried(root: string, carried: Carried): Promise<string[]> {
  const found: string[] = [];
  const visit = async (folder: string): Promise<void> => {
    for (const entry of await entriesOf(join(root, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      // Git's own link to the repository.
      if (path === '.git' && entry.isFile()) continue;
      const content = carried.contains(path, entry);
      if (content === 'part') await visit(path);
      else if (content === 'whole') continue;
      else if (!entry.isDirectory()) found.push(path);
      else if (await holdsFile(join(root, path))) found.push(`${path}/`);
    }
  };
  await visit('');
  return found.sort();
}

async function holdsFile(folder: string): Promise<boolean> {
  const entries = await entriesOf(folder);
  if (entries.some((entry) => !entry.isDirectory())) return true;
  for (const { name } of entries) if (await holdsFile(join(folder, name))) return true;
  return false;
}

async function entriesOf(folder: string): Promise<readonly Entry[]> {
  return disk.readdir(folder, { withFileTypes: true }).catch(() => []);
}
