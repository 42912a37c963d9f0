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

const filesOf = (folder: string) => readdirSync(folder).filter((name) => !name.startsWith('.'));

describe('the decision', () => {
  it('needs no model for an empty task', async () => {
    const before = model.requests.length;
    const { output } = await runAutopilot(' \n');
    expect(output).toMatchObject({
      status: 'completed',
      decision: { should_delegate: false, reason: 'Empty task.' },
      plan: { jobs: [] },
      jobs: [],
      aggregate: { summary: 'No delegation needed: Empty task.' },
    });
    expect(model.requests.length).toBe(before);
    expect(filesOf(output.run_dir)).toEqual([
      'autopilot_aggregate.json',
      'autopilot_decision.json',
      'autopilot_plan.json',
      'events.jsonl',
      'request.json',
      'result.json',
    ]);
  });

  const declined = (reason: string) =>
    script({ say: JSON.stringify({ should_delegate: false, reason, jobs: [] }) });

  it('is made by the model, which says why a task needs no plan', async () => {
    const { output, text } = await runAutopilot(`Fix the typo in README.md. ${declined('It is one word.')}`);
    expect(output).toMatchObject({
      status: 'completed',
      decision: { should_delegate: false, reason: 'It is one word.' },
      plan: { jobs: [], source: 'model' },
      jobs: [],
      aggregate: { summary: 'No delegation needed: It is one word.' },
    });
    expect(text).toContain('reason: It is one word.\n');
  });

  it.each([
    'Migrate the shop from Express to Fastify.',
    'Port this to Rust.',
    'Stelle den Laden auf die neue Schnittstelle um.',
    '请把这个项目迁移到 TypeScript。',
  ])('does not depend on the words or the language of the task: %s', async (words) => {
    const { output } = await runAutopilot(words + autopilotTask(job('a')).slice(words.length));
    expect(output).toMatchObject({ status: 'completed', decision: { should_delegate: true } });
    expect(statuses(output)).toEqual(['a completed']);
    const asked = model.requests.findLast(({ task }) => task.startsWith('Plan how sub-agents'));
    expect(asked!.task).toContain(words);
  });

  it('has the documented text in the delegate contract', async () => {
    const settings = { 'delegate-command': await nativeCodex() };
    const plain = await bench.connect(settings, { contract: 'delegate' });
    const { text } = await plain.call('delegate_autopilot', {
      task: `What is this? ${declined('It is a question.')}`,
      cwd: bench.project,
    });
    expect(text).toContain('should_delegate: false\nreason: It is a question.\n');
    expect(text).toContain('\nsummary: No delegation needed.\n');
    const { tools } = (await plain.client.request('tools/list')) as unknown as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(['delegate_run', 'delegate_resume', 'delegate_autopilot']);
  });
});

describe('the jobs of a caller', () => {
  const task = 'Write a greeting and a farewell.';
  const writes = (file: string, ...more: Turn[]) =>
    script({ shell: `echo ${file} > ${file}.txt` }, ...more, answer({ summary: `Wrote ${file}.` }));

  it('are run as a graph without a call to a planner', async () => {
    const { output } = await runAutopilot(task, {
      jobs: [
        { id: 'hello', task: `Write hello. ${writes('hello')}` },
        { task: `Write goodbye. ${writes('goodbye')}` },
        {
          id: 'check',
          task: `Read both. ${script({ shell: 'cat hello.txt goodbye.txt' }, answer({ summary: 'Both exist.' }))}`,
          depends_on: ['hello', 'job-2'],
          sandbox: 'read-only',
        },
      ],
    });
    expect(output).toMatchObject({
      status: 'completed',
      decision: { should_delegate: true, reason: 'The caller passed 3 jobs.' },
      plan: { source: 'caller' },
    });
    expect(statuses(output)).toEqual(['hello completed', 'job-2 completed', 'check completed']);
    expect([read('hello.txt'), read('goodbye.txt')]).toEqual(['hello\n', 'goodbye\n']);
    expect(existsSync(join(output.run_dir, 'planner'))).toBe(false);
    const asked = model.requests.findLast(({ task: text }) => text.includes('Autopilot job: Read both.'))!;
    expect(JSON.stringify(asked.body)).toContain('hello\\ngoodbye');
    expect(asked.task).toContain('Wrote hello.');
    expect(asked.task).toContain(task);
  });

  it.each([
    [[{ id: 'a', task: 'A', depends_on: ['a'] }], 'The jobs depend on each other in a cycle: a → a.'],
    [[{ id: 'a', task: 'A', depends_on: ['b'] }], 'Job a depends on "b", which is not in the plan.'],
    [[{ id: 'a', task: 'A', agent: 'nobody' }], 'Job "a": the agent "nobody" is not on the list.'],
    [
      [{ id: 'a', task: 'A', sandbox: 'danger-full-access' }],
      'Job "a": the sandbox danger-full-access is wider than the granted workspace-write.',
    ],
  ])('are refused before an agent starts if they are invalid: %#', async (jobs, problem) => {
    const before = model.requests.length;
    const { output } = await runAutopilot(task, { jobs });
    expect(output).toMatchObject({ status: 'failed', jobs: [], error: `The jobs cannot be run. ${problem}` });
    expect(model.requests.length).toBe(before);
  });

  it('may be 20 at most', async () => {
    const jobs = Array.from({ length: 21 }, () => ({ task: 'A' }));
    const { text } = await server.call('delegate_autopilot', { task, cwd: bench.project, jobs });
    expect(text).toBe('Invalid delegate_autopilot arguments: jobs must not have more than 20 items');
  });

  it('are unknown to the delegate contract', async () => {
    const plain = await bench.connect({ 'delegate-command': await nativeCodex() }, { contract: 'delegate' });
    const { record } = await plain.call('delegate_autopilot', {
      task: autopilotTask(job('planned')),
      cwd: bench.project,
      jobs: [{ task: 'Ignored.' }],
    });
    expect(statuses(record as unknown as AutopilotOutput)).toEqual(['planned completed']);
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
      method: 'overlay',
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
    expect(filesOf(output.run_dir)).toEqual([
      'autopilot_aggregate.json',
      'autopilot_decision.json',
      'autopilot_plan.json',
      'events.jsonl',
      'planner',
      'request.json',
      'result.json',
      'skills_index.json',
      'subruns',
    ]);
    expect(readJson(join(output.run_dir, 'subruns/look/request.json'))).toMatchObject({
      tool: 'delegate_autopilot',
      job: { id: 'look' },
    });
    expect(existsSync(join(output.run_dir, 'subruns/change/result.json'))).toBe(true);
    const plannerExec = readJson(join(output.run_dir, 'planner/plan-1/run.json'));
    expect(plannerExec).toMatchObject({ sandbox: 'read-only' });
    expect(plannerExec.session.params).toMatchObject({ ephemeral: true });
    expect(text).toMatch(
      /^delegate_autopilot\nrun_id: .+\nstatus: completed_with_problems \(\d+ms\)\nshould_delegate: true\n/,
    );
    expect(text).not.toContain(output.run_dir);
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

  it('applies the changes of a failed job in the delegate contract only', async () => {
    const plain = await bench.connect({ 'delegate-command': await nativeCodex() }, { contract: 'delegate' });
    const task = (file: string) =>
      autopilotTask(
        job(
          'a',
          { sandbox: 'workspace-write', acceptance: ['test -f missing.txt'] },
          { shell: `echo made > ${file}` },
          answer({ summary: 'Made it.' }),
        ),
      );
    for (const [at, file] of [
      [plain, 'documented.txt'],
      [server, 'kept.txt'],
    ] as const) {
      const { record } = await at.call('delegate_autopilot', { task: task(file), cwd: bench.project });
      expect((record as unknown as AutopilotOutput).jobs[0]).toMatchObject({
        status: 'failed',
        error: expect.stringContaining('"test -f missing.txt" failed'),
      });
    }
    expect(read('documented.txt')).toBe('made\n');
    expect(existsSync(join(bench.project, 'kept.txt'))).toBe(false);
  });

  it('fails after two invalid plans, with their problems and without a job', async () => {
    const task = `Refactor the parser, update the tests and rewrite the docs. ${script(answer({ summary: 'Fine.' }))}`;
    const { output } = await runAutopilot(task);
    expect(output).toMatchObject({
      status: 'failed',
      plan: { jobs: [], source: 'none' },
      jobs: [],
      aggregate: { summary: 'The task could not be planned; no job was started.' },
      usage: { input_tokens: 200 },
    });
    expect(output.error).toMatch(/^The task could not be planned\. The plan must have required properties/);
    expect(readdirSync(join(output.run_dir, 'planner'))).toEqual(['plan-1', 'plan-2']);
  });

  it('gives no job a wider sandbox than the caller requested', async () => {
    const { output } = await runAutopilot(autopilotTask(job('greedy', { sandbox: 'danger-full-access' })), {
      sandbox: 'read-only',
    });
    expect(output).toMatchObject({ status: 'failed', jobs: [] });
    expect(output.error).toContain(
      'Job "greedy": the sandbox danger-full-access is wider than the granted read-only.',
    );
  });

  it('limits the plan to the sandbox of the calling thread', async () => {
    const meta = { 'x-codex-turn-metadata': JSON.stringify({ thread_id: 'x', sandbox_mode: 'read-only' }) };
    const call = async (args: object) => {
      const all = { cwd: bench.project, sandbox: 'workspace-write', ...args };
      return (await server.call('delegate_autopilot', all, meta)).record as unknown as AutopilotOutput;
    };
    const planned = await call({ task: autopilotTask(job('a', { sandbox: 'workspace-write' })) });
    expect(planned.status).toBe('failed');
    expect(planned.error).toContain('the sandbox workspace-write is wider than the granted read-only');
    expect(planned.warnings[0]).toContain('the calling thread has no more');
    const passed = await call({ task: 'Look at it.', jobs: [{ task: 'Look.' }] });
    expect(passed).toMatchObject({ status: 'completed', plan: { jobs: [{ sandbox: 'read-only' }] } });
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
        job('a', { sandbox: 'workspace-write', acceptance: ['test -f missing.txt'] }),
        job('b', { sandbox: 'workspace-write', acceptance: ['rm -rf README.md'] }),
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

  it('has as many agents at work as max_agents allows, however many jobs the plan has', async () => {
    const slow = { ...answer(), afterMs: 700 } as Turn;
    const ids = ['a', 'b', 'c', 'd'];
    const { output } = await runAutopilot(autopilotTask(...ids.map((id) => job(id, {}, slow))), {
      max_agents: 2,
    });
    expect(output.status).toBe('completed');
    const spans = output.jobs.map(({ timing }) => [timing.started_at, timing.finished_at] as const);
    const atOnce = spans.map(([start]) => spans.filter(([from, to]) => from <= start && start < to).length);
    expect(Math.max(...atOnce)).toBe(2);
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
    job(id, { sandbox: 'workspace-write' }, { shell: command }, answer({ summary: `Did ${id}.` }));

  it('see the changes of the jobs they depend on', async () => {
    const second = job(
      'two',
      { sandbox: 'workspace-write', depends_on: ['one'] },
      { shell: 'sed -i s/ONE/1/ a.txt' },
      answer({ summary: 'Did two.' }),
    );
    const { output } = await runAutopilot(autopilotTask(second, writer('one', 'sed -i s/one/ONE/ a.txt')));
    expect(statuses(output)).toEqual(['two completed', 'one completed']);
    expect(read('a.txt')).toBe('1\ntwo\nthree\nfour\nfive\nsix\nseven\n');
  });

  it('share one workspace if their changes are not applied when they end', async () => {
    const two = job(
      'two',
      { sandbox: 'workspace-write', depends_on: ['one'] },
      { shell: 'sed -i s/ONE/1/ a.txt; cat new.txt > copy.txt' },
      answer({ summary: 'Did two.' }),
    );
    const look = job(
      'look',
      { sandbox: 'read-only', depends_on: ['one'] },
      { shell: 'cat new.txt; echo more >> new.txt' },
      answer({ summary: 'Looked.' }),
    );
    const jobs = [writer('one', 'sed -i s/one/ONE/ a.txt; echo new > new.txt'), look, two];
    const { output } = await runAutopilot(autopilotTask(...jobs), { apply: 'ask' });
    expect(statuses(output)).toEqual(['one completed', 'look completed', 'two completed']);
    expect(output.warnings).toEqual([expect.stringContaining('The changes wait')]);
    const files = (id: string) =>
      output.jobs.find((one) => one.id === id)!.evidence?.files.map(({ path }) => path);
    expect([files('one'), files('look'), files('two')]).toEqual([
      ['a.txt', 'new.txt'],
      undefined,
      ['a.txt', 'copy.txt'],
    ]);
    expect(read('a.txt')).toMatch(/^one/);
    const { run_id } = output;
    const apply = (id: string) => server.call('apply_run', { run_id: id });
    const { subagent_thread_id: thread_id } = output.jobs.find(({ id }) => id === 'two')!;
    const looked = await server.call('delegate_resume', {
      thread_id,
      task: script({ shell: 'echo seen-$(cat copy.txt)' }, answer({ summary: 'Looked.' })),
      cwd: bench.project,
    });
    expect(looked.record.status).toBe('completed');
    expect(JSON.stringify(model.requests.at(-1)?.body).includes('seen-new')).toBe(true);
    expect((await apply(`${run_id}/two`)).text).toContain(`Name ${run_id} instead`);
    expect((await apply(run_id)).record).toEqual({ files: ['a.txt', 'copy.txt', 'new.txt'], conflicts: [] });
    expect([read('a.txt'), read('new.txt'), read('copy.txt')]).toEqual([
      '1\ntwo\nthree\nfour\nfive\nsix\nseven\n',
      'new\n',
      'new\n',
    ]);
    rmSync(join(bench.project, 'copy.txt'));
    rmSync(join(bench.project, 'new.txt'));
  });

  it('run one after another if they have no sandbox', async () => {
    const own = await connect({ 'delegate-danger-folders': bench.project });
    const append = (id: string) =>
      job(
        id,
        { sandbox: 'danger-full-access' },
        { shell: `read -r first < a.txt; sleep 0.2; echo "from ${id}" >> a.txt` },
        answer({ summary: 'Did it.' }),
      );
    const { output } = await runAutopilot(
      autopilotTask(append('one'), append('two')),
      { sandbox: 'danger-full-access' },
      own,
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
    );
    expect(statuses(output)).toEqual(['one completed', 'two completed']);
    expect(output.jobs.map(({ patch }) => patch?.applied)).toEqual([true, true]);
    expect(read('a.txt')).toBe('ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n');
    expect(readFileSync(output.jobs[0]!.patch!.path, 'utf8')).toContain('+ONE');
    expect(output.jobs[1]!.evidence!.files).toEqual([
      { path: 'a.txt', status: 'unreported', change: 'modified' },
    ]);
  });

  it('apply ignored files and files of nested repositories too, but never git data', async () => {
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
          { sandbox: 'workspace-write' },
          { shell: make },
          answer({ summary: 'Did it.', deliverables }),
        ),
      ),
    );
    const [one] = output.jobs;
    expect(one).toMatchObject({ status: 'completed', patch: { applied: true } });
    expect(one!.evidence!.files).toEqual([
      { path: 'a.txt', status: 'verified', change: 'modified' },
      { path: 'dist/out.js', status: 'verified', change: 'added' },
      { path: 'nested/f.txt', status: 'verified', change: 'added' },
      { path: 'nested/.git', status: 'unreported', change: 'added' },
    ]);
    expect([read('dist/out.js'), read('nested/f.txt')]).toEqual(['built\n', 'inner\n']);
    expect(existsSync(join(bench.project, 'nested/.git'))).toBe(false);
    const evidence = JSON.parse(readFileSync(join(one!.run_dir, 'evidence.json'), 'utf8'));
    expect(evidence).toEqual(one!.evidence);
  });

  it('leave a patch if their changes conflict', async () => {
    // A job that starts after the other has ended sees its changes, and there is no conflict.
    const begun = (id: string) => join(bench.folder, 'tmp', `begun-${id}`);
    const besides = (own: string, other: string, text: string) =>
      `: > ${begun(own)}; until [ -e ${begun(other)} ]; do sleep 0.05; done; echo ${text} > a.txt`;
    const { output } = await runAutopilot(
      autopilotTask(
        writer('one', besides('one', 'two', 'first')),
        writer('two', besides('two', 'one', 'second')),
      ),
    );
    expect(output.status).toBe('completed_with_problems');
    const failed = output.jobs.find(({ status }) => status === 'completed_with_problems')!;
    expect(failed.error).toBe('a.txt was not applied: it was changed meanwhile');
    expect(failed.patch).toMatchObject({ applied: false, conflicts: ['a.txt'] });
    expect(readFileSync(failed.patch!.path, 'utf8')).toMatch(/\+(first|second)/);
    expect(read('a.txt')).toMatch(/^(first|second)\n$/);
    expect(output.aggregate.next_actions).toContain(
      `Run "adjutant runs apply ${failed.run_id}" to apply them`,
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
    const task = autopilotTask(job('a', { sandbox: 'workspace-write' }));
    const { output } = await runAutopilot(task);
    expect(output.status).toBe('failed');
    expect(output.error).toContain('skip_git_repo_check');
    const { output: unchecked } = await runAutopilot(task, {
      skip_git_repo_check: true,
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
    expect(output.jobs.map(({ selected_skills }) => selected_skills?.map(({ name }) => name) ?? [])).toEqual([
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
      job('second', { sandbox: 'workspace-write', depends_on: ['first'] }, { shell: 'sleep 1000' }),
      job('third', { depends_on: ['second'] }),
    );
    const own = await connect();
    const id = 4711;
    const reply = own.client.exchange({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'delegate_autopilot', arguments: { task, cwd: bench.project } },
    });
    const directoryOf = () => join(bench.home, 'runs', readdirSync(join(bench.home, 'runs')).sort().at(-1)!);
    const events = () => {
      const file = join(directoryOf(), 'subruns/second/events.jsonl');
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    };
    await expect.poll(events, { timeout: 20_000 }).toContain('sleep 1000');
    await own.client.notify('notifications/cancelled', { requestId: id, reason: 'enough' });
    expect(await reply).toBeUndefined();
    const directory = directoryOf();
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
