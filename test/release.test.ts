import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const placeholder = `${'OWNER'}/adjutant`;
const { mcpName } = JSON.parse(readFileSync('package.json', 'utf8')) as { mcpName: string };
/** The placeholder, or the real name after the first release. */
const repository = mcpName.replace('io.github.', '');
let clone: string;

/** Copies the files that a release reads or changes to a repository of their own, in which the owner is a placeholder. */
beforeEach(() => {
  clone = realpathSync(mkdtempSync(join(tmpdir(), 'adjutant-release-')));
  const named = execFileSync('git', ['grep', '-l', '-z', '--untracked', '--fixed-strings', repository]);
  const files = named.toString().split('\0').filter(Boolean);
  for (const file of [...files, 'package-lock.json', 'scripts/release.mjs', 'scripts/versions.mjs']) {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    writeFileSync(join(clone, file), readFileSync(file, 'utf8').replaceAll(repository, placeholder));
  }
  git('init', '--quiet');
  git('add', '--all');
});
afterEach(() => rmSync(clone, { recursive: true, force: true }));

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: clone, encoding: 'utf8' });
}

function release(argument: string, env: Readonly<Record<string, string>> = {}) {
  return spawnSync(process.execPath, ['scripts/release.mjs', argument], {
    cwd: clone,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...env },
  });
}

it('a release is refused while the owner is a placeholder', () => {
  const { status, stderr } = release('--check');
  expect(status).toBe(1);
  expect(stderr).toContain(`package.json contains "${placeholder}": run node scripts/release.mjs NAME`);
  expect(stderr).toContain('server.json contains');
});

it('the release script names the owner in every file', () => {
  expect(release('ada-lovelace')).toMatchObject({ status: 0, stderr: '' });
  expect(spawnSync('git', ['grep', '--fixed-strings', placeholder], { cwd: clone }).status).toBe(1);
  expect(JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8'))).toMatchObject({
    mcpName: 'io.github.ada-lovelace/adjutant',
    repository: { url: 'git+https://github.com/ada-lovelace/adjutant.git' },
  });
  expect(release('--check')).toMatchObject({ status: 0, stderr: '' });
});

it.each(['', 'a/b', '-a', 'a-', 'a--b', 'a b', 'x'.repeat(40)])(
  'the release script refuses the owner "%s" and changes nothing',
  (owner) => {
    expect(release(owner)).toMatchObject({ status: 1 });
    expect(git('diff', '--name-only')).toBe('');
  },
);

it('a release is refused if the versions or the tag differ', () => {
  release('ada');
  const tag = { GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: 'v9.8.7' };
  expect(release('--check', tag).stderr).toContain('the tag has version 9.8.7, but package.json has');
  for (const file of ['package.json', 'package-lock.json']) {
    const path = join(clone, file);
    const about = JSON.parse(readFileSync(path, 'utf8')) as object;
    writeFileSync(path, JSON.stringify({ ...about, version: '9.8.7' }));
  }
  expect(release('--check', tag).stderr).toContain('server.json has version');
  execFileSync(process.execPath, ['scripts/versions.mjs'], { cwd: clone });
  expect(release('--check', tag)).toMatchObject({ status: 0, stderr: '' });
});
