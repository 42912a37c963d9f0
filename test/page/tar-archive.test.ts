import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tarArchive } from '../../src/web/page/tar-archive.ts';

it('refuses a path that does not fit', () => {
  expect(() => tarArchive([{ path: 'x'.repeat(101), text: '' }], 0)).toThrow('too long');
});

it('is read by tar, whatever the names and lengths', async () => {
  const long = `${'folder/'.repeat(15)}${'n'.repeat(90)}.md`;
  const files = [
    { path: 'empty.md', text: '' },
    { path: 'commands/größe.md', text: 'Grüße 🎉\n' },
    { path: 'block.md', text: 'x'.repeat(512) },
    { path: long, text: 'far away\n' },
  ];
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-tar-'));
  try {
    const archive = join(folder, 'all.tar');
    writeFileSync(archive, Buffer.from(await tarArchive(files, 1_700_000_000).arrayBuffer()));
    execFileSync('tar', ['-xf', archive, '-C', folder]);
    for (const { path, text } of files) expect(readFileSync(join(folder, path), 'utf8')).toBe(text);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
