import { promises as disk } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { readRegularBytes } from '../../regular-file.ts';
import { type Environment, Repository } from './git.ts';

export type ChangeKind = 'added' | 'modified' | 'deleted';
export interface Change {
  /** Relative to the working folder, with slashes. */
  readonly path: string;
  readonly change: ChangeKind;
}

/** The state of a folder, cheap enough to be taken before and after every run. */
export interface Snapshot {
  /** Absent outside of git, where all files are walked. */
  readonly repository?: Repository;
  readonly takenAt: number;
  /** The last commit; absent before the first and outside of git. */
  readonly head?: string;
  /** A fingerprint for each file; under git only for those that differ from the last commit. */
  readonly files: ReadonlyMap<string, string>;
  /** False when there was more than would be looked at. */
  readonly complete: boolean;
}

export interface SnapshotPlace {
  readonly cwd: string;
  readonly env: Environment;
  /** Folders that are not the task's business, like the one the runs are kept in. */
  readonly ignored: readonly string[];
}

const limits = { files: 20_000, depth: 24, hashedBytes: 4 * 1024 * 1024, atOnce: 64 };
const gone = 'gone';
const skipped = new Set(['.git', 'node_modules']);

/** Taken once more in the way of an earlier one, so that the two can be compared. */
export async function takeSnapshot(place: SnapshotPlace, earlier?: Snapshot): Promise<Snapshot> {
  const repository = earlier === undefined ? await Repository.find(place.cwd, place.env) : earlier.repository;
  return repository === undefined ? walk(place) : status(place, repository);
}

async function status(place: SnapshotPlace, repository: Repository): Promise<Snapshot> {
  const { cwd } = place;
  const takenAt = Date.now();
  const listed = [
    'status',
    '--porcelain=v1',
    '-z',
    '--no-renames',
    '--untracked-files=all',
    '--ignore-submodules=dirty',
  ];
  const [head, listing] = await Promise.all([
    repository.text(cwd, ['rev-parse', '--verify', '--quiet', 'HEAD'], { expected: [1] }),
    repository.run(cwd, [...listed, '--', '.']),
  ]);
  const paths = listing.output
    .toString()
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => entry.slice(3))
    .filter((path) => path.startsWith(repository.prefix))
    .map((path) => path.slice(repository.prefix.length))
    .filter((path) => !isIgnored(place, path));
  const files = new Map<string, string>();
  const looked = paths.slice(0, limits.files);
  for (let at = 0; at < looked.length; at += limits.atOnce) {
    const some = looked.slice(at, at + limits.atOnce);
    const prints = await Promise.all(some.map((path) => fingerprint(join(cwd, path))));
    for (const [index, path] of some.entries()) files.set(path, prints[index]!);
  }
  return {
    repository,
    takenAt,
    ...(head !== '' && { head }),
    files,
    complete: paths.length <= limits.files,
  };
}

async function walk(place: SnapshotPlace): Promise<Snapshot> {
  const takenAt = Date.now();
  const files = new Map<string, string>();
  let complete = true;
  const visit = async (folder: string, depth: number): Promise<void> => {
    const entries = await disk.readdir(join(place.cwd, folder), { withFileTypes: true }).catch(() => []);
    const named = entries
      .map((entry) => ({ entry, path: folder === '' ? entry.name : `${folder}/${entry.name}` }))
      .filter(({ entry, path }) => !skipped.has(entry.name) && !isIgnored(place, path));
    const here = named.filter(({ entry }) => !entry.isDirectory()).slice(0, limits.files - files.size);
    const stats = await Promise.all(
      here.map(({ path }) => disk.lstat(join(place.cwd, path)).catch(() => undefined)),
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

/** What differs between two snapshots of one folder, by path. */
export async function changesBetween(
  before: Snapshot,
  after: Snapshot,
  place: SnapshotPlace,
): Promise<Change[]> {
  const changes = new Map<string, ChangeKind>();
  const { repository } = after;
  if (
    repository !== undefined &&
    before.head !== undefined &&
    after.head !== undefined &&
    before.head !== after.head
  ) {
    const commits = await committedChanges(repository, place.cwd, before.head, after.head).catch(() => []);
    for (const { path, change } of commits) changes.set(path, change);
  }
  let committed: ReadonlySet<string> | undefined;
  for (const path of new Set([...before.files.keys(), ...after.files.keys()])) {
    const [was, is] = [before.files.get(path), after.files.get(path)];
    if (was === is) continue;
    // Under git a file that is not listed is as it was committed; only the disk tells whether there is one.
    if (was === undefined) committed ??= await committedFiles(before, place);
    const existed = was === undefined ? committed!.has(path) : was !== gone;
    const exists =
      is === undefined ? repository !== undefined && (await isFile(join(place.cwd, path))) : is !== gone;
    if (existed && exists) changes.set(path, 'modified');
    else if (exists) changes.set(path, 'added');
    else if (existed) changes.set(path, 'deleted');
  }
  return [...changes]
    .map(([path, change]) => ({ path, change }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** What differs between two commits in one folder and below. */
export async function committedChanges(
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

/** Asked for all at once: git takes as long to start for one file as for many. */
async function committedFiles(
  { head, repository }: Snapshot,
  { cwd }: SnapshotPlace,
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
  if (stat === undefined) return gone;
  if (!stat.isFile() || stat.size > limits.hashedBytes) return `${stat.mode}:${stat.size}:${stat.mtimeMs}`;
  const { createHash } = await import('node:crypto');
  const content = await readRegularBytes(path).catch(() => undefined);
  return content === undefined
    ? `${stat.size}:${stat.mtimeMs}`
    : createHash('sha1').update(content).digest('hex');
}

/** Whether a change to the file would have shown. */
export async function isCovered(
  path: string,
  place: SnapshotPlace,
  { repository }: Snapshot,
): Promise<boolean> {
  if (isAbsolute(path) || isIgnored(place, path)) return false;
  if (repository === undefined) return !path.split('/').some((segment) => skipped.has(segment));
  const asked = ['check-ignore', '--quiet', '--', path];
  return (await repository.run(place.cwd, asked, { expected: [1, 128] })).code === 1;
}

function isIgnored({ cwd, ignored }: SnapshotPlace, path: string): boolean {
  // A working folder that lies in such a place itself is the task's business all the same.
  return ignored.some((folder) => isWithin(cwd, folder) && isWithin(folder, resolve(cwd, path)));
}

function isWithin(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below === '' || (below.split(sep)[0] !== '..' && !isAbsolute(below));
}
