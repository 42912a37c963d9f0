import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changedLines, PatchedFolder } from '../../../test/delegate/patched-folder.ts';

let folder: PatchedFolder;
beforeEach(() => {
  folder = new PatchedFolder();
});
afterEach(() => folder.dispose());

describe.each(['git', 'walk'] as const)('the patch with method %s', (method) => {
  beforeEach(() => {
    folder.write('edited.txt', 'one\ntwo\n');
    folder.write('removed.txt', 'gone\n');
    folder.write('kept.txt', 'kept\n');
    if (method === 'walk') return;
    folder.git(['init', '-q']);
    folder.commitAll();
  });

  it('contains the changes of the run and can be reverted', async () => {
    folder.write('dirty.txt', 'mine\n');
    const patch = await folder.recordPatch(() => {
      folder.write('edited.txt', 'one\n2\n');
      folder.write('dirty.txt', 'mine\nits own\n');
      folder.write('new/a "b" c.txt', 'new\n');
      folder.remove('removed.txt');
    });
    expect(changedLines(patch)).toEqual([
      '--- a/dirty.txt',
      '+++ b/dirty.txt',
      '+its own',
      '--- a/edited.txt',
      '+++ b/edited.txt',
      '-two',
      '+2',
      '--- /dev/null',
      '+++ "b/new/a \\"b\\" c.txt"\t',
      '+new',
      '--- a/removed.txt',
      '+++ /dev/null',
      '-gone',
    ]);
    folder.git(['apply', '-R', '-'], patch);
    expect(readFileSync(join(folder.path, 'dirty.txt'), 'utf8')).toBe('mine\n');
    expect(readFileSync(join(folder.path, 'removed.txt'), 'utf8')).toBe('gone\n');
    expect(readFileSync(join(folder.path, 'edited.txt'), 'utf8')).toBe('one\ntwo\n');
  });

  it('is absent if nothing changed', async () => {
    expect(await folder.recordPatch(() => {})).toBeUndefined();
  });

  it('does not follow links, mentions binary files and omits large ones', async () => {
    writeFileSync(join(folder.base, 'secret'), 'do not read me');
    const patch = await folder.recordPatch(() => {
      symlinkSync(join(folder.base, 'secret'), join(folder.path, 'link'));
      folder.write('picture.bin', Buffer.from([0, 1, 2, 0, 255]));
      folder.write('huge.txt', 'x'.repeat(3_000_000));
      folder.write('edited.txt', 'one\n');
    });
    expect(patch).not.toContain('do not read me');
    expect(patch).toContain(`+${join(folder.base, 'secret')}`);
    expect(patch).toContain('Binary files /dev/null and b/picture.bin differ');
    expect(patch).not.toContain('huge.txt');
    expect(patch).toContain('-two');
  });

  it('shows a file that replaced a folder, and a folder that replaced a file', async () => {
    folder.write('box/inner.txt', 'inner\n');
    const patch = await folder.recordPatch(() => {
      rmSync(join(folder.path, 'box'), { recursive: true });
      folder.write('box', 'now a file\n');
      folder.remove('edited.txt');
      folder.write('edited.txt/inner.txt', 'now a folder\n');
    });
    expect(changedLines(patch)).toEqual(
      expect.arrayContaining(['+now a file', '-inner', '+now a folder', '-one', '-two']),
    );
  });

  it('can be reverted even if it mentions files that are not text', async () => {
    folder.write('old.txt', Buffer.from('caf\xe9\n', 'latin1'));
    if (method === 'git') folder.commitAll();
    const patch = await folder.recordPatch(() => {
      folder.write('picture.bin', Buffer.from([0, 1, 2, 0, 255]));
      folder.remove('old.txt');
      folder.write('edited.txt', 'one\n');
    });
    expect(patch).toContain('# Binary files /dev/null and b/picture.bin differ\n');
    expect(patch).toContain('# a/old.txt b/old.txt: not in UTF-8\n');
    folder.git(['apply', '-R', '-'], patch);
    expect(readFileSync(join(folder.path, 'edited.txt'), 'utf8')).toBe('one\ntwo\n');
    expect(existsSync(join(folder.path, 'old.txt'))).toBe(false);
  });

  it('omits a file that was too large before the run', async () => {
    folder.write('large.txt', 'x'.repeat(2_000_000));
    const patch = await folder.recordPatch(() => {
      folder.write('large.txt', 'small\n');
      folder.write('edited.txt', 'one\n');
    });
    expect(changedLines(patch)).toEqual(['--- a/edited.txt', '+++ b/edited.txt', '-two']);
  });

  it('has the same format regardless of the diff settings of the user', async () => {
    const settings = '[diff]\nnoprefix = true\n[color]\nui = always\n';
    writeFileSync(join(folder.base, 'gitconfig'), settings);
    const patch = await folder.recordPatch(() => folder.write('edited.txt', 'one\n'), {
      more: { GIT_CONFIG_GLOBAL: join(folder.base, 'gitconfig') },
    });
    expect(changedLines(patch)).toEqual(['--- a/edited.txt', '+++ b/edited.txt', '-two']);
  });

  it('is absent if git does not work', async () => {
    expect(
      await folder.recordPatch(() => folder.write('edited.txt', 'one\n'), {
        more: { GIT_CONFIG_PARAMETERS: 'invalid' },
      }),
    ).toBeUndefined();
  });
});

it.each(['git', 'walk'])('does not create a patch of too many files with method %s', async (method) => {
  if (method === 'git') folder.git(['init', '-q']);
  const many = () => {
    for (let at = 0; at < 3_001; at++) folder.write(`many/${at}.txt`, `${at}\n`);
  };
  expect(await folder.recordPatch(many)).toBeUndefined();
  expect(await folder.recordPatch(() => folder.write('many/0.txt', 'changed\n'))).toBeUndefined();
  rmSync(join(folder.path, 'many'), { recursive: true });
  expect(changedLines(await folder.recordPatch(() => folder.write('one.txt', 'one\n')))).toContain('+one');
});

it('shortens a long patch by whole files', async () => {
  folder.git(['init', '-q']);
  const patch = await folder.recordPatch(() => {
    for (let at = 0; at < 8; at++) folder.write(`${at}.txt`, `${at}`.repeat(70).concat('\n').repeat(11_000));
  });
  expect(patch?.length).toBeLessThan(4 * 1024 * 1024 + 200);
  expect(patch?.split('\n').at(-2)).toMatch(/^# \d more files were changed/);
  expect(patch?.split('\n').at(-3)).toMatch(/^\+/);
});
