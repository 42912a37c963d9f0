import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listRunIds, type RunRecord } from '../../src/delegate/run/run-record.ts';
import { configFor, type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, script } from '../model/turn.ts';
import { bundle } from '../program.ts';
import { codexShim, createWorkbench, nativeCodex, runCodex, type Workbench } from './workbench.ts';

/** Tests with the real Codex in a broken environment. */
let model: Model;
let native: string;
beforeAll(async () => {
  model = await startResponsesModel();
  native = await nativeCodex();
});
afterAll(() => model.close());

let bench: Workbench;
beforeEach(() => {
  bench = createWorkbench(model.config);
});
afterEach(() => bench[Symbol.asyncDispose]());

async function run(task: string, more: object = {}): Promise<RunRecord> {
  const server = await bench.connect({ 'delegate-command': native });
  return (await server.call('delegate_run', { task, cwd: bench.project, ...more })).record;
}

describe('a run reports', () => {
  it('that the user is not logged in', async () => {
    const record = await run(script({ status: 401, message: 'no key' }));
    expect(record.status).toBe('failed');
    expect(record.error).toMatch(/401 Unauthorized.*log in with "codex login"/);
  });

  it('that the model provider is unreachable, without endless retries', async () => {
    writeFileSync(join(bench.codexHome, 'config.toml'), configFor('http://127.0.0.1:1/v1'));
    const record = await run('x');
    expect(record.status).toBe('failed');
    expect(record.error).toContain('the model provider cannot be reached');
  });

  it('that the Codex configuration is invalid', async () => {
    appendFileSync(join(bench.codexHome, 'config.toml'), '\nmodel = [\n');
    const record = await run('x');
    expect(record).toMatchObject({ status: 'failed', subagent_thread_id: null });
    expect(record.error).toMatch(/failed to load configuration: .*config\.toml/);
  });

  it('the message of an error, not its stack backtrace', async () => {
    Object.assign(bench.env, { RUST_BACKTRACE: '1' });
    const server = await bench.connect({ 'delegate-command': native });
    const thread_id = '01a1de69-7620-7c01-aa83-000000000000';
    const { record } = await server.call('delegate_resume', { thread_id, cwd: bench.project });
    expect(record.error).toContain('no rollout found for thread id');
    expect(record.error).not.toMatch(/backtrace|<unknown>/i);
  });

  it('that the folder is not in a git repository, and how to allow it', async () => {
    const cwd = join(bench.folder, 'loose');
    mkdirSync(cwd);
    const record = await run('x', { cwd });
    expect(record.error).toContain('pass skip_git_repo_check');
    expect((await run('x', { cwd, skip_git_repo_check: true })).status).toBe('completed');
  });

  it('that the stream was interrupted', async () => {
    const record = await run(script({ cut: true }));
    expect(record).toMatchObject({ status: 'failed', error: expect.stringContaining('stream disconnected') });
  });

  it('that the context window is full', async () => {
    const record = await run(script({ refuse: 'context_length_exceeded' }));
    expect(record).toMatchObject({ status: 'failed', error: expect.stringContaining('ran out of room') });
  });
});

describe('token usage', () => {
  it("of a failed turn is read from Codex's record of the thread", async () => {
    const record = await run(script({ shell: 'true' }, { status: 400, message: 'enough' }));
    expect(record).toMatchObject({ status: 'failed', usage: { input_tokens: 100, output_tokens: 20 } });
  });
});

describe('a thread that was not started by Adjutant', () => {
  it('is resumed, and its earlier tokens are not counted', async () => {
    await runCodex(bench, native, ['-s', 'read-only'], 'begin');
    const [rollout] = readdirSync(join(bench.codexHome, 'sessions'), {
      recursive: true,
      encoding: 'utf8',
    }).filter((file) => file.endsWith('.jsonl'));
    const thread_id = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(rollout!)![0];
    const server = await bench.connect({ 'delegate-command': native });
    const { record } = await server.call('delegate_resume', { thread_id, cwd: bench.project });
    expect(record).toMatchObject({
      status: 'completed',
      subagent_thread_id: thread_id,
      usage: { input_tokens: 100, output_tokens: 20 },
      warnings: [expect.stringContaining('skills_mode=auto ignored')],
    });
  });
});

describe('the npm launcher of Codex', () => {
  it('is bypassed: the native program is started', async () => {
    bench.link('codex', codexShim);
    const server = await bench.connect();
    const { record } = await server.call('delegate_run', { task: 'x', cwd: bench.project });
    expect(record.status).toBe('completed');
    const { argv } = JSON.parse(readFileSync(join(record.run_dir, 'run.json'), 'utf8'));
    expect(argv[0]).toBe(native);
  });
});

describe('Codex as the client', () => {
  const entry = () =>
    [
      '[mcp_servers.helper]',
      `command = ${JSON.stringify(process.execPath)}`,
      `args = ${JSON.stringify([bundle, 'serve', '--home', bench.home, '--delegate-command', native])}`,
      // `codex exec` cannot ask for approval.
      'default_tools_approval_mode = "approve"',
      `env = ${JSON.stringify({ CODEX_HOME: bench.codexHome }).replace('":', '"=')}`,
      '',
    ].join('\n');
  const delegate = (task: string, sandbox: string) => ({
    server: 'helper',
    tool: 'delegate_run',
    arguments: { task, cwd: bench.project, sandbox },
  });

  it('gets no wider sandbox for its sub-agent, which has no delegate tools itself', async () => {
    appendFileSync(join(bench.codexHome, 'config.toml'), entry());
    const inner = `INNER ${script(delegate('again', 'read-only'), answer({ summary: 'inner' }))}`;
    const before = model.requests.length;
    await runCodex(bench, native, ['-s', 'read-only'], script(delegate(inner, 'workspace-write'), answer()));
    const runs = await listRunIds(join(bench.home, 'runs'));
    expect(runs).toHaveLength(1);
    const read = (name: string) => JSON.parse(readFileSync(join(bench.home, 'runs', runs[0]!, name), 'utf8'));
    expect(read('run.json')).toMatchObject({ sandbox: 'read-only' });
    expect(read('result.json')).toMatchObject({
      status: 'completed',
      summary: 'inner',
      warnings: [expect.stringContaining('the calling thread has no more')],
    });
    const toolsOf = (mark: boolean) =>
      JSON.stringify(
        model.requests.slice(before).find(({ task }) => task.includes('INNER') === mark)?.body['tools'],
      );
    expect(toolsOf(false)).toContain('delegate_run');
    expect(toolsOf(true)).not.toContain('delegate_run');
  });

  it('is refused as a sub-agent even if a script starts its server with another home', async () => {
    const other = join(bench.folder, 'other-home');
    const start = [process.execPath, bundle, 'serve', '--home', other, '--delegate-command', native];
    const wrapper = join(bench.folder, 'tools.sh');
    // A child process, so that the server's parent is the script.
    writeFileSync(wrapper, `#!/bin/sh\n${start.join(' ')}\nexit $?\n`, { mode: 0o755 });
    const renamed = entry().replace(/^(command|args) = .*\n/gm, '');
    appendFileSync(
      join(bench.codexHome, 'config.toml'),
      renamed.replace('[mcp_servers.helper]\n', `[mcp_servers.helper]\ncommand = "${wrapper}"\n`),
    );
    const again = delegate('again', 'read-only');
    const record = await run(script(again, answer()), { sandbox: 'workspace-write' });
    expect(record).toMatchObject({ status: 'completed', error: null });
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('A sub-agent may not start sub-agents');
    const runs = await listRunIds(join(other, 'runs'));
    expect(runs).toHaveLength(1);
    const result = JSON.parse(readFileSync(join(other, 'runs', runs[0]!, 'result.json'), 'utf8'));
    expect(result).toMatchObject({ status: 'failed', thread_id: null });
  });

  it('is refused if it is a sub-agent itself', async () => {
    const server = await bench.connect({ 'delegate-command': native });
    const { record } = await server.call('delegate_run', { task: 'x', cwd: bench.project });
    const refused = await server.call(
      'delegate_run',
      { task: 'x', cwd: bench.project },
      { 'x-codex-turn-metadata': { thread_id: record.subagent_thread_id, sandbox_mode: 'read-only' } },
    );
    expect(refused.record).toMatchObject({
      status: 'failed',
      error: 'A sub-agent may not start sub-agents; do the task yourself.',
    });
    Object.assign(bench.env, { DELEGATE_RUN: 'some run' });
    const marked = await bench.connect({ 'delegate-command': native });
    expect((await marked.call('delegate_run', { task: 'x', cwd: bench.project })).record.status).toBe(
      'failed',
    );
  });
});
