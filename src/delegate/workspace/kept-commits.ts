import { promises as disk } from 'node:fs';
import { join, relative } from 'node:path';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import { readRegularFile } from '../../regular-file.ts';
import { Repository } from '../changes/git.ts';
import type { Workspace } from './workspace.ts';

const limits = { refs: 2_000, named: 5 };
const bundleName = 'commits.bundle';
const refName = /^refs\/(heads|tags)\/[\w.+-]+(\/[\w.+-]+)*$/;
const objectName = /^[\da-f]{40,64}$/;

/**
 * Keeps the commits that an agent made in its view, because the `.git` folder is not delivered. Returns a warning that names
 * them. Only the objects and refs of the agent's `.git` are read, never its settings.
 */
export async function keepCommits(workspace: Workspace): Promise<readonly string[]> {
  const { storage, origin, env } = workspace;
  const temporary = join(storage, 'commits.git');
  try {
    const refs = await readRefs(workspace.repositoryData);
    const user = refs.size > 0 ? await Repository.find(origin, env) : undefined;
    if (user === undefined || user.root !== origin) return [];
    const known = await user.text(origin, ['for-each-ref', '--format=^%(objectname)']);
    await createRepository(temporary, refs);
    const objects = join(workspace.repositoryData, 'objects');
    const own = new Repository({ gitDir: temporary, root: temporary, prefix: '', objects }, env);
    const run = (args: readonly string[]) =>
      own.run(temporary, [...args, '--stdin'], {
        env: { GIT_OBJECT_DIRECTORY: objects, GIT_ALTERNATE_OBJECT_DIRECTORIES: user.objects },
        input: Buffer.from([...refs.keys(), known, ''].join('\n')),
      });
    const { output } = await run([
      'rev-list',
      '--reverse',
      '--topo-order',
      '--no-commit-header',
      '--format=%h %s',
    ]);
    const commits = output.toString().trim().split('\n').filter(Boolean);
    if (commits.length === 0) return [];
    const bundle = join(storage, bundleName);
    await run(['bundle', 'create', '-q', bundle]);
    return [describe(commits, bundle)];
  } catch (error) {
    log('warning', `the commits of the agent in ${origin} could not be kept: ${messageOf(error)}`);
    return [];
  } finally {
    await disk.rm(temporary, { recursive: true, force: true });
  }
}

function describe(commits: readonly string[], bundle: string): string {
  const named = commits.slice(0, limits.named).map((commit) => commit.slice(0, 80));
  const more = commits.length > named.length ? `, and ${commits.length - named.length} more` : '';
  return `The commits of the agent are not in your repository, only their content: ${named.join(', ')}${more}. They are kept: git fetch '${bundle}' 'refs/*:refs/run/*'`;
}

/** The branches, tags and detached HEAD in the files of a repository. Files that git would not write are left out. */
async function readRefs(folder: string): Promise<ReadonlyMap<string, string>> {
  const refs = new Map<string, string>();
  const packed = await readRegularFile(join(folder, 'packed-refs')).catch(() => '');
  for (const line of packed.split('\n')) add(refs, line.slice(41), line.slice(0, 40));
  const entries = await disk
    .readdir(join(folder, 'refs'), { recursive: true, withFileTypes: true })
    .catch(() => []);
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile())
      add(refs, relative(folder, path), (await readRegularFile(path, 256).catch(() => '')).trim());
  }
  // A detached HEAD names a commit instead of a branch.
  const head = await readRegularFile(join(folder, 'HEAD'), 256).catch(() => '');
  add(refs, 'refs/heads/detached', head.trim());
  return refs;
}

function add(refs: Map<string, string>, name: string, object: string): void {
  const isValid = refName.test(name) && !/\.\.|\.lock|\.$/.test(name) && objectName.test(object);
  if (isValid && refs.size < limits.refs) refs.set(name, object);
}

/** Creates the minimum that git accepts as a repository. */
async function createRepository(folder: string, refs: ReadonlyMap<string, string>): Promise<void> {
  await disk.mkdir(join(folder, 'refs'), { recursive: true, mode: 0o700 });
  await disk.mkdir(join(folder, 'objects'));
  await disk.writeFile(join(folder, 'HEAD'), 'ref: refs/heads/none\n');
  const packed = [...refs].map(([name, object]) => `${object} ${name}\n`);
  await disk.writeFile(join(folder, 'packed-refs'), packed.sort().join(''));
}
