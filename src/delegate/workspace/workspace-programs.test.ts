import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createRepository,
  gitEnvironment as env,
  gitAt,
  read,
  write,
} from '../../../test/delegate/git-repository.ts';
import { settleRun } from './settle.ts';
import { Workspace } from './workspace.ts';

let folder: string;
let repo: string;

beforeEach(() => {
  ({ folder, repo } = createRepository());
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const git = (...args: string[]) => gitAt(repo, ...args);
const stateDir = () => join(folder, 'state');
const create = () =>
  Workspace.create({ id: 'w', path: join(folder, 'w') }, repo, {
    stateDir: stateDir(),
    workspaceKinds: ['copy'],
    copyLimitBytes: 1e9,
    ignored: [],
    env,
  });
/** Applies the changes, which also merges texts and creates a patch. */
const apply = (workspace: Workspace, end: 'apply' | 'branch' = 'apply') =>
  settleRun(workspace, { run: 'w', stateDir: stateDir(), env, end, claims: [] });

describe('programs configured in a repository', () => {
  it('are not started by a merge', async () => {
    const ran = join(folder, 'ran');
    for (const key of ['filter.evil.clean', 'filter.evil.smudge', 'merge.evil.driver', 'core.fsmonitor'])
      git('config', key, `touch ${ran}; false`);
    write(repo, '.gitattributes', '*.txt filter=evil merge=evil\n');
    const workspace = await create();
    write(workspace.folder, 'a.txt', 'theirs\n');
    write(repo, 'a.txt', 'ours\n');
    expect(await apply(workspace)).toMatchObject({ conflicts: [{ path: 'a.txt' }] });
    expect(existsSync(ran)).toBe(false);
  });

  describe('nested in another repository', () => {
    const configurePrograms = (at: string) => {
      const programs = ['filter.evil.clean', 'filter.evil.smudge', 'filter.evil.process', 'core.fsmonitor'];
      for (const key of programs) gitAt(at, 'config', key, `touch ${join(folder, 'ran')}; cat`);
      gitAt(at, 'config', 'filter.evil.required', 'true');
    };
    /** Creates a repository whose settings configure programs for a changed file. */
    const createNested = (root: string, path: string) => {
      const at = join(root, path);
      write(at, 'f.txt', 'one\n');
      write(at, '.gitattributes', '* filter=evil\n');
      gitAt(at, 'init', '-q');
      gitAt(at, 'add', '-A');
      gitAt(at, 'commit', '-qm', 'nested');
      configurePrograms(at);
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

    it('are not started if the repository is in the working tree of the user', async () => {
      for (const path of depths) createNested(repo, path);
      asSubmodules(repo);
      write(repo, 'a.txt', 'mine\n');
      const workspace = await create();
      write(workspace.folder, 'b.txt', 'new\n');
      expect(await apply(workspace)).toMatchObject({ isApplied: true, conflicts: [] });
      expect([read(repo, 'a.txt'), read(repo, 'b.txt'), hasRun()]).toEqual(['mine\n', 'new\n', false]);
    });

    it('are not started if the job created the repository', async () => {
      const workspace = await create();
      for (const path of depths) createNested(workspace.folder, path);
      asSubmodules(workspace.folder);
      write(workspace.folder, 'b.txt', 'new\n');
      expect(await apply(workspace)).toMatchObject({ isApplied: true, conflicts: [] });
      expect([read(repo, 'b.txt'), hasRun()]).toEqual(['new\n', false]);
    });

    it('are not started if the repository has no commit', async () => {
      const workspace = await create();
      gitAt(workspace.folder, 'init', '-q', 'fresh');
      configurePrograms(join(workspace.folder, 'fresh'));
      write(workspace.folder, 'fresh/x.txt', 'x\n');
      write(workspace.folder, 'b.txt', 'new\n');
      expect(await apply(workspace)).toMatchObject({ isApplied: true, conflicts: [] });
      expect([read(repo, 'b.txt'), hasRun()]).toEqual(['new\n', false]);
    });

    it('are not started if they were configured while the job was running', async () => {
      write(repo, '.gitattributes', '*.txt filter=evil merge=evil\n');
      const workspace = await create();
      configurePrograms(repo);
      git('config', 'merge.evil.driver', `touch ${join(folder, 'ran')}`);
      write(workspace.folder, 'a.txt', 'theirs\n');
      write(repo, 'b.txt', 'mine\n');
      expect(await apply(workspace)).toMatchObject({ isApplied: true, conflicts: [] });
      expect([read(repo, 'a.txt'), hasRun()]).toEqual(['theirs\n', false]);
    });

    it('are not started by a commit to a branch', async () => {
      for (const path of depths) createNested(repo, path);
      asSubmodules(repo);
      for (const hook of ['pre-commit', 'post-commit', 'reference-transaction'])
        write(repo, `.git/hooks/${hook}`, `#!/bin/sh\ntouch ${join(folder, 'ran')}\n`, 0o755);
      git('config', 'commit.gpgsign', 'true');
      git('config', 'gpg.program', join(repo, '.git/hooks/pre-commit'));
      configurePrograms(repo);
      write(repo, '.gitattributes', '* filter=evil\n');
      rmSync(join(folder, 'ran'), { force: true });
      const workspace = await create();
      write(workspace.folder, 'n/f.txt', 'four\n');
      write(workspace.folder, 'b.txt', 'new\n');
      const { branch, conflicts } = await apply(workspace, 'branch');
      expect([branch?.omitted, conflicts, hasRun()]).toEqual([
        ['n/f.txt is not on the branch: n is a repository of its own.'],
        [],
        false,
      ]);
      git('config', '--unset', 'core.fsmonitor');
      expect(git('show', 'adjutant/w:b.txt')).toContain('new');
      expect(existsSync(join(repo, 'b.txt'))).toBe(false);
    });
  });
});
