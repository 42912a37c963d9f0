import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gatherEvidence } from './evidence.ts';
import { Repository } from './git.ts';
import { withRepositoryLock } from './repository-lock.ts';
import { takeSnapshot } from './snapshot.ts';
import { Worktree } from './worktree.ts';

const env = { PATH: process.env['PATH'], HOME: tmpdir(), GIT_CONFIG_NOSYSTEM: '1' };
let folder: string;
let repo: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'adjutant-worktree-')));
  repo = join(folder, 'repo');
  write(repo, 'a.txt', `${lines('one', 'two', 'three', 'four', 'five', 'six', 'seven')}`);
  write(repo, '.gitignore', 'ignored/\n');
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'first');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const lines = (...all: string[]) => all.map((line) => `${line}\n`).join('');
function write(root: string, path: string, text: string | Buffer): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
const read = (root: string, path: string) => readFileSync(join(root, path), 'utf8');
const gitAt = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], {
    cwd,
    env,
    stdio: 'pipe',
  }).toString();
const git = (...args: string[]) => gitAt(repo, ...args);
const create = (name: string, cwd = repo) =>
  Worktree.create(cwd, join(folder, name), { env, locksDir: join(folder, 'locks') });

const merge = (worktree: Worktree, name: string) =>
  worktree.merge(join(folder, `${name}.patch`), { keepIn: join(folder, `${name}.left`) });

describe('a worktree', () => {
  it('cannot be had outside of a repository', async () => {
    rmSync(join(repo, '.git'), { recursive: true });
    await expect(create('w')).rejects.toThrow('is not in a git repository');
  });

  it('holds what is not committed yet, and leaves index, branch and stash alone', async () => {
    write(repo, 'a.txt', 'changed\n');
    write(repo, 'new.txt', 'untracked\n');
    write(repo, 'staged.txt', 'staged\n');
    git('add', 'staged.txt');
    const [status, head] = [git('status', '--porcelain'), git('rev-parse', 'HEAD')];
    const worktree = await create('w');
    expect(['a.txt', 'new.txt', 'staged.txt'].map((path) => read(worktree.folder, path))).toEqual([
      'changed\n',
      'untracked\n',
      'staged\n',
    ]);
    expect([git('status', '--porcelain'), git('rev-parse', 'HEAD')]).toEqual([status, head]);
    await worktree.remove();
    expect(existsSync(worktree.folder)).toBe(false);
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  it('takes the place of one that a server could not finish', async () => {
    git('worktree', 'add', '--quiet', '--detach', join(folder, 'w'));
    git('worktree', 'lock', join(folder, 'w'));
    const worktree = await create('w');
    write(worktree.folder, 'new.txt', 'new\n');
    expect(await merge(worktree, 'w')).toMatchObject({ applied: true });
    await worktree.remove();
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  it('that is being removed is not to be had again, however much of it is left', async () => {
    const bin = join(folder, 'bin');
    const real = execFileSync('which', ['git']).toString().trim();
    const script = `#!/bin/sh\ncase "$*" in *'worktree remove'*) ls ${folder} > ${folder}/seen;; esac\nexec ${real} "$@"\n`;
    write(bin, 'git', script);
    chmodSync(join(bin, 'git'), 0o755);
    const worktree = await Worktree.create(repo, join(folder, 'w'), {
      env: { ...env, PATH: `${bin}:${env.PATH}` },
      locksDir: join(folder, 'locks'),
    });
    await worktree.remove();
    expect(read(folder, 'seen').split('\n')).toContain('w');
    expect(read(folder, 'seen').split('\n')).not.toContain('w.json');
    await expect(Worktree.reopen(join(folder, 'w'), { env, locksDir: folder })).rejects.toThrow('ENOENT');
  });

  it('is merged whatever the settings of the person are', async () => {
    writeFileSync(join(folder, 'gitconfig'), '[diff]\nnoprefix = true\n[color]\nui = always\n');
    const own = { ...env, GIT_CONFIG_GLOBAL: join(folder, 'gitconfig') };
    const worktree = await Worktree.create(repo, join(folder, 'w'), { env: own, locksDir: folder });
    write(worktree.folder, 'sub/new.txt', 'new\n');
    expect(await merge(worktree, 'w')).toEqual({
      applied: true,
      conflicts: [],
      changes: [{ path: 'sub/new.txt', change: 'added' }],
    });
    expect(read(repo, 'sub/new.txt')).toBe('new\n');
  });

  it('starts no program that the repository names', async () => {
    const ran = join(folder, 'ran');
    for (const key of ['filter.evil.clean', 'filter.evil.smudge', 'merge.evil.driver', 'core.fsmonitor'])
      git('config', key, `touch ${ran}; false`);
    write(repo, '.gitattributes', '*.txt filter=evil merge=evil\n');
    const worktree = await create('w');
    write(worktree.folder, 'a.txt', 'theirs\n');
    write(repo, 'a.txt', 'ours\n');
    expect(await merge(worktree, 'w')).toMatchObject({ conflicts: ['a.txt'] });
    expect(existsSync(ran)).toBe(false);
  });

  describe('with other repositories in it', () => {
    const evil = (at: string) => {
      const programs = ['filter.evil.clean', 'filter.evil.smudge', 'filter.evil.process', 'core.fsmonitor'];
      for (const key of programs) gitAt(at, 'config', key, `touch ${join(folder, 'ran')}; cat`);
      gitAt(at, 'config', 'filter.evil.required', 'true');
    };
    /** A repository whose settings name programs for a file that has changed. */
    const nest = (root: string, path: string) => {
      const at = join(root, path);
      write(at, 'f.txt', 'one\n');
      write(at, '.gitattributes', '* filter=evil\n');
      gitAt(at, 'init', '-q');
      gitAt(at, 'add', '-A');
      gitAt(at, 'commit', '-qm', 'nested');
      evil(at);
      write(at, 'f.txt', 'two\n');
    };
    const depths = ['n', 'a/n', 'a/b/c/n', 'n/deep/n'];
    const asSubmodules = (root: string) => {
      const entry = (path: string) =>
        `[submodule "${path}"]\n\tpath = ${path}\n\turl = ./${path}\n\tignore = none\n`;
      write(root, '.gitmodules', depths.map(entry).join(''));
      const tops = depths.filter((path) => path !== 'n/deep/n');
      gitAt(root, '-c', 'advice.addEmbeddedRepo=false', 'add', '.gitmodules', ...tops);
      for (const path of tops) write(join(root, path), 'f.txt', 'three\n');
      rmSync(join(folder, 'ran'), { force: true });
    };
    const hasRun = () => existsSync(join(folder, 'ran'));

    it('starts no program that one in the tree of the person names', async () => {
      for (const path of depths) nest(repo, path);
      asSubmodules(repo);
      write(repo, 'a.txt', 'mine\n');
      const worktree = await create('w');
      write(worktree.folder, 'b.txt', 'new\n');
      expect(await merge(worktree, 'w')).toMatchObject({ applied: true, conflicts: [] });
      expect([read(repo, 'a.txt'), read(repo, 'b.txt'), hasRun()]).toEqual(['mine\n', 'new\n', false]);
    });

    it('starts no program that one of the job names', async () => {
      const worktree = await create('w');
      for (const path of depths) nest(worktree.folder, path);
      asSubmodules(worktree.folder);
      write(worktree.folder, 'b.txt', 'new\n');
      expect(await merge(worktree, 'w')).toMatchObject({ applied: true, conflicts: [] });
      expect([read(repo, 'b.txt'), hasRun()]).toEqual(['new\n', false]);
    });

    it('starts no program that one without a commit names', async () => {
      const worktree = await create('w');
      gitAt(worktree.folder, 'init', '-q', 'fresh');
      evil(join(worktree.folder, 'fresh'));
      write(worktree.folder, 'fresh/x.txt', 'x\n');
      write(worktree.folder, 'b.txt', 'new\n');
      expect(await merge(worktree, 'w')).toMatchObject({ applied: true, conflicts: [] });
      expect([read(repo, 'b.txt'), hasRun()]).toEqual(['new\n', false]);
    });

    it('starts no program that was named while the job was at work', async () => {
      write(repo, '.gitattributes', '*.txt filter=evil merge=evil\n');
      const worktree = await create('w');
      evil(repo);
      git('config', 'merge.evil.driver', `touch ${join(folder, 'ran')}`);
      write(worktree.folder, 'a.txt', 'theirs\n');
      write(repo, 'b.txt', 'mine\n');
      expect(await merge(worktree, 'w')).toMatchObject({ applied: true, conflicts: [] });
      expect([read(repo, 'a.txt'), hasRun()]).toEqual(['theirs\n', false]);
    });

    it('takes no snapshot through their programs', async () => {
      for (const path of depths) nest(repo, path);
      asSubmodules(repo);
      const place = { cwd: repo, env, ignored: [] };
      const before = await takeSnapshot(place);
      write(repo, 'n/f.txt', 'four\n');
      write(repo, 'b.txt', 'new\n');
      const { changes } = await gatherEvidence(before, place, []);
      expect(changes).toEqual([{ path: 'b.txt', change: 'added' }]);
      expect(hasRun()).toBe(false);
    });
  });

  it('brings back what became of a file: a folder, a link, a link to a folder, or nothing it could bring', async () => {
    write(repo, 'd/x.txt', 'x\n');
    write(repo, 'e/x.txt', 'x\n');
    write(repo, 'f', 'f\n');
    write(repo, 'p', 'p\n');
    const worktree = await create('w');
    const at = (path: string) => join(worktree.folder, path);
    rmSync(at('a.txt'));
    write(worktree.folder, 'a.txt/inner.txt', 'inner\n');
    rmSync(at('d'), { recursive: true });
    symlinkSync('e', at('d'));
    write(worktree.folder, 'e/x.txt', 'changed\n');
    rmSync(at('f'));
    symlinkSync('e/x.txt', at('f'));
    rmSync(at('p'));
    execFileSync('mkfifo', [at('p')]);
    expect(await merge(worktree, 'w')).toMatchObject({ applied: true, conflicts: [] });
    expect(read(repo, 'a.txt/inner.txt')).toBe('inner\n');
    expect([readlinkSync(join(repo, 'd')), readlinkSync(join(repo, 'f'))]).toEqual(['e', 'e/x.txt']);
    expect([read(repo, 'e/x.txt'), read(repo, 'p')]).toEqual(['changed\n', 'p\n']);
  });

  it('brings back edits, new, deleted and binary files, and nothing that is ignored', async () => {
    write(repo, 'gone.txt', 'x\n');
    const worktree = await create('w');
    const binary = Buffer.from([0, 1, 2, 255, 254]);
    write(worktree.folder, 'a.txt', 'rewritten\n');
    write(worktree.folder, 'sub/blob.bin', binary);
    write(worktree.folder, 'ignored/cache', 'x');
    rmSync(join(worktree.folder, 'gone.txt'));
    expect(await merge(worktree, 'w')).toEqual({
      applied: true,
      conflicts: [],
      changes: [
        { path: 'a.txt', change: 'modified' },
        { path: 'gone.txt', change: 'deleted' },
        { path: 'sub/blob.bin', change: 'added' },
      ],
      leftBehind: { folder: join(folder, 'w.left'), paths: ['ignored/'] },
    });
    expect(read(folder, 'w.left/ignored/cache')).toBe('x');
    expect(read(repo, 'a.txt')).toBe('rewritten\n');
    expect(readFileSync(join(repo, 'sub/blob.bin'))).toEqual(binary);
    expect([existsSync(join(repo, 'gone.txt')), existsSync(join(repo, 'ignored'))]).toEqual([false, false]);
  });

  it('keeps what git does not carry, and nothing else', async () => {
    write(repo, 'deps/.keep', '');
    git('init', '-q', 'sub');
    write(repo, 'sub/x.txt', 'x\n');
    gitAt(join(repo, 'sub'), 'add', '-A');
    gitAt(join(repo, 'sub'), 'commit', '-qm', 'sub');
    git('-c', 'advice.addEmbeddedRepo=false', 'add', 'sub');
    const worktree = await create('w');
    const at = (path: string) => join(worktree.folder, path);
    write(worktree.folder, 'sub/in-submodule.txt', 'sub\n');
    write(worktree.folder, 'deps/.gitignore', '*.o\n');
    write(worktree.folder, 'deps/a.o', 'object\n');
    gitAt(worktree.folder, 'init', '-q', 'clone/one');
    write(worktree.folder, 'clone/one/deep/f.txt', 'f\n');
    mkdirSync(at('empty/folder'), { recursive: true });
    const paths = ['clone/', 'deps/a.o', 'sub/'];
    expect(await merge(worktree, 'w')).toMatchObject({
      applied: true,
      changes: [{ path: 'deps/.gitignore', change: 'added' }],
      leftBehind: { paths },
    });
    const kept = ['sub/in-submodule.txt', 'deps/a.o', 'clone/one/deep/f.txt', 'clone/one/.git/HEAD'];
    for (const path of kept) expect(existsSync(join(folder, 'w.left', path))).toBe(true);
    expect([existsSync(join(repo, 'clone')), existsSync(join(repo, 'sub/in-submodule.txt'))]).toEqual([
      false,
      false,
    ]);
    // Merged once more, as by a server that takes over, it tells the same.
    expect(await merge(worktree, 'w')).toMatchObject({ applied: true, leftBehind: { paths } });
  });

  it('waits for its turn no longer than it is wanted, and keeps the patch', async () => {
    const worktree = await create('w');
    write(worktree.folder, 'a.txt', 'theirs\n');
    const place = (await Repository.find(repo, env))!;
    const cancel = new AbortController();
    const merged = await withRepositoryLock(join(folder, 'locks'), place, () => {
      const waiting = worktree.merge(join(folder, 'w.patch'), {
        keepIn: join(folder, 'w.left'),
        signal: cancel.signal,
      });
      setTimeout(() => cancel.abort(new Error('enough')), 50);
      return waiting;
    });
    expect(merged).toMatchObject({ applied: false, conflicts: [] });
    expect(read(folder, 'w.patch')).toContain('+theirs');
    expect(read(repo, 'a.txt')).toContain('one\n');
    await worktree.remove();
  });

  it('merges two jobs that changed the same file in different places', async () => {
    const [one, two] = [await create('one'), await create('two')];
    write(one.folder, 'a.txt', lines('ONE', 'two', 'three', 'four', 'five', 'six', 'seven'));
    write(two.folder, 'a.txt', lines('one', 'two', 'three', 'four', 'five', 'six', 'SEVEN'));
    const merges = await Promise.all([merge(one, '1'), merge(two, '2')]);
    expect(merges.map(({ applied }) => applied)).toEqual([true, true]);
    expect(read(repo, 'a.txt')).toBe(lines('ONE', 'two', 'three', 'four', 'five', 'six', 'SEVEN'));
  });

  it('leaves a patch and an untouched tree when two jobs changed the same place', async () => {
    const [one, two] = [await create('one'), await create('two')];
    write(one.folder, 'a.txt', 'first\n');
    write(two.folder, 'a.txt', 'second\n');
    write(two.folder, 'b.txt', 'also\n');
    expect((await merge(one, '1')).applied).toBe(true);
    expect(await merge(two, '2')).toMatchObject({ applied: false, conflicts: ['a.txt'] });
    expect(read(repo, 'a.txt')).toBe('first\n');
    expect(existsSync(join(repo, 'b.txt'))).toBe(false);
    expect(read(folder, '2.patch')).toContain('+second');
  });

  it('serves a folder below the root, also before the first commit', async () => {
    write(repo, 'sub/x.txt', 'x\n');
    rmSync(join(repo, '.git'), { recursive: true });
    git('init', '-q');
    const worktree = await create('w', join(repo, 'sub'));
    expect(worktree.folder).toBe(join(folder, 'w', 'sub'));
    write(worktree.folder, 'x.txt', 'y\n');
    expect((await merge(worktree, 'w')).changes).toEqual([{ path: 'x.txt', change: 'modified' }]);
    expect(read(repo, 'sub/x.txt')).toBe('y\n');
  });

  it('does not run the hooks of the repository', async () => {
    write(repo, '.git/hooks/post-checkout', '#!/bin/sh\ntouch "$(dirname "$0")/ran"\n');
    execFileSync('chmod', ['+x', join(repo, '.git/hooks/post-checkout')]);
    await create('w');
    expect(existsSync(join(repo, '.git/hooks/ran'))).toBe(false);
  });
});
