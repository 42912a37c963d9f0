import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attributeAll } from '../../../test/delegate/attribute-all.ts';
import { gatherEvidence } from './evidence.ts';
import { takeSnapshot } from './snapshot.ts';

const env = { PATH: process.env['PATH'], HOME: tmpdir(), GIT_CONFIG_NOSYSTEM: '1' };
let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'adjutant-evidence-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], {
    cwd: folder,
    env,
    stdio: 'pipe',
  });
function commitAll(): void {
  git('add', '-A');
  git('commit', '-qm', 'state');
}

async function collectEvidence(work: () => void, claimed: string[], cwd = folder, ignored: string[] = []) {
  const place = { cwd, env, ignored };
  const before = await takeSnapshot(place);
  work();
  const claims = claimed.map((path) => ({ path }));
  const { files, ...rest } = (await gatherEvidence(before, place, claims, attributeAll)).evidence;
  return {
    files: files.map(({ path, status, change }) => [path, status, change].filter(Boolean).join(' ')),
    ...rest,
  };
}

describe.each(['git', 'walk'] as const)('evidence with method %s', (method) => {
  beforeEach(() => {
    write('kept.txt', 'kept');
    write('edited.txt', 'old');
    write('removed.txt', 'old');
    if (method === 'walk') return;
    git('init', '-q');
    write('.gitignore', 'out/\n');
    commitAll();
    write('dirty.txt', 'before');
  });

  it('distinguishes delivered, undelivered and unreported files', async () => {
    const { files, complete } = await collectEvidence(() => {
      write('added.txt', 'new');
      write('edited.txt', 'new text');
      rmSync(join(folder, 'removed.txt'));
      write('deep/unclaimed.txt', 'new');
    }, [
      'added.txt',
      `${folder}/edited.txt`,
      './removed.txt:12',
      'never.txt',
      'kept.txt',
      'https://example.org/x',
      '`added.txt`',
    ]);
    expect(complete).toBe(true);
    expect(files).toEqual([
      'added.txt verified added',
      'edited.txt verified modified',
      'removed.txt verified deleted',
      'never.txt missing',
      'kept.txt unchanged',
      'https://example.org/x unchecked',
      'deep/unclaimed.txt unreported added',
    ]);
  });

  it('treats a claimed folder as a claim for all files in it', async () => {
    const { files } = await collectEvidence(() => write('docs/a/b.md', 'x'), ['docs/']);
    expect(files).toEqual(['docs verified modified']);
  });

  it('leaves out ignored folders, unless they contain the working folder', async () => {
    const { files } = await collectEvidence(() => write('runs/1/request.json', '{}'), [], folder, [
      join(folder, 'runs'),
    ]);
    expect(files).toEqual([]);
    const { files: within } = await collectEvidence(() => write('new.txt', ''), [], folder, [
      dirname(folder),
    ]);
    expect(within).toContain('new.txt unreported added');
  });
});

describe('evidence in a git repository', () => {
  beforeEach(() => {
    git('init', '-q');
    write('.gitignore', 'out/\n');
    write('a.txt', 'a');
    write('sub/kept.txt', 'a');
    commitAll();
  });

  it('detects a second change to a modified file, and a reverted change', async () => {
    write('a.txt', 'dirty');
    write('b.txt', 'untracked');
    expect((await collectEvidence(() => write('b.txt', 'again'), [])).files).toEqual([
      'b.txt unreported modified',
    ]);
    expect((await collectEvidence(() => git('checkout', '-q', 'a.txt'), [])).files).toEqual([
      'a.txt unreported modified',
    ]);
    expect((await collectEvidence(() => write('b.txt', 'again'), [])).files).toEqual([]);
  });

  it('includes changes that the agent committed', async () => {
    const { files } = await collectEvidence(() => {
      write('c.txt', 'c');
      rmSync(join(folder, 'a.txt'));
      commitAll();
    }, ['c.txt']);
    expect(files).toEqual(['c.txt verified added', 'a.txt unreported deleted']);
  });

  it('verifies a delivered file that git ignores', async () => {
    expect((await collectEvidence(() => write('out/bundle.js', 'x'), ['out/bundle.js'])).files).toEqual([
      'out/bundle.js verified',
    ]);
  });

  it('covers only the working folder, even below the root of the repository', async () => {
    write('sub/x.txt', 'x');
    commitAll();
    const { files } = await collectEvidence(
      () => {
        write('sub/x.txt', 'y');
        write('sub/ä ö.txt', 'new');
        write('a.txt', 'outside');
      },
      ['x.txt'],
      join(folder, 'sub'),
    );
    expect(files).toEqual(['x.txt verified modified', 'ä ö.txt unreported added']);
  });

  it('starts no programs configured in a repository that the run created', async () => {
    const { files } = await collectEvidence(
      () => {
        write('sub/.git/HEAD', 'ref: refs/heads/main\n');
        write('sub/.git/objects/x', '');
        write('sub/.git/refs/x', '');
        write('sub/.git/config', '[core]\nrepositoryformatversion=0\n[filter "x"]\nclean = touch ../ran\n');
        write('sub/.gitattributes', '* filter=x\n');
        write('sub/a.txt', 'a');
      },
      ['a.txt'],
      join(folder, 'sub'),
    );
    expect(files).toContain('a.txt verified added');
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });

  it('works before the first commit', async () => {
    rmSync(join(folder, '.git'), { recursive: true });
    git('init', '-q');
    expect((await collectEvidence(() => write('new.txt', 'x'), ['new.txt'])).files).toEqual([
      'new.txt verified added',
    ]);
  });
});

it('starts git equally often for many files and for a few', async () => {
  write('sub/old.txt', 'old');
  git('init', '-q');
  commitAll();
  const bin = join(folder, '.git', 'bin');
  const real = execFileSync('which', ['git']).toString().trim();
  mkdirSync(bin);
  writeFileSync(join(bin, 'git'), `#!/bin/sh\necho >> ${bin}/starts\nexec ${real} "$@"\n`, { mode: 0o755 });
  const place = {
    cwd: join(folder, 'sub'),
    env: { ...env, PATH: `${bin}:${env.PATH}` },
    ignored: [],
  };
  const startsFor = async (count: number) => {
    writeFileSync(join(bin, 'starts'), '');
    const before = await takeSnapshot(place);
    write('sub/old.txt', `changed ${count}`);
    for (let at = 0; at < count; at++) write(`sub/${count}-${at}.txt`, 'new');
    const { attribution } = await gatherEvidence(before, place, [], attributeAll);
    const { own: changes } = attribution;
    expect(changes.filter(({ change }) => change === 'added')).toHaveLength(count);
    expect(changes).toContainEqual({ path: 'old.txt', change: 'modified' });
    return readFileSync(join(bin, 'starts'), 'utf8').length;
  };
  expect(await startsFor(20)).toBe(await startsFor(2));
});

it('examines the working folder even if a git hook of another repository started the server', async () => {
  write('other/a.txt', 'old');
  write('here/b.txt', 'old');
  for (const name of ['other', 'here']) execFileSync('git', ['init', '-q'], { cwd: join(folder, name), env });
  const asHook = {
    GIT_DIR: join(folder, 'other', '.git'),
    GIT_WORK_TREE: join(folder, 'other'),
    GIT_INDEX_FILE: join(folder, 'other', '.git', 'index'),
  };
  const place = { cwd: join(folder, 'here'), env: { ...env, ...asHook }, ignored: [] };
  const before = await takeSnapshot(place);
  write('here/b.txt', 'new');
  const { evidence, attribution } = await gatherEvidence(before, place, [], attributeAll);
  expect(evidence.method).toBe('git');
  expect(attribution.own).toEqual([{ path: 'b.txt', change: 'modified' }]);
});
