import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createRepository,
  gitEnvironment as env,
  gitAt,
  lines,
  read,
  write,
} from '../../../test/delegate/git-repository.ts';
import { Repository } from './git.ts';
import { withRepositoryLock } from './repository-lock.ts';
import { Worktree } from './worktree.ts';

let folder: string;
let repo: string;

beforeEach(() => {
  ({ folder, repo } = createRepository());
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const git = (...args: string[]) => gitAt(repo, ...args);
const create = (name: string, cwd = repo) =>
  Worktree.create(cwd, join(folder, name), { env, locksDir: join(folder, 'locks') });
const merge = (worktree: Worktree, name: string) =>
  worktree.merge(join(folder, `${name}.patch`), { leftBehindDir: join(folder, `${name}.left`) });

describe('Worktree', () => {
  it('cannot be created outside a repository', async () => {
    rmSync(join(repo, '.git'), { recursive: true });
    await expect(create('w')).rejects.toThrow('is not in a git repository');
  });

  it('contains uncommitted changes and does not touch index or branch', async () => {
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

  it('replaces a worktree that another server did not finish creating', async () => {
    git('worktree', 'add', '--quiet', '--detach', join(folder, 'w'));
    git('worktree', 'lock', join(folder, 'w'));
    const worktree = await create('w');
    write(worktree.folder, 'new.txt', 'new\n');
    expect(await merge(worktree, 'w')).toMatchObject({ applied: true });
    await worktree.remove();
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  it('cannot be reopened once its removal has started', async () => {
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

  it('merges regardless of the diff settings of the user', async () => {
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

  it('merges files that became folders or links, and ignores named pipes', async () => {
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

  it('merges edited, new, deleted and binary files, but not ignored ones', async () => {
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

  it('moves only ignored files, nested repositories and submodule content aside', async () => {
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
    // A second merge, as by a server that takes over, gives the same result.
    expect(await merge(worktree, 'w')).toMatchObject({ applied: true, leftBehind: { paths } });
  });

  it('stops waiting for the lock when cancelled, and keeps the patch', async () => {
    const worktree = await create('w');
    write(worktree.folder, 'a.txt', 'theirs\n');
    const place = (await Repository.find(repo, env))!;
    const cancel = new AbortController();
    const merged = await withRepositoryLock(join(folder, 'locks'), place, () => {
      const waiting = worktree.merge(join(folder, 'w.patch'), {
        leftBehindDir: join(folder, 'w.left'),
        signal: cancel.signal,
      });
      setTimeout(() => cancel.abort(new Error('cancelled')), 50);
      return waiting;
    });
    expect(merged).toMatchObject({ applied: false, conflicts: [] });
    expect(read(folder, 'w.patch')).toContain('+theirs');
    expect(read(repo, 'a.txt')).toContain('one\n');
    await worktree.remove();
  });

  it('merges two jobs that changed different places of the same file', async () => {
    const [one, two] = [await create('one'), await create('two')];
    write(one.folder, 'a.txt', lines('ONE', 'two', 'three', 'four', 'five', 'six', 'seven'));
    write(two.folder, 'a.txt', lines('one', 'two', 'three', 'four', 'five', 'six', 'SEVEN'));
    const merges = await Promise.all([merge(one, '1'), merge(two, '2')]);
    expect(merges.map(({ applied }) => applied)).toEqual([true, true]);
    expect(read(repo, 'a.txt')).toBe(lines('ONE', 'two', 'three', 'four', 'five', 'six', 'SEVEN'));
  });

  it('leaves a patch and an unchanged tree if two jobs changed the same place', async () => {
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

  it('works for a folder below the root and before the first commit', async () => {
    write(repo, 'sub/x.txt', 'x\n');
    rmSync(join(repo, '.git'), { recursive: true });
    git('init', '-q');
    const worktree = await create('w', join(repo, 'sub'));
    expect(worktree.folder).toBe(join(folder, 'w', 'sub'));
    write(worktree.folder, 'x.txt', 'y\n');
    expect((await merge(worktree, 'w')).changes).toEqual([{ path: 'x.txt', change: 'modified' }]);
    expect(read(repo, 'sub/x.txt')).toBe('y\n');
  });
});
