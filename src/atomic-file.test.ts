import { spawn } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { replaceFile } from './atomic-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-atomic-'));
});
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

it('creates a private file in a private folder', () => {
  const file = join(folder, 'new', 'file');
  replaceFile(file, 'text');
  expect([readFileSync(file, 'utf8'), modeOf(file), modeOf(join(folder, 'new'))]).toEqual([
    'text',
    '600',
    '700',
  ]);
  expect(readdirSync(join(folder, 'new'))).toEqual(['file']);
});

it('creates a file that others may read, as far as the umask permits', () => {
  const file = join(folder, 'shared', 'file');
  const before = process.umask(0o022);
  try {
    replaceFile(file, 'text', 0o666);
  } finally {
    process.umask(before);
  }
  expect([modeOf(file), modeOf(join(folder, 'shared'))]).toEqual(['644', '755']);
});

it.each([0o640, 0o666, 0o400])('keeps the permissions %o of a file that exists', (mode) => {
  const file = join(folder, 'file');
  writeFileSync(file, 'old');
  chmodSync(file, mode);
  replaceFile(file, 'new');
  expect([readFileSync(file, 'utf8'), modeOf(file)]).toEqual(['new', mode.toString(8)]);
});

it('replaces a symbolic link, and never writes through it', () => {
  const [target, link] = [join(folder, 'target'), join(folder, 'link')];
  writeFileSync(target, 'private');
  symlinkSync(target, link);
  replaceFile(link, 'text');
  expect(readFileSync(target, 'utf8')).toBe('private');
  expect(lstatSync(link).isSymbolicLink()).toBe(false);
});

it('names the file in an error, and leaves no draft', () => {
  const file = join(folder, 'file');
  mkdirSync(join(file, 'full'), { recursive: true });
  expect(() => replaceFile(file, 'text')).toThrow(expect.objectContaining({ path: file }));
  expect(readdirSync(folder)).toEqual(['file']);
});

it('shows readers whole files only, while several processes write', async () => {
  const file = join(folder, 'file');
  const program = `
    const { replaceFile } = await import(${JSON.stringify(new URL('atomic-file.ts', import.meta.url).href)});
    for (let n = 0; n < 200; n++) replaceFile(process.argv[1], process.argv[2].repeat(100_000));`;
  const writers = ['a', 'b'].map((letter) =>
    spawn(process.execPath, ['--input-type=module', '-e', program, file, letter], { stdio: 'inherit' }),
  );
  const ended = Promise.all(writers.map((writer) => new Promise((resolve) => writer.on('exit', resolve))));
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  let seen = 0;
  while (!isOver) {
    await new Promise(setImmediate);
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch {
      continue;
    }
    seen += 1;
    expect(text === 'a'.repeat(100_000) || text === 'b'.repeat(100_000)).toBe(true);
  }
  expect(await ended).toEqual([0, 0]);
  expect(seen).toBeGreaterThan(0);
  expect(readdirSync(folder)).toEqual(['file']);
});
