import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createRepository,
  gitEnvironment as env,
  gitAt,
  read,
} from '../../../test/delegate/git-repository.ts';
import { contain } from '../process/containment.ts';
import { commitsToBranches } from './commits.ts';
import { removeFolder } from './remove-folder.ts';
import { settleRun } from './settle.ts';
import { Workspace, type WorkspaceKind, workspaceFolder } from './workspace.ts';

let folder: string;
let repo: string;
beforeEach(() => {
  ({ folder, repo } = createRepository());
});
// The work folder of an overlay has no permissions.
afterEach(() => removeFolder(folder));

const kinds = (process.platform === 'linux' ? ['overlay', 'copy'] : ['copy']) as WorkspaceKind[];
describe.each(kinds)('commits in an isolated view: %s', (kind) => {
  /** Runs a script as an agent would, and applies its changes. */
  async function applyAfter(script: string, end: 'apply' | 'branch' = 'apply') {
    const stateDir = join(folder, 'state');
    const options = { stateDir, workspaceKinds: [kind], copyLimitBytes: 1e9, ignored: [], env };
    const workspace = await Workspace.create({ id: 'one', path: join(folder, 'run') }, repo, options);
    const program = { command: 'bash', args: ['-ec', script] };
    const { command, args } = await contain(program, workspace.folder, { env, overlay: workspace.overlay });
    const identity = { GIT_CONFIG_COUNT: '2', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'T' };
    const mail = { GIT_CONFIG_KEY_1: 'user.email', GIT_CONFIG_VALUE_1: 't@example.org' };
    execFileSync(command, args, { cwd: workspace.folder, env: { ...env, ...identity, ...mail } });
    const settled = await settleRun(workspace, { run: 'one', stateDir, env, end, claims: [] });
    return { ...settled, workspace };
  }

  it('are kept in a bundle that the warning names, and their content is applied', async () => {
    const head = gitAt(repo, 'rev-parse', 'HEAD');
    const { warnings, isApplied, workspace } = await applyAfter(
      `echo made > made.txt; git add -A; git commit -qm 'Make a file'
       git switch -qc topic; echo more >> made.txt; git commit -qam 'Add more'
       git switch -q --detach; git commit -q --allow-empty -m Detached
       git config core.fsmonitor 'touch ${join(folder, 'ran')}'`,
    );
    expect([isApplied, read(repo, 'made.txt'), gitAt(repo, 'rev-parse', 'HEAD')]).toEqual([
      true,
      'made\nmore\n',
      head,
    ]);
    expect(warnings).toEqual([
      expect.stringMatching(
        /: [\da-f]+ Make a file, [\da-f]+ Add more, [\da-f]+ Detached\. "adjutant runs apply one --commits" makes the branch/,
      ),
    ]);
    expect((await commitsToBranches(workspace, 'one')).sort()).toEqual(
      expect.arrayContaining(['adjutant/one/detached', 'adjutant/one/topic']),
    );
    const subjects = (ref: string) => gitAt(repo, 'log', '--format=%s', ref).trim().split('\n');
    expect(subjects('adjutant/one/topic')).toEqual(['Add more', 'Make a file', 'first']);
    expect(subjects('adjutant/one/detached')).toEqual(['Detached', 'Add more', 'Make a file', 'first']);
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });

  it('never take the place of other commits on a branch', async () => {
    const { branch, workspace } = await applyAfter(
      'echo a > made; git add -A; git commit -qm Made',
      'branch',
    );
    expect(await commitsToBranches(workspace, 'one')).toEqual(['adjutant/one-commits']);
    expect(gitAt(repo, 'rev-parse', 'adjutant/one').trim()).toBe(branch!.commit);
    gitAt(repo, 'branch', '-f', 'adjutant/one-commits', 'adjutant/one');
    await expect(commitsToBranches(workspace, 'one')).rejects.toThrow('has other commits now');
    expect(gitAt(repo, 'rev-parse', 'adjutant/one-commits').trim()).toBe(branch!.commit);
  });

  it.each([
    ['a link to the data', 'ln -s "$HIDDEN/.git" nested/.git'],
    [
      'links in the data',
      'mkdir nested/.git; for n in HEAD refs objects; do ln -s "$HIDDEN/.git/$n" nested/.git; done',
    ],
    [
      'a link to the objects',
      'git init -q nested; cp "$HIDDEN"/.git/refs/heads/* nested/.git/refs/heads; rmdir nested/.git/objects/*; for o in "$HIDDEN"/.git/objects/??; do ln -s $o nested/.git/objects; done',
    ],
    [
      'borrowed objects',
      'git init -q nested; ln -sf "$HIDDEN/.git/refs/heads/main" nested/.git/HEAD; cp "$HIDDEN"/.git/refs/heads/* nested/.git/refs/heads; echo "$HIDDEN/.git/objects" > nested/.git/objects/info/alternates',
    ],
  ])('are not taken from another repository by %s', async (_, script) => {
    const hidden = join(folder, 'hidden');
    mkdirSync(hidden);
    gitAt(hidden, 'init', '-q');
    gitAt(hidden, 'commit', '-q', '--allow-empty', '-m', 'Password of the bank');
    const { warnings, workspace } = await applyAfter(`HIDDEN='${hidden}'; mkdir -p nested; ${script}`);
    expect(warnings.join()).not.toContain('Password of the bank');
    expect(warnings.join()).toContain('nested/.git were not read, because links or borrowed objects');
    expect(existsSync(join(workspace.storage, 'commits-1.bundle'))).toBe(false);
  });

  it('are kept beside thousands of branches that the repository has', async () => {
    const { warnings } = await applyAfter(
      `head=$(git rev-parse HEAD)
       for n in $(seq 2100); do echo "create refs/heads/old-$n $head"; done | git update-ref --stdin
       git pack-refs --all; git commit -q --allow-empty -m 'Made beside them'`,
    );
    expect(warnings.join()).toContain('Made beside them');
  });

  it('stay in the run, with a warning, if they cannot be read', async () => {
    const { warnings, isApplied, workspace } = await applyAfter(
      `echo made > made.txt; git add -A; git commit -qm First; first=$(git rev-parse HEAD)
       git commit -q --allow-empty -m Second; rm -f .git/objects/$(echo $first | sed 's#^..#&/#')`,
    );
    expect([isApplied, read(repo, 'made.txt')]).toEqual([true, 'made\n']);
    const [, data = ''] = /are only in (.*), as long as the run is kept/.exec(warnings.join())!;
    expect(existsSync(join(data, 'objects'))).toBe(true);
    await expect(commitsToBranches(workspace, 'one')).rejects.toThrow('could not be read');
  });

  it('are kept if they borrow objects of the folder itself', async () => {
    const { warnings } = await applyAfter(
      `git clone -qs . nested; cd nested; git commit -q --allow-empty -m 'Made in the clone'`,
    );
    expect(warnings.join()).toContain('Made in the clone');
  });

  it('cause no warning if there are none', async () => {
    const { warnings } = await applyAfter('echo changed > a.txt; git add a.txt; git status >/dev/null');
    expect(warnings).toEqual([]);
    expect(existsSync(join(folder, 'run', workspaceFolder, 'commits.bundle'))).toBe(false);
  });
});
