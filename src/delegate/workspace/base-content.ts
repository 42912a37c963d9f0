import { promises as disk } from 'node:fs';
import { join, relative } from 'node:path';
import { copyRegularFile, type FilePath, maxFileBytes, readRegularFile } from '../../regular-file.ts';
import { parseObject, readJson } from '../process/json-file.ts';
import type { Claim } from './folder-claims.ts';
import { type Environment, Repository, type RepositoryPaths } from './git.ts';
import { copy } from './placed-file.ts';
import { encodePath, type FileState, isRegularFile, stateOf, within } from './tree.ts';

/** The content of a file in the user's folder that is about to be replaced. */
export interface ReplacedFile {
  /** Relative to `folder`. */
  readonly path: string;
  readonly state: FileState;
  readonly file: string;
}

/** A file that other changes have replaced since the run started. */
interface KeptFile {
  readonly path: string;
  readonly state: FileState;
  /** Its name in the folder `kept`. */
  readonly file: string;
}

const listName = 'kept.jsonl';

/** Keeps the replaced files for the other runs, which started from them, as the common base of a merge. */
export async function preserveForOthers(
  others: readonly Claim[],
  folder: string,
  replaced: readonly ReplacedFile[],
): Promise<void> {
  for (const other of others) {
    const records: string[] = [];
    const above = relative(other.folder, folder);
    for (const { path, state, file: source } of replaced) {
      const own = above === '' ? path : relative(other.folder, join(folder, path));
      if (own.startsWith('..')) continue;
      const file = crypto.randomUUID();
      await disk.mkdir(join(other.storage, 'kept'), { recursive: true, mode: 0o700 });
      await copy(source, join(other.storage, 'kept', file));
      records.push(`${JSON.stringify({ path: own, state, file } satisfies KeptFile)}\n`);
    }
    if (records.length > 0)
      await disk.appendFile(join(other.storage, listName), records.join(''), { mode: 0o600 });
  }
}

/** The files that were replaced since the run started, as they were then. */
export async function keptFiles(storage: string): Promise<ReadonlyMap<string, KeptFile>> {
  const list = await readRegularFile(join(storage, listName), maxFileBytes).catch(() => '');
  const files = new Map<string, KeptFile>();
  for (const line of list.split('\n')) {
    const kept = parseObject(line) as unknown as KeptFile | undefined;
    // The first one that replaced the file found it as it was at the start.
    if (kept !== undefined && !files.has(kept.path)) files.set(kept.path, kept);
  }
  return files;
}

/** Remembers the index of the repository, which knows the content of the files that had no changes. */
export async function rememberIndex(storage: string, folder: string, env: Environment): Promise<void> {
  const repository = await Repository.find(folder, env);
  if (repository === undefined) return;
  await copyRegularFile(join(repository.gitDir, 'index'), join(storage, 'index'))
    .then(() => disk.writeFile(join(storage, 'repository.json'), JSON.stringify(repository.paths)))
    .catch(() => {});
}

/** A file with the content that a file of the folder had in this state. `undefined` if it is not known. */
export async function findBaseContent(
  { storage, origin, env }: { readonly storage: string; readonly origin: string; readonly env: Environment },
  path: string,
  state: FileState,
): Promise<FilePath | undefined> {
  if ((await stateOf(within(origin, path))) === state) return within(origin, path);
  const kept = (await keptFiles(storage)).get(path);
  if (kept?.state === state) return join(storage, 'kept', kept.file);
  return isRegularFile(state) ? findInIndex(storage, path, state, env).catch(() => undefined) : undefined;
}

async function findInIndex(
  storage: string,
  path: string,
  state: FileState,
  env: Environment,
): Promise<string | undefined> {
  const paths = await readJson(join(storage, 'repository.json'));
  if (paths === undefined || typeof encodePath(path) !== 'string') return undefined;
  const repository = new Repository(paths as unknown as RepositoryPaths, env);
  const { root, prefix } = repository;
  const listing = await repository.text(
    root,
    ['ls-files', '--stage', '--debug', '--', `:(top,literal)${prefix}${path}`],
    { env: { GIT_INDEX_FILE: join(storage, 'index') } },
  );
  const [, blob] = /^\d+ ([0-9a-f]+) 0\t/.exec(listing) ?? [];
  const [, seconds, nanoseconds = ''] = /^ {2}mtime: (\d+):(\d+)$/m.exec(listing) ?? [];
  const [, size] = /^ {2}size: (\d+)/m.exec(listing) ?? [];
  const [, stateSize, stateTime] = state.split(':');
  if (blob === undefined || size !== stateSize || `${seconds}.${nanoseconds.padStart(9, '0')}0` !== stateTime)
    return undefined;
  const { output } = await repository.run(root, ['cat-file', 'blob', blob]);
  await disk.mkdir(join(storage, 'committed'), { recursive: true, mode: 0o700 });
  const file = join(storage, 'committed', crypto.randomUUID());
  await disk.writeFile(file, output, { mode: 0o600 });
  return file;
}
