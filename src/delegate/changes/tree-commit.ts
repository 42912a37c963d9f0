import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import type { GitOptions, Repository } from './git.ts';

const identity = {
  GIT_AUTHOR_NAME: 'Adjutant',
  GIT_AUTHOR_EMAIL: 'adjutant@localhost',
  GIT_COMMITTER_NAME: 'Adjutant',
  GIT_COMMITTER_EMAIL: 'adjutant@localhost',
};
const gitlink = '160000';

/**
 * Commits every file of the working tree, except ignored files and nested repositories. Branches, index and files are
 * not changed.
 */
export async function commitTree(repository: Repository, parent: string, index: string): Promise<string> {
  const { root } = repository;
  const indexFile = await repository.text(root, [
    'rev-parse',
    '--path-format=absolute',
    '--git-path',
    'index',
  ]);
  await copyIndex(indexFile, index).catch(() => {});
  const options = { env: { ...identity, GIT_INDEX_FILE: index } };
  try {
    await stageChanges(repository, options);
    const tree = await repository.text(root, ['write-tree'], options);
    const parents = parent === '' ? [] : ['-p', parent];
    return await repository.text(root, ['commit-tree', tree, ...parents, '-m', 'state'], options);
  } finally {
    await disk.rm(index, { force: true });
  }
}

/**
 * Does the same as `git add --all`, file by file. `git add` would start another git in each nested repository, and that
 * git would run the filters configured there, whatever options it gets.
 */
async function stageChanges(repository: Repository, options: GitOptions): Promise<void> {
  const { root } = repository;
  const list = async (...args: string[]) =>
    (await repository.run(root, ['ls-files', '-z', ...args], options)).output
      .toString()
      .split('\0')
      .filter((entry) => entry !== '');
  const tracked = (await list('--stage', '--modified', '--deleted'))
    .map((entry) => ({ mode: entry.slice(0, gitlink.length), path: entry.slice(entry.indexOf('\t') + 1) }))
    .filter(({ mode }) => mode !== gitlink)
    .map(({ path }) => path);
  // Git lists a nested repository as a folder.
  const untracked = (await list('--others', '--exclude-standard')).filter((path) => !path.endsWith('/'));
  const paths = [...new Set([...tracked, ...untracked])];
  const kinds = new Map(
    await Promise.all(paths.map(async (path) => [path, await readKind(join(root, path))] as const)),
  );
  const links = untracked.filter((path) => kinds.get(path) === 'link').map((path) => `${path}/`);
  // Git cannot add special files or files below a symbolic link. It removes the files of a folder that became a link.
  const staged = [...kinds]
    .filter(([path, kind]) => kind !== 'special' && !links.some((link) => path.startsWith(link)))
    .map(([path]) => `${path}\0`);
  const input = Buffer.from(staged.join(''));
  await repository.run(root, ['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], {
    ...options,
    input,
  });
}

type Kind = 'file' | 'link' | 'special';

/** Missing files and folders count as files, so that the index is updated for them too. */
async function readKind(path: string): Promise<Kind> {
  const stat = await disk.lstat(path).catch(() => undefined);
  if (stat === undefined || stat.isFile() || stat.isDirectory()) return 'file';
  return stat.isSymbolicLink() ? 'link' : 'special';
}

/** Copies the index with its timestamp. Git rehashes files modified after the index was written, so the copy must not look newer. */
async function copyIndex(from: string, to: string): Promise<void> {
  const { mtimeMs } = await disk.stat(from);
  await disk.copyFile(from, to);
  const second = Math.floor(mtimeMs / 1000);
  await disk.utimes(to, second, second);
}
