import { randomUUID } from 'node:crypto';
import { constants, promises as disk } from 'node:fs';
import { join } from 'node:path';
import { maxFileBytes, readRegularFile } from '../../regular-file.ts';
import { type Environment, Repository, type RepositoryPaths } from '../changes/git.ts';
import { parseObject, readJson } from '../files/json-file.ts';
import type { Claim } from './folder-claims.ts';
import type { FileState } from './folder-state.ts';

/** The content of a file in the user's folder that a delivery is about to replace. */
export interface ReplacedFile {
  /** Absolute. */
  readonly path: string;
  readonly state: FileState;
  readonly file: string;
}

const listName = 'base.jsonl';
const folderName = 'base.files';

/**
 * Keeps the replaced files for the other runs that started from them: an isolated view is no snapshot, and a merge needs
 * the content that a run started from.
 */
export async function preserveForOthers(
  others: readonly Claim[],
  replaced: readonly ReplacedFile[],
): Promise<void> {
  if (replaced.length === 0) return;
  for (const { storage } of others) {
    const folder = join(storage, folderName);
    await disk.mkdir(folder, { recursive: true, mode: 0o700 });
    const records: string[] = [];
    for (const { path, state, file } of replaced) {
      const name = randomUUID();
      await disk.link(file, join(folder, name)).catch(() => disk.copyFile(file, join(folder, name)));
      records.push(`${JSON.stringify({ path, state, name })}\n`);
    }
    await disk.appendFile(join(storage, listName), records.join(''), { mode: 0o600 });
  }
}

/** Remembers the index of the repository, which knows the content of the files that had no changes. */
export async function rememberIndex(storage: string, folder: string, env: Environment): Promise<void> {
  const repository = await Repository.find(folder, env);
  if (repository === undefined) return;
  await disk
    .copyFile(join(repository.gitDir, 'index'), join(storage, 'index'), constants.COPYFILE_FICLONE)
    .then(() => disk.writeFile(join(storage, 'repository.json'), JSON.stringify(repository.paths)))
    .catch(() => {});
}

/** A file with the content that a file of the folder had in this state. `undefined` if it is not known. */
export async function findBaseContent(
  storage: string,
  folder: string,
  path: string,
  state: FileState,
  env: Environment,
): Promise<string | undefined> {
  const list = await readRegularFile(join(storage, listName), maxFileBytes).catch(() => '');
  for (const line of list.split('\n')) {
    const record = parseObject(line);
    if (record?.['path'] === join(folder, path) && record['state'] === state)
      return join(storage, folderName, String(record['name']));
  }
  return findInIndex(storage, path, state, env).catch(() => undefined);
}

async function findInIndex(
  storage: string,
  path: string,
  state: FileState,
  env: Environment,
): Promise<string | undefined> {
  const paths = await readJson(join(storage, 'repository.json'));
  if (paths === undefined) return undefined;
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
  await disk.mkdir(join(storage, folderName), { recursive: true, mode: 0o700 });
  const file = join(storage, folderName, randomUUID());
  await disk.writeFile(file, output, { mode: 0o600 });
  return file;
}
