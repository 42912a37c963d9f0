import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { plantTree } from '../test/tree.ts';
import {
  copyRegularFile,
  openRegularFile,
  readRegularBytes,
  readRegularBytesSync,
  readRegularFile,
  readRegularFileSync,
} from './regular-file.ts';

let folder: string;
beforeEach(() => {
  folder = plantTree({ 'plain.txt': 'plain\n', 'empty.txt': '' });
});
const at = (name: string) => join(folder, name);
const readers = {
  synchronously: async (path: string, maxBytes?: number) => readRegularFileSync(path, maxBytes),
  asynchronously: readRegularFile,
};

describe.each(Object.entries(readers))('reading a file %s', (_, read) => {
  it('accepts regular files, links to them and files of the kernel', async () => {
    symlinkSync('plain.txt', at('link.txt'));
    expect(await read(at('plain.txt'))).toBe('plain\n');
    expect(await read(at('link.txt'))).toBe('plain\n');
    expect(await read(at('empty.txt'))).toBe('');
    if (process.platform === 'linux') expect(await read('/proc/self/status')).toContain('Pid:');
  });

  it('rejects pipes, devices, sockets and folders at once, and names the file', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    symlinkSync('pipe', at('link'));
    mkdirSync(at('folder'));
    const server = createServer();
    await new Promise<void>((done) => server.listen(at('socket'), done));
    onTestFinished(() => void server.close());
    for (const name of ['pipe', 'link'])
      await expect(read(at(name))).rejects.toThrow(
        `${at(name)} cannot be read: it is a named pipe, not a regular file.`,
      );
    await expect(read('/dev/zero')).rejects.toThrow('it is a device, not a regular file');
    await expect(read(at('socket'))).rejects.toThrow('it is a socket or a device, not a regular file');
    await expect(read(at('folder'))).rejects.toMatchObject({ code: 'EISDIR' });
    await expect(read(at('none'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('rejects a file that is longer than the limit', async () => {
    writeFileSync(at('long.txt'), 'x'.repeat(100_000));
    expect(await read(at('long.txt'), 100_000)).toHaveLength(100_000);
    await expect(read(at('long.txt'), 99_999)).rejects.toThrow('it is longer than 99999 bytes');
    await expect(read(at('long.txt'), 10)).rejects.toThrow(`${at('long.txt')} cannot be read`);
  });

  it('keeps a character whose bytes are in two chunks', async () => {
    const text = `${'x'.repeat(64 * 1024 - 1)}é${'y'.repeat(70_000)}`;
    writeFileSync(at('long.txt'), text);
    expect(await read(at('long.txt'))).toBe(text);
  });
});

it('reads bytes unchanged', async () => {
  const bytes = Buffer.from([0, 255, 254, 13, 10]);
  writeFileSync(at('blob'), bytes);
  expect(await readRegularBytes(at('blob'))).toEqual(bytes);
  expect(readRegularBytesSync(at('blob'))).toEqual(bytes);
});

it('opens regular files only', async () => {
  execFileSync('mkfifo', [at('pipe')]);
  await expect(openRegularFile(at('pipe'))).rejects.toThrow('not a regular file');
  await using file = await openRegularFile(at('plain.txt'));
  expect((await file.stat()).size).toBe(6);
});

describe('copying a file', () => {
  it('copies the content of a regular file, also through a link', async () => {
    symlinkSync('plain.txt', at('link.txt'));
    for (const name of ['plain.txt', 'link.txt']) {
      await copyRegularFile(at(name), at(`copy of ${name}`));
      expect(readFileSync(at(`copy of ${name}`), 'utf8')).toBe('plain\n');
    }
  });

  it('rejects a named pipe at once, and creates nothing', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    await expect(copyRegularFile(at('pipe'), at('copy'))).rejects.toThrow(`${at('pipe')} cannot be read`);
    expect(existsSync(at('copy'))).toBe(false);
  });
});
