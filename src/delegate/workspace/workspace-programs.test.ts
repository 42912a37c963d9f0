import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attributeAll } from '../../../test/delegate/attribute-all.ts';
import {
  createRepository,
  gitEnvironment as env,
  gitAt,
  read,
  write,
} from '../../../test/delegate/git-repository.ts';
import { gatherEvidence } from '../changes/evidence.ts';
import { takeSnapshot } from '../changes/snapshot.ts';
import { deliverRun } from './run-delivery.ts';
import { Workspace } from './workspace.ts';

let folder: string;
let repo: string;

beforeEach(() => {
  ({ folder, repo } = createRepository());
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const git = (...args: string[]) => gitAt(repo, ...args);
const create = async (): Promise<Workspace> =>
  (await Workspace.create(repo, join(folder, 'w'), {
    kinds: ['copy'],
    copyLimitBytes: 1e9,
    ignored: [],
    env,
  }))!;
/** Delivers the changes, which also merges texts and creates a patch. */
const deliver = (workspace: Workspace) =>
  deliverRun(workspace, { run: 'w', stateDir: join(folder, 'state'), env, isWanted: true, claims: [] });

describe('programs configured in a repository', () => {
  it('are not started by a merge', async () => {
    const ran = join(folder, 'ran');
    for (const key of ['filter.evil.clean', 'filter.evil.smudge', 'merge.evil.driver', 'core.fsmonitor'])
      git('config', key, `touch ${ran}; false`);
    write(repo, '.gitattributes', '*.txt filter=evil merge=evil\n');
    const workspace = await create();
    write(workspace.folder, 'a.txt', 'theirs\n');
    write(repo, 'a.txt', 'ours\n');
    expect(await deliver(workspace)).toMatchObject({ conflicts: [{ path: 'a.txt' }] });
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
      expect(await deliver(workspace)).toMatchObject({ isDelivered: true, conflicts: [] });
      expect([read(repo, 'a.txt'), read(repo, 'b.txt'), hasRun()]).toEqual(['mine\n', 'new\n', false]);
    });

    it('are not started if the job created the repository', async () => {
      const workspace = await create();
      for (const path of depths) createNested(workspace.folder, path);
      asSubmodules(workspace.folder);
      write(workspace.folder, 'b.txt', 'new\n');
      expect(await deliver(workspace)).toMatchObject({ isDelivered: true, conflicts: [] });
      expect([read(repo, 'b.txt'), hasRun()]).toEqual(['new\n', false]);
    });

    it('are not started if the repository has no commit', async () => {
      const workspace = await create();
      gitAt(workspace.folder, 'init', '-q', 'fresh');
      configurePrograms(join(workspace.folder, 'fresh'));
      write(workspace.folder, 'fresh/x.txt', 'x\n');
      write(workspace.folder, 'b.txt', 'new\n');
      expect(await deliver(workspace)).toMatchObject({ isDelivered: true, conflicts: [] });
      expect([read(repo, 'b.txt'), hasRun()]).toEqual(['new\n', false]);
    });

    it('are not started if they were configured while the job was running', async () => {
      write(repo, '.gitattributes', '*.txt filter=evil merge=evil\n');
      const workspace = await create();
      configurePrograms(repo);
      git('config', 'merge.evil.driver', `touch ${join(folder, 'ran')}`);
      write(workspace.folder, 'a.txt', 'theirs\n');
      write(repo, 'b.txt', 'mine\n');
      expect(await deliver(workspace)).toMatchObject({ isDelivered: true, conflicts: [] });
      expect([read(repo, 'a.txt'), hasRun()]).toEqual(['theirs\n', false]);
    });

    it('are not started by a snapshot', async () => {
      for (const path of depths) createNested(repo, path);
      asSubmodules(repo);
      const place = { cwd: repo, env, ignored: [] };
      const before = await takeSnapshot(place);
      write(repo, 'n/f.txt', 'four\n');
      write(repo, 'b.txt', 'new\n');
      const { attribution } = await gatherEvidence(before, place, [], attributeAll);
      expect(attribution.own).toEqual([{ path: 'b.txt', change: 'added' }]);
      expect(hasRun()).toBe(false);
    });
  });
});
