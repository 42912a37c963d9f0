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
 * A commit of everything in the tree that is neither ignored nor in a repository of its own. Branches, index and files
 * stay as they are.
 */
export async function commitTree(repository: Repository, parent: string, index: string): Promise<string> {
  const { root } = repository;
  const real = await repository.text(root, ['rev-parse', '--path-format=absolute', '--git-path', 'index']);
  await copyIndex(real, index).catch(() => {});
  const own = { env: { ...identity, GIT_INDEX_FILE: index } };
  try {
    await stageChanges(repository, own);
    const tree = await repository.text(root, ['write-tree'], own);
    const parents = parent === '' ? [] : ['-p', parent];
    return await repository.text(root, ['commit-tree', tree, ...parents, '-m', 'state'], own);
  } finally {
    await disk.rm(index, { force: true });
  }
}

/**
 * What `git add --all` does, file by file. For a repository within the tree `git add` starts another git there, which
 * obeys the settings of that repository: it runs the filters that they name, and no option of ours reaches it.
 */
async function stageChanges(repository: Repository, own: GitOptions): Promise<void> {
  const { root } = repository;
  const list = async (...args: string[]) =>
    (await repository.run(root, ['ls-files', '-z', ...args], own)).output
      .toString()
      .split('\0')
      .filter((entry) => entry !== '');
  const known = (await list('--stage', '--modified', '--deleted'))
    .map((entry) => ({ mode: entry.slice(0, gitlink.length), path: entry.slice(entry.indexOf('\t') + 1) }))
    .filter(({ mode }) => mode !== gitlink)
    .map(({ path }) => path);
  // A repository within the tree is listed as a folder.
  const added = (await list('--others', '--exclude-standard')).filter((path) => !path.endsWith('/'));
  const paths = [...new Set([...known, ...added])];
  const kinds = new Map(
    await Promise.all(paths.map(async (path) => [path, await kindOf(join(root, path))] as const)),
  );
  const links = added.filter((path) => kinds.get(path) === 'link').map((path) => `${path}/`);
  // Git takes no special file, and none below a link; the files of a folder that became a link go with it.
  const staged = [...kinds]
    .filter(([path, kind]) => kind !== 'special' && !links.some((link) => path.startsWith(link)))
    .map(([path]) => `${path}\0`);
  const input = Buffer.from(staged.join(''));
  await repository.run(root, ['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], {
    ...own,
    input,
  });
}

type Kind = 'file' | 'link' | 'special';

/** Of a folder in place of a file, and of a file that is gone, the index is told too. */
async function kindOf(path: string): Promise<Kind> {
  const stat = await disk.lstat(path).catch(() => undefined);
  if (stat === undefined || stat.isFile() || stat.isDirectory()) return 'file';
  return stat.isSymbolicLink() ? 'link' : 'special';
}

/** Git trusts what its index says of a file unless the file is as young as the index; the copy must not look younger. */
async function copyIndex(from: string, to: string): Promise<void> {
  const { mtimeMs } = await disk.stat(from);
  await disk.copyFile(from, to);
  const second = Math.floor(mtimeMs / 1000);
  await disk.utimes(to, second, second);
}
