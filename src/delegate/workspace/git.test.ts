import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createRepository,
  gitEnvironment as env,
  gitAt,
  write,
} from '../../../test/delegate/git-repository.ts';
import { Repository } from './git.ts';

let folder: string;
let repo: string;
beforeEach(() => {
  ({ folder, repo } = createRepository());
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const status = async () => {
  const repository = (await Repository.find(repo, env))!;
  return repository.run(repo, ['status', '--porcelain', '--untracked-files=all']);
};

describe('a file that blocks git', () => {
  it('is found and named, in any folder', async () => {
    write(repo, 'deep/er/x.txt', 'x\n');
    execFileSync('mkfifo', [join(repo, 'deep/er/.gitignore')]);
    await expect(status()).rejects.toThrow(/deep\/er\/\.gitignore is a named pipe.*Delete it/);
  });

  it('is found if it is a link to a named pipe', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    rmSync(join(repo, '.git/info/exclude'), { force: true });
    symlinkSync(join(folder, 'pipe'), join(repo, '.git/info/exclude'));
    await expect(status()).rejects.toThrow(/info\/exclude is a named pipe/);
  });
});

describe('programs in the settings of a repository', () => {
  it.each([
    ['diff', 'diff.external', ['diff']],
    ['diff driver', 'diff.evil.command', ['diff']],
    ['text conversion', 'diff.evil.textconv', ['diff']],
    ['clean filter', 'filter.evil.clean', ['add', '-A']],
    ['filter process', 'filter.evil.process', ['add', '-A']],
    ['monitor', 'core.fsmonitor', ['status']],
    ['signature', 'gpg.program', ['commit', '-qam', 'x']],
    ['editor', 'core.editor', ['commit', '-a']],
  ] as const)('are not started: %s', async (_, key, args) => {
    const ran = join(folder, 'ran');
    write(folder, 'program.sh', `#!/bin/sh\ntouch ${ran}\ncat\n`);
    execFileSync('chmod', ['+x', join(folder, 'program.sh')]);
    gitAt(repo, 'config', key, join(folder, 'program.sh'));
    gitAt(repo, 'config', 'commit.gpgSign', 'true');
    write(repo, '.gitattributes', '*.txt filter=evil diff=evil\n');
    write(repo, 'a.txt', 'changed\n');
    const repository = (await Repository.find(repo, env))!;
    await repository.run(repo, args, { expected: [1, 128] });
    expect(existsSync(ran)).toBe(false);
  });
});
