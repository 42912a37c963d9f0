import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contain } from '../../src/delegate/process/containment.ts';
import { keepContent } from '../../src/delegate/workspace/applied-content.ts';
import { applyChanges } from '../../src/delegate/workspace/apply.ts';
import { FolderClaims } from '../../src/delegate/workspace/folder-claims.ts';
import { removeFolder } from '../../src/delegate/workspace/remove-folder.ts';
import { encodePath } from '../../src/delegate/workspace/tree.ts';
import { undoChanges } from '../../src/delegate/workspace/undo.ts';
import { Workspace, type WorkspaceKind } from '../../src/delegate/workspace/workspace.ts';
import { type Random, randomNumbers } from '../random-numbers.ts';

const editor = fileURLToPath(new URL('../fixtures/random-edits.ts', import.meta.url));
const env = { PATH: process.env['PATH'], HOME: tmpdir(), GIT_CONFIG_NOSYSTEM: '1' };

const git = (cwd: string, ...args: readonly string[]) => execFileSync('git', args, { cwd, env });

/** Paths as bytes in latin1, with type, permissions and content. */
type Tree = ReadonlyMap<string, string>;

/** Reads a folder without the code under test. The data of its own repository is left out. */
function readTree(root: string): Tree {
  const tree = new Map<string, string>();
  const visit = (below: Buffer) => {
    const folder = Buffer.concat([Buffer.from(`${root}/`), below]);
    for (const name of readdirSync(folder, { encoding: 'buffer' })) {
      const path = below.length === 0 ? name : Buffer.concat([below, Buffer.from('/'), name]);
      if (path.toString() === '.git') continue;
      const full = Buffer.concat([Buffer.from(`${root}/`), path]);
      const stat = lstatSync(full);
      const mode = (stat.mode & 0o7777).toString(8);
      const content = stat.isFile()
        ? `file ${createHash('sha256').update(readFileSync(full)).digest('hex')}`
        : stat.isSymbolicLink()
          ? `link ${readlinkSync(full, { encoding: 'buffer' }).toString('latin1')}`
          : stat.isDirectory()
            ? 'folder'
            : 'special';
      tree.set(path.toString('latin1'), stat.isSymbolicLink() ? content : `${mode} ${content}`);
      if (stat.isDirectory()) visit(path);
    }
  };
  visit(Buffer.alloc(0));
  return tree;
}

/** Creates files, links, named pipes, empty folders, a nested repository, a submodule and odd names. */
function createTree(root: string, random: Random, size: number): void {
  const folders = [Buffer.from(root)];
  const at = (folder: Buffer, name: Buffer) => Buffer.concat([folder, Buffer.from('/'), name]);
  const odd = [Buffer.from('ü'), Buffer.from([0x61, 0xff]), Buffer.from('a b'), Buffer.from('n\nl')];
  for (let entry = 0; entry < size; entry++) {
    const start = random.next() < 0.2 ? random.pick(odd) : Buffer.from('f');
    const path = at(random.pick(folders), Buffer.concat([start, Buffer.from(String(entry))]));
    const kind = random.next();
    if (kind < 0.2) {
      mkdirSync(path);
      folders.push(path);
    } else if (kind < 0.27) symlinkSync(random.pick(['nowhere', '.', '/tmp']), path);
    else if (kind < 0.3) execFileSync('mkfifo', [join(root, `pipe${entry}`)]);
    else {
      writeFileSync(path, `${entry}\n`.repeat(Math.floor(random.between(0, 30))));
      chmodSync(path, random.pick([0o644, 0o755, 0o600, 0o664]));
    }
  }
  const isRepository = random.next() < 0.5;
  if (isRepository) git(root, 'init', '-q');
  for (const name of ['nested', 'sub'])
    if (random.next() < 0.5) {
      const folder = at(random.pick(folders), Buffer.from(`${name}-repository`));
      mkdirSync(folder);
      writeFileSync(at(folder, Buffer.from('inner.txt')), 'inner\n');
      createRepository(root, folder.toString('latin1'), name === 'sub' && isRepository);
    }
  for (const folder of folders.slice(1))
    if (random.next() < 0.2) chmodSync(folder, random.pick([0o700, 0o775]));
}

/** Makes a folder a repository with one commit: a submodule, whose data is in the repository around it, or a nested one. */
function createRepository(root: string, folder: string, isSubmodule: boolean): void {
  // The repository is made elsewhere and moved, because the path of the folder need not be valid UTF-8.
  const place = Buffer.from(folder, 'latin1');
  const data = isSubmodule ? join(root, '.git', 'modules', 'sub') : undefined;
  const scratch = `${root}-scratch`;
  mkdirSync(scratch);
  writeFileSync(join(scratch, 'inner.txt'), 'inner\n');
  git(scratch, 'init', '-q');
  git(scratch, 'add', '-A');
  git(scratch, '-c', 'user.name=T', '-c', 'user.email=t@t', 'commit', '-qm', 'start');
  const link = Buffer.concat([place, Buffer.from('/.git')]);
  if (data === undefined) renameSync(join(scratch, '.git'), link);
  else {
    mkdirSync(join(root, '.git', 'modules'), { recursive: true });
    renameSync(join(scratch, '.git'), data);
    const depth = place
      .subarray(Buffer.byteLength(root) + 1)
      .toString('latin1')
      .split('/').length;
    writeFileSync(link, `gitdir: ${'../'.repeat(depth)}.git/modules/sub\n`);
  }
  rmSync(scratch, { recursive: true });
}

const kindOf = (entry: string | undefined) => entry?.split(' ').at(entry.startsWith('link') ? 0 : 1);
const parents = (path: string) =>
  path
    .split('/')
    .slice(1)
    .map((_, at) =>
      path
        .split('/')
        .slice(0, at + 1)
        .join('/'),
    );

/** True for paths that are never applied: git data and special files, and what is above or below them. */
function fixedPaths(before: Tree, after: Tree): (path: string) => boolean {
  const fixed = new Set<string>();
  for (const tree of [before, after])
    for (const [path, entry] of tree)
      if (kindOf(entry) === 'special' || path.split('/').includes('.git')) fixed.add(path);
  const above = new Set([...fixed].filter((path) => before.has(path)).flatMap(parents));
  return (path) => above.has(path) || [path, ...parents(path)].some((one) => fixed.has(one));
}

function differences(
  expected: Tree,
  actual: Tree,
  isFixed: (path: string) => boolean,
  what: string,
): string[] {
  return [...new Set([...expected.keys(), ...actual.keys()])]
    .filter((path) => expected.get(path) !== actual.get(path) && !isFixed(path))
    .map(
      (path) => `${what}: ${JSON.stringify(path)} is ${actual.get(path)} instead of ${expected.get(path)}`,
    );
}

export interface CaseReport {
  /** Number of paths that the agent changed. */
  readonly changes: number;
  readonly problems: readonly string[];
}

/**
 * One random folder and one random series of edits by an agent in a workspace. Reports every difference between the evidence
 * and a comparison of the folder with a plain copy that got the same edits, and between the folder and what it should be after
 * its changes were applied, undone and applied again.
 */
export async function runCase(seed: number, kind: WorkspaceKind, size = 40): Promise<CaseReport> {
  const random = randomNumbers(seed);
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'adjutant-case-')));
  const [folder, twin] = [join(root, 'project'), join(root, 'twin')];
  const stateDir = join(root, 'state');
  try {
    mkdirSync(folder);
    createTree(folder, random, size);
    execFileSync('cp', ['-a', folder, twin]);
    const before = readTree(folder);
    const edit = [editor, String(seed), String(Math.floor(random.between(1, 25)))];
    execFileSync(process.execPath, edit, { cwd: twin, env });
    const after = readTree(twin);

    const options = { stateDir, copyLimitBytes: 1e9, ignored: [], env, workspaceKinds: [kind] };
    const workspace = await Workspace.create({ id: 'run', path: join(root, 'run') }, folder, options);
    const { overlay } = workspace;
    const program = { command: process.execPath, args: edit };
    const { command, args } = await contain(program, workspace.folder, { env, overlay });
    execFileSync(command, args, { cwd: workspace.folder, env });
    const untouched = differences(before, readTree(folder), () => false, 'before applying');
    const found = new Map(
      (await workspace.collectChanges()).map(({ path, change }) => [
        Buffer.from(encodePath(path)).toString('latin1'),
        change as string,
      ]),
    );
    const expected = new Map(
      [...new Set([...before.keys(), ...after.keys()])]
        .filter((path) => before.get(path) !== after.get(path))
        .map((path) => [path, !before.has(path) ? 'added' : after.has(path) ? 'modified' : 'deleted']),
    );
    const evidence = differences(expected, found, () => false, 'evidence');
    const claims = await FolderClaims.open(stateDir);
    const apply = { run: 'run', claims, env };
    const isFixed = fixedPaths(before, after);
    const { conflicts } = await applyChanges(workspace, apply);
    const unexpected = conflicts
      .map(({ path, reason }) => ({ path: Buffer.from(encodePath(path)).toString('latin1'), reason }))
      .filter(({ path }) => !isFixed(path))
      .map(({ path, reason }) => `conflict: ${JSON.stringify(path)}: ${reason}`);
    const applied = differences(after, readTree(folder), isFixed, 'applied');
    await keepContent(workspace);
    const undo = await undoChanges(workspace, apply);
    const notUndone = (undo?.conflicts ?? []).map(({ path, reason }) => `undo: ${path}: ${reason}`);
    const undone = differences(before, readTree(folder), () => false, 'undone');
    await applyChanges(workspace, apply);
    claims.close();
    const again = differences(after, readTree(folder), isFixed, 'applied again');
    const problems = [
      ...untouched,
      ...evidence,
      ...unexpected,
      ...applied,
      ...notUndone,
      ...undone,
      ...again,
    ];
    return { changes: expected.size, problems };
  } finally {
    await removeFolder(root);
  }
}
