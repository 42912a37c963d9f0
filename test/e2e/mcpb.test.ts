import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { componentFile } from '../components.ts';
import { initialize } from '../program.ts';
import { StdioPeer } from '../stdio-peer.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'adjutant-mcpb-')));
const unpacked = join(folder, 'unpacked');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function mcpb(...args: readonly string[]): string {
  const program = componentFile('@anthropic-ai/mcpb/dist/cli/cli.js');
  return execFileSync(process.execPath, [program, ...args], { encoding: 'utf8' });
}

interface Manifest {
  readonly manifest_version: string;
  readonly version: string;
  readonly server: {
    readonly entry_point: string;
    readonly mcp_config: { readonly command: string; readonly args: readonly string[] };
  };
}
let manifest: Manifest;
beforeAll(() => {
  const bundle = join(folder, 'adjutant.mcpb');
  execFileSync(process.execPath, ['scripts/mcpb.mjs', bundle], { stdio: 'pipe' });
  mcpb('unpack', bundle, unpacked);
  manifest = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8')) as Manifest;
});

it('the bundle has a valid manifest and contains the licences', () => {
  expect(mcpb('validate', join(unpacked, 'manifest.json'))).toContain('validation passes');
  const about = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(manifest).toMatchObject({ manifest_version: '0.3', version: about.version });
  expect(readFileSync(join(unpacked, 'dist', 'THIRD_PARTY_NOTICES'), 'utf8')).toContain('rrule-temporal');
  expect(readFileSync(join(unpacked, 'LICENSE'), 'utf8')).toContain('MIT License');
});

it('the bundle runs unpacked, started as its manifest says', async () => {
  const { command, args } = manifest.server.mcp_config;
  expect(command).toBe('node');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: A client replaces this text.
  const started = args.map((argument) => argument.replace('${__dirname}', unpacked));
  expect(started[0]).toBe(join(unpacked, manifest.server.entry_point));
  const home = join(folder, 'home');
  mkdirSync(home);
  await using peer = new StdioPeer(started, {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, ADJUTANT_HOME: home },
  });
  peer.send(initialize());
  expect(await peer.until(({ id }) => id === 0)).toMatchObject({
    result: { serverInfo: { name: 'adjutant', version: manifest.version } },
  });
  expect(await peer.request('tools/call', { name: 'list_runs', arguments: {} })).toMatchObject({
    result: { structuredContent: { runs: [] } },
  });
});
