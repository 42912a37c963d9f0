import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
        .filter((name) => /^(start|features)-.*\.cache$/.test(name))
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

it.each([
  ['beside the program', 'dist/compile.cache', false],
  ['in the home folder if that is not possible', 'home/.cache/adjutant/compile.cache', true],
])('the cache of Node is %s, not in the temporary folder, where agents write', (_, cache, isTaken) => {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-cache-'));
  try {
    const dist = join(folder, 'dist');
    cpSync(dirname(bundle), dist, { recursive: true, filter: (path) => !path.endsWith('.cache') });
    if (isTaken) writeFileSync(join(dist, 'compile.cache'), '');
    const [home, temporary] = [join(folder, 'home'), join(folder, 'tmp')];
    mkdirSync(home);
    mkdirSync(temporary);
    const env = { PATH: process.env['PATH'], HOME: home, TMPDIR: temporary };
    const args = [join(dist, 'adjutant.cjs'), 'config', '--json'];
    const { stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    expect(stdout).toContain('{');
    expect(readdirSync(temporary)).toEqual([]);
    expect(readdirSync(join(folder, cache))).toHaveLength(1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
