import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { bundle, initialize } from '../program.ts';

it('the code caches that the first server writes are accepted by the next one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-cache-'));
  try {
    const dist = join(folder, 'dist');
    cpSync(dirname(bundle), dist, { recursive: true, filter: (path) => !path.endsWith('.cache') });
    const caches = () =>
      readdirSync(dist)
        .filter((name) => name.endsWith('.cache'))
        .map((name) => [name, statSync(join(dist, name)).mtimeMs]);
    const serve = () => {
      const args = [join(dist, 'adjutant.cjs'), 'serve', '--home', join(folder, 'home')];
      const { stdout } = spawnSync(process.execPath, args, {
        input: `${JSON.stringify(initialize())}\n`,
        encoding: 'utf8',
      });
      expect(stdout).toContain('protocolVersion');
    };
    serve();
    const first = caches();
    expect(first).toHaveLength(2);
    serve();
    // A server writes a cache again only if V8 rejected it.
    expect(caches()).toEqual(first);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
