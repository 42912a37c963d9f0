import { promises as disk } from 'node:fs';
import { join, relative } from 'node:path';
import { parseObject } from '../../json.ts';
import { copyRegularFile, type FilePath, maxFileBytes, readRegularFile } from '../../regular-file.ts';
import { readJson } from '../process/json-file.ts';
import type { Claim } from './folder-claims.ts';
import { type Environment, Repository, type RepositoryPaths } from './git.ts';
import { copy } from './placed-file.ts';
import { encodePath, type FileState, fileBytes, isRegularFile, stateOf, within } from './tree.ts';

/** The content of a file in the user's folder that is about to be replaced. */
export interface ReplacedFile {
  /** Relative to `folder`. */
  readonly path: string;
  readonly state: FileState;
  readonly file: FilePath;
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
  others: readonly Pick<Claim, 'folder' | 'storage'>[],
  folder: string,
  replaced: readonly ReplacedFile[],
): Promise<void> {
  for (const other of others) {
    const records: string[] = [];
    const above = relative(other.folder, folder);
    for (const { path, state, file } of replaced) {
      const own = above === '' ? path : relative(other.folder, join(folder, path));
      if (!own.startsWith('..')) records.push(await keep(other.storage, { path: own, state, file }));
    }
    await addRecords(other.storage, records);
  }
}

/**
 * Keeps the content that changed files had at the start of the run, because its changes wait, and until they are applied the
 * person may edit these files. Without their common base, every difference would be a conflict.
 */
export async function keepBase(
  { storage, origin }: { readonly storage: string; readonly origin: string },
  changes: readonly { readonly path: string; readonly base?: FileState }[],
  maxBytes: number,
): Promise<void> {
  const records: string[] = [];
  for (const { path, base } of changes) {
    if (base === undefined || !isRegularFile(base) || fileBytes(base) > maxBytes) continue;
    const file = within(origin, path);
    const isAsBefore = async () => (await stateOf(file)) === base;
    if (!(await isAsBefore())) continue;
    const record = await keep(storage, { path, state: base, file }).catch(() => undefined);
    if (record !== undefined && (await isAsBefore())) records.push(record);
  }
  await addRecords(storage, records);
}

async function keep(storage: string, { path, state, file: source }: ReplacedFile): Promise<string> {
  const file = crypto.randomUUID();
  await disk.mkdir(join(storage, 'kept'), { recursive: true, mode: 0o700 });
  await copy(source, join(storage, 'kept', file));
  return `${JSON.stringify({ path, state, file } satisfies KeptFile)}\n`;
}

async function addRecords(storage: string, records: readonly string[]): Promise<void> {
  if (records.length > 0) await disk.appendFile(join(storage, listName), records.join(''), { mode: 0o600 });
}

/** The files that were replaced since the run started, as they were then. */
export async function keptFiles(storage: string): Promise<ReadonlyMap<string, KeptFile>> {
  const files = new Map<string, KeptFile>();
  // The first one that replaced the file found it as it was at the start.
  for (const kept of await listKept(storage)) if (!files.has(kept.path)) files.set(kept.path, kept);
  return files;
}

/** All contents of a file that other changes have replaced since the run started, oldest first. */
export async function replacedContents(storage: string, path: string): Promise<readonly string[]> {
  const kept = (await listKept(storage)).filter((one) => one.path === path);
  return kept.map(({ file }) => join(storage, 'kept', file));
}

async function listKept(storage: string): Promise<readonly KeptFile[]> {
  const list = await readRegularFile(join(storage, listName), maxFileBytes).catch(() => '');
  return list.split('\n').flatMap((line) => {
    const kept = parseObject(line) as unknown as KeptFile | undefined;
    return kept === undefined ? [] : [kept];
  });
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
