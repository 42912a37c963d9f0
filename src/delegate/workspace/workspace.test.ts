import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contain } from '../process/containment.ts';
import { type ApplyOptions, applyChanges } from './apply.ts';
import { summarize } from './folder-changes.ts';
import { FolderClaims } from './folder-claims.ts';
import { changesState } from './journal.ts';
import { removeFolder } from './remove-folder.ts';
import { settleRun } from './settle.ts';
import { undoChanges } from './undo.ts';
import { Workspace, type WorkspaceKind } from './workspace.ts';

const env = { PATH: process.env['PATH'], HOME: tmpdir(), GIT_CONFIG_NOSYSTEM: '1' };
let root: string;
let folder: string;
let claims: FolderClaims;
let workspaces = 0;
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'adjutant, workspace:')));
  folder = join(root, 'project');
  mkdirSync(folder);
  claims = await FolderClaims.open(join(root, 'state'));
});
afterEach(async () => {
  claims.close();
  await removeFolder(root);
});

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], { cwd: folder, env });
const read = (path: string) => readFileSync(join(folder, path), 'utf8');
function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
const ten = (change: Record<number, string> = {}) =>
  Array.from({ length: 10 }, (_, at) => `${change[at] ?? `line ${at}`}\n`).join('');

interface Isolated {
  readonly workspace: Workspace;
  /** Runs a shell script as the agent would. */
  agent(script: string): Promise<void>;
  apply(how?: Partial<ApplyOptions>): ReturnType<typeof applyChanges>;
  undo(paths?: readonly string[]): ReturnType<typeof undoChanges>;
  readonly run: string;
}

const creation = () => ({ stateDir: join(root, 'state'), copyLimitBytes: 1e9, ignored: [], env });

async function isolate(kind: WorkspaceKind, continues?: string): Promise<Isolated> {
  const run = `run-${++workspaces}`;
  const workspace = await Workspace.create({ id: run, path: join(root, 'runs', run) }, folder, {
    ...creation(),
    workspaceKinds: [kind],
    continues,
  });
  const options = { run, claims, env };
  return {
    workspace,
    run,
    agent: async (script) => {
      const { command, args } = await contain({ command: 'bash', args: ['-ec', script] }, workspace.folder, {
        env,
        overlay: workspace.overlay,
      });
      execFileSync(command, args, { cwd: workspace.folder });
    },
    apply: (how = {}) => applyChanges(workspace, { ...options, ...how }),
    undo: (paths) => undoChanges(workspace, { ...options, ...(paths && { paths }) }),
  };
}

/** Every file of the project with its content or link, without the repository data. */
function tree(): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    if (name === '.git' || name.startsWith('.git/')) continue;
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) found[name] = `-> ${readlinkSync(path)}`;
    else if (stat.isFile())
      found[name] = `${readFileSync(path, 'utf8')}${stat.mode & 0o100 ? ' (executable)' : ''}`;
  }
  return found;
}

const kinds = (process.platform === 'linux' ? ['overlay', 'copy'] : ['copy']) as WorkspaceKind[];
describe.each(kinds)('a workspace: %s', (kind) => {
  beforeEach(() => {
    git('init', '-q');
    write('a.txt', ten());
    write('.gitignore', 'dist/\n');
    write('dir/one.txt', 'one');
    write('dir/sub/two.txt', 'two');
    git('add', '-A');
    git('commit', '-qm', 'first');
    write('dist/old.js', 'built before');
    write('untracked.txt', 'not committed');
  });

  it('shows the whole folder, and leaves it as it is until the changes are applied', async () => {
    execFileSync('git', ['init', '-q', 'nested'], { cwd: folder });
    write('nested/f.txt', 'inner');
    const before = tree();
    const one = await isolate(kind);
    await one.agent(`
      cat dist/old.js untracked.txt nested/f.txt nested/.git/HEAD > seen.txt
      echo built > dist/new.js; echo more >> nested/f.txt; git init -q clone; echo x > clone/x
      sed -i 's/line 1/LINE 1/' a.txt; rm dir/one.txt; chmod +x untracked.txt; ln -s a.txt link; mkdir -p empty/inner`);
    expect(tree()).toEqual(before);
    const { changed, conflicts } = await one.apply();
    expect(conflicts).toEqual([]);
    expect(tree()).toMatchObject({
      'a.txt': ten({ 1: 'LINE 1' }),
      'dist/old.js': 'built before',
      'dist/new.js': 'built\n',
      'nested/f.txt': 'innermore\n',
      'clone/x': 'x\n',
      'seen.txt': expect.stringContaining('built beforenot committedinner'),
      'untracked.txt': 'not committed (executable)',
      link: '-> a.txt',
    });
    expect(existsSync(join(folder, 'dir/one.txt'))).toBe(false);
    expect(existsSync(join(folder, 'empty/inner'))).toBe(true);
    expect(changed).toEqual(
      expect.arrayContaining([
        { path: 'a.txt', change: 'modified' },
        { path: 'dir/one.txt', change: 'deleted' },
        { path: 'dist/new.js', change: 'added' },
      ]),
    );
    // Git data is listed as a change of the run, but never applied.
    expect(summarize(await one.workspace.collectChanges())).toContainEqual({
      path: 'clone/.git',
      change: 'added',
    });
    expect([
      existsSync(join(folder, 'clone/.git')),
      changed.some(({ path }) => path.includes('.git')),
    ]).toEqual([false, false]);
  });

  it('applies replaced, renamed and retyped folders, and undoes all of it', async () => {
    write('file', 'to become a folder');
    write('folder/x', 'to become a file');
    write('renamed/deep/y', 'moves');
    const before = tree();
    const one = await isolate(kind);
    await one.agent(`
      rm -r dir; mkdir dir; echo new > dir/three.txt
      rm file; mkdir file; echo in > file/in; rm -r folder; echo now > folder
      mv renamed other`);
    const { conflicts } = await one.apply();
    expect(conflicts).toEqual([]);
    expect(tree()).toEqual({
      '.gitignore': 'dist/\n',
      'a.txt': ten(),
      'dir/three.txt': 'new\n',
      'dist/old.js': 'built before',
      'file/in': 'in\n',
      folder: 'now\n',
      'other/deep/y': 'moves',
      'untracked.txt': 'not committed',
    });
    expect((await one.undo())!.conflicts).toEqual([]);
    expect(tree()).toEqual(before);
    expect(existsSync(join(folder, 'other'))).toBe(false);
  });

  it('reports no change for files that were only touched or written with the same content', async () => {
    const one = await isolate(kind);
    await one.agent(`touch a.txt; cp dist/old.js x; cat x > dist/old.js; rm x; echo t > t; rm t`);
    expect(await one.workspace.collectChanges()).toEqual([]);
  });

  it('merges from what the agent saw, and reports a line that others changed since then', async () => {
    const [first, seeing, second] = [await isolate(kind), await isolate(kind), await isolate(kind)];
    await first.agent(`sed -i 's/line 1$/ONE/' a.txt`);
    await second.agent(`sed -i 's/line 1$/ONE again/' a.txt`);
    await first.apply();
    await seeing.agent(`sed -i 's/line 1$/ONE/;s/line 5$/FIVE/' a.txt`);
    expect((await second.apply({ take: 'run' })).conflicts).toEqual([]);
    expect((await seeing.apply()).conflicts).toEqual([]);
    expect(read('a.txt')).toBe(ten({ 1: 'ONE again', 5: 'FIVE' }));
    const blind = await isolate(kind);
    const third = await isolate(kind);
    await blind.agent(`sed -i 's/ONE again$/BLIND/' a.txt`);
    await third.agent(`sed -i 's/ONE again$/THIRD/' a.txt`);
    await third.apply();
    expect((await blind.apply()).conflicts).toEqual([{ path: 'a.txt', reason: 'it was changed meanwhile' }]);
    expect(read('a.txt')).toBe(ten({ 1: 'THIRD', 5: 'FIVE' }));
  });

  it('merges what others changed in other places meanwhile, and keeps both where they conflict', async () => {
    const [one, two, three] = [await isolate(kind), await isolate(kind), await isolate(kind)];
    await one.agent(`sed -i 's/line 1$/ONE/' a.txt; echo one > new.txt; echo one > dist/old.js`);
    await two.agent(`sed -i 's/line 8$/TWO/' a.txt; echo two > other.txt; echo two > dist/old.js`);
    await three.agent(
      `sed -i 's/line 1$/THREE/' a.txt; echo three > new.txt; rm untracked.txt; echo ok > third.txt`,
    );
    expect((await one.apply()).conflicts).toEqual([]);
    expect((await two.apply()).conflicts).toEqual([
      { path: 'dist/old.js', reason: 'it was changed meanwhile' },
    ]);
    appendFileSync(join(folder, 'untracked.txt'), ' by the user');
    expect((await three.apply()).conflicts.map(({ path }) => path).sort()).toEqual([
      'a.txt',
      'new.txt',
      'untracked.txt',
    ]);
    expect(tree()).toMatchObject({
      'a.txt': ten({ 1: 'ONE', 8: 'TWO' }),
      'new.txt': 'one\n',
      'other.txt': 'two\n',
      'third.txt': 'ok\n',
      'untracked.txt': 'not committed by the user',
      'dist/old.js': 'one\n',
    });
    expect(readFileSync(join(three.workspace.content, 'new.txt'), 'utf8')).toBe('three\n');
  });

  it("merges with the user's own edits of a committed file", async () => {
    const one = await isolate(kind);
    await one.agent(`sed -i 's/line 1$/ONE/' a.txt`);
    write('a.txt', ten({ 8: 'by the user' }));
    expect((await one.apply()).conflicts).toEqual([]);
    expect(read('a.txt')).toBe(ten({ 1: 'ONE', 8: 'by the user' }));
  });

  it('applies chosen files, and marks or decides conflicts as the person says', async () => {
    const one = await isolate(kind);
    await one.agent(
      `sed -i 's/line 1$/ONE/' a.txt; echo run > untracked.txt; echo n > n.txt; rm dir/one.txt; echo d > dist/old.js`,
    );
    write('a.txt', ten({ 1: 'USER' }));
    write('untracked.txt', 'by the user');
    write('dir/one.txt', 'by the user');
    write('dist/old.js', 'by the user');
    expect(await one.apply({ paths: ['n.txt'] })).toMatchObject({
      changed: [{ path: 'n.txt' }],
      conflicts: [],
    });
    expect(await changesState(one.workspace.storage)).toBe('waiting');
    expect((await one.apply()).conflicts.map(({ path }) => path)).toEqual([
      'dir/one.txt',
      'a.txt',
      'dist/old.js',
      'untracked.txt',
    ]);
    expect(await one.apply({ paths: ['a.txt'], take: 'markers' })).toMatchObject({ marked: ['a.txt'] });
    expect(read('a.txt')).toBe(ten({ 1: `<<<<<<< folder\nUSER\n=======\nONE\n>>>>>>> run ${one.run}` }));
    await one.apply({ paths: ['untracked.txt', 'dir'], take: 'run' });
    await one.apply({ paths: ['dist'], take: 'folder' });
    expect(tree()).toMatchObject({ 'untracked.txt': 'run\n', 'dist/old.js': 'by the user', 'n.txt': 'n\n' });
    expect(existsSync(join(folder, 'dir/one.txt'))).toBe(false);
    expect(await changesState(one.workspace.storage)).toBe('applied');
    expect(await one.undo(['untracked.txt'])).toMatchObject({ changed: [{ path: 'untracked.txt' }] });
    expect(read('untracked.txt')).toBe('by the user');
    expect(await one.undo()).toMatchObject({ marked: [], conflicts: [] });
    expect(tree()).toMatchObject({ 'a.txt': ten({ 1: 'USER' }), 'dir/one.txt': 'by the user' });
    expect(existsSync(join(folder, 'n.txt'))).toBe(false);
  });

  it('merges changes that wait with later edits, also of a file that git does not know', async () => {
    write('untracked.txt', ten());
    const one = await isolate(kind);
    await one.agent(`sed -i 's/line 1$/ONE/' untracked.txt`);
    const { run, workspace } = one;
    await settleRun(workspace, { run, stateDir: join(root, 'state'), env, end: 'keep', claims: [] });
    write('untracked.txt', ten({ 8: 'by the user' }));
    expect(await one.apply({ take: 'markers' })).toMatchObject({ marked: [], conflicts: [] });
    expect(read('untracked.txt')).toBe(ten({ 1: 'ONE', 8: 'by the user' }));
  });

  it('is continued by another run, with all changes so far', async () => {
    const one = await isolate(kind);
    await one.agent(`sed -i 's/line 1$/ONE/' a.txt; echo n > n.txt; rm dir/one.txt`);
    await one.workspace.collectChanges();
    const two = await isolate(kind, dirname(one.workspace.storage));
    await two.agent(`test ! -e dir/one.txt; sed -i 's/line 8$/TWO/' a.txt; echo more >> n.txt`);
    expect((await two.apply()).conflicts).toEqual([]);
    expect(tree()).toMatchObject({ 'a.txt': ten({ 1: 'ONE', 8: 'TWO' }), 'n.txt': 'n\nmore\n' });
    expect(existsSync(join(folder, 'dir/one.txt'))).toBe(false);
    expect(await changesState(one.workspace.storage)).toBe('none');
    expect(readdirSync(one.workspace.storage)).toContain('continued');
    expect(existsSync(join(one.workspace.storage, 'workspace.json'))).toBe(false);
  });

  it('undoes only what is still as it was applied', async () => {
    const one = await isolate(kind);
    await one.agent(
      `sed -i 's/line 1$/ONE/' a.txt; echo n > n.txt; mkdir -p made/here; echo m > made/here/m; rm dir/one.txt`,
    );
    await one.apply();
    appendFileSync(join(folder, 'a.txt'), 'by the user\n');
    expect(await one.undo()).toEqual({
      marked: [],
      changed: expect.arrayContaining([
        { path: 'dir/one.txt', change: 'deleted' },
        { path: 'n.txt', change: 'added' },
      ]),
      conflicts: [{ path: 'a.txt', reason: 'it was changed after it was applied' }],
    });
    expect(tree()).toMatchObject({ 'a.txt': `${ten({ 1: 'ONE' })}by the user\n`, 'dir/one.txt': 'one' });
    expect(existsSync(join(folder, 'made'))).toBe(false);
    expect(await changesState(one.workspace.storage)).toBe('applied');
    // A second try takes back what the first one could not.
    write('a.txt', ten({ 1: 'ONE' }));
    expect(await one.undo()).toMatchObject({ changed: [{ path: 'a.txt' }], conflicts: [] });
    expect(read('a.txt')).toBe(ten());
    expect(await changesState(one.workspace.storage)).toBe('undone');
    expect(await one.undo()).toBeUndefined();
  });

  it('is applied again after it was undone, and merged with later edits', async () => {
    write('untracked.txt', ten());
    const original = tree();
    const one = await isolate(kind);
    await one.agent(
      `sed -i 's/line 1$/ONE/' a.txt untracked.txt; mkdir -p made/here; echo m > made/here/m; ln -s m made/here/l
       rm dir/one.txt; chmod +x dist/old.js`,
    );
    const { run, workspace } = one;
    await settleRun(workspace, { run, stateDir: join(root, 'state'), env, end: 'apply', claims: [] });
    const applied = tree();
    const { storage } = workspace;
    expect(readdirSync(storage)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(upper|copy)$/)]),
    );
    for (let round = 0; round < 2; round += 1) {
      expect((await one.undo())!.conflicts).toEqual([]);
      expect(tree()).toEqual(original);
      expect(await changesState(storage)).toBe('undone');
      expect((await one.apply()).conflicts).toEqual([]);
      expect(tree()).toEqual(applied);
      expect(await changesState(storage)).toBe('applied');
    }
    await one.undo(['untracked.txt']);
    expect(await changesState(storage)).toBe('applied');
    write('untracked.txt', ten({ 8: 'by the user' }));
    expect(await one.apply()).toMatchObject({ changed: [{ path: 'untracked.txt' }], conflicts: [] });
    expect(tree()).toEqual({ ...applied, 'untracked.txt': ten({ 1: 'ONE', 8: 'by the user' }) });
    expect((await one.apply()).changed).toEqual([]);
  });

  it('is created and applied beside an index that is a named pipe', async () => {
    rmSync(join(folder, '.git/index'));
    execFileSync('mkfifo', [join(folder, '.git/index')]);
    const one = await isolate(kind);
    await one.agent('echo x > f1');
    expect((await one.apply()).changed).toEqual([{ path: 'f1', change: 'added' }]);
  });

  it('finishes applying changes after an interruption', async () => {
    const one = await isolate(kind);
    await one.agent(`for i in 1 2 3 4; do echo $i > f$i; done; rm dir/one.txt; echo x >> a.txt`);
    await one.apply();
    // As after a crash in the middle: the journal has no results, one file is missing, and one was written by somebody else.
    const journalFile = join(one.workspace.storage, 'delivery.json');
    const journal = JSON.parse(readFileSync(journalFile, 'utf8'));
    const steps = journal.steps.map(({ done: _, hash: __, ...step }: Record<string, unknown>) => step);
    writeFileSync(journalFile, JSON.stringify({ state: 'started', steps }));
    rmSync(join(folder, 'f3'));
    write('f4', 'somebody else');
    writeFileSync(join(folder, steps.find(({ path }: { path: string }) => path === 'f3').temporary), 'half');
    expect(await one.apply()).toEqual({
      marked: [],
      changed: expect.arrayContaining([
        { path: 'a.txt', change: 'modified' },
        { path: 'dir/one.txt', change: 'deleted' },
        { path: 'f3', change: 'added' },
      ]),
      conflicts: [{ path: 'f4', reason: 'it was changed while it was applied' }],
    });
    expect(tree()).toMatchObject({ f1: '1\n', f3: '3\n', f4: 'somebody else', 'a.txt': `${ten()}x\n` });
    expect(readdirSync(folder).filter((name) => name.startsWith('.adjutant'))).toEqual([]);
  });

  it('applies again what was kept, once the conflict is resolved', async () => {
    const one = await isolate(kind);
    await one.agent('echo run > new.txt; echo second > second.txt');
    write('new.txt', 'user');
    expect((await one.apply()).conflicts).toHaveLength(1);
    rmSync(join(folder, 'new.txt'));
    const { changed, conflicts } = await one.apply();
    expect(conflicts).toEqual([]);
    expect(changed).toEqual([{ path: 'new.txt', change: 'added' }]);
    expect(read('new.txt')).toBe('run\n');
  });

  it('is not applied or undone by a process that loses its claim on the folder', async () => {
    const run = await isolate(kind);
    await run.agent('echo new > new.txt; rm dir/one.txt');
    const database = new DatabaseSync(join(root, 'state', 'folders.sqlite'));
    // As if another process took this one for dead as soon as it has the folder.
    const lose = () =>
      database.exec(`CREATE TRIGGER lose AFTER INSERT ON claims WHEN new.kind = 'delivery'
        BEGIN DELETE FROM claims WHERE rowid = new.rowid; END`);
    const reason = expect.stringContaining('this process has lost its claim');
    lose();
    const before = tree();
    expect((await run.apply()).conflicts).toEqual([
      { path: 'dir/one.txt', reason },
      { path: 'new.txt', reason },
    ]);
    expect(tree()).toEqual(before);
    database.exec('DROP TRIGGER lose');
    await run.apply();
    const applied = tree();
    expect(applied).not.toEqual(before);
    lose();
    expect((await run.undo())!.conflicts).toHaveLength(2);
    expect(tree()).toEqual(applied);
    database.close();
  });

  it('never writes through a link that replaced a folder', async () => {
    const outside = join(root, 'outside');
    mkdirSync(outside);
    const one = await isolate(kind);
    await one.agent('echo x > dir/sub/new.txt; echo y >> dir/sub/two.txt');
    rmSync(join(folder, 'dir'), { recursive: true });
    symlinkSync(outside, join(folder, 'dir'));
    mkdirSync(join(outside, 'sub'));
    const { conflicts } = await one.apply();
    expect(conflicts.map(({ path }) => path)).toEqual(['dir/sub/new.txt', 'dir/sub/two.txt']);
    expect(readdirSync(join(outside, 'sub'))).toEqual([]);
  });

  it('handles names with every kind of character', async () => {
    const names = ['with space', 'new\nline', '-dash', '*?[x]', 'üñ', 'quo\'te"', 'a,b:c\\d'];
    for (const name of names) write(`${name}/f`, 'old');
    const one = await isolate(kind);
    const quoted = names.map((name) => `'${name.replaceAll("'", `'\\''`)}'`);
    await one.agent(quoted.map((name) => `rm ./${name}/f; echo new > ./${name}/g`).join('\n'));
    expect((await one.apply()).conflicts).toEqual([]);
    for (const name of names) expect(readdirSync(join(folder, name))).toEqual(['g']);
  });
});

describe('a workspace', () => {
  it('is not created for a folder above the limit, or one that contains the storage', async () => {
    write('large', 'x'.repeat(1000));
    const options = { ...creation(), copyLimitBytes: 100 };
    const create = (path: string, more: object = {}) =>
      Workspace.create({ id: 'a', path }, folder, { ...options, ...more });
    await expect(create(join(root, 'runs/a'), { workspaceKinds: ['copy'] })).rejects.toThrow(
      /delegate\.copy_limit_mb.* danger-full-access/,
    );
    await expect(create(join(folder, 'runs/b'))).rejects.toThrow(/delegate\.runs_dir.* danger-full-access/);
  });

  it('of a linked worktree has its own index', async () => {
    git('init', '-q');
    write('a.txt', 'a');
    git('add', '-A');
    git('commit', '-qm', 'first');
    const linked = join(root, 'linked');
    git('worktree', 'add', '-q', linked);
    folder = linked;
    const one = await isolate('copy');
    await one.agent('echo b > b.txt; git add b.txt');
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: linked, env }).toString()).toBe('');
  });

  it.skipIf(process.platform !== 'linux')(
    'falls back to a copy where a folder cannot be overlaid',
    async () => {
      write('a.txt', 'a');
      chmodSync(folder, 0o755);
      const options = { ...creation(), containment: 'none' } as const;
      const workspace = await Workspace.create({ id: 'c', path: join(root, 'runs/c') }, folder, options);
      expect(workspace.overlay).toBeUndefined();
      expect(readFileSync(join(workspace.folder, 'a.txt'), 'utf8')).toBe('a');
    },
  );
});
