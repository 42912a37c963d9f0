import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, script } from '../model/turn.ts';
import { type Connection, createWorkbench, nativeCodex, runCodex, type Workbench } from './workbench.ts';

/** Tests with the real Codex and a model on loopback. */
let model: Model;
let bench: Workbench;
let server: Connection;
beforeAll(async () => {
  model = await startResponsesModel();
  bench = createWorkbench(model.config);
  server = await bench.connect({ 'delegate-command': await nativeCodex() });
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await model.close();
});

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

describe('delegate_run with Codex', () => {
  it("returns the agent's answer and keeps all files of the run", async () => {
    const { record, text } = await server.call('delegate_run', {
      task: `Look around. ${script(
        { shell: 'cat README.md' },
        answer({ summary: 'Read it.', deliverables: [{ path: 'README.md', description: 'was there' }] }),
      )}`,
      cwd: bench.project,
    });
    expect(record).toMatchObject({
      status: 'completed',
      error: null,
      summary: 'Read it.',
      deliverables: [{ path: 'README.md', description: 'was there' }],
      usage: { input_tokens: 200, output_tokens: 40 },
    });
    expect(record.subagent_thread_id).toMatch(/^[0-9a-f-]{36}$/);
    const { artifacts } = (await server.call('show_run', { run_id: record.run_id })).record;
    expect(artifacts.map(({ name }) => name)).toEqual([
      'events.jsonl',
      'evidence.json',
      'last_message.json',
      'request.json',
      'result.json',
      'run.json',
      'selected_skills.json',
      'skills_index.json',
      'stderr.log',
      'subagent_output.schema.json',
      'subagent_prompt.txt',
      'thread.json',
    ]);
    expect(record.run_dir).toBe(join(bench.home, 'runs', record.run_id));
    for (const { path } of artifacts) expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(text).toMatch(/^delegate_run\nrun_id: .*\nstatus: completed \(\d+ms\)\nsubagent_thread_id: /);
    expect(readJson(join(record.run_dir, 'thread.json'))).toEqual({ thread_id: record.subagent_thread_id });
    expect(readJson(join(record.run_dir, 'result.json'))).toMatchObject({
      cancelled: false,
      exit_code: 0,
      signal: null,
      thread_id: record.subagent_thread_id,
      error: null,
    });
  });

  it('treats a task that looks like a flag as text', async () => {
    const { record } = await server.call('delegate_run', {
      task: '--dangerously-bypass-approvals-and-sandbox',
      role: 'resume',
      cwd: bench.project,
    });
    expect(record.status).toBe('completed');
    expect(model.requests.at(-1)?.task).toContain('--dangerously-bypass-approvals-and-sandbox');
  });

  it('reports the error of the model', async () => {
    const { record } = await server.call('delegate_run', {
      task: script({ status: 400, message: 'no such model here' }),
      cwd: bench.project,
    });
    expect(record.status).toBe('failed');
    expect(record.error).toContain('no such model here');
    expect(existsSync(join(record.run_dir, 'last_message.json'))).toBe(false);
  });
});

describe('the skills that Codex bundles', () => {
  it('are neither selected nor listed', async () => {
    // Codex installs them when it runs on its own.
    await runCodex(bench, await nativeCodex(), ['-s', 'read-only'], 'Begin.');
    const bundled = readdirSync(join(bench.codexHome, 'skills', '.system'));
    expect(bundled).toContain('skill-creator');
    const task = 'Create a skill with the skill-creator and install it with the skill-installer.';
    const { run_id } = (await server.call('delegate_run', { task, cwd: bench.project })).record;
    const { record } = await server.call('show_run', { run_id, full: true });
    expect(record.selected_skills).toEqual([]);
    const sent = JSON.stringify(model.requests.at(-1)?.body);
    expect(sent).toContain(task);
    expect(sent).not.toContain('.system');
  });
});

it.each(['read-only', 'workspace-write'])(
  'a skill below a hidden folder can be read: %s',
  async (sandbox) => {
    const folder = join(bench.home, 'team', 'skills');
    mkdirSync(join(folder, 'ship-it'), { recursive: true });
    writeFileSync(
      join(folder, 'ship-it', 'SKILL.md'),
      '---\nname: ship-it\ndescription: How to ship the shop.\n---\nKnock three times.\n',
    );
    writeFileSync(join(bench.home, 'team', 'secret'), 'planted-secret\n');
    const server = await bench.connect({
      'delegate-command': await nativeCodex(),
      'delegate-answer-within-seconds': '0',
      'skills-folders': folder,
    });
    const { record } = await server.call('delegate_run', {
      task: `Ship the shop. ${script({ shell: `cat ${folder}/ship-it/SKILL.md; cat ${folder}/../secret` }, answer({ summary: 'Did it.' }))}`,
      cwd: bench.project,
      sandbox,
    });
    expect(record.status).toBe('completed');
    const seen = JSON.stringify(model.requests.at(-1)?.body);
    expect(seen).toContain('Knock three times.');
    expect(seen).not.toContain('planted-secret');
  },
);

describe('delegate_resume with Codex', () => {
  it('resumes a thread and counts only the tokens of the new run', async () => {
    const first = await server.call('delegate_run', { task: 'Begin.', cwd: bench.project });
    const second = await server.call('delegate_resume', {
      thread_id: first.record.subagent_thread_id,
      cwd: bench.project,
    });
    expect(second.record).toMatchObject({
      status: 'completed',
      subagent_thread_id: first.record.subagent_thread_id,
      usage: { input_tokens: 100, cached_input_tokens: 40, output_tokens: 20, reasoning_output_tokens: 5 },
    });
    expect(readJson(join(second.record.run_dir, 'result.json'))).toMatchObject({
      parent_thread_id: first.record.subagent_thread_id,
    });
  });

  it('shows a follow-up that only reads the changes that wait, which stay with the earlier run', async () => {
    const deliverables = [{ path: 'made.txt', description: 'made' }];
    const first = await server.call('delegate_run', {
      task: `Make it. ${script({ shell: 'echo made > made.txt; rm README.md' }, answer({ deliverables }))}`,
      cwd: bench.project,
      sandbox: 'workspace-write',
      apply: 'ask',
    });
    const { run_id, subagent_thread_id: thread_id } = first.record;
    const look = { shell: 'cat made.txt; ls README.md; echo more >> made.txt' };
    const second = await server.call('delegate_resume', {
      thread_id,
      task: `Show it. ${script(look, answer({ summary: 'Seen.', deliverables }))}`,
      cwd: bench.project,
    });
    expect(second.record).toMatchObject({
      status: 'completed',
      error: null,
      evidence: { files: [{ path: 'made.txt', status: 'unchanged' }] },
    });
    const seen = JSON.stringify(model.requests.at(-1)?.body);
    expect(seen).toMatch(/made\\+n.*cannot access/);
    expect(existsSync(join(bench.project, 'made.txt'))).toBe(false);
    expect((await server.call('apply_run', { run_id })).record).toEqual({
      files: ['README.md', 'made.txt'],
      conflicts: [],
    });
    expect(readFileSync(join(bench.project, 'made.txt'), 'utf8')).toBe('made\n');
    await server.call('undo_run', { run_id });
    expect(existsSync(join(bench.project, 'made.txt'))).toBe(false);
    await server.call('apply_run', { run_id });
    expect(readFileSync(join(bench.project, 'made.txt'), 'utf8')).toBe('made\n');
    await server.call('undo_run', { run_id });
  });

  it.each([
    ['delegate_resume in another folder', 'delegate_resume', () => ({ cwd: bench.folder })],
    ['fork_run that may write', 'fork_run', () => ({ sandbox: 'workspace-write' })],
  ] as const)('warns of changes that wait and that it does not see: %s', async (_, tool, more) => {
    const { record: first } = await server.call('delegate_run', {
      task: `Make it. ${script({ shell: 'echo made > made.txt' }, answer({ summary: 'Made.' }))}`,
      cwd: bench.project,
      sandbox: 'workspace-write',
      apply: 'ask',
    });
    const { run_id, subagent_thread_id: thread_id } = first;
    const { record } = await server.call(tool, {
      task: `Go on. ${script(answer({ summary: 'Went on.' }))}`,
      ...(tool === 'fork_run' ? { run_id } : { thread_id, skip_git_repo_check: true }),
      ...more(),
    });
    expect(record.status).toBe('completed');
    expect(record.warnings.join()).toContain(
      `does not see the changes of run ${run_id}, which are waiting to be applied. "adjutant runs apply ${run_id}"`,
    );
  });

  it('fails for an unknown thread instead of starting a new one', async () => {
    const { record } = await server.call('delegate_resume', {
      thread_id: '01a1de69-7620-7c01-aa83-000000000000',
      cwd: bench.project,
    });
    expect(record.status).toBe('failed');
    expect(record.error).toMatch(/no rollout found.*codex has no such thread/);
  });

  it('resumes a thread by its name', async () => {
    const { record } = await server.call('delegate_run', { task: 'Begin.', cwd: bench.project });
    const id = record.subagent_thread_id;
    const index = [
      { id: 'another', thread_name: 'the build' },
      { id, thread_name: 'the build' },
    ];
    const file = join(bench.codexHome, 'session_index.jsonl');
    writeFileSync(file, index.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const second = await server.call('delegate_resume', { thread_id: 'the build', cwd: bench.project });
    expect(second.record).toMatchObject({ status: 'completed', error: null, subagent_thread_id: id });
  });

  it.each(['latest', '--last', '-c'])('refuses the thread %s', async (thread_id) => {
    const { record } = await server.call('delegate_resume', { thread_id, cwd: bench.project });
    expect(record.status).toBe('failed');
    expect(record.error).toMatch(/no thread with the id or name|must not start with/);
    expect(existsSync(join(record.run_dir, 'run.json'))).toBe(false);
  });
});
