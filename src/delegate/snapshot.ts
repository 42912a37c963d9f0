import { promises as disk } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type Environment, findRepository, git, gitText, type Repository } from './git.ts';

export type ChangeKind = 'added' | 'modified' | 'deleted';
export interface Change {
  /** Relative to the working folder, with slashes. */
  readonly path: string;
  readonly change: ChangeKind;
}

/** The state of a folder, cheap enough to be taken before and after every run. */
export interface Snapshot {
  readonly method: 'git' | 'walk';
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

const limits = { files: 20_000, depth: 24, hashedBytes: 4 * 1024 * 1024 };
const gone = 'gone';
const skipped = new Set(['.git', 'node_modules']);

export async function takeSnapshot(place: SnapshotPlace): Promise<Snapshot> {
  const repository = await findRepository(place.cwd, place.env);
  return repository === undefined ? walk(place) : status(place, repository);
}

async function status(place: SnapshotPlace, repository: Repository): Promise<Snapshot> {
  const { cwd, env } = place;
  const takenAt = Date.now();
  const [head, listing] = await Promise.all([
    gitText(cwd, ['rev-parse', '--verify', '--quiet', 'HEAD'], env, { expected: [1] }),
    git(cwd, ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all', '--', '.'], env),
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
  for (const path of paths.slice(0, limits.files)) files.set(path, await fingerprint(join(cwd, path)));
  return {
    method: 'git',
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
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (skipped.has(entry.name) || isIgnored(place, path)) continue;
      if (entry.isDirectory()) {
        if (depth < limits.depth) await visit(path, depth + 1);
        else complete = false;
        continue;
      }
      if (files.size >= limits.files) {
        complete = false;
        return;
      }
      const stat = await disk.lstat(join(place.cwd, path)).catch(() => undefined);
      if (stat !== undefined) files.set(path, `${stat.size}:${stat.mtimeMs}`);
    }
  };
  await visit('', 0);
  return { method: 'walk', takenAt, files, complete };
}

/** What differs between two snapshots of one folder, by path. */
export async function changesBetween(
  before: Snapshot,
  after: Snapshot,
  place: SnapshotPlace,
): Promise<Change[]> {
  const changes = new Map<string, ChangeKind>();
  if (before.head !== undefined && after.head !== undefined && before.head !== after.head) {
    for (const { path, change } of await committed(before.head, after.head, place)) changes.set(path, change);
  }
  for (const path of new Set([...before.files.keys(), ...after.files.keys()])) {
    const [was, is] = [before.files.get(path), after.files.get(path)];
    if (was === is) continue;
    // Under git a file that is not listed is as it was committed; only the disk tells whether there is one.
    const existed =
      was === undefined ? before.method === 'git' && (await wasCommitted(path, before, place)) : was !== gone;
    const exists =
      is === undefined ? after.method === 'git' && (await isFile(join(place.cwd, path))) : is !== gone;
    if (existed && exists) changes.set(path, 'modified');
    else if (exists) changes.set(path, 'added');
    else if (existed) changes.set(path, 'deleted');
  }
  return [...changes]
    .map(([path, change]) => ({ path, change }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

async function committed(from: string, to: string, { cwd, env }: SnapshotPlace): Promise<Change[]> {
  const kinds: Readonly<Record<string, ChangeKind>> = { A: 'added', D: 'deleted' };
  const listing = await gitText(
    cwd,
    ['diff', '--name-status', '-z', '--no-renames', '--relative', from, to, '--', '.'],
    env,
  ).catch(() => '');
  const parts = listing.split('\0').filter((part) => part !== '');
  return parts.flatMap((part, at) =>
    at % 2 === 0 && parts[at + 1] !== undefined
      ? [{ path: parts[at + 1]!, change: kinds[part] ?? 'modified' }]
      : [],
  );
}

async function wasCommitted(path: string, { head }: Snapshot, { cwd, env }: SnapshotPlace): Promise<boolean> {
  if (head === undefined) return false;
  const { code } = await git(cwd, ['cat-file', '-e', `${head}:./${path}`], env, { expected: [1, 128] });
  return code === 0;
}

async function isFile(path: string): Promise<boolean> {
  return (await disk.lstat(path).catch(() => undefined)) !== undefined;
}

async function fingerprint(path: string): Promise<string> {
  const stat = await disk.lstat(path).catch(() => undefined);
  if (stat === undefined) return gone;
  if (!stat.isFile() || stat.size > limits.hashedBytes) return `${stat.mode}:${stat.size}:${stat.mtimeMs}`;
  const { createHash } = await import('node:crypto');
  const content = await disk.readFile(path).catch(() => undefined);
  return content === undefined
    ? `${stat.size}:${stat.mtimeMs}`
    : createHash('sha1').update(content).digest('hex');
}

/** Whether a change to the file would have shown. */
export async function isCovered(
  path: string,
  place: SnapshotPlace,
  method: Snapshot['method'],
): Promise<boolean> {
  if (isAbsolute(path) || isIgnored(place, path)) return false;
  if (method === 'walk') return !path.split('/').some((segment) => skipped.has(segment));
  const { code } = await git(place.cwd, ['check-ignore', '--quiet', '--', path], place.env, {
    expected: [1, 128],
  });
  return code === 1;
}

function isIgnored({ cwd, ignored }: SnapshotPlace, path: string): boolean {
  return ignored.some((folder) => {
    const below = relative(folder, resolve(cwd, path));
    return below === '' || (below !== '..' && !below.startsWith(`..${sep}`));
  });
}
