import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startMessagesModel } from '../model/messages-model.ts';
import type { Model } from '../model/responses-model.ts';
import { answer, script } from '../model/turn.ts';
import { scriptedAgent, steps } from './scripted.ts';
import { type Connection, claude, createWorkbench, type Workbench } from './workbench.ts';

/** One server with two agents: the scripted one in the place of Codex, and the real Claude Code. */
let model: Omit<Model, 'config'>;
let bench: Workbench;
let server: Connection;
beforeAll(async () => {
  model = await startMessagesModel();
  bench = createWorkbench();
  const path = [dirname(claude), bench.env['PATH']].join(delimiter);
  Object.assign(bench.env, { PATH: path, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'none' });
  server = await bench.connect({ 'delegate-command': scriptedAgent });
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await model.close();
});

const agentOf = (run_dir: string) =>
  JSON.parse(readFileSync(join(run_dir, 'run.json'), 'utf8'))['agent'] as unknown;

describe('the agent of a call', () => {
  it('is the configured one, or the one that the call names, and a thread keeps its agent', async () => {
    const call = (tool: string, args: object) => server.call(tool, { cwd: bench.project, ...args });
    const byDefault = await call('delegate_run', { task: steps({ answer: { summary: 'Configured.' } }) });
    expect(byDefault.record).toMatchObject({ status: 'completed', summary: 'Configured.' });
    expect(agentOf(byDefault.record.run_dir)).toBe('codex');

    const task = `Look. ${script(answer({ summary: 'Named.' }))}`;
    const named = await call('delegate_run', { task, agent: 'claude' });
    expect(named.record).toMatchObject({ status: 'completed', error: null, summary: 'Named.' });
    expect(agentOf(named.record.run_dir)).toBe('claude');

    const thread_id = named.record.subagent_thread_id;
    const resumed = await call('delegate_resume', { thread_id, task: 'And now?' });
    expect(resumed.record).toMatchObject({ status: 'completed', subagent_thread_id: thread_id });
    expect(agentOf(resumed.record.run_dir)).toBe('claude');

    const other = await call('delegate_resume', { thread_id, agent: 'codex' });
    expect(other.record).toMatchObject({
      status: 'failed',
      error: `The thread ${thread_id} was started by claude, so codex cannot resume it.`,
    });
    const unknown = await call('delegate_run', { task: 'x', agent: 'colossus' });
    expect(unknown.record).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^There is no agent "colossus"\. Known agents: codex, claude/),
    });
  });

  it('is named by the failure of another one that is not installed', async () => {
    await using other = createWorkbench();
    other.link('claude', claude);
    const onlyClaude = await other.connect({ 'delegate-command': '/nowhere/codex' });
    for (const agent of ['codex', 'gemini']) {
      const { record } = await onlyClaude.call('delegate_run', { task: 'x', cwd: other.project, agent });
      expect(record.status).toBe('failed');
      expect(record.error).toMatch(/install it with "npm install .*; installed: claude \(--agent claude\)$/);
    }
  });

  it('is chosen for each job by the plan of an autopilot', async () => {
    const job = (id: string, agent: string, task: string) => ({
      id,
      title: id,
      thinking_level: 'low',
      task,
      sandbox: 'read-only',
      agent,
      depends_on: [],
      skills: [],
      acceptance: [],
    });
    const plan = {
      should_delegate: true,
      reason: 'Two parts.',
      jobs: [
        job('first', 'codex', steps({ answer: { summary: 'By Codex.' } })),
        job('second', 'claude', script(answer({ summary: 'By Claude Code.' }))),
      ],
    };
    const { record } = await server.call('delegate_autopilot', {
      task: `Refactor the parser, update the tests and rewrite the docs. ${steps({ message: JSON.stringify(plan) })}`,
      cwd: bench.project,
      agents: ['codex', 'claude', 'colossus'],
    });
    expect(record).toMatchObject({
      status: 'completed',
      plan: { source: 'model', jobs: [{ agent: 'codex' }, { agent: 'claude' }] },
      jobs: [{ summary: 'By Codex.' }, { summary: 'By Claude Code.' }],
      warnings: ['Plan: The agent colossus is not installed.'],
    });
    const schema = join(record.run_dir, 'planner/plan-1/subagent_output.schema.json');
    expect(JSON.parse(readFileSync(schema, 'utf8'))['properties']['jobs']['items']).toMatchObject({
      required: expect.arrayContaining(['agent']),
      properties: { agent: { enum: ['codex', 'claude'] } },
    });
  });
});
