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

describe('a named pipe that git would wait for', () => {
  it.each(['config', 'packed-refs', 'info/exclude', 'info/attributes'])(
    'is found and named: %s',
    async (name) => {
      const repository = (await Repository.find(repo, env))!;
      const file = join(repo, '.git', name);
      rmSync(file, { force: true });
      execFileSync('mkfifo', [join(folder, 'pipe')]);
      symlinkSync(join(folder, 'pipe'), file);
      await expect(repository.run(repo, ['for-each-ref'])).rejects.toThrow(
        `${name} is a named pipe, and git would wait for it forever. Delete it.`,
      );
    },
  );
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
