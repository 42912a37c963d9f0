import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseEntry } from '../../src/cli/install/client-entry.ts';
import { readEntry } from '../../src/cli/install/client-file.ts';
import { clients } from '../../src/cli/install/clients.ts';
import { defersTools } from '../../src/cli/install/install.ts';
import { findPlaces } from '../../src/config.ts';
import { settings } from '../../src/settings.ts';
import { bundle } from '../program.ts';

const claude = clients.find(({ id }) => id === 'claude')!;

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-install-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function adjutant(...args: readonly string[]) {
  return start(bundle, ...args);
}

function start(script: string, ...args: readonly string[]): { code: number; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    env: { HOME: home, PATH: [join(home, 'bin'), process.env['PATH']].join(delimiter) },
    cwd: home,
    encoding: 'utf8',
  });
  return { code: status ?? -1, stdout, stderr };
}

describe('adjutant install', () => {
  it('shows the difference, keeps a backup and the other settings', () => {
    const file = join(home, '.gemini', 'settings.json');
    mkdirSync(join(home, '.gemini'));
    writeFileSync(file, '{\n  "theme": "x" // mine\n}\n');
    const { stdout } = adjutant('install', 'gemini');
    expect(stdout).toContain('+     "adjutant": {');
    expect(readFileSync(file, 'utf8')).toContain('"theme": "x"');
    expect(readFileSync(`${file}.before-adjutant`, 'utf8')).toBe('{\n  "theme": "x" // mine\n}\n');
    expect(adjutant('install', 'gemini').stdout).toContain('no changes needed');
  });

  it('changes nothing in a dry run', () => {
    expect(adjutant('install', 'claude', '--dry-run').stdout).toContain('+   "mcpServers": {');
    expect(existsSync(join(home, '.claude.json'))).toBe(false);
  });

  it('writes the configuration of the project with --project', () => {
    adjutant('install', 'vscode', '--project', '--quiet');
    const { servers } = JSON.parse(readFileSync(join(home, '.vscode', 'mcp.json'), 'utf8'));
    expect(servers.adjutant.args.at(-1)).toBe('serve');
  });

  it('writes the address and the token of the server with --http', () => {
    adjutant('install', 'codex', '--http', '--quiet');
    const token = readFileSync(join(home, '.local', 'state', 'adjutant', 'token'), 'utf8').trim();
    const text = readFileSync(join(home, '.codex', 'config.toml'), 'utf8');
    expect(text).toContain('url = "http://127.0.0.1:7323/mcp"');
    expect(text).toContain(`Bearer ${token}`);
  });

  it('rejects an invalid file, and suggests a similar client name', () => {
    writeFileSync(join(home, '.claude.json'), '{"mcpServers": ');
    const broken = adjutant('install', 'claude');
    expect(broken).toMatchObject({ code: 2 });
    expect(broken.stderr).toContain('Nothing was changed');
    expect(adjutant('install', 'claud').stderr).toContain('did you mean claude?');
  });

  it('does not change files that it cannot edit safely', () => {
    const file = join(home, '.claude.json');
    for (const [bytes, reason] of [
      ['[1]', /the file must hold an object; correct the file first/],
      ['{\n "a": 1\n "b": 2}', /\.claude\.json:3: comma expected; correct the file first/],
      ['{"mcpServers": ["x"]}', /"mcpServers" cannot be edited safely/],
      [Buffer.from([0x7b, 0xff, 0x7d]), /is not UTF-8 text/],
    ] as const) {
      writeFileSync(file, bytes);
      const { code, stdout, stderr } = adjutant('install', 'claude');
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(reason)]);
      expect(readFileSync(file)).toEqual(Buffer.from(bytes));
    }
    writeFileSync(file, '{}', { mode: 0o444 });
    chmodSync(file, 0o444);
    expect(adjutant('install', 'claude')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is read-only; make it writable first. Nothing was changed'),
    });
    expect(readFileSync(file, 'utf8')).toBe('{}');
    expect(existsSync(`${file}.before-adjutant`)).toBe(false);
    rmSync(file);
    symlinkSync(join(home, 'nowhere'), file);
    expect(adjutant('install', 'claude').stderr).toContain('is a broken link');
  });

  it('shows the difference before it writes', () => {
    const file = join(home, '.claude.json');
    writeFileSync(file, '{}');
    chmodSync(file, 0o444);
    // A dry run accepts a read-only file, because it does not write it.
    expect(adjutant('install', 'claude', '--dry-run').stdout).toContain('+     "adjutant": {');
    expect(JSON.parse(adjutant('install', 'claude', '--dry-run', '--json').stdout)).toMatchObject({
      client: 'claude',
      changed: true,
      difference: expect.stringContaining('"adjutant"'),
      backup: null,
      dry_run: true,
    });
  });

  it('changes the target of a link and keeps the link', () => {
    writeFileSync(join(home, 'dotfile'), '{}\n');
    symlinkSync(join(home, 'dotfile'), join(home, '.claude.json'));
    adjutant('install', 'claude', '--quiet');
    expect(readFileSync(join(home, 'dotfile'), 'utf8')).toContain('adjutant');
    adjutant('uninstall', 'claude', '--quiet');
    expect(readFileSync(join(home, 'dotfile'), 'utf8')).toBe('{}\n');
    expect(lstatSync(join(home, '.claude.json')).isSymbolicLink()).toBe(true);
  });

  it('uses the file that a client already has', () => {
    const file = join(home, '.config', 'opencode', 'opencode.jsonc');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '{\n  // mine\n  "theme": "x"\n}\n');
    adjutant('install', 'opencode', '--quiet');
    expect(readFileSync(file, 'utf8')).toMatch(/\/\/ mine.*"type": "local".*"serve"/s);
    const extension = join(home, '.config/Code/User/globalStorage/saoudrizwan.claude-dev');
    mkdirSync(extension, { recursive: true });
    adjutant('install', 'cline', '--quiet');
    expect(readFileSync(join(extension, 'settings', 'cline_mcp_settings.json'), 'utf8')).toContain(
      'adjutant',
    );
  });

  it.each([
    ['2.1.68 (Claude Code)', []],
    ['2.1.69 (Claude Code)', ['--toolsets', 'all']],
    ['10.0.1', ['--toolsets', 'all']],
    ['unknown', []],
  ])('lists all tools for a Claude Code that searches for them: %s', (version, expected) => {
    const bin = join(home, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'claude'), `#!/bin/sh\necho "${version}"\n`, { mode: 0o755 });
    expect(defersTools(claude, { PATH: bin })).toBe(expected.length > 0);
    expect(defersTools(claude, { PATH: home })).toBe(false);
    const other = { PATH: bin, ANTHROPIC_BASE_URL: 'http://gateway.example.org' };
    expect(defersTools(claude, other)).toBe(version === '10.0.1');
    adjutant('install', 'claude', '--quiet');
    const { args } = JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8')).mcpServers.adjutant;
    // Older servers have no such setting, and would not start with its flag.
    expect(args.slice(args.indexOf('serve') + 1)).toEqual('toolsets' in settings ? expected : []);
  });

  it('refuses what a client does not support', () => {
    expect(adjutant('install', 'windsurf', '--project')).toMatchObject({
      code: 2,
      stderr: 'adjutant: Windsurf has no configuration in a project; leave out --project\n',
    });
    expect(adjutant('install', 'claude-desktop', '--http')).toMatchObject({
      code: 2,
      stderr: 'adjutant: Claude Desktop can only start a server itself; leave out --http\n',
    });
    expect(adjutant('install', 'opncode').stderr).toContain('did you mean opencode?');
    expect(readdirSync(home)).toEqual([]);
  });

  it('reports a broken YAML file with its line and leaves it unchanged', () => {
    const file = join(home, '.config', 'goose', 'config.yaml');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'a: 1\nb: [1\nc: 2\n');
    const { code, stderr } = adjutant('install', 'goose');
    expect(code).toBe(2);
    expect(stderr).toMatch(/config\.yaml:\d: .*; correct the file first. Nothing was changed/);
    expect(readFileSync(file, 'utf8')).toBe('a: 1\nb: [1\nc: 2\n');
  });

  it('warns if the file with the token is part of a project', () => {
    const { stderr } = adjutant('install', 'cursor', '--http', '--project');
    expect(stderr).toContain('contains the token of the server. Do not share or commit it.');
  });
});

describe('adjutant install of a program on the PATH', () => {
  const shortPath = '/usr/bin:/bin:/usr/sbin:/sbin';
  const bin = () => join(home, 'bin');
  const script = () => join(bin(), 'adjutant');
  beforeEach(() => {
    mkdirSync(bin());
    symlinkSync(bundle, script());
    symlinkSync(process.execPath, join(bin(), 'node'));
  });

  const entryOf = (id: string) => {
    const client = clients.find((one) => one.id === id)!;
    const file = client.file(findPlaces({ HOME: home }), process.platform);
    return readEntry(readFileSync(file, 'utf8'), file, client).then((entry) => parseEntry(entry!));
  };

  it.each(['claude', 'codex', 'gemini', 'opencode'])('names it for %s, which runs in a shell', async (id) => {
    start(script(), 'install', id, '--quiet');
    expect(await entryOf(id)).toMatchObject({ command: 'adjutant', args: expect.arrayContaining(['serve']) });
  });

  const withWindows = ['claude-desktop', 'cursor', 'vscode', 'windsurf', 'cline', 'goose', 'zed'];

  it('writes paths that work with the PATH of a desktop, also after an upgrade', async () => {
    for (const id of withWindows) {
      start(script(), 'install', id, '--quiet');
      expect([id, await entryOf(id)]).toMatchObject([
        id,
        { command: join(bin(), 'node'), args: [script(), 'serve'] },
      ]);
    }
    const reaching = () =>
      (
        JSON.parse(adjutant('doctor', '--json').stdout) as { findings: { client?: string; state: string }[] }
      ).findings.flatMap(({ client, state }) => (client !== undefined && state === 'good' ? [client] : []));
    expect(reaching()).toEqual(withWindows);
    // An upgrade keeps the name in bin and changes its target.
    const next = join(home, 'next', 'dist');
    cpSync(dirname(bundle), next, { recursive: true });
    rmSync(script());
    symlinkSync(join(next, 'adjutant.cjs'), script());
    expect(reaching()).toEqual(withWindows);
  });

  it('does not write a path that ends with the shell, as that of fnm', async () => {
    const shell = join(home, 'run', 'fnm_multishells', '1234_5678');
    mkdirSync(dirname(shell), { recursive: true });
    symlinkSync(home, shell);
    const { status } = spawnSync(process.execPath, [join(shell, 'bin', 'adjutant'), 'install', 'cursor'], {
      env: { HOME: home, PATH: `${join(shell, 'bin')}:${shortPath}` },
      cwd: home,
    });
    expect(status).toBe(0);
    rmSync(shell);
    expect(await entryOf('cursor')).toMatchObject({
      command: process.execPath,
      args: [realpathSync(bundle), 'serve'],
    });
  });

  it('refuses to write the path of a copy that npx may delete', () => {
    const npx = join(home, '.npm', '_npx', '1a2b', 'node_modules', '.bin');
    mkdirSync(npx, { recursive: true });
    symlinkSync(bundle, join(npx, 'adjutant'));
    for (const id of ['cursor', 'codex'])
      expect(start(join(npx, 'adjutant'), 'install', id)).toEqual({
        code: 2,
        stdout: '',
        stderr: `adjutant: npx runs a copy that can be deleted at any time; run "npm install -g adjutant", then "adjutant install ${id}"\n`,
      });
    expect(start(join(npx, 'adjutant'), 'install', 'codex', '--http').code).toBe(0);
  });

  it('warns that a project file contains paths of this machine', () => {
    expect(start(script(), 'install', 'cursor', '--project').stderr).toContain(
      'contains paths of this machine. Do not share or commit it.',
    );
    expect(start(script(), 'install', 'claude', '--project').stderr).toBe('');
  });
});

describe('adjutant uninstall', () => {
  const files: Readonly<Record<string, string>> = {
    codex: '.codex/config.toml',
    claude: '.claude.json',
    cursor: '.cursor/mcp.json',
    vscode: '.config/Code/User/mcp.json',
    gemini: '.gemini/settings.json',
    zed: '.config/zed/settings.json',
    'claude-desktop': '.config/Claude/claude_desktop_config.json',
    copilot: '.copilot/mcp-config.json',
    qwen: '.qwen/settings.json',
    opencode: '.config/opencode/opencode.json',
    windsurf: '.codeium/windsurf/mcp_config.json',
    cline: '.cline/data/settings/cline_mcp_settings.json',
    goose: '.config/goose/config.yaml',
  };
  const texts = {
    toml: [
      '',
      '\n\n',
      'a = 1',
      '\uFEFFa = 1\r\n',
      '[mcp_servers]\n',
      '# only a comment',
      '[x]\ny = 1\n\n\n\n',
    ],
    yaml: [
      '',
      '# only a comment',
      'GOOSE_MODEL: m\r\nextensions:\r\n    developer:\r\n        type: builtin # mine\r\n',
      'extensions: {}\n',
      'extensions:\nGOOSE_MODEL: m\n',
      'extensions:\n  x: &x\n    cmd: y\n  # and\n  z: *x\n\n# last',
    ],
    json: [
      '',
      '  \n',
      '{}',
      '{ }\n',
      '\uFEFF{\r\n\t"a": 1\r\n}\r\n',
      '{"KEY": {}}',
      '{"KEY":{"x":{"command":"y"}},"z":[1,2]}',
      '// first\n{\n  "a": 1, // of a\n  /* of b */ "b": {"c": 2,}, // trailing\n}\n// last',
      '{ // nothing yet\n}',
      '{\n  "KEY": {\n    // none yet\n  }\n}\n',
    ],
  };
  const keys: Readonly<Record<string, string>> = {
    vscode: 'servers',
    zed: 'context_servers',
    opencode: 'mcp',
  };

  it.each(Object.entries(files))('restores the file of %s exactly', (client, name) => {
    const file = join(home, name);
    mkdirSync(dirname(file), { recursive: true });
    const format = client === 'codex' ? 'toml' : client === 'goose' ? 'yaml' : 'json';
    const all = texts[format];
    // The JSON clients differ only in names, so all texts are tested with one of them.
    for (const pattern of format !== 'json' || client === 'cursor' ? all : all.slice(-3)) {
      const text = pattern.replaceAll('KEY', keys[client] ?? 'mcpServers');
      writeFileSync(file, text);
      // Install twice, the second time with another entry: the first backup must survive.
      expect([text, adjutant('install', client, '--quiet')]).toEqual([
        text,
        { code: 0, stdout: '', stderr: '' },
      ]);
      adjutant('install', client, '--home', join(home, 'other'), '--quiet');
      expect(readFileSync(file, 'utf8')).toContain('other');
      expect(adjutant('uninstall', client, '--quiet').code).toBe(0);
      expect(readFileSync(file, 'utf8')).toBe(text);
      expect(readdirSync(dirname(file)).filter((one) => one.includes('adjutant'))).toEqual([]);
    }
  });

  it.each(Object.entries(files))('removes the file of %s if there was none before', (client, name) => {
    adjutant('install', client, '--quiet');
    const { stdout } = adjutant('uninstall', client);
    expect(stdout).toContain('adjutant');
    expect(existsSync(join(home, name))).toBe(false);
  });

  it.each([
    undefined,
    '',
    '{}',
    '{"model":"opus"}\r\n',
    '{\n\t"hooks": {} // none yet\n}\n',
    '\uFEFF{\n  "hooks": {\n    "Stop": [{ "hooks": [{ "type": "command", "command": "beep" }] }], // mine\n  },\n}\n',
    '{\n  "hooks": {\n    "UserPromptSubmit": [\n      { "hooks": [{ "type": "command", "command": "date" }] }\n    ]\n  }\n}',
  ])('adds a hook to settings and removes it to the byte: %j', (text) => {
    const file = join(home, '.claude', 'settings.json');
    mkdirSync(dirname(file));
    if (text !== undefined) writeFileSync(file, text);
    expect(adjutant('install', 'claude', '--with-hook', '--quiet').code).toBe(0);
    expect(readFileSync(file, 'utf8')).toMatch(/"command": ".*prompts hook"/);
    adjutant('install', 'claude', '--with-hook', '--home', join(home, 'other'), '--quiet');
    expect(readFileSync(file, 'utf8').match(/prompts hook/g)).toHaveLength(1);
    expect(adjutant('uninstall', 'claude', '--quiet').code).toBe(0);
    expect(existsSync(file) ? readFileSync(file, 'utf8') : undefined).toBe(text);
    expect(readdirSync(dirname(file)).filter((one) => one.includes('adjutant'))).toEqual([]);
  });

  it('removes only its own hook from settings that have changed since, and leaves invalid ones alone', () => {
    const file = join(home, '.claude', 'settings.json');
    mkdirSync(dirname(file));
    writeFileSync(file, '{\n  "model": "opus"\n}\n');
    adjutant('install', 'claude', '--with-hook', '--quiet');
    writeFileSync(file, readFileSync(file, 'utf8').replace('opus', 'sonnet'));
    adjutant('uninstall', 'claude', '--quiet');
    expect(readFileSync(file, 'utf8')).toBe('{\n  "model": "sonnet"\n}\n');
    writeFileSync(file, '{ broken');
    expect(adjutant('install', 'claude', '--with-hook')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('correct the file first'),
    });
    expect(existsSync(join(home, '.claude.json'))).toBe(false);
    expect(adjutant('install', 'codex', '--with-hook').stderr).toContain('--with-hook works with claude');
  });

  it('removes only its own entry from a file that has changed since', () => {
    const file = join(home, '.cursor', 'mcp.json');
    mkdirSync(dirname(file));
    writeFileSync(file, '{\n  "a": 1\n}\n');
    adjutant('install', 'cursor', '--quiet');
    const installed = readFileSync(file, 'utf8');
    writeFileSync(file, installed.replace('"a": 1', '"a": 2 /* mine */'));
    adjutant('uninstall', 'cursor', '--quiet');
    expect(readFileSync(file, 'utf8')).toBe('{\n  "a": 2 /* mine */\n}\n');
    expect(adjutant('uninstall', 'cursor').stdout).toContain('no changes needed');
  });
});

describe('adjutant doctor', () => {
  it('reports whether each installed client reaches the server', () => {
    for (const client of ['claude', 'opencode', 'goose']) adjutant('install', client, '--quiet');
    mkdirSync(join(home, '.cursor'));
    writeFileSync(
      join(home, '.cursor', 'mcp.json'),
      '{"mcpServers":{"adjutant":{"command":"/nowhere/adjutant","args":["serve"]}}}',
    );
    const { code, stdout } = adjutant('doctor', '--json');
    const { findings } = JSON.parse(stdout) as {
      findings: { title: string; state: string; remedy?: string }[];
    };
    const findingFor = (title: string) => findings.find((finding) => finding.title === title);
    for (const title of ['Claude Code', 'opencode', 'Goose'])
      expect(findingFor(title)).toMatchObject({ state: 'good' });
    expect(findingFor('Cursor')).toMatchObject({
      state: 'bad',
      detail: '/nowhere/adjutant does not exist',
      remedy: expect.stringContaining('run adjutant install cursor again'),
    });
    expect(findingFor('Node')).toMatchObject({ state: 'good' });
    expect(code).toBe(1);
  });

  it('starts the entries of clients with windows with a short PATH, and says why one does not start', () => {
    mkdirSync(join(home, 'bin'));
    symlinkSync(bundle, join(home, 'bin', 'adjutant'));
    symlinkSync(process.execPath, join(home, 'bin', 'node'));
    const entries = {
      '.cursor/mcp.json': { mcpServers: { adjutant: { command: 'adjutant', args: ['serve'] } } },
      '.config/zed/settings.json': {
        context_servers: { adjutant: { command: join(home, 'bin', 'adjutant'), args: ['serve'] } },
      },
      '.config/Code/User/mcp.json': {
        servers: {
          adjutant: { command: 'adjutant', args: ['serve'], env: { PATH: join(home, 'bin') } },
        },
      },
      '.gemini/settings.json': { mcpServers: { adjutant: { command: 'adjutant', args: ['serve'] } } },
    };
    for (const [name, entry] of Object.entries(entries)) {
      mkdirSync(dirname(join(home, name)), { recursive: true });
      writeFileSync(join(home, name), JSON.stringify(entry));
    }
    const { findings } = JSON.parse(adjutant('doctor', '--json').stdout) as {
      findings: { client?: string }[];
    };
    const findingFor = (id: string) => findings.find(({ client }) => client === id);
    expect(findingFor('cursor')).toMatchObject({
      state: 'bad',
      detail: 'adjutant is not on the PATH of programs with windows (/usr/bin:/bin:/usr/sbin:/sbin)',
      remedy: 'run adjutant install cursor again, which writes the full paths',
    });
    // The script is found, but not the Node that its first line names.
    expect(findingFor('zed')).toMatchObject({
      state: 'bad',
      detail: expect.stringMatching(/^the command in its configuration fails: .*node.*$/),
      remedy: 'run adjutant install zed again, which writes the full paths',
    });
    for (const id of ['vscode', 'gemini']) expect(findingFor(id)).toMatchObject({ state: 'good' });
  });

  it('checks the configured services, prints no secret and creates no files', () => {
    writeFileSync(
      join(home, 'adjutant.toml'),
      '[assistant]\ndatabase_url = "postgres://me:hunter2@127.0.0.1:1/calendar"\n[delivery]\nsmtp_url = "smtp://me:hunter2@127.0.0.1:1"\n',
    );
    const { code, stdout, stderr } = adjutant('doctor', '--home', home);
    expect(code).toBe(1);
    expect(stdout).toContain(
      '✗ Database: The database postgres://me:(secret)@127.0.0.1:1/calendar cannot be',
    );
    expect(stdout).toContain('✗ Mail server: 127.0.0.1:1 refuses the connection');
    expect(stdout + stderr).not.toContain('hunter2');
    expect(readdirSync(home)).toEqual(['adjutant.toml']);
  });

  it('reports a broken prompt with its file and line', () => {
    const folder = join(home, '.local', 'share', 'adjutant', 'commands');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'broken.md'), 'no front matter\n');
    expect(adjutant('doctor').stdout).toMatch(/✗ Prompts and data: .*broken\.md:1: /);
  });
});
