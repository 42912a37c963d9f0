import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { variableName } from '../../src/setting.ts';
import { settings } from '../../src/settings.ts';
import { bundle } from '../program.ts';

// Docker is not needed: the test reads the instructions, and starts what the image would start.
const instructions = readFileSync('Dockerfile', 'utf8')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [, name, value] = /^([A-Z]+) +(.+)$/.exec(line)!;
    return { name: name!, value: value!.replaceAll(/\s+/g, ' ') };
  });
const lastStage = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
function valuesOf(name: string, stage = lastStage): readonly string[] {
  return stage.filter((one) => one.name === name).map(({ value }) => value);
}
function list(name: string): readonly string[] {
  return JSON.parse(valuesOf(name)[0]!) as string[];
}
const variables = Object.fromEntries(
  valuesOf('ENV').flatMap((value) => value.split(' ').map((pair) => pair.split('=') as [string, string])),
);

const folder = mkdtempSync(join(tmpdir(), 'adjutant-image-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('every stage starts from Node 24', () => {
  // A release adds the digest.
  const images = valuesOf('FROM', instructions).map((value) => value.split(/[ @]/)[0]);
  expect(images.length).toBe(2);
  expect(new Set(images)).toEqual(new Set(['node:24-bookworm-slim']));
});

it('the image runs as a user without privileges who owns the data folder', () => {
  expect(valuesOf('USER')).toEqual(['node']);
  const user = lastStage.findIndex(({ name }) => name === 'USER');
  expect(lastStage.slice(user).some(({ name }) => name === 'RUN' || name === 'COPY')).toBe(false);
  const home = variables['ADJUTANT_HOME']!;
  expect(valuesOf('VOLUME')).toEqual([home]);
  expect(valuesOf('RUN')).toEqual([expect.stringMatching(`--owner node .*--mode 700 ${home}$`)]);
});

it('the image contains only the installed package', () => {
  expect(valuesOf('COPY')).toEqual(['--from=build /opt/adjutant /opt/adjutant']);
  expect(valuesOf('ADD', instructions)).toEqual([]);
  const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['.git', '**/node_modules', 'dist']));
});

it('the image sets existing variables and exposes the default port', () => {
  const known = Object.keys(settings).map(variableName);
  const own = Object.keys(variables).filter((name) => name.startsWith('ADJUTANT_'));
  expect(own.filter((name) => !known.includes(name))).toEqual([]);
  expect(valuesOf('EXPOSE')).toEqual([String(settings['http.port'].default)]);
});

/** The command of the image, with the built program in place of the installed one. */
function command(...args: readonly string[]): readonly string[] {
  const [node, program, ...rest] = list('ENTRYPOINT');
  expect(node).toBe('node');
  const installed = '/opt/adjutant/lib/node_modules/adjutant/';
  expect(program!.startsWith(installed)).toBe(true);
  expect(existsSync(program!.slice(installed.length))).toBe(true);
  return [bundle, ...rest, ...args];
}
const env = {
  PATH: process.env['PATH'],
  HOME: folder,
  ADJUTANT_HOME: join(folder, 'data'),
  ADJUTANT_HTTP_TOKEN_FILE: join(folder, 'token'),
};

it('the image starts the worker, which needs no token', () => {
  execFileSync(process.execPath, command('worker', '--once'), { env, stdio: 'pipe' });
});

it('the image starts the server and ends it on SIGTERM', async () => {
  writeFileSync(env.ADJUTANT_HTTP_TOKEN_FILE, 'a-token-for-the-test-0123456789', { mode: 0o600 });
  // The later flags win, so the test listens on loopback only.
  const args = command(...list('CMD'), '--host', '127.0.0.1', '--port', '0', '--json');
  const server: ChildProcess = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(server, 'exit');
  try {
    let printed = '';
    for await (const chunk of server.stdout!) {
      printed += String(chunk);
      if (printed.endsWith('}\n')) break;
    }
    const { mcp } = JSON.parse(printed) as { mcp: string };
    expect(mcp).toContain('http://127.0.0.1:');
    const [node, ...check] = JSON.parse(valuesOf('HEALTHCHECK')[0]!.replace(/^.*?CMD /, ''));
    expect(node).toBe('node');
    const health = (port: string) =>
      spawnSync(process.execPath, check, { env: { ADJUTANT_HTTP_PORT: port } }).status;
    expect([health(new URL(mcp).port), health('1')]).toEqual([0, 1]);
  } finally {
    // Docker stops a container with this signal.
    server.kill('SIGTERM');
  }
  expect(await exited).toEqual([0, null]);
});
