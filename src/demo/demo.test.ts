import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSampleData } from '../../test/sample-data.ts';
import { commandFiles } from './samples.ts';

let home: string;
const [sample] = Object.keys(commandFiles);
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-demo-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const allFiles = () =>
  readdirSync(home, { recursive: true })
    .map(String)
    .filter((path) => !path.startsWith('adjutant.db'))
    .toSorted();

function put(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

const demo = () => openSampleData(home);

describe('the sample data', () => {
  it.each([
    ['a command', `commands/${sample}`],
    ['a library', 'libraries/demo/twig.toml'],
  ])('does not replace %s that existed before', async (_, path) => {
    put(path, 'mine');
    await using data = demo();
    const { load, remove } = data;
    await expect(load()).rejects.toThrow(join(home, path));
    await remove();
    expect(allFiles()).toEqual(expect.arrayContaining([path]));
    expect(readFileSync(join(home, path), 'utf8')).toBe('mine');
  });

  it('keeps files that were added beside it, and removes changed sample files', async () => {
    await using data = demo();
    const { load, remove } = data;
    await load();
    put('libraries/demo/prompts/mine.md', 'mine');
    put(`commands/${sample}`, 'changed');
    await remove();
    expect(allFiles().filter((path) => path.endsWith('.md'))).toEqual(['libraries/demo/prompts/mine.md']);
  });

  it('is removed completely, with the folders that were created for it', async () => {
    put('other/file', '');
    const before = allFiles();
    await using data = demo();
    const { load, remove } = data;
    await load();
    await load();
    expect(existsSync(join(home, 'libraries', 'demo', 'prompts', 'review.md'))).toBe(true);
    await remove();
    expect(allFiles()).toEqual(before);
  });

  it('loaded and removed several times at once › is there as one call after the other leaves it', async () => {
    const before = allFiles();
    await using data = demo();
    const { load, remove } = data;
    await Promise.all([load(), load(), remove(), load()]);
    expect(existsSync(join(home, 'commands', sample!))).toBe(true);
    await Promise.all([load(), remove()]);
    expect(allFiles()).toEqual(before);
  });

  it('keeps an empty folder that existed before', async () => {
    mkdirSync(join(home, 'commands'));
    await using data = demo();
    const { load, remove } = data;
    await load();
    await remove();
    expect(allFiles()).toEqual(['commands']);
  });
});
