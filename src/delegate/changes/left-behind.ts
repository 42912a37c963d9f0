import { promises as disk } from 'node:fs';
import { dirname, join } from 'node:path';
import { log } from '../../log.ts';

/** Files of a job that git could not merge into the user's working tree, and the folder they were moved to. */
export interface LeftBehind {
  readonly folder: string;
  /** Relative to the root of the repository. Folders end in a slash. */
  readonly paths: readonly string[];
}

/** The files of a commit and their parent folders. */
class CommittedPaths {
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

  /** Whether the commit contains all, a part, or none of the entry. */
  contains(path: string, entry: Entry): 'all' | 'part' | 'none' {
    // A commit contains the path of a submodule, but not its files.
    if (entry.isDirectory()) return this.#folders.has(path) ? 'part' : 'none';
    return this.#files.has(path) && (entry.isFile() || entry.isSymbolicLink()) ? 'all' : 'none';
  }
}

type Entry = Pick<Awaited<ReturnType<typeof disk.lstat>>, 'isDirectory' | 'isFile' | 'isSymbolicLink'> & {
  readonly name: string;
};

/**
 * Saves the files of a worktree that no commit contains before the worktree is removed: ignored files, nested
 * repositories and the content of submodules. The result includes files moved earlier by a server that crashed.
 */
export async function moveLeftBehind(
  tree: string,
  committed: readonly string[],
  folder: string,
): Promise<LeftBehind | undefined> {
  const committedPaths = new CommittedPaths(committed);
  for (const path of await listUncommitted(tree, committedPaths)) {
    try {
      await move(join(tree, path), join(folder, path));
    } catch (error) {
      // A file that cannot be moved must not prevent the merge of the others.
      log(
        'warning',
        `${join(tree, path)} could not be moved to ${folder} and is lost with the worktree`,
        error,
      );
    }
  }
  const paths = await listUncommitted(folder, committedPaths);
  return paths.length === 0 ? undefined : { folder, paths };
}

async function move(from: string, to: string): Promise<void> {
  await disk.mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await disk.rm(to, { recursive: true, force: true });
  await disk.rename(from, to);
}

/** Lists uncommitted files. A folder without committed files is listed as a whole, unless it is empty. */
async function listUncommitted(root: string, committedPaths: CommittedPaths): Promise<string[]> {
  const found: string[] = [];
  const visit = async (folder: string): Promise<void> => {
    for (const entry of await readEntries(join(root, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      // The file that links a worktree to its repository.
      if (path === '.git' && entry.isFile()) continue;
      const content = committedPaths.contains(path, entry);
      if (content === 'part') await visit(path);
      else if (content === 'all') continue;
      else if (!entry.isDirectory()) found.push(path);
      else if (await containsFile(join(root, path))) found.push(`${path}/`);
    }
  };
  await visit('');
  return found.sort();
}

async function containsFile(folder: string): Promise<boolean> {
  const entries = await readEntries(folder);
  if (entries.some((entry) => !entry.isDirectory())) return true;
  for (const { name } of entries) if (await containsFile(join(folder, name))) return true;
  return false;
}

async function readEntries(folder: string): Promise<readonly Entry[]> {
  return disk.readdir(folder, { withFileTypes: true }).catch(() => []);
}
