import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { chunksOf, loadChunks } from '../bundle-chunks.ts';
import { npm } from '../npm.ts';
import { initialize } from '../program.ts';
import { StdioPeer } from '../stdio-peer.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'adjutant-package-')));
const root = join(import.meta.dirname, '..', '..');
// The folder holds two installations, which a slow disk takes long to delete.
afterAll(() => rmSync(folder, { recursive: true, force: true }), 240_000);

function clone(name: string): string {
  const target = join(folder, name);
  execFileSync('git', ['clone', '--quiet', root, target]);
  return target;
}

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

/** Starts an installed command and renders a Jinja prompt, which needs the separate WebAssembly file. */
async function expectToServe(command: string): Promise<void> {
  expect(execFileSync(process.execPath, [command, '--version'], { encoding: 'utf8' })).toBe(`${version}\n`);
  const home = mkdtempSync(join(folder, 'home-'));
  const library = join(home, 'libraries', 'shared');
  mkdirSync(join(library, 'prompts'), { recursive: true });
  writeFileSync(join(library, 'twig.toml'), '[prompts.shout]\ndescription = "d"\n');
  writeFileSync(join(library, 'prompts', 'shout.md'), '{{ "hello"|upper }}');
  await using peer = new StdioPeer([command, 'serve', '--home', home], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home },
  });
  peer.send(initialize());
  expect(await peer.until(({ id }) => id === 0)).toMatchObject({ result: { serverInfo: { version } } });
  expect(await peer.request('prompts/get', { name: 'shared:shout' })).toMatchObject({
    result: { messages: [{ content: { text: 'HELLO' } }] },
  });
}

it('a package from a fresh clone is complete and has no dependencies', { timeout: 240_000 }, async () => {
  npm(clone('packed'), 'pack', '--pack-destination', folder);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
  const prefix = join(folder, 'from-tarball');
  npm(folder, 'install', '--global', '--prefix', prefix, join(folder, tarball));
  const modules = join(prefix, 'lib', 'node_modules');
  expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['adjutant']);
  expect(readdirSync(join(modules, 'adjutant'))).not.toContain('node_modules');
  await expectToServe(join(prefix, 'bin', 'adjutant'));
  const launcher = join(modules, 'adjutant', 'dist', 'adjutant.cjs');
  expect(loadChunks(launcher)).toMatchObject({ status: 0, stderr: 'all loaded' });
  expect(chunksOf(launcher).length).toBeGreaterThan(10);
});

it('a fresh clone can be installed directly', { timeout: 240_000 }, async () => {
  const prefix = join(folder, 'from-clone');
  npm(clone('installed'), 'install', '--global', '--prefix', prefix, '.');
  await expectToServe(join(prefix, 'bin', 'adjutant'));
});
