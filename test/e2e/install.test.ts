import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundle } from '../program.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-install-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function adjutant(...args: readonly string[]): { code: number; stdout: string; stderr: string } {
  try {
    const stdout = execFileSync(process.execPath, [bundle, ...args], {
      env: { HOME: home, PATH: process.env['PATH'] ?? '' },
      cwd: home,
      encoding: 'utf8',
      stdio: 'pipe',
    });
    return { code: 0, stdout, stderr: '' };
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string };
    return { code: status, stdout, stderr };
  }
}

describe('adjutant install', () => {
  it('shows the difference, keeps a backup and the rest of the file', () => {
    const file = join(home, '.gemini', 'settings.json');
    mkdirSync(join(home, '.gemini'));
    writeFileSync(file, '{\n  "theme": "x" // mine\n}\n');
    const { stdout } = adjutant('install', 'gemini');
    expect(stdout).toContain('+     "adjutant": {');
    expect(readFileSync(file, 'utf8')).toContain('"theme": "x"');
    expect(readFileSync(`${file}.before-adjutant`, 'utf8')).toBe('{\n  "theme": "x" // mine\n}\n');
    expect(adjutant('install', 'gemini').stdout).toContain('nothing to change');
  });

  it('changes nothing in a dry run', () => {
    expect(adjutant('install', 'claude', '--dry-run').stdout).toContain('+   "mcpServers": {');
    expect(existsSync(join(home, '.claude.json'))).toBe(false);
  });

  it('writes the project’s configuration when told to', () => {
    adjutant('install', 'vscode', '--project', '--quiet');
    const { servers } = JSON.parse(readFileSync(join(home, '.vscode', 'mcp.json'), 'utf8'));
    expect(servers.adjutant.args.at(-1)).toBe('serve');
  });

  it('gives HTTP clients the address and the token of the server', () => {
    adjutant('install', 'codex', '--http', '--quiet');
    const token = readFileSync(join(home, '.local', 'state', 'adjutant', 'token'), 'utf8').trim();
    const text = readFileSync(join(home, '.codex', 'config.toml'), 'utf8');
    expect(text).toContain('url = "http://127.0.0.1:7323/mcp"');
    expect(text).toContain(`Bearer ${token}`);
  });

  it('refuses what it cannot read, and names the nearest client', () => {
    writeFileSync(join(home, '.claude.json'), '{"mcpServers": ');
    const broken = adjutant('install', 'claude');
    expect(broken).toMatchObject({ code: 2 });
    expect(broken.stderr).toContain('nothing was changed');
    expect(adjutant('install', 'claud').stderr).toContain('did you mean claude?');
  });

  it('is undone by uninstall', () => {
    adjutant('install', 'cursor', '--quiet');
    expect(adjutant('uninstall', 'cursor').stdout).toContain('-     "adjutant": {');
    expect(JSON.parse(readFileSync(join(home, '.cursor', 'mcp.json'), 'utf8'))).toEqual({});
  });
});

describe('adjutant doctor', () => {
  it('finds that an installed client reaches the server and one with a wrong command does not', () => {
    adjutant('install', 'claude', '--quiet');
    mkdirSync(join(home, '.cursor'));
    writeFileSync(
      join(home, '.cursor', 'mcp.json'),
      '{"mcpServers":{"adjutant":{"command":"/nowhere/adjutant","args":["serve"]}}}',
    );
    const { code, stdout } = adjutant('doctor', '--json');
    const { findings } = JSON.parse(stdout) as {
      findings: { title: string; state: string; remedy?: string }[];
    };
    const of = (title: string) => findings.find((finding) => finding.title === title);
    expect(of('Claude Code')).toMatchObject({ state: 'good' });
    expect(of('Cursor')).toMatchObject({ state: 'bad', remedy: 'run adjutant install cursor again' });
    expect(of('Node')).toMatchObject({ state: 'good' });
    expect(code).toBe(1);
  });

  it('looks at what is configured, tells no secret and leaves nothing behind', () => {
    writeFileSync(
      join(home, 'adjutant.toml'),
      '[assistant]\ndatabase_url = "postgres://me:hunter2@127.0.0.1:1/diary"\n[delivery]\nsmtp_url = "smtp://me:hunter2@127.0.0.1:1"\n',
    );
    const { code, stdout, stderr } = adjutant('doctor', '--home', home);
    expect(code).toBe(1);
    expect(stdout).toContain('✗ Database: The database postgres://me:(secret)@127.0.0.1:1/diary cannot be');
    expect(stdout).toContain('✗ Mail server: 127.0.0.1:1 refuses the connection');
    expect(stdout + stderr).not.toContain('hunter2');
    expect(readdirSync(home)).toEqual(['adjutant.toml']);
  });

  it('tells of a broken prompt with its file and line', () => {
    const folder = join(home, '.local', 'share', 'adjutant', 'commands');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'broken.md'), 'no front matter\n');
    expect(adjutant('doctor').stdout).toMatch(/✗ Prompts and data: .*broken\.md:1: /);
  });
});
