import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chunksOf, loadChunks } from '../bundle-chunks.ts';
import { bundle, initialize, Program } from '../program.ts';

const dist = dirname(bundle);
const files = readdirSync(dist);
const chunks = chunksOf(bundle);
const read = (file: string) => readFileSync(join(dist, file), 'latin1');

describe('the built program', () => {
  it('consists of chunks that can all be loaded', () => {
    expect(loadChunks(bundle)).toEqual({ status: 0, stdout: '0.1.0\n', stderr: 'all loaded' });
    expect(chunks.length).toBeGreaterThan(50);
  });

  it('has one-byte characters only, which Node reads fastest', () => {
    expect(chunks.filter((chunk) => /[^\0-\x7f]/.test(read(chunk)))).toEqual([]);
  });

  it('contains no path of the machine it was built on', () => {
    const texts = files.filter((file) => /\.(cjs|map)$/.test(file));
    expect(texts.filter((file) => read(file).includes(dirname(dist)))).toEqual([]);
  });

  it('has a source map without source text for every chunk of our own code', () => {
    const own = chunks.filter((chunk) => !read(chunk).endsWith('//# no source map\n'));
    expect(own.length).toBeGreaterThan(50);
    for (const chunk of own) {
      expect(read(chunk)).toContain(`//# sourceMappingURL=${chunk}.map`);
      expect(JSON.parse(read(`${chunk}.map`)).sourcesContent ?? []).toEqual([]);
    }
  });
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-bundle-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function preload(script: string): string {
  const file = join(folder, 'preload.cjs');
  writeFileSync(file, script);
  return file;
}

describe('the start of the built program', () => {
  it('loads no slow part of Node before the answer to initialize', async () => {
    const reporter = preload(`
      const { write } = process.stdout;
      process.stdout.write = function (...args) {
        process.stderr.write('loaded: ' + process.moduleLoadList.join() + ';');
        return write.apply(this, args);
      };`);
    await using program = new Program(['serve'], { nodeFlags: ['--require', reporter] });
    program.send(initialize());
    const [, list] = await program.untilStderr(/loaded: (.+?);/);
    const loaded = list!.split(',').filter((one) => one.startsWith('NativeModule '));
    expect(loaded).toContain('NativeModule util');
    const slow = [
      'crypto',
      'fs/promises',
      'child_process',
      'http',
      'https',
      'sqlite',
      'worker_threads',
      'zlib',
    ];
    expect(loaded.filter((one) => slow.includes(one.replace('NativeModule ', '')))).toEqual([]);
  });
});

describe('a stack trace of the built program', () => {
  /** The position of a text in a source file, in the format of a stack trace. */
  function position(file: string, text: string): string {
    const before = readFileSync(file, 'utf8').split(text)[0]!.split('\n');
    return `${file}:${before.length}:${before.at(-1)!.length + 1}`;
  }

  it('contains the source position after a crash', () => {
    const broken = preload(`process.cwd = () => { throw new Error('no current folder'); };`);
    const { status, stderr } = spawnSync(process.execPath, ['--require', broken, bundle, 'serve'], {
      encoding: 'utf8',
    });
    expect(status).not.toBe(0);
    expect(stderr).toContain('Error: no current folder\n    at process.cwd');
    expect(stderr).toContain(`    at ${position('src/main.ts', 'cwd(),\n')}\n`);
  });

  it('contains the source position after an internal error in a chunk that was loaded later', async () => {
    const broken = preload(
      `require('node:sqlite').DatabaseSync.prototype.prepare = () => { throw new Error('no statement'); };`,
    );
    await using program = new Program(['serve'], { nodeFlags: ['--require', broken] });
    program.send(initialize());
    await program.request('tools/call', { name: 'list_users', arguments: {} });
    const [stack] = await program.untilStderr(/Error: no statement[^"]+?\(src\/store\/\S+\.ts:\d+:\d+\)/);
    expect(stack).not.toContain(dist);
  });
});
