import { appendFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, script } from '../model/turn.ts';
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

describe('the environment of an agent', () => {
  it("keeps variables of toolchains and removes Adjutant's own", async () => {
    await server.call('delegate_run', {
      task: script({ shell: 'env' }, answer()),
      cwd: bench.project,
      sandbox: 'danger-full-access',
    });
    const input = model.requests.at(-1)?.body['input'] as { type: string; output?: unknown }[];
    const output = JSON.stringify(input.findLast(({ type }) => type === 'function_call_output')?.output);
    expect(output).toContain('JAVA_HOME=/opt/java-for-builds');
    expect(output).toContain(`CODEX_HOME=${bench.codexHome}`);
    expect(output).not.toMatch(/ADJUTANT_|hunter2|webhook-secret|server-database|TWIG_DATA_DIR/);
  });
});
