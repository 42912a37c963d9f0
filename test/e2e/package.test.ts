import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { afterAll, expect, it } from 'vitest';
import { chunksOf, loadChunks } from '../bundle-chunks.ts';
import { npm } from '../npm.ts';
import { initialize } from '../program.ts';
import { StdioPeer } from '../stdio-peer.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'adjutant-package-')));
const root = join(import.meta.dirname, '..', '..');
// The folder holds two installations, which a slow disk takes long to delete.
afterAll(() => rmSync(folder, { recursive: true, force: true }), 240_000);

// The installation of everything that the build needs takes minutes, so both tests use one clone.
const cloned = join(folder, 'clone');
function clone(): string {
  rmSync(cloned, { recursive: true, force: true });
  execFileSync('git', ['clone', '--quiet', root, cloned]);
  return cloned;
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

/** Runs the command as a user would: by its name, with the Node on the PATH. */
function expectToInstall(bin: string): void {
  const home = mkdtempSync(join(folder, 'user-'));
  const env = { PATH: [bin, dirname(process.execPath), '/bin'].join(delimiter), HOME: home };
  const run = (...args: readonly string[]) => execFileSync('adjutant', args, { env, encoding: 'utf8' });
  expect(run('--version')).toBe(`${version}\n`);
  run('install', 'codex');
  const settings = parseToml(readFileSync(join(home, '.codex', 'config.toml'), 'utf8')) as {
    mcp_servers: { adjutant: { command: string; args: string[] } };
  };
  const { command, args } = settings.mcp_servers.adjutant;
  expect(
    execFileSync(command, [...args.filter((arg) => arg !== 'serve'), '--version'], { env, encoding: 'utf8' }),
  ).toBe(`${version}\n`);
}

function sizeOf(path: string): number {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

it('a fresh clone can be installed directly', { timeout: 240_000 }, async () => {
  const prefix = join(folder, 'from-clone');
  npm(clone(), 'install', '--global', '--prefix', prefix, '.');
  await expectToServe(join(prefix, 'bin', 'adjutant'));
});

it('a package from the clone is complete and has no dependencies', { timeout: 240_000 }, async () => {
  npm(cloned, 'pack', '--pack-destination', folder);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
  const prefix = join(folder, 'from-tarball');
  // With an empty cache and without the registry, nothing but the tarball can be installed.
  const emptyCache = join(folder, 'empty-cache');
  npm(
    folder,
    'install',
    '--global',
    '--prefix',
    prefix,
    '--cache',
    emptyCache,
    '--offline',
    join(folder, tarball),
  );
  const modules = join(prefix, 'lib', 'node_modules');
  expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['adjutant']);
  expect(readdirSync(join(modules, 'adjutant'))).not.toContain('node_modules');
  expect(sizeOf(modules)).toBeLessThan(9_500_000);
  expectToInstall(join(prefix, 'bin'));
  await expectToServe(join(prefix, 'bin', 'adjutant'));
  const launcher = join(modules, 'adjutant', 'dist', 'adjutant.cjs');
  expect(loadChunks(launcher)).toMatchObject({ status: 0, stderr: 'all loaded' });
  expect(chunksOf(launcher).length).toBeGreaterThan(10);
});
