import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Check } from 'typebox/schema';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AutopilotOutput } from '../../src/delegate/autopilot/autopilot-output.ts';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, script, type Turn } from '../model/turn.ts';
import { autopilotTask, job } from './autopilot-task.ts';
import { resetProject } from './project.ts';
import { type Connection, createWorkbench, nativeCodex, type Workbench } from './workbench.ts';

/** Tests with the real Codex and a model on loopback that follows the scripts in the tasks. */
let model: Model;
let bench: Workbench;
let server: Connection;
let outputSchema: object;
beforeAll(async () => {
  model = await startResponsesModel();
  bench = createWorkbench(model.config);
  server = await connect();
  const listing = await connect({ toolsets: 'all' });
  const { tools } = (await listing.client.request('tools/list')) as unknown as {
    tools: { name: string; outputSchema: object }[];
  };
  outputSchema = tools.find(({ name }) => name === 'delegate_autopilot')!.outputSchema;
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await model.close();
});
beforeEach(() =>
  resetProject(bench, {
    'README.md': '# A project\n',
    'a.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n',
  }),
);

const connect = async (settings: Record<string, string> = {}) =>
  bench.connect({
    'delegate-command': await nativeCodex(),
    'delegate-answer-within-seconds': '0',
    ...settings,
  });
const write = (path: string, text: string) => writeFileSync(join(bench.project, path), text);
const read = (path: string) => readFileSync(join(bench.project, path), 'utf8');
const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

async function runAutopilot(
  task: string,
  args: object = {},
  at = server,
): Promise<{ output: AutopilotOutput; text: string }> {
  const { record, text } = await at.call('delegate_autopilot', { task, cwd: bench.project, ...args });
  const output = record as unknown as AutopilotOutput;
  expect(Check(outputSchema, output)).toBe(true);
  return { output, text };
}
const statuses = ({ jobs }: AutopilotOutput) => jobs.map(({ id, status }) => `${id} ${status}`);

describe('the decision', () => {
  it.each(['What does this project do?', '', 'Fix the typo in README.md'])(
    'starts no agent for %j',
    async (task) => {
      const before = model.requests.length;
      const { output } = await runAutopilot(task);
      expect(output).toMatchObject({
        status: 'completed',
        decision: { should_delegate: false },
        plan: { jobs: [] },
        jobs: [],
        aggregate: { summary: 'No delegation needed.' },
      });
      expect(model.requests.length).toBe(before);
      expect(output.artifacts.map(({ name }) => name)).toEqual([
        'autopilot_aggregate.json',
        'autopilot_decision.json',
        'autopilot_plan.json',
        'events.jsonl',
        'request.json',
        'result.json',
      ]);
    },
  );

  it('has the documented text in the delegate contract', async () => {
    const settings = { 'delegate-command': await nativeCodex() };
    const plain = await bench.connect(settings, { contract: 'delegate' });
    const { text } = await plain.call('delegate_autopilot', { task: 'What is this?' });
    expect(text).toContain('should_delegate: false\nreason: Looks like an informational question.\n');
    const { tools } = (await plain.client.request('tools/list')) as unknown as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(['delegate_run', 'delegate_resume', 'delegate_autopilot']);
  });

  it('is left to the planner if the rules do not rule delegation out', async () => {
    const task = `Refactor the parser, update the tests and rewrite the docs. ${script({
      say: JSON.stringify({ should_delegate: false, reason: 'It is one file.', jobs: [] }),
    })}`;
    const { output } = await runAutopilot(task);
    expect(output.decision).toEqual({ should_delegate: false, reason: 'It is one file.' });
    expect(output.jobs).toEqual([]);
  });
});

describe('an autopilot', () => {
  it('runs the jobs of a plan, passes results on, and keeps all files', async () => {
    const task = autopilotTask(
      job('look'),
      job(
        'change',
        {
          sandbox: 'workspace-write',
          depends_on: ['look'],
          writes: ['new.txt'],
          acceptance: ['test -f new.txt'],
        },
        { shell: 'echo hello > new.txt' },
        answer({
          summary: 'Wrote it.',
          deliverables: [
            { path: 'new.txt', description: 'The greeting' },
            { path: 'ghost.txt', description: 'Promised' },
          ],
          next_actions: ['Run tests'],
        }),
      ),
    );
    const { output, text } = await runAutopilot(task);
    expect(output).toMatchObject({
      status: 'completed_with_problems',
      error: 'change: ghost.txt was reported as delivered, but does not exist',
      decision: { should_delegate: true, reason: 'Many parts.' },
      plan: { source: 'model' },
      usage: { input_tokens: 400 },
    });
    expect(statuses(output)).toEqual(['look completed', 'change completed_with_problems']);
    expect(output.aggregate).toEqual({
      summary: 'Job look (completed): Did look.\nJob change (completed_with_problems): Wrote it.',
      deliverables: [
        { path: 'new.txt', description: 'The greeting' },
        { path: 'ghost.txt', description: 'Promised' },
      ],
      open_questions: ['Job change reported ghost.txt as delivered, but the file does not exist.'],
      next_actions: ['Run tests'],
    });
    expect(output.jobs[1]!.evidence).toMatchObject({
      method: 'walk',
      files: [
        { path: 'new.txt', status: 'verified', change: 'added' },
        { path: 'ghost.txt', status: 'missing' },
      ],
      checks: [{ command: 'test -f new.txt', status: 'passed', exit_code: 0 }],
    });
    const second = model.requests.findLast(({ task: asked }) =>
      asked.includes('Autopilot job: Job change (change)'),
    );
    expect(second!.task).toContain('## Job look (look)\nDid look.');
    expect(second!.task).toContain('Refactor the parser, update the tests and rewrite the docs.');
    expect(output.artifacts.map(({ name }) => name)).toEqual([
      'autopilot_aggregate.json',
      'autopilot_decision.json',
      'autopilot_plan.json',
      'events.jsonl',
      'planner/',
      'request.json',
      'result.json',
      'skills_index.json',
      'subruns/',
    ]);
    expect(readJson(join(output.run_dir, 'subruns/look/request.json'))).toMatchObject({
      tool: 'delegate_autopilot',
      job: { id: 'look' },
    });
    expect(existsSync(join(output.run_dir, 'subruns/change/result.json'))).toBe(true);
    const plannerExec = readJson(join(output.run_dir, 'planner/plan-1/codex_exec.json'));
    expect(plannerExec).toMatchObject({ sandbox: 'read-only' });
    expect(plannerExec.session.params).toMatchObject({ ephemeral: true });
    expect(text).toMatch(
      /^delegate_autopilot\nrun_id: .+\nstatus: completed_with_problems \(\d+ms\)\nrun_dir: .+\nshould_delegate: true\n/,
    );
  });

  it('has no error and no finding of the server in the delegate contract, if its jobs completed', async () => {
    const plain = await bench.connect({ 'delegate-command': await nativeCodex() }, { contract: 'delegate' });
    const task = autopilotTask(
      job('change', {}, answer({ summary: 'Did it.', deliverables: [{ path: 'gone.md', description: '' }] })),
    );
    const { record, text } = await plain.call('delegate_autopilot', { task, cwd: bench.project });
    const output = record as unknown as AutopilotOutput;
    expect(output).toMatchObject({ status: 'completed', error: null });
    expect(output.jobs[0]).toMatchObject({ status: 'completed', error: null });
    expect(output.aggregate).toMatchObject({
      summary: 'Job change (completed): Did it.',
      open_questions: [],
    });
    expect(text).not.toMatch(/^error:|problems|does not exist/m);
    expect(readJson(join(output.jobs[0]!.run_dir, 'evidence.json')).files).toEqual([
      { path: 'gone.md', status: 'missing' },
    ]);
  });

  it('uses the fallback plan after two invalid plans, with the task in every job', async () => {
    const task = `Refactor the parser, update the tests and rewrite the docs. ${script(answer({ summary: 'Fine.' }))}`;
    const { output } = await runAutopilot(task);
    expect(output.plan.source).toBe('fallback');
    expect(statuses(output)).toEqual(['scan completed', 'implement completed', 'verify completed']);
    expect(output.plan.jobs.every((one) => one.task.includes(task))).toBe(true);
    expect(readdirSync(join(output.run_dir, 'planner'))).toEqual(['plan-1', 'plan-2']);
    expect(output.warnings.join()).toContain('Plan: ');
  });

  it('gives no job a wider sandbox than the caller requested', async () => {
    const { output } = await runAutopilot(autopilotTask(job('greedy', { sandbox: 'danger-full-access' })), {
      sandbox: 'read-only',
    });
    expect(output.plan.source).toBe('fallback');
    expect(output.warnings).toContain(
      'Plan: Job "greedy": the sandbox danger-full-access is wider than the granted read-only.',
    );
    expect(new Set(output.plan.jobs.map(({ sandbox }) => sandbox))).toEqual(new Set(['read-only']));
    expect(readJson(join(output.run_dir, 'subruns/scan/codex_exec.json')).sandbox).toBe('read-only');
  });

  it('limits the plan to the sandbox of the calling thread', async () => {
    const meta = { 'x-codex-turn-metadata': JSON.stringify({ thread_id: 'x', sandbox_mode: 'read-only' }) };
    const { record } = await server.call(
      'delegate_autopilot',
      {
        task: autopilotTask(job('a', { sandbox: 'workspace-write' })),
        cwd: bench.project,
        sandbox: 'workspace-write',
      },
      meta,
    );
    const { plan, warnings } = record as unknown as AutopilotOutput;
    expect(new Set(plan.jobs.map(({ sandbox }) => sandbox))).toEqual(new Set(['read-only']));
    expect(warnings[0]).toContain('the calling thread has no more');
  });

  it('skips jobs that depend on a failed job, explains it, and runs the others', async () => {
    const { output, text } = await runAutopilot(
      autopilotTask(
        job('bad', {}, { status: 400, message: 'no such model' }),
        job('after', { depends_on: ['bad'] }),
        job('beside'),
      ),
    );
    expect(output.status).toBe('failed');
    expect(output.error).toContain('bad: ');
    expect(output.error).toContain('no such model');
    expect(statuses(output)).toEqual(['bad failed', 'after skipped', 'beside completed']);
    expect(text).toContain('summary: Skipped because Job bad (bad) did not complete.');
  });

  it('fails a job whose check fails, and does not run forbidden checks', async () => {
    const { output } = await runAutopilot(
      autopilotTask(
        job('a', { sandbox: 'workspace-write', writes: ['x'], acceptance: ['test -f missing.txt'] }),
        job('b', { sandbox: 'workspace-write', writes: ['y'], acceptance: ['rm -rf README.md'] }),
      ),
    );
    expect(output.jobs[0]).toMatchObject({
      status: 'failed',
      error: 'the acceptance check "test -f missing.txt" failed with code 1',
    });
    expect(output.jobs[1]).toMatchObject({
      status: 'completed',
      evidence: { checks: [{ status: 'refused' }] },
    });
    expect(output.aggregate.next_actions).toContain('Run rm -rf README.md');
    expect(existsSync(join(bench.project, 'README.md'))).toBe(true);
  });

  it('runs as many jobs in parallel as the caller allows, and no more', async () => {
    const slow = { ...answer(), afterMs: 700 } as Turn;
    const ids = ['a', 'b', 'c', 'd'];
    const { output } = await runAutopilot(autopilotTask(...ids.map((id) => job(id, {}, slow))), {
      max_agents: 4,
      max_parallel: 2,
    });
    expect(output.status).toBe('completed');
    const spans = output.jobs.map(({ timing }) => [timing.started_at, timing.finished_at] as const);
    const atOnce = spans.map(([start]) => spans.filter(([from, to]) => from <= start && start < to).length);
    expect(Math.max(...atOnce)).toBe(2);
  });

  it('reports files that a job changed outside its plan', async () => {
    const { output } = await runAutopilot(
      autopilotTask(
        job(
          'a',
          { sandbox: 'workspace-write', writes: ['docs'] },
          { shell: 'echo x >> README.md' },
          answer({ summary: 'Done.' }),
        ),
      ),
    );
    expect(output.aggregate.open_questions).toEqual([
      'Job a changed files that were not in its plan: README.md.',
    ]);
    expect(output.jobs[0]!.evidence!.files).toEqual([
      { path: 'README.md', status: 'unreported', change: 'modified' },
    ]);
  });

  it('stops a job at its time limit', async () => {
    const strict = await connect({ 'delegate-total-timeout-seconds': '2' });
    const { output } = await runAutopilot(
      autopilotTask(job('forever', {}, { hang: true }), job('after', { depends_on: ['forever'] })),
      {},
      strict,
    );
    expect(statuses(output)).toEqual(['forever failed', 'after skipped']);
    expect(output.error).toContain('timed out');
  });
});

describe('writing jobs', () => {
  const writer = (id: string, command: string) =>
    job(
      id,
      { sandbox: 'workspace-write', writes: ['a.txt'] },
      { shell: command },
      answer({ summary: `Did ${id}.` }),
    );

  it('run one after another in the shared tree if they could change the same files', async () => {
    const append = (text: string) => `read -r first < a.txt; sleep 0.2; echo "${text}" >> a.txt`;
    const { output } = await runAutopilot(
      autopilotTask(writer('one', append('from one')), writer('two', append('from two'))),
      { worktrees: 'never' },
    );
    expect(statuses(output)).toEqual(['one completed', 'two completed']);
    const [one, two] = output.jobs;
    expect(two!.timing.started_at >= one!.timing.finished_at).toBe(true);
    expect(read('a.txt').endsWith('from one\nfrom two\n')).toBe(true);
  });

  it('get an isolated view each, and their changes are merged', async () => {
    write('b.txt', 'not committed\n');
    const { output } = await runAutopilot(
      autopilotTask(
        writer('one', 'cat b.txt; sed -i s/one/ONE/ a.txt'),
        writer('two', 'sed -i s/seven/SEVEN/ a.txt'),
      ),
      { worktrees: 'overlap' },
    );
    expect(statuses(output)).toEqual(['one completed', 'two completed']);
    expect(output.jobs.map(({ patch }) => patch?.applied)).toEqual([true, true]);
    expect(read('a.txt')).toBe('ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n');
    expect(readFileSync(output.jobs[0]!.patch!.path, 'utf8')).toContain('+ONE');
    expect(output.jobs[1]!.evidence!.files).toEqual([
      { path: 'a.txt', status: 'unreported', change: 'modified' },
    ]);
  });

  it('deliver ignored files and nested repositories too, and are checked by the files in the shared tree', async () => {
    write('.gitignore', 'dist/\n');
    const make = [
      'mkdir -p dist nested/.git',
      'echo built > dist/out.js',
      'git init -q nested',
      'echo inner > nested/f.txt',
      'sed -i s/one/ONE/ a.txt',
    ].join(' && ');
    const files = ['a.txt', 'dist/out.js', 'nested/f.txt'];
    const deliverables = files.map((path) => ({ path, description: 'made' }));
    const { output } = await runAutopilot(
      autopilotTask(
        job(
          'one',
          { sandbox: 'workspace-write', writes: ['**'] },
          { shell: make },
          answer({ summary: 'Did it.', deliverables }),
        ),
      ),
      { worktrees: 'always' },
    );
    const [one] = output.jobs;
    expect(one).toMatchObject({ status: 'completed', patch: { applied: true } });
    expect(one!.evidence!.files).toEqual([
      { path: 'a.txt', status: 'verified', change: 'modified' },
      { path: 'dist/out.js', status: 'verified', change: 'added' },
      { path: 'nested/f.txt', status: 'verified', change: 'added' },
    ]);
    expect([read('dist/out.js'), read('nested/f.txt')]).toEqual(['built\n', 'inner\n']);
    expect(existsSync(join(bench.project, 'nested/.git/HEAD'))).toBe(true);
    const evidence = JSON.parse(readFileSync(join(one!.run_dir, 'evidence.json'), 'utf8'));
    expect(evidence).toEqual(one!.evidence);
  });

  it('leave a patch if their changes conflict', async () => {
    const { output } = await runAutopilot(
      autopilotTask(writer('one', 'echo first > a.txt'), writer('two', 'echo second > a.txt')),
      { worktrees: 'always' },
    );
    expect(output.status).toBe('completed_with_problems');
    const failed = output.jobs.find(({ status }) => status === 'completed_with_problems')!;
    expect(failed.error).toBe('a.txt was not delivered: it was changed meanwhile');
    expect(failed.patch).toMatchObject({ applied: false, conflicts: ['a.txt'] });
    expect(readFileSync(failed.patch!.path, 'utf8')).toMatch(/\+(first|second)/);
    expect(read('a.txt')).toMatch(/^(first|second)\n$/);
    expect(output.aggregate.next_actions).toContain(
      `Run "adjutant runs apply ${failed.run_id}" to deliver them`,
    );
  });
});

describe('an autopilot fails', () => {
  it('before it starts an agent if a skill is missing', async () => {
    const before = model.requests.length;
    const { output } = await runAutopilot(autopilotTask(job('a')), {
      skills_mode: 'explicit',
      skills: ['nope'],
    });
    expect(output).toMatchObject({
      status: 'failed',
      error: 'Missing requested skills: nope',
      aggregate: { summary: 'Failed to select skills; codex exec was not started.' },
    });
    expect(model.requests.length).toBe(before);
  });

  it('outside a git repository, unless skip_git_repo_check is set', async () => {
    rmSync(join(bench.project, '.git'), { recursive: true });
    const task = autopilotTask(job('a', { sandbox: 'workspace-write', writes: ['x'] }));
    const { output } = await runAutopilot(task);
    expect(output.status).toBe('failed');
    expect(output.error).toContain('skip_git_repo_check');
    const { output: unchecked } = await runAutopilot(task, {
      skip_git_repo_check: true,
      worktrees: 'always',
    });
    expect(unchecked.status).toBe('completed');
    expect(unchecked.warnings).toEqual([]);
  });

  it('if the requested sandbox is not allowed', async () => {
    const { output } = await runAutopilot(autopilotTask(job('a')), { sandbox: 'danger-full-access' });
    expect(output).toMatchObject({ status: 'failed', jobs: [] });
    expect(output.error).toContain('delegate.danger_folders');
  });
});

describe('skills', () => {
  it('are offered to the planner and given to the jobs it chooses', async () => {
    mkdirSync(join(bench.project, '.agents/skills/parser-lore'), { recursive: true });
    write(
      '.agents/skills/parser-lore/SKILL.md',
      '---\nname: parser-lore\ndescription: How our parser works and how to refactor it.\n---\nMind the tokens.\n',
    );
    const { output } = await runAutopilot(autopilotTask(job('a', { skills: ['parser-lore'] }), job('b')));
    expect(output.jobs.map(({ selected_skills }) => selected_skills.map(({ name }) => name))).toEqual([
      ['parser-lore'],
      [],
    ]);
    const asked = (part: string) => model.requests.findLast(({ task }) => task.includes(part))!;
    expect(asked('Plan how sub-agents').task).toContain('- parser-lore: How our parser works');
    const jobRequest = model.requests.find(
      ({ body }) =>
        JSON.stringify(body).includes('Autopilot job: Job a') &&
        JSON.stringify(body).includes('Mind the tokens.'),
    );
    expect(jobRequest).toBeDefined();
  });
});

describe('an autopilot in progress', () => {
  it('starts no job if it is cancelled during planning', async () => {
    const task = `Refactor the parser, update the tests and rewrite the docs. ${script({ hang: true })}`;
    const own = await connect({ 'delegate-answer-within-seconds': '1' });
    const { record } = await own.call('delegate_autopilot', { task, cwd: bench.project });
    expect(record.status).toBe('running');
    await own.call('cancel_run', { run_id: record.run_id, reason: 'changed my mind' });
    const { status, error, jobs } = readJson(join(record.run_dir, 'autopilot_aggregate.json'));
    expect(status).toBe('cancelled');
    expect(error).toContain('changed my mind');
    expect(jobs.map((one: { status: string }) => one.status)).not.toContain('completed');
  });

  it('keeps finished results and leaves no process if the client cancels it', async () => {
    const task = autopilotTask(
      job('first'),
      job(
        'second',
        { sandbox: 'workspace-write', depends_on: ['first'] },
        { shell: 'echo on > started; sleep 1000' },
      ),
      job('third', { depends_on: ['second'] }),
    );
    const own = await connect({ 'autopilot-worktrees': 'never' });
    const id = 4711;
    const reply = own.client.exchange({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'delegate_autopilot', arguments: { task, cwd: bench.project } },
    });
    await expect.poll(() => existsSync(join(bench.project, 'started')), { timeout: 20_000 }).toBe(true);
    await own.client.notify('notifications/cancelled', { requestId: id, reason: 'enough' });
    expect(await reply).toBeUndefined();
    const [newest] = readdirSync(join(bench.home, 'runs')).sort().reverse();
    const directory = join(bench.home, 'runs', newest!);
    await expect.poll(() => existsSync(join(directory, 'result.json')), { timeout: 20_000 }).toBe(true);
    expect(readJson(join(directory, 'result.json'))).toMatchObject({ status: 'cancelled', cancelled: true });
    const aggregate = readJson(join(directory, 'autopilot_aggregate.json'));
    expect(aggregate.jobs.map(({ id, status }: { id: string; status: string }) => `${id} ${status}`)).toEqual(
      ['first completed', 'second cancelled', 'third skipped'],
    );
    expect(aggregate.summary).toContain('Job first (completed): Did first.');
    expect(execFileSync('ps', ['-eo', 'args']).toString()).not.toContain(`${directory}/subruns`);
  });

  it('cancels all its jobs with cancel_run', async () => {
    const task = autopilotTask(job('a', {}, { hang: true }), job('b', { depends_on: ['a'] }));
    const own = await connect({ 'delegate-answer-within-seconds': '1' });
    const { record } = await own.call('delegate_autopilot', { task, cwd: bench.project });
    const early = record as unknown as AutopilotOutput;
    expect(early.status).toBe('running');
    const started = join(early.run_dir, 'subruns/a/thread.json');
    await expect.poll(() => existsSync(started), { timeout: 20_000 }).toBe(true);
    await own.call('cancel_run', { run_id: early.run_id });
    const { record: shown } = await own.call('show_run', { run_id: early.run_id });
    expect(shown.status).toBe('cancelled');
    const aggregate = readJson(join(early.run_dir, 'autopilot_aggregate.json'));
    expect(aggregate).toMatchObject({
      status: 'cancelled',
      jobs: [{ status: 'cancelled' }, { status: 'skipped' }],
    });
  });

  it('answers before it has finished, and its result can be collected later', async () => {
    const task = autopilotTask(job('a', {}, { ...answer({ summary: 'Late.' }), afterMs: 2_000 } as Turn));
    const own = await connect({ 'delegate-answer-within-seconds': '1' });
    const { record, text } = await own.call('delegate_autopilot', { task, cwd: bench.project });
    expect(record.status).toBe('running');
    expect(text).toContain('status: running');
    const { record: late } = await own.call('collect_run', { run_id: record.run_id, wait_seconds: 20 });
    expect(late).toMatchObject({ status: 'completed', summary: 'Job a (completed): Late.' });
  });
});
