import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plantTree, write } from '../../../test/tree.ts';
import { capture } from './launch.ts';
import {
  agentVariables,
  interpreterOf,
  systemEnvironment,
  trustedFolders,
  workspaceFolders,
} from './programs.ts';

/** A repository with a program, a home with another, and links between them. */
function plant(): {
  readonly home: string;
  readonly repository: string;
  readonly env: Record<string, string>;
} {
  const folder = plantTree();
  const [home, repository] = [join(folder, 'home'), join(folder, 'home', 'repository')];
  for (const path of ['bin', 'repository/.git', 'repository/bin', 'repository/shop/bin', 'tmp/bin'])
    mkdirSync(join(home, path), { recursive: true });
  symlinkSync(join(repository, 'bin'), join(home, 'link'));
  return { home, repository, env: { HOME: home, TMPDIR: join(home, 'tmp') } };
}

describe.skipIf(process.platform === 'win32')(
  'the folders of the PATH from which programs are started',
  () => {
    it('are absolute, and outside of the repository of the run and of the temporary folder', async () => {
      const { home, repository, env } = plant();
      const all = [
        '',
        '.',
        'bin',
        '/usr/bin',
        join(repository, 'bin'),
        join(home, 'link'),
        join(home, 'bin'),
      ];
      const PATH = [...all, join(home, 'tmp/bin'), join(repository, 'shop/bin')].join(delimiter);
      const shop = await workspaceFolders([join(repository, 'shop')], env);
      const expected = ['/usr/bin', join(home, 'bin')];
      expect(await trustedFolders({ ...env, PATH }, shop)).toEqual(expected);
      const variables = await agentVariables(
        { ...env, PATH, LD_LIBRARY_PATH: join(repository, 'bin') },
        shop,
      );
      expect(variables).toEqual({
        own: { PATH: expected.join(delimiter), LD_LIBRARY_PATH: '' },
        commands: { PATH, LD_LIBRARY_PATH: join(repository, 'bin') },
      });
    });

    it('stay the same for a run in the home folder, which can only be read', async () => {
      const { home, env } = plant();
      mkdirSync(join(home, '.git'));
      expect(await workspaceFolders([home], env)).toEqual([]);
      const PATH = join(home, 'bin');
      expect(await agentVariables({ ...env, PATH }, [])).toEqual({ own: {}, commands: {} });
    });
  },
);

describe.skipIf(process.platform === 'win32')('a program of the system', () => {
  it('is not looked up in the folders of the user, and finds the other programs of the system first', async () => {
    const { repository, env } = plant();
    write(repository, { 'bin/env': '#!/bin/sh\necho planted\n', 'bin/sh': '#!/bin/sh\necho planted\n' });
    for (const name of ['env', 'sh']) chmodSync(join(repository, 'bin', name), 0o755);
    const own = { ...env, PATH: `bin${delimiter}${join(repository, 'bin')}`, LD_LIBRARY_PATH: repository };
    const program = { command: 'env', args: ['sh', '-c', 'echo "$LD_LIBRARY_PATH:$PATH"'], env: own };
    const { output } = await capture({ ...program, cwd: repository }, { timeoutMs: 10_000 });
    const { PATH } = await systemEnvironment(own, [repository]);
    expect(output.toString()).toBe(`:${PATH}\n`);
    expect(PATH).not.toContain(repository);
  });

  it('is reported if it is not installed', async () => {
    const { startError } = await capture(
      { command: 'no-such-program', args: [], env: {} },
      { timeoutMs: 10_000 },
    );
    expect(startError).toMatchObject({ code: 'ENOENT' });
  });
});

it.skipIf(process.platform === 'win32').each([
  ['#!/usr/bin/env node\n', ['BIN/node']],
  ['#!/usr/bin/env -S node --no-warnings -r x\n', ['BIN/node', '--no-warnings', '-r', 'x']],
  ['#! /usr/bin/env node\n', ['BIN/node']],
  ['#!/usr/bin/env other\n', []],
  ['#!/bin/sh\n', []],
  ['\u007fELF', []],
])('the interpreter of a script that begins with %j is %j', async (start, expected) => {
  const folder = plantTree({ script: `${start}rest`, 'bin/node': '' });
  chmodSync(join(folder, 'bin', 'node'), 0o755);
  const found = await interpreterOf(join(folder, 'script'), [join(folder, 'bin')], {});
  expect(found).toEqual(expected.map((word) => word.replace('BIN', join(folder, 'bin'))));
});
