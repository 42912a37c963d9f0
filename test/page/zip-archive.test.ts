import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { zipArchive } from '../../src/web/page/shared/zip-archive.ts';
import { unzip } from '../unzip.ts';

it('zipArchive creates an archive that another program unpacks with all names and texts unchanged', async () => {
  const files = [
    { path: 'empty.md', text: '' },
    { path: 'commands/größe.md', text: 'Grüße 🎉\n' },
    { path: 'long.md', text: 'x'.repeat(100_000) },
    { path: `${'folder/'.repeat(15)}${'n'.repeat(120)}.md`, text: 'far away\n' },
  ];
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-zip-'));
  try {
    const archive = join(folder, 'all.zip');
    const blob = await zipArchive(files);
    expect(blob.type).toBe('application/zip');
    writeFileSync(archive, Buffer.from(await blob.arrayBuffer()));
    unzip(archive, folder);
    for (const { path, text } of files) expect(readFileSync(join(folder, path), 'utf8')).toBe(text);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
