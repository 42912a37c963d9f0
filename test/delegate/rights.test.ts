import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServer } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import type { RunRecord } from '../../src/delegate/run/run-record.ts';
import { connectMemory } from '../../src/transports/memory.ts';
import { echoed, scriptedAgent, steps } from './scripted.ts';
import { createWorkbench, type Workbench } from './workbench.ts';

let bench: Workbench;
beforeAll(() => {
  bench = createWorkbench();
});
afterAll(() => bench[Symbol.asyncDispose]());

const agent = { 'delegate-command': scriptedAgent };
const echo = () => ({ task: steps({ echo: true }), cwd: bench.project });

describe('under the drop-in contract', () => {
  const call = async (args: object, settings: Readonly<Record<string, string>> = {}, meta = {}) => {
    const server = await bench.connect({ ...agent, ...settings }, { contract: 'delegate' });
    return (await server.call('delegate_run', { ...echo(), ...args }, meta)).record;
  };
  const sandboxOf = ({ summary }: RunRecord) => {
    const { argv } = echoed(summary);
    // With a profile that hides Adjutant's own files, codex takes the sandbox as a setting.
    return /(?:--sandbox |sandbox_mode=")([\w-]+)/.exec(argv.join(' '))?.[1];
  };

  it('grants danger-full-access without a setting', async () => {
    const record = await call({ sandbox: 'danger-full-access' });
    expect(record).toMatchObject({ status: 'completed', error: null, warnings: [] });
    expect(sandboxOf(record)).toBe('danger-full-access');
  });

  it('narrows the sandbox to the ceiling and to the calling thread, with a warning', async () => {
    const ceiling = await call(
      { sandbox: 'danger-full-access' },
      { 'delegate-sandbox-ceiling': 'workspace-write' },
    );
    expect(sandboxOf(ceiling)).toBe('workspace-write');
    expect(ceiling.warnings).toEqual([expect.stringContaining('delegate.sandbox_ceiling')]);
    const metadata = { thread_id: 'x', sandbox_mode: 'read-only' };
    const caller = await call(
      { sandbox: 'workspace-write' },
      {},
      { 'x-codex-turn-metadata': JSON.stringify(metadata) },
    );
    expect(sandboxOf(caller)).toBe('read-only');
    expect(caller.warnings).toEqual([expect.stringContaining('calling thread')]);
  });

  it('passes every override on, in order', async () => {
    const config_overrides = ['sandbox_workspace_write.network_access=true', 'notify=["true"]', 'x = "y"'];
    const record = await call({ config_overrides });
    const { argv } = echoed(record.summary);
    expect(argv.filter((word) => config_overrides.includes(word))).toEqual(config_overrides);
    expect(record.warnings).toEqual([]);
  });

  it('drops overrides that exceed the ceiling, with a warning', async () => {
    const record = await call(
      { config_overrides: ['notify=["true"]', 'model_verbosity="low"'] },
      { 'delegate-sandbox-ceiling': 'workspace-write' },
    );
    expect(record.status).toBe('completed');
    expect(echoed(record.summary).argv).toContain('model_verbosity="low"');
    expect(record.summary).not.toContain('notify');
    expect(record.warnings).toEqual([expect.stringMatching(/notify is refused.*not passed on/)]);
  });

  it('passes the name of a thread on to the agent', async () => {
    const server = await bench.connect(agent, { contract: 'delegate' });
    const args = { ...echo(), thread_id: 'thread-123' };
    const { record } = await server.call('delegate_resume', args);
    expect(record).toMatchObject({ status: 'completed', error: null, subagent_thread_id: 'thread-123' });
    expect(echoed(record.summary).argv).toEqual(expect.arrayContaining(['resume', 'thread-123']));
  });
});

describe('a client with roots', () => {
  const connect = async (roots: readonly string[]) => {
    const argv = ['--home', bench.home, `--delegate-command=${scriptedAgent}`];
    const { config } = await loadConfig({ argv, env: bench.env, cwd: bench.folder });
    const asked: string[] = [];
    const client = connectMemory(createServer('standard', config, { env: bench.env }), {
      onRequest: async (method) => {
        asked.push(method);
        return { roots: roots.map((path) => ({ uri: pathToFileURL(path).href })) };
      },
    });
    await client.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { roots: {} },
      clientInfo: { name: 'editor', version: '1' },
    });
    const run = async (sandbox: string) => {
      const params = { name: 'delegate_run', arguments: { ...echo(), sandbox } };
      return (await client.request('tools/call', params))['structuredContent'] as unknown as RunRecord;
    };
    return { run, asked };
  };

  it('may write below its roots', async () => {
    const { run, asked } = await connect([bench.project]);
    expect((await run('workspace-write')).warnings).toEqual([]);
    expect(asked).toEqual(['roots/list']);
  });

  it('may only read elsewhere', async () => {
    const { run } = await connect([join(bench.folder, 'elsewhere')]);
    const { status, warnings } = await run('workspace-write');
    expect(status).toBe('completed');
    expect(warnings).toEqual([expect.stringContaining('outside the folders that the client has open')]);
  });

  it('is not asked for a run that only reads', async () => {
    const { run, asked } = await connect([join(bench.folder, 'elsewhere')]);
    expect((await run('read-only')).warnings).toEqual([]);
    expect(asked).toEqual([]);
  });
});
