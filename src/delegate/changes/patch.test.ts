import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunDirectory } from '../files/run-directory.ts';
import { discardBefore, recordAfter, recordBefore } from './change-recorder.ts';

const env = { PATH: process.env['PATH'], HOME: tmpdir(), GIT_CONFIG_NOSYSTEM: '1' };
let base: string;
let folder: string;
let directory: RunDirectory;

beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'adjutant-patch-')));
  folder = join(base, 'work');
  mkdirSync(folder);
  directory = await RunDirectory.create(join(base, 'runs'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function write(path: string, text: string | Buffer): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
const remove = (path: string) => rmSync(join(folder, path));
const git = (args: readonly string[], input?: string) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], {
    cwd: folder,
    env,
    ...(input !== undefined && { input }),
  }).toString();
function commitAll(): void {
  git(['add', '-A']);
  git(['commit', '-qm', 'state']);
}

async function patchOf(
  work: () => void,
  { cwd = folder, path = env.PATH, more = {} } = {},
): Promise<string | undefined> {
  const place = { cwd, env: { ...env, PATH: path, ...more }, ignored: [] };
  await recordBefore(directory, place);
  work();
  const seen = await recordAfter(directory, place, [], true);
  expect(seen?.evidence).toBeDefined();
  await discardBefore(directory);
  expect(readdirSync(directory.path)).toEqual(['request.json']);
  return seen?.patch;
}
const lines = (patch: string | undefined) => patch?.split('\n').filter((line) => /^[-+]/.test(line));

describe.each(['git', 'walk'] as const)('the patch by %s', (method) => {
  beforeEach(() => {
    write('edited.txt', 'one\ntwo\n');
    write('removed.txt', 'gone\n');
    write('kept.txt', 'kept\n');
    if (method === 'walk') return;
    git(['init', '-q']);
    commitAll();
  });

  it('leads from what was there to what is there', async () => {
    write('dirty.txt', 'mine\n');
    const patch = await patchOf(() => {
      write('edited.txt', 'one\n2\n');
      write('dirty.txt', 'mine\nits own\n');
      write('new/a "b" c.txt', 'new\n');
      remove('removed.txt');
    });
    expect(lines(patch)).toEqual([
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
    git(['apply', '-R', '-'], patch);
    expect(readFileSync(join(folder, 'dirty.txt'), 'utf8')).toBe('mine\n');
    expect(readFileSync(join(folder, 'removed.txt'), 'utf8')).toBe('gone\n');
    expect(readFileSync(join(folder, 'edited.txt'), 'utf8')).toBe('one\ntwo\n');
  });

  it('is not there where nothing was changed', async () => {
    expect(await patchOf(() => {})).toBeUndefined();
  });

  it('follows no link, names binary files and leaves out what is too large', async () => {
    writeFileSync(join(base, 'secret'), 'do not read me');
    const patch = await patchOf(() => {
      symlinkSync(join(base, 'secret'), join(folder, 'link'));
      write('picture.bin', Buffer.from([0, 1, 2, 0, 255]));
      write('huge.txt', 'x'.repeat(3_000_000));
      write('edited.txt', 'one\n');
    });
    expect(patch).not.toContain('do not read me');
    expect(patch).toContain(`+${join(base, 'secret')}`);
    expect(patch).toContain('Binary files /dev/null and b/picture.bin differ');
    expect(patch).not.toContain('huge.txt');
    expect(patch).toContain('-two');
  });

  it('shows a file that has taken the place of a folder, and the other way round', async () => {
    write('box/inner.txt', 'inner\n');
    const patch = await patchOf(() => {
      rmSync(join(folder, 'box'), { recursive: true });
      write('box', 'now a file\n');
      remove('edited.txt');
      write('edited.txt/inner.txt', 'now a folder\n');
    });
    expect(lines(patch)).toEqual(
      expect.arrayContaining(['+now a file', '-inner', '+now a folder', '-one', '-two']),
    );
  });

  it('is taken back in one go, whatever is among it that is no text', async () => {
    write('old.txt', Buffer.from('caf\xe9\n', 'latin1'));
    if (method === 'git') commitAll();
    const patch = await patchOf(() => {
      write('picture.bin', Buffer.from([0, 1, 2, 0, 255]));
      remove('old.txt');
      write('edited.txt', 'one\n');
    });
    expect(patch).toContain('# Binary files /dev/null and b/picture.bin differ\n');
    expect(patch).toContain('# a/old.txt b/old.txt: not in UTF-8\n');
    git(['apply', '-R', '-'], patch);
    expect(readFileSync(join(folder, 'edited.txt'), 'utf8')).toBe('one\ntwo\n');
    expect(existsSync(join(folder, 'old.txt'))).toBe(false);
  });

  it('says nothing of a file that was too large to be kept, whatever became of it', async () => {
    write('large.txt', 'x'.repeat(2_000_000));
    const patch = await patchOf(() => {
      write('large.txt', 'small\n');
      write('edited.txt', 'one\n');
    });
    expect(lines(patch)).toEqual(['--- a/edited.txt', '+++ b/edited.txt', '-two']);
  });

  it('has the same form whatever the settings of the person are', async () => {
    const settings = '[diff]\nnoprefix = true\n[color]\nui = always\n';
    writeFileSync(join(base, 'gitconfig'), settings);
    const patch = await patchOf(() => write('edited.txt', 'one\n'), {
      more: { GIT_CONFIG_GLOBAL: join(base, 'gitconfig') },
    });
    expect(lines(patch)).toEqual(['--- a/edited.txt', '+++ b/edited.txt', '-two']);
  });

  it('needs git, but the run does not', async () => {
    expect(
      await patchOf(() => write('edited.txt', 'one\n'), { path: join(base, 'nowhere') }),
    ).toBeUndefined();
  });
});

describe('the patch under git', () => {
  beforeEach(() => {
    git(['init', '-q']);
    write('sub/inner.txt', 'old\n');
    write('outer.txt', 'old\n');
  });

  it('includes what the agent committed', async () => {
    commitAll();
    const patch = await patchOf(() => {
      write('outer.txt', 'new\n');
      commitAll();
    });
    expect(lines(patch)).toEqual(['--- a/outer.txt', '+++ b/outer.txt', '-old', '+new']);
  });

  it('works before the first commit', async () => {
    const patch = await patchOf(() => write('outer.txt', 'old\nnew\n'));
    expect(lines(patch)).toEqual(['--- a/outer.txt', '+++ b/outer.txt', '+new']);
  });

  it('is relative to the working folder', async () => {
    commitAll();
    write('sub/dirty.txt', 'before\n');
    const patch = await patchOf(() => write('sub/inner.txt', 'new\n'), { cwd: join(folder, 'sub') });
    expect(lines(patch)).toEqual(['--- a/inner.txt', '+++ b/inner.txt', '-old', '+new']);
  });

  it('starts no program that the repository names', async () => {
    const ran = join(base, 'ran');
    git(['config', 'filter.evil.clean', `touch ${ran}; cat`]);
    git(['config', 'filter.evil.required', 'true']);
    git(['config', 'diff.evil.textconv', `touch ${ran}; cat`]);
    git(['config', 'diff.evil.command', `touch ${ran}`]);
    git(['config', 'diff.external', `touch ${ran}`]);
    writeFileSync(join(base, 'more'), `[filter "worse"]\n\tprocess = touch ${ran}\n`);
    git(['config', 'include.path', join(base, 'more')]);
    commitAll();
    write('.gitattributes', '*.txt filter=evil diff=evil\n*.md filter=worse\n');
    write('note.md', 'old\n');
    const patch = await patchOf(() => {
      write('outer.txt', 'new\n');
      write('note.md', 'new\n');
    });
    expect(lines(patch)).toEqual(expect.arrayContaining(['-old', '+new']));
    expect(existsSync(ran)).toBe(false);
  });

  it('fetches nothing that the repository has left elsewhere', async () => {
    const ran = join(base, 'ran');
    commitAll();
    git(['config', 'core.repositoryFormatVersion', '1']);
    git(['config', 'extensions.partialClone', 'away']);
    git(['config', 'remote.away.promisor', 'true']);
    git(['config', 'remote.away.url', folder]);
    git(['config', 'remote.away.uploadpack', `touch ${ran};`]);
    const blob = git(['rev-parse', 'HEAD:outer.txt']).trim();
    remove(`.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`);
    await patchOf(() => write('outer.txt', 'new\n'));
    expect(existsSync(ran)).toBe(false);
  });

  it('adds nothing to the repository and leaves its index alone', async () => {
    commitAll();
    write('dirty.txt', 'before\n');
    const state = () => [
      git(['count-objects', '-v']),
      readFileSync(join(folder, '.git/index')).toString('base64'),
      git(['status', '--porcelain']),
    ];
    const [objects, index, status] = state();
    await patchOf(() => write('outer.txt', 'new\n'));
    git(['checkout', '-q', 'outer.txt']);
    expect([objects, status]).toEqual([state()[0], state()[2]]);
    expect(readFileSync(join(folder, '.git/index')).length).toBe(Buffer.from(index!, 'base64').length);
  });
});

it.each(['git', 'walk'])('is not made of more files than are looked at in a moment: %s', async (method) => {
  if (method === 'git') git(['init', '-q']);
  const many = () => {
    for (let at = 0; at < 3_001; at++) write(`many/${at}.txt`, `${at}\n`);
  };
  expect(await patchOf(many)).toBeUndefined();
  expect(await patchOf(() => write('many/0.txt', 'changed\n'))).toBeUndefined();
  rmSync(join(folder, 'many'), { recursive: true });
  expect(lines(await patchOf(() => write('one.txt', 'one\n')))).toContain('+one');
});

it('keeps whole files where a patch is too long', async () => {
  git(['init', '-q']);
  const patch = await patchOf(() => {
    for (let at = 0; at < 8; at++) write(`${at}.txt`, `${at}`.repeat(70).concat('\n').repeat(11_000));
  });
  expect(patch?.length).toBeLessThan(4 * 1024 * 1024 + 200);
  expect(patch?.split('\n').at(-2)).toMatch(/^# \d more files were changed/);
  expect(patch?.split('\n').at(-3)).toMatch(/^\+/);
});
