import { promises as disk } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { readRegularBytes } from '../../regular-file.ts';
import { type Environment, Repository } from './git.ts';

export type ChangeKind = 'added' | 'modified' | 'deleted';
export interface Change {
  /** Relative to the working folder, with forward slashes. */
  readonly path: string;
  readonly change: ChangeKind;
}

/** The state of a folder. Cheap enough to record before and after every run. */
export interface Snapshot {
  /** Absent outside git, where a snapshot lists all files. */
  readonly repository?: Repository;
  readonly takenAt: number;
  /** The last commit. Absent before the first commit and outside git. */
  readonly head?: string;
  /** Fingerprint of each file. With git, only files that differ from the last commit. */
  readonly files: ReadonlyMap<string, string>;
  /** False if the folder exceeds the limits. */
  readonly complete: boolean;
}

export interface SnapshotOptions {
  readonly cwd: string;
  readonly env: Environment;
  /** Folders to leave out, such as the folder with the run files. */
  readonly ignored: readonly string[];
}

const limits = { files: 20_000, depth: 24, hashedBytes: 4 * 1024 * 1024, parallel: 64 };
const deleted = 'gone';
const skipped = new Set(['.git', 'node_modules']);

/** Records the state of a folder. With `earlier`, uses the same method, so that the two can be compared. */
export async function takeSnapshot(options: SnapshotOptions, earlier?: Snapshot): Promise<Snapshot> {
  const repository =
    earlier === undefined
      ? await Repository.find(options.cwd, options.env)
      : earlier.repository && new Repository(earlier.repository.paths, options.env);
  return repository === undefined ? walkFolder(options) : readGitStatus(options, repository);
}

async function readGitStatus(options: SnapshotOptions, repository: Repository): Promise<Snapshot> {
  const { cwd } = options;
  const takenAt = Date.now();
  const statusCommand = [
    'status',
    '--porcelain=v1',
    '-z',
    '--no-renames',
    '--untracked-files=all',
    '--ignore-submodules=dirty',
  ];
  const [head, listing] = await Promise.all([
    repository.text(cwd, ['rev-parse', '--verify', '--quiet', 'HEAD'], { expected: [1] }),
    repository.run(cwd, [...statusCommand, '--', '.']),
  ]);
  const paths = listing.output
    .toString()
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => entry.slice(3))
    .filter((path) => path.startsWith(repository.prefix))
    .map((path) => path.slice(repository.prefix.length))
    .filter((path) => !isIgnored(options, path));
  const files = new Map<string, string>();
  const examined = paths.slice(0, limits.files);
  for (let at = 0; at < examined.length; at += limits.parallel) {
    const batch = examined.slice(at, at + limits.parallel);
    const prints = await Promise.all(batch.map((path) => fingerprint(join(cwd, path))));
    for (const [index, path] of batch.entries()) files.set(path, prints[index]!);
  }
  return {
    repository,
    takenAt,
    ...(head !== '' && { head }),
    files,
    complete: paths.length <= limits.files,
  };
}

async function walkFolder(options: SnapshotOptions): Promise<Snapshot> {
  const takenAt = Date.now();
  const files = new Map<string, string>();
  let complete = true;
  const visit = async (folder: string, depth: number): Promise<void> => {
    const entries = await disk.readdir(join(options.cwd, folder), { withFileTypes: true }).catch(() => []);
    const named = entries
      .map((entry) => ({ entry, path: folder === '' ? entry.name : `${folder}/${entry.name}` }))
      .filter(({ entry, path }) => !skipped.has(entry.name) && !isIgnored(options, path));
    const here = named.filter(({ entry }) => !entry.isDirectory()).slice(0, limits.files - files.size);
    const stats = await Promise.all(
      here.map(({ path }) => disk.lstat(join(options.cwd, path)).catch(() => undefined)),
    );
    for (const [index, { path }] of here.entries()) {
      const stat = stats[index];
      if (stat !== undefined) files.set(path, `${stat.size}:${stat.mtimeMs}`);
    }
    const below = named.filter(({ entry }) => entry.isDirectory());
    if (here.length + below.length < named.length || (below.length > 0 && depth >= limits.depth)) {
      complete = false;
      return;
    }
    for (const { path } of below) await visit(path, depth + 1);
  };
  await visit('', 0);
  return { takenAt, files, complete };
}

/** Lists the differences between two snapshots of a folder, by path. */
export async function changesBetween(
  before: Snapshot,
  after: Snapshot,
  options: SnapshotOptions,
): Promise<Change[]> {
  const changes = new Map<string, ChangeKind>();
  const { repository } = after;
  if (
    repository !== undefined &&
    before.head !== undefined &&
    after.head !== undefined &&
    before.head !== after.head
  ) {
    const commits = await committedChanges(repository, options.cwd, before.head, after.head).catch(() => []);
    for (const { path, change } of commits) changes.set(path, change);
  }
  let committed: ReadonlySet<string> | undefined;
  for (const path of new Set([...before.files.keys(), ...after.files.keys()])) {
    const [was, is] = [before.files.get(path), after.files.get(path)];
    if (was === is) continue;
    // With git, a file missing from a snapshot equals the last commit. Check the commit or the disk for its existence.
    if (was === undefined) committed ??= await committedFiles(before, options);
    const existed = was === undefined ? committed!.has(path) : was !== deleted;
    const exists =
      is === undefined ? repository !== undefined && (await isFile(join(options.cwd, path))) : is !== deleted;
    if (existed && exists) changes.set(path, 'modified');
    else if (exists) changes.set(path, 'added');
    else if (existed) changes.set(path, 'deleted');
  }
  return [...changes]
    .map(([path, change]) => ({ path, change }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Lists the differences between two commits within a folder. */
async function committedChanges(
  repository: Repository,
  folder: string,
  from: string,
  to: string,
): Promise<Change[]> {
  const kinds: Readonly<Record<string, ChangeKind>> = { A: 'added', D: 'deleted' };
  const flags = ['diff-tree', '-r', '--name-status', '-z', '--no-renames', '--relative'];
  const listing = await repository.text(folder, [...flags, from, to, '--', '.']);
  const parts = listing.split('\0');
  return parts.flatMap((kind, at) => {
    const path = parts[at + 1];
    return at % 2 === 0 && path !== undefined ? [{ path, change: kinds[kind] ?? 'modified' }] : [];
  });
}

/** Lists all committed files with one git call, because starting git dominates the cost. */
async function committedFiles(
  { head, repository }: Snapshot,
  { cwd }: SnapshotOptions,
): Promise<ReadonlySet<string>> {
  if (head === undefined || repository === undefined) return new Set();
  const { output } = await repository.run(cwd, ['ls-tree', '-r', '-z', '--name-only', head], {
    expected: [128],
  });
  return new Set(output.toString().split('\0'));
}

async function isFile(path: string): Promise<boolean> {
  return (await disk.lstat(path).catch(() => undefined)) !== undefined;
}

async function fingerprint(path: string): Promise<string> {
  const stat = await disk.lstat(path).catch(() => undefined);
  if (stat === undefined) return deleted;
  if (!stat.isFile() || stat.size > limits.hashedBytes) return `${stat.mode}:${stat.size}:${stat.mtimeMs}`;
  const { createHash } = await import('node:crypto');
  const content = await readRegularBytes(path).catch(() => undefined);
  return content === undefined
    ? `${stat.size}:${stat.mtimeMs}`
    : createHash('sha1').update(content).digest('hex');
}

/** True if a snapshot would show a change to the file. */
export async function isCovered(
  path: string,
  options: SnapshotOptions,
  { repository }: Snapshot,
): Promise<boolean> {
  if (isAbsolute(path) || isIgnored(options, path)) return false;
  if (repository === undefined) return !path.split('/').some((segment) => skipped.has(segment));
  const query = ['check-ignore', '--quiet', '--', path];
  return (await repository.run(options.cwd, query, { expected: [1, 128] })).code === 1;
}

function isIgnored({ cwd, ignored }: SnapshotOptions, path: string): boolean {
  // Do not ignore the working folder itself if it is inside an ignored folder.
  return ignored.some((folder) => isWithin(cwd, folder) && isWithin(folder, resolve(cwd, path)));
}

function isWithin(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below === '' || (below.split(sep)[0] !== '..' && !isAbsolute(below));
}
