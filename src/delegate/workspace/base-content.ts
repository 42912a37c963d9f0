import { promises as disk } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { copyRegularFile, maxFileBytes, readRegularFile } from '../../regular-file.ts';
import { type Environment, Repository, type RepositoryPaths } from '../changes/git.ts';
import { parseObject, readJson } from '../files/json-file.ts';
import type { Claim } from './folder-claims.ts';
import { type FileState, isRegularFile, modeOf, sameState, stateOf } from './folder-state.ts';
import { copy, temporaryName } from './placed-file.ts';

/** The content of a file in the user's folder that a delivery is about to replace. */
export interface ReplacedFile {
  /** Absolute. */
  readonly path: string;
  readonly state: FileState;
  readonly file: string;
}

const listName = 'kept.jsonl';
/** The layer of an overlay above the user's folder. It hides later deliveries from the run, and keeps what they replace. */
export const snapshotLayer = 'snapshot';

/**
 * Keeps the replaced files for the other runs, which started from them. The overlays of those runs show the kept files, so
 * that a delivery does not change what an agent sees, and a merge uses them as the common base.
 */
export async function preserveForOthers(
  others: readonly Claim[],
  replaced: readonly ReplacedFile[],
): Promise<void> {
  for (const { storage, folder } of others) {
    const records: string[] = [];
    for (const { path: absolute, state, file } of replaced) {
      const path = relative(folder, absolute);
      const target = join(storage, snapshotLayer, path);
      if (path.startsWith('..') || (await stateOf(target)) !== undefined) continue;
      await disk.mkdir(dirname(target), { recursive: true });
      await copyWithTimes(file, target, state);
      records.push(`${JSON.stringify({ path, state })}\n`);
    }
    if (records.length > 0) await disk.appendFile(join(storage, listName), records.join(''), { mode: 0o600 });
  }
}

/** Copies to a temporary name first, so that a run never sees half a file. */
async function copyWithTimes(file: string, target: string, state: FileState): Promise<void> {
  const temporary = join(dirname(target), temporaryName());
  await copy(file, temporary);
  if (isRegularFile(state)) {
    await disk.chmod(temporary, modeOf(state));
    const modified = Number(state.split(':')[2]);
    await disk.utimes(temporary, modified, modified);
  }
  await disk.rename(temporary, target);
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
): Promise<string | undefined> {
  if (sameState(await stateOf(join(origin, path)), state)) return join(origin, path);
  const list = await readRegularFile(join(storage, listName), maxFileBytes).catch(() => '');
  const isKept = list.split('\n').some((line) => {
    const record = parseObject(line);
    return record?.['path'] === path && record['state'] === state;
  });
  if (isKept) return join(storage, snapshotLayer, path);
  return isRegularFile(state) ? findInIndex(storage, path, state, env).catch(() => undefined) : undefined;
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
  await disk.mkdir(join(storage, 'committed'), { recursive: true, mode: 0o700 });
  const file = join(storage, 'committed', crypto.randomUUID());
  await disk.writeFile(file, output, { mode: 0o600 });
  return file;
}
