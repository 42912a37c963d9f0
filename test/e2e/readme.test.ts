import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** Every line of the shell blocks of the README, in order. */
const commands = [...readFileSync('README.md', 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(
  ([, block]) => block!.trim().split('\n'),
);

/** As the person's own npm has it: the one of a script's Node may look elsewhere. */
function npmSetting(name: string): string {
  const path = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((entry) => !entry.includes('node_modules'));
  const env = { ...process.env, PATH: path.join(delimiter) };
  return (
    process.env[`npm_config_${name}`] ??
    execFileSync('npm', ['config', 'get', name], { encoding: 'utf8', env }).trim()
  );
}

let folder: string;
let clone: string;
let env: Record<string, string>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-readme-'));
  clone = join(folder, 'adjutant');
  execFileSync('git', ['clone', '--quiet', '.', clone]);
  const prefix = join(folder, 'global');
  mkdirSync(join(folder, 'home'));
  env = {
    HOME: join(folder, 'home'),
    // What is installed globally comes first, then a Node of the right age, then the system.
    PATH: [join(prefix, 'bin'), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    npm_config_prefix: prefix,
    // Where packages come from is a matter of the machine.
    npm_config_userconfig: npmSetting('userconfig'),
    npm_config_globalconfig: npmSetting('globalconfig'),
    npm_config_cache: npmSetting('cache'),
  };
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], { cwd: clone, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('close', (code) => resolve({ code, output }));
  });
}

describe('a fresh clone, as the README says', () => {
  it('starts with npm start and shows its page', async () => {
    const child = spawn('npm', ['start'], {
      cwd: clone,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let printed = '';
    const address = await new Promise<string>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk) => {
          printed += chunk;
          const found = /Page: (http:\S+)#token=\S+/.exec(printed)?.[1];
          if (found) resolve(found);
        });
      }
      child.on('close', () => reject(new Error(printed)));
    });
    expect(await (await fetch(address)).text()).toContain('<title>Adjutant</title>');
    process.kill(-child.pid!, 'SIGTERM');
    await new Promise((resolve) => child.once('close', resolve));
  }, 240_000);

  it.each(commands.filter((command) => !/^npm (start|test)$/.test(command)))(
    '%s',
    async (command) => {
      const { code, output } = await run(command);
      // Doctor tells by its code that something is missing, which on a bare machine it may.
      if (command === 'adjutant doctor') expect(output).toContain('✓ Node');
      else expect(code, output).toBe(0);
    },
    120_000,
  );

  it('has every page that the README names', () => {
    const pages = [...readFileSync('README.md', 'utf8').matchAll(/\]\(([^)#:]+)\)/g)].map(
      ([, page]) => page!,
    );
    expect(pages.filter((page) => !existsSync(page))).toEqual([]);
    expect(readdirSync('docs').filter((file) => file.endsWith('.md')).length).toBeGreaterThan(5);
  });
});
