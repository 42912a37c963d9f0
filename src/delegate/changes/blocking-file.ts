import { promises as disk } from 'node:fs';
import { join } from 'node:path';

/** Files that git reads while it looks at a working tree. Git blocks if one of them is a named pipe. */
const gitFiles = new Set(['.gitignore', '.gitattributes', '.gitmodules']);
/** A git command that runs longer than this may be blocked. Most take a fraction of it. */
const patienceMs = 3_000;
/** Limits one search, for trees that are only large. */
const maxFolders = 200_000;

/** Searches a working tree for a file that blocks git, but only if git takes long. */
export interface BlockingFileWatch {
  /** Aborted when a blocking file was found. */
  readonly found: AbortSignal;
  /** The blocking file, once it was found. */
  readonly path: string | undefined;
  stop(): void;
}

export function findBlockingFile(root: string): BlockingFileWatch {
  const controller = new AbortController();
  let path: string | undefined;
  let isStopped = false;
  const timer = setTimeout(async () => {
    path = await search(root, () => isStopped);
    if (path !== undefined) controller.abort();
  }, patienceMs).unref();
  return {
    found: controller.signal,
    get path() {
      return path;
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

async function search(root: string, isStopped: () => boolean): Promise<string | undefined> {
  const folders = [root];
  for (let visited = 0; visited < maxFolders && folders.length > 0 && !isStopped(); visited += 1) {
    const folder = folders.pop()!;
    for (const entry of await disk.readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && entry.name !== '.git') folders.push(path);
      else if (entry.isFIFO() && gitFiles.has(entry.name)) return path;
      else if (entry.name === '.git' && entry.isDirectory()) {
        const exclude = join(path, 'info', 'exclude');
        const attributes = join(path, 'info', 'attributes');
        for (const file of [exclude, attributes, join(path, 'config')])
          if ((await disk.stat(file).catch(() => undefined))?.isFIFO()) return file;
      }
      // Git follows a link to a named pipe.
      else if (entry.isSymbolicLink() && gitFiles.has(entry.name)) {
        if ((await disk.stat(path).catch(() => undefined))?.isFIFO()) return path;
      }
    }
  }
  return undefined;
}
