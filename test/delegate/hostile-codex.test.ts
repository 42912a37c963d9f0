import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, script } from '../model/turn.ts';
import { eventually } from './eventually.ts';
import { Traps, writeTree } from './hostile.ts';
import { gitIn } from './project.ts';
import { type Connection, createWorkbench, nativeCodex, type Workbench } from './workbench.ts';

/** Tests with the real Codex in a repository that tries to run programs, with secrets in the server's environment. */
let model: Model;
let bench: Workbench;
let traps: Traps;
let server: Connection;
const configFile = () => join(bench.codexHome, 'config.toml');
beforeAll(async () => {
  model = await startResponsesModel();
  bench = createWorkbench(model.config);
  traps = new Traps(bench);
  Object.assign(bench.env, {
    ADJUTANT_DELIVERY_SMTP_URL: 'smtp://me:hunter2hunter2@127.0.0.1:2525',
    ADJUTANT_DELIVERY_WEBHOOK_SECRET: 'webhook-secret-1',
    DATABASE_URL: join(bench.folder, 'server-database.db'),
    TWIG_DATA_DIR: '/twig-folder',
    JAVA_HOME: '/opt/java-for-builds',
    SOME_API_KEY: 'a-key-of-the-user',
  });
  writeTree(bench.project, {
    '.codex/config.toml': `[mcp_servers.trap]\ncommand = "sh"\nargs = ["-c", "${traps.command('server')}"]\n`,
    'AGENTS.md': 'Indent with three spaces.\n',
    'shop/AGENTS.md': 'Prices are in pounds.\n',
    'shop/AGENTS.override.md': 'Prices are in pence.\n',
  });
  gitIn(bench, 'add', '.');
  gitIn(bench, 'commit', '-qm', 'start');
  server = await bench.connect({
    'delegate-command': await nativeCodex(),
    'delegate-danger-folders': bench.folder,
  });
});
beforeEach(() => {
  traps.reset();
  writeFileSync(configFile(), model.config);
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await model.close();
});

const lastSent = () => JSON.stringify(model.requests.at(-1)?.body);

describe('codex in a hostile repository', () => {
  it.each(['read-only', 'workspace-write', 'danger-full-access'])(
    'starts no MCP server of the repository and does not mark it as trusted: %s',
    async (sandbox) => {
      const { record } = await server.call('delegate_run', { task: 'Look.', cwd: bench.project, sandbox });
      expect(record).toMatchObject({ status: 'completed', error: null });
      expect(traps.sprung).toEqual([]);
      expect(readFileSync(configFile(), 'utf8')).toBe(model.config);
      expect(lastSent()).toContain('Indent with three spaces.');
    },
  );

  it('starts no MCP server in a linked folder, and reads the AGENTS.md files from the root down', async () => {
    symlinkSync(join(bench.project, 'shop'), join(bench.folder, 'link'));
    const { record } = await server.call('delegate_run', {
      task: 'Look.',
      cwd: join(bench.folder, 'link'),
      sandbox: 'workspace-write',
      // Codex searches the parents of the link for a repository.
      skip_git_repo_check: true,
    });
    expect(record.status).toBe('completed');
    expect(traps.sprung).toEqual([]);
    expect(readFileSync(configFile(), 'utf8')).toBe(model.config);
    const sent = lastSent();
    expect(sent.indexOf('Indent with three spaces.')).toBeGreaterThan(0);
    expect(sent.indexOf('Prices are in pence.')).toBeGreaterThan(sent.indexOf('Indent with three spaces.'));
    expect(sent).not.toContain('Prices are in pounds.');
  });

  it('starts the MCP servers of a trusted repository, and sends its AGENTS.md once', async () => {
    appendFileSync(configFile(), `[projects.${JSON.stringify(bench.project)}]\ntrust_level = "trusted"\n`);
    await server.call('delegate_run', { task: 'Look.', cwd: bench.project, sandbox: 'workspace-write' });
    expect(traps.sprung).toEqual(['server']);
    expect(lastSent().split('Indent with three spaces.')).toHaveLength(2);
  });

  it('trusts a real worktree of a trusted repository, but not a folder with a forged .git file', async () => {
    const trusted = `${model.config}[projects.${JSON.stringify(bench.project)}]\ntrust_level = "trusted"\n`;
    writeFileSync(configFile(), trusted);
    const [real, forged] = [join(bench.folder, 'tree'), join(bench.folder, 'forged')];
    gitIn(bench, 'worktree', 'add', '-q', real);
    writeTree(forged, {
      '.git': readFileSync(join(real, '.git'), 'utf8'),
      '.codex/config.toml': readFileSync(join(bench.project, '.codex/config.toml'), 'utf8'),
    });
    const run = (cwd: string) =>
      server.call('delegate_run', { task: 'Look.', cwd, sandbox: 'workspace-write' });
    expect((await run(forged)).record.status).toBe('completed');
    expect(traps.sprung).toEqual([]);
    expect(readFileSync(configFile(), 'utf8')).toBe(trusted);
    await run(real);
    expect(traps.sprung).toEqual(['server']);
  });

  it('ignores the AGENTS.md of an untrusted repository', async () => {
    appendFileSync(configFile(), `[projects.${JSON.stringify(bench.project)}]\ntrust_level = "untrusted"\n`);
    await server.call('delegate_run', { task: 'Look.', cwd: bench.project });
    expect(lastSent()).not.toContain('Indent with three spaces.');
  });
});

const shellOutput = () => {
  const input = model.requests.at(-1)?.body['input'] as { type: string; output?: unknown }[];
  return JSON.stringify(input.findLast(({ type }) => type === 'function_call_output')?.output);
};

describe('the environment of an agent', () => {
  it("keeps variables of toolchains and removes Adjutant's own", async () => {
    await server.call('delegate_run', {
      task: script({ shell: 'env' }, answer()),
      cwd: bench.project,
      sandbox: 'danger-full-access',
    });
    expect(shellOutput()).toContain('JAVA_HOME=/opt/java-for-builds');
    expect(shellOutput()).toContain(`CODEX_HOME=${bench.codexHome}`);
    expect(shellOutput()).not.toMatch(/ADJUTANT_|hunter2|webhook-secret|server-database|TWIG_DATA_DIR/);
  });

  it('hides API keys from sandboxed commands', async () => {
    await server.call('delegate_run', { task: script({ shell: 'env' }, answer()), cwd: bench.project });
    expect(shellOutput()).toContain('JAVA_HOME=/opt/java-for-builds');
    expect(shellOutput()).not.toContain('a-key-of-the-user');
  });
});

it("a sandbox that hides Adjutant's own files creates none of them", async () => {
  const token = join(bench.home, 'token');
  writeTree('/', { [token]: 'a-token' });
  await server.call('delegate_run', { task: script({ shell: 'true' }, answer()), cwd: bench.project });
  rmSync(token);
  expect(existsSync(join(bench.home, 'outbox'))).toBe(false);
});

describe("Adjutant's own files", () => {
  const files = () => [
    join(bench.home, 'token'),
    bench.env['DATABASE_URL']!,
    `${bench.env['DATABASE_URL']}-wal`,
    join(bench.home, 'outbox', 'mail.eml'),
    join(bench.home, 'adjutant.toml'),
  ];
  const content = 'content-of-a-private-file';
  beforeAll(() => {
    writeTree('/', Object.fromEntries(files().map((file) => [file, `# ${content}\n`])));
  });
  afterAll(() => {
    for (const file of files()) rmSync(file);
  });

  it.each(['read-only', 'workspace-write'])('cannot be read or written by a command: %s', async (sandbox) => {
    const command = files()
      .map((file) => `cat ${file}; echo x >> ${file}`)
      .join('; ');
    const { record } = await server.call('delegate_run', {
      task: script({ shell: `${command}; cat README.md; touch made; true` }, answer()),
      cwd: bench.project,
      sandbox,
    });
    expect(record).toMatchObject({ status: 'completed', error: null, warnings: [] });
    expect(shellOutput()).not.toContain(content);
    expect(shellOutput()).toContain('# A project');
    expect(existsSync(join(bench.project, 'made'))).toBe(sandbox === 'workspace-write');
    for (const file of files()) expect(readFileSync(file, 'utf8')).toBe(`# ${content}\n`);
  });

  it('cannot be read by a command if they are created during the run', async () => {
    const [waiting, go] = ['waiting', 'go'].map((name) => join(bench.folder, name));
    const late = ['token', 'tokens/one.json', 'calendar.sqlite-wal'].map((name) =>
      join(bench.home, 'late', name),
    );
    const own = await bench.connect({
      'delegate-command': await nativeCodex(),
      home: join(bench.home, 'late'),
    });
    const wait = `touch ${waiting}; until [ -e ${go} ]; do sleep 0.05; done`;
    const call = own.call('delegate_run', {
      task: script({ shell: `${wait}; cat ${late.join(' ')}; cat README.md` }, answer()),
      cwd: bench.project,
      sandbox: 'workspace-write',
    });
    await eventually(() => expect(existsSync(waiting!)).toBe(true));
    const before = readdirSync(join(bench.home, 'late'));
    expect(before).not.toContain('token');
    writeTree('/', Object.fromEntries(late.map((file) => [file, content])));
    writeFileSync(go!, '');
    expect((await call).record).toMatchObject({ status: 'completed', error: null, warnings: [] });
    expect(shellOutput()).toContain('# A project');
    expect(shellOutput()).not.toContain(content);
    rmSync(join(bench.home, 'late'), { recursive: true });
  });

  it('are redacted wherever they appear', async () => {
    const token = 'the-token-of-this-installation';
    writeFileSync(join(bench.home, 'token'), `${token}\n`);
    const other = await bench.connect({
      'delegate-command': await nativeCodex(),
      'delegate-danger-folders': bench.folder,
    });
    const { record, text } = await other.call('delegate_run', {
      task: script({ shell: `cat ${join(bench.home, 'token')}` }, answer({ summary: `It is ${token}.` })),
      cwd: bench.project,
      sandbox: 'danger-full-access',
    });
    expect(record).toMatchObject({ status: 'completed', summary: 'It is [redacted].' });
    expect(text).not.toContain(token);
    for (const name of readdirSync(record.run_dir))
      expect(readFileSync(join(record.run_dir, name), 'utf8'), name).not.toContain(token);
  });
});

describe("the user's MCP servers", () => {
  const entry = (name: string) =>
    `[mcp_servers.${name}]\ncommand = "sh"\nargs = ["-c", "${traps.command(name)}"]\n`;

  it('are not started by read-only runs, unless the settings name them', async () => {
    appendFileSync(configFile(), entry('files') + entry('docs'));
    const run = (client: Connection, sandbox: string) =>
      client.call('delegate_run', { task: 'Look.', cwd: bench.project, sandbox });
    await run(server, 'read-only');
    expect(traps.sprung).toEqual([]);
    const other = await bench.connect({
      'delegate-command': await nativeCodex(),
      'delegate-read-only-servers': 'docs',
    });
    await run(other, 'read-only');
    expect(traps.sprung).toEqual(['docs']);
    await run(server, 'workspace-write');
    expect(traps.sprung).toEqual(['docs', 'files']);
  });
});

describe('delegate.trusted_folders', () => {
  it('applies the settings of the repository, without a change of the Codex settings', async () => {
    const other = await bench.connect({
      'delegate-command': await nativeCodex(),
      'delegate-trusted-folders': bench.project,
    });
    await other.call('delegate_run', { task: 'Look.', cwd: bench.project, sandbox: 'workspace-write' });
    expect(traps.sprung).toEqual(['server']);
    expect(lastSent().split('Indent with three spaces.')).toHaveLength(2);
    expect(readFileSync(configFile(), 'utf8')).toBe(model.config);
  });
});

describe('a file that blocks the agent', () => {
  it.each(['.codex/config.toml', '.git/config', '.git/HEAD'])('is refused at once: %s', async (name) => {
    const cwd = join(bench.folder, `blocked-${name.replaceAll('/', '-')}`);
    writeTree(cwd, { 'shop/README.md': '# A shop\n' });
    execFileSync('mkdir', ['-p', dirname(join(cwd, name))]);
    execFileSync('mkfifo', [join(cwd, name)]);
    const { record } = await server.call('delegate_run', { task: 'Look.', cwd: join(cwd, 'shop') });
    expect(record.status).toBe('failed');
    expect(record.error).toContain(`${join(cwd, name)} is a named pipe`);
  });
});
