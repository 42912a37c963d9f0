import { promises as disk } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import { copyRegularFile, readRegularBytes, readRegularFile } from '../../regular-file.ts';
import type { Environment } from '../process/environment.ts';
import { isInside } from '../process/folder-scope.ts';
import { unreadCommits } from './applied-content.ts';
import { type Change, type FolderChange, gitDataOf } from './folder-changes.ts';
import { type GitOptions, Repository } from './git.ts';
import { parentsOf } from './placed-file.ts';
import { RunDirectory } from './run-directory.ts';
import {
  displayPath,
  encodePath,
  isFolder,
  isLink,
  isRegularFile,
  modeOf,
  parentOf,
  stateOf,
  within,
} from './tree.ts';
import type { Workspace } from './workspace.ts';

const limits = { refs: 2_000, named: 3 };
const maxPackedBytes = 64 * 1024 * 1024;
const refName = /^refs\/(heads|tags)\/[\w.+-]+(\/[\w.+-]+)*$/;
const objectName = /^[\da-f]{40,64}$/;

export interface Branch {
  readonly name: string;
  readonly commit: string;
  /** What the commit does not contain, and why. */
  readonly omitted: readonly string[];
}

const branchFile = 'branch.json';

function branchName(run: string): string {
  return `adjutant/${run}`;
}

/**
 * Keeps the commits that an agent made in its view, because git data is never applied. Returns warnings that name them. Only
 * the objects and refs of the agent's `.git` are read, never its settings.
 */
export async function keepCommits(
  workspace: Workspace,
  lines: readonly Change[],
  run: string,
): Promise<string[]> {
  const nested = lines.flatMap(({ path, change }) =>
    gitDataOf(path) === path && change !== 'deleted' ? [parentOf(path)] : [],
  );
  const warnings = await Promise.all(
    ['.', ...nested].map((folder, at) => keepCommitsIn(workspace, folder, at, run)),
  );
  return warnings.flat();
}

function bundleName(at: number): string {
  return at === 0 ? 'commits.bundle' : `commits-${at}.bundle`;
}

async function keepCommitsIn(
  { storage, origin, content, env }: Workspace,
  folder: string,
  at: number,
  run: string,
): Promise<string[]> {
  const temporary = join(storage, `commits-${at}.git`);
  try {
    if (typeof encodePath(folder) !== 'string') return [];
    const made = join(content, folder, '.git');
    const root = join(origin, folder);
    const state = await stateOf(made);
    if (state === undefined || isRegularFile(state)) return [];
    if (!(await isOwnData(made, join(root, '.git'), [origin, content])))
      return [
        `The commits of the agent in ${join(folder, '.git')} were not read, because links or borrowed objects lead elsewhere.`,
      ];
    const found = await Repository.find(root, env).catch(() => undefined);
    // A new repository has no commits that the user knows.
    const user = found?.root === root ? found : undefined;
    if (user === undefined && at === 0) return [];
    const known = (await user?.text(root, ['for-each-ref', '--format=^%(objectname)'])) ?? '';
    const refs = await readRefs(made, new Set(known.split('\n')));
    if (refs.size === 0) return [];
    if (refs.size > limits.refs) throw new Error(`it has more than ${limits.refs} new branches and tags`);
    await createRepository(temporary, refs);
    const objects = join(made, 'objects');
    const own = new Repository({ gitDir: temporary, root: temporary, prefix: '', objects }, env);
    const git = (args: readonly string[]) =>
      own.run(temporary, [...args, '--stdin'], {
        env: {
          GIT_OBJECT_DIRECTORY: objects,
          ...(user && { GIT_ALTERNATE_OBJECT_DIRECTORIES: user.objects }),
        },
        input: Buffer.from([...refs.keys(), known, ''].join('\n')),
      });
    const { output } = await git([
      'rev-list',
      '--reverse',
      '--topo-order',
      '--no-commit-header',
      '--format=%h %s',
    ]);
    const commits = output.toString().trim().split('\n').filter(Boolean);
    if (commits.length === 0) return [];
    const bundle = join(storage, bundleName(at));
    await git(['bundle', 'create', '-q', bundle]);
    const named = commits.slice(0, limits.named).map((commit) => commit.slice(0, 60));
    const more = commits.length > named.length ? `, and ${commits.length - named.length} more` : '';
    const next =
      at === 0
        ? `"adjutant runs apply ${run} --commits" makes the branch ${branchName(run)} of them.`
        : `They are kept in ${bundle}, which git can clone and fetch from.`;
    const place = at === 0 ? '' : ` in ${folder}`;
    return [
      `The commits of the agent${place} are not in your repository, only their content: ${named.join(', ')}${more}. ${next}`,
    ];
  } catch (error) {
    log('warning', `the commits of the agent in ${origin} could not be bundled`, error);
    await disk.writeFile(join(storage, unreadCommits), '');
    const data = join(content, folder, '.git');
    return [
      `The commits of the agent, if it made any, are only in ${data}, as long as the run is kept: ${messageOf(error)}.`,
    ];
  } finally {
    await disk.rm(temporary, { recursive: true, force: true });
  }
}

/** Makes branches of the commits that the agent made. Returns their names. */
export async function commitsToBranches({ storage, origin, env }: Workspace, run: string): Promise<string[]> {
  const bundle = join(storage, bundleName(0));
  const user = await Repository.find(origin, env);
  const hasBundle = (await stateOf(bundle)) !== undefined;
  if (!hasBundle && (await stateOf(join(storage, unreadCommits))) !== undefined)
    throw new Failure(
      'unavailable',
      `The commits of run ${run} could not be read. A warning of the run says where they are, and why.`,
    );
  if (!hasBundle || user === undefined)
    throw new Failure('refused', `The agent of run ${run} made no commits.`);
  const listing = await user.text(origin, ['bundle', 'unbundle', bundle]);
  const heads = listing.split('\n').map((line) => line.split(' ') as [string, string]);
  const isTaken = (await stateOf(join(storage, branchFile))) !== undefined;
  const first = isTaken ? `${branchName(run)}-commits` : branchName(run);
  const created: string[] = [];
  for (const [object, ref] of heads) {
    const name = heads.length === 1 ? first : `${first}/${ref.split('/').slice(2).join('/')}`;
    const now = await user.text(origin, ['for-each-ref', '--format=%(objectname)', `refs/heads/${name}`]);
    if (now !== '' && now !== object)
      throw new Failure('refused', `The branch ${name} has other commits now. Rename or delete it first.`);
    await user.run(origin, ['update-ref', `refs/heads/${name}`, object, now]);
    created.push(name);
  }
  return created;
}

/** Throws if the folder is not in a git repository, so that no branch can be made. */
export async function demandRepository(folder: string, env: Environment): Promise<void> {
  if ((await Repository.find(folder, env)) === undefined)
    throw new Failure('refused', `${folder} is not in a git repository, so apply must be auto or ask.`);
}

/**
 * Commits the changes to a branch on top of HEAD, with an index of its own: neither the working tree nor the user's index
 * changes, and git starts no hooks, filters or signing programs. Ignored files are left out, and so is what git cannot hold.
 */
export async function commitToBranch(
  workspace: Workspace,
  changes: readonly FolderChange[],
  { run, subject = '', env }: { readonly run: string; readonly subject?: string; readonly env: Environment },
): Promise<Branch> {
  const { storage, origin, content } = workspace;
  const user = await Repository.find(origin, env);
  if (user === undefined) throw new Failure('unavailable', 'the folder is not in a git repository any more');
  const index = join(storage, 'branch.index');
  const own = { GIT_INDEX_FILE: index, ...(await identity(user)) };
  const git: Git = async (args, { input, expected = [], env: more } = {}) =>
    (await user.run(user.root, args, { env: { ...own, ...more }, ...(input && { input }), expected })).output;
  await disk.rm(index, { force: true });
  const head = (await git(['rev-parse', '--verify', '--quiet', 'HEAD'], { expected: [1] })).toString().trim();
  await git(head === '' ? ['read-tree', '--empty'] : ['read-tree', head]);
  const { committed, omitted } = await selectCommittable(workspace, user, changes, git);
  const entries: Buffer[] = [];
  for (const { path, state } of committed) {
    const name = Buffer.concat([Buffer.from(user.prefix), Buffer.from(encodePath(path)), Buffer.of(0)]);
    if (state === undefined) {
      entries.push(Buffer.from(`0 ${'0'.repeat(40)}\t`), name);
      continue;
    }
    const file = within(content, path);
    const bytes = isLink(state)
      ? await disk.readlink(file, { encoding: 'buffer' })
      : await readRegularBytes(file, Number.POSITIVE_INFINITY);
    const object = (await git(['hash-object', '-w', '--stdin'], { input: bytes })).toString().trim();
    const mode = isLink(state) ? '120000' : modeOf(state) & 0o100 ? '100755' : '100644';
    entries.push(Buffer.from(`${mode} ${object}\t`), name);
  }
  await git(['update-index', '-z', '--index-info'], { input: Buffer.concat(entries) });
  const tree = (await git(['write-tree'])).toString().trim();
  const message = `${subject.replaceAll(/\s+/g, ' ').trim().slice(0, 72) || 'Changes of a run'}\n\nAdjutant-Run: ${run}\n`;
  const parent = head === '' ? [] : ['-p', head];
  const commit = (
    await git(['commit-tree', '--no-gpg-sign', tree, ...parent], { input: Buffer.from(message) })
  )
    .toString()
    .trim();
  const name = branchName(run);
  await git(['update-ref', `refs/heads/${name}`, commit]);
  await disk.rm(index, { force: true });
  await new RunDirectory(storage, '').writeJson(branchFile, { name, commit });
  return { name, commit, omitted };
}

/** The user's own name, or one that git can use without any settings. */
async function identity(user: Repository): Promise<Environment> {
  const [name, mail] = await Promise.all(
    ['user.name', 'user.email'].map((key) => user.text(user.root, ['config', key], { expected: [1] })),
  );
  const own = { NAME: name || 'Adjutant', EMAIL: mail || 'adjutant@localhost' };
  return Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((who) =>
      Object.entries(own).map(([key, value]) => [`GIT_${who}_${key}`, value]),
    ),
  );
}

type Git = (args: readonly string[], options?: GitOptions) => Promise<Buffer>;

/** Divides the changes into those that a commit can contain and those that it cannot, with the reasons. */
async function selectCommittable(
  workspace: Workspace,
  user: Repository,
  changes: readonly FolderChange[],
  git: Git,
): Promise<{ readonly committed: readonly FolderChange[]; readonly omitted: readonly string[] }> {
  const { origin, content } = workspace;
  const isRepository = async (folder: string) =>
    (await stateOf(within(content, `${folder}/.git`))) !== undefined ||
    (await stateOf(within(origin, `${folder}/.git`))) !== undefined;
  const nested = new Set<string>();
  for (const folder of new Set(changes.flatMap(({ path }) => parentsOf(path))))
    if (await isRepository(folder)) nested.add(folder);
  const ignored = await ignoredPaths(workspace, user, changes, git);
  const omitted: string[] = [];
  const committed = changes.filter((change) => {
    const { path, base, state } = change;
    const above = parentsOf(path).find((parent) => nested.has(parent));
    if (isFolder(state) || (state === undefined && isFolder(base))) return false;
    if (above !== undefined)
      omitted.push(
        `${displayPath(path)} is not on the branch: ${displayPath(above)} is a repository of its own.`,
      );
    else if (ignored.has(path)) omitted.push(`${displayPath(path)} is not on the branch: git ignores it.`);
    else return true;
    return false;
  });
  return { committed, omitted };
}

/** The changed paths that git ignores, by the ignore files as the run has left them. */
async function ignoredPaths(
  { storage, origin, content }: Workspace,
  user: Repository,
  changes: readonly FolderChange[],
  git: Git,
): Promise<ReadonlySet<string>> {
  const tree = join(storage, 'ignore');
  try {
    await disk.mkdir(join(tree, user.prefix), { recursive: true });
    const changed = new Map(changes.map((change) => [change.path, change]));
    const copyIgnoreFile = async (from: string | undefined, path: string, to = path) => {
      await disk.mkdir(within(tree, parentOf(to)), { recursive: true });
      if (from !== undefined) await copyRegularFile(within(from, path), within(tree, to)).catch(() => {});
    };
    for (const above of ['', ...parentsOf(user.prefix)])
      if (above !== user.prefix.replace(/\/$/, ''))
        await copyIgnoreFile(user.root, join(above, '.gitignore'));
    for (const folder of new Set(['', ...changes.flatMap(({ path }) => parentsOf(path))])) {
      const path = folder === '' ? '.gitignore' : `${folder}/.gitignore`;
      const own = changed.get(path);
      const from = own === undefined ? origin : own.state === undefined ? undefined : content;
      await copyIgnoreFile(from, path, `${user.prefix}${path}`);
    }
    const input = Buffer.concat(
      changes.flatMap(({ path }) => [Buffer.from(user.prefix), Buffer.from(encodePath(path)), Buffer.of(0)]),
    );
    const env = { GIT_WORK_TREE: tree };
    const listed = await git(['check-ignore', '-z', '--stdin'], { input, expected: [1], env });
    const found = new Set(listed.toString('latin1').split('\0'));
    return new Set(
      changes
        .filter(({ path }) =>
          found.has(
            Buffer.concat([Buffer.from(user.prefix), Buffer.from(encodePath(path))]).toString('latin1'),
          ),
        )
        .map(({ path }) => path),
    );
  } finally {
    await disk.rm(tree, { recursive: true, force: true });
  }
}

/** What is read of the git data of a run. */
const readNames = new Set(['HEAD', 'packed-refs', 'refs', 'objects']);

/**
 * False if the git data of a run leads elsewhere, by a link or by objects that it borrows from another repository: that can be one
 * which was hidden from the agent. `original` is the git data before the run, and `folders` are those that the agent saw.
 */
async function isOwnData(made: string, original: string, folders: readonly string[]): Promise<boolean> {
  for (const folder of ['', 'objects', 'objects/pack', 'objects/info']) {
    const state = await stateOf(join(made, folder));
    if (state === undefined) continue;
    if (!isFolder(state)) return false;
    const entries = await disk.readdir(join(made, folder), { withFileTypes: true });
    if (entries.some((entry) => entry.isSymbolicLink() && (folder !== '' || readNames.has(entry.name))))
      return false;
  }
  const listed = ['info', 'alternates'];
  const borrowed = (folder: string) => readRegularFile(join(folder, 'objects', ...listed)).catch(() => '');
  const now = await borrowed(made);
  if (now === '' || now === (await borrowed(original))) return true;
  return isInside(resolve(original, 'objects', now.trim()), folders);
}

/**
 * The branches, tags and detached HEAD in the files of a repository, without those whose commits are known. Files that git would
 * not write are left out.
 */
async function readRefs(folder: string, known: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  const refs = new Map<string, string>();
  const add = (name: string, object: string) => {
    const isValid = refName.test(name) && !/\.\.|\.lock|\.$/.test(name) && objectName.test(object);
    // A loose ref takes the place of a packed one. One more than the limit says that there are too many.
    if (isValid && !known.has(`^${object}`) && !refs.has(name) && refs.size <= limits.refs)
      refs.set(name, object);
  };
  // A detached HEAD names a commit instead of a branch.
  const head = await readRegularFile(join(folder, 'HEAD'), 256).catch(() => '');
  add('refs/heads/detached', head.trim());
  const entries = await disk
    .readdir(join(folder, 'refs'), { recursive: true, withFileTypes: true })
    .catch(() => []);
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile())
      add(relative(folder, path), (await readRegularFile(path, 256).catch(() => '')).trim());
  }
  const packed = await readRegularFile(join(folder, 'packed-refs'), maxPackedBytes).catch(() => '');
  for (const line of packed.split('\n')) {
    const [object = '', name = ''] = line.split(' ');
    add(name, object);
  }
  return refs;
}

/** Creates the minimum that git accepts as a repository. */
async function createRepository(folder: string, refs: ReadonlyMap<string, string>): Promise<void> {
  await disk.mkdir(join(folder, 'refs'), { recursive: true, mode: 0o700 });
  await disk.mkdir(join(folder, 'objects'));
  await disk.writeFile(join(folder, 'HEAD'), 'ref: refs/heads/none\n');
  const packed = [...refs].map(([name, object]) => `${object} ${name}\n`);
  await disk.writeFile(join(folder, 'packed-refs'), packed.sort().join(''));
}
