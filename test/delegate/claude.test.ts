import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startMessagesModel } from '../model/messages-model.ts';
import type { Model } from '../model/responses-model.ts';
import { answer, script } from '../model/turn.ts';
import { type Connection, claude, createWorkbench, type Workbench } from './workbench.ts';

/** Tests with the real Claude Code and a model on loopback. */
let model: Omit<Model, 'config'>;
let bench: Workbench;
let server: Connection;
beforeAll(async () => {
  model = await startMessagesModel();
  bench = createWorkbench();
  Object.assign(bench.env, { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'sk-ant-test-key-000000' });
  server = await bench.connect({ 'delegate-agent': 'claude', 'delegate-command': claude });
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await model.close();
});

describe('delegate tools with Claude Code', () => {
  it('completes a run and resumes its thread', async () => {
    const first = await server.call('delegate_run', {
      task: `Look around. ${script(
        { tool: 'Read', arguments: { file_path: join(bench.project, 'README.md') } },
        answer({ summary: 'Read it.' }),
      )}`,
      cwd: bench.project,
    });
    expect(first.record).toMatchObject({
      status: 'completed',
      error: null,
      summary: 'Read it.',
      usage: { input_tokens: 280, cached_input_tokens: 80, output_tokens: 40 },
    });
    expect(JSON.parse(readFileSync(join(first.record.run_dir, 'last_message.json'), 'utf8'))).toMatchObject({
      summary: 'Read it.',
    });
    const second = await server.call('delegate_resume', {
      thread_id: first.record.subagent_thread_id,
      task: 'And now?',
      cwd: bench.project,
    });
    expect(second.record).toMatchObject({
      status: 'completed',
      subagent_thread_id: first.record.subagent_thread_id,
      usage: { input_tokens: 140, output_tokens: 20 },
    });
  });

  it('plans and runs an autopilot', async () => {
    const job = {
      id: 'look',
      title: 'Look',
      thinking_level: 'low',
      task: `Look around. ${script(answer({ summary: 'Looked.' }))}`,
      sandbox: 'read-only',
      depends_on: [],
      skills: [],
      acceptance: ['test -f README.md'],
    };
    const plan = { should_delegate: true, reason: 'Many parts.', jobs: [job] };
    const { record } = await server.call('delegate_autopilot', {
      task: `Refactor the parser, update the tests and rewrite the docs. ${script({ say: JSON.stringify(plan) })}`,
      cwd: bench.project,
    });
    expect(record).toMatchObject({
      status: 'completed',
      plan: { source: 'model' },
      aggregate: { summary: 'Look (completed): Looked.', next_actions: ['Run test -f README.md'] },
    });
  });

  it('gets no writing tools with the read-only sandbox', async () => {
    const { record } = await server.call('delegate_run', {
      task: script({ shell: 'touch written' }, answer()),
      cwd: bench.project,
    });
    expect(record.status).toBe('completed');
    const tools = model.requests.at(-1)?.body['tools'] as { name: string }[];
    expect(tools.map(({ name }) => name).sort()).toEqual(['Glob', 'Grep', 'Read', 'StructuredOutput']);
    expect(readFileSync(join(record.run_dir, 'events.jsonl'), 'utf8')).toContain('No such tool available');
  });

  it('reports the error of the model', async () => {
    const { record } = await server.call('delegate_run', {
      task: script({ status: 400, message: 'no such model here' }),
      cwd: bench.project,
    });
    expect(record).toMatchObject({ status: 'failed', error: expect.stringContaining('no such model here') });
  });

  it.each([401, 429, 529])('reports status %i of the model after few retries', async (status) => {
    const before = model.requests.length;
    const { record } = await server.call('delegate_run', {
      task: script(...Array(20).fill({ status, message: `the model said ${status}` })),
      cwd: bench.project,
    });
    expect(record.status).toBe('failed');
    expect(record.error).toMatch(new RegExp(`${status}|authenticat|overloaded|limit`, 'i'));
    expect(model.requests.length - before).toBeLessThanOrEqual(4);
  });

  it('refuses config overrides, which are for Codex', async () => {
    const { record } = await server.call('delegate_run', {
      task: 'x',
      cwd: bench.project,
      config_overrides: ['model_verbosity="low"'],
    });
    expect(record).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('works with Codex only'),
    });
  });
});
