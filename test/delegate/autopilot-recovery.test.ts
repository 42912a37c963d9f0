import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AutopilotOutput } from '../../src/delegate/autopilot/autopilot-output.ts';
import { RunQueue } from '../../src/delegate/run/run-queue.ts';
import { eventually } from './eventually.ts';
import { readQueue } from './kill-host.ts';
import { bare, type Step, scriptedAgent, steps } from './scripted.ts';
import { ServerProcess } from './server-process.ts';
import { type Connection, createWorkbench, type Workbench } from './workbench.ts';

let bench: Workbench;
beforeEach(async () => {
  id = newer;
  bench = createWorkbench();
  (await RunQueue.open(queueFile())).close();
});
afterEach(() => bench[Symbol.asyncDispose]());

const newer = '2030-01-02_000000000_0123456789ab';
const older = '2030-01-01_000000000_0123456789ab';
let id = newer;
const usage = (tokens: number) => ({
  input_tokens: tokens,
  cached_input_tokens: 0,
  output_tokens: 0,
  reasoning_output_tokens: 0,
});
const queueFile = () => join(bench.home, 'runs.sqlite');
const at = (...path: string[]) => join(bench.home, 'runs', id, ...path);
const connect = (settings: Record<string, string> = {}) =>
  bench.connect({
    'delegate-command': scriptedAgent,
    'delegate-answer-within-seconds': '0',
    ...settings,
  });
const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
function put(file: string, value: object): void {
  mkdirSync(join(at(file), '..'), { recursive: true });
  writeFileSync(at(file), JSON.stringify(value));
}

interface AbandonedJob {
  readonly id: string;
  readonly status: string;
  readonly sandbox?: string;
  /** The result of its agent, if it has exited. */
  readonly result?: object;
}

/** Writes the files that a killed server leaves. The jobs do not depend on each other. */
function writeAbandoned(...jobs: readonly AbandonedJob[]): void {
  const request = { task: 'All of it', cwd: bench.project, sandbox: 'workspace-write' };
  const input = {
    ...request,
    max_agents: 4,
    max_parallel: 4,
    skills_mode: 'none',
    max_skills: 0,
    include_repo_skills: false,
    include_global_skills: false,
    skip_git_repo_check: true,
  };
  const received_at = new Date().toISOString();
  put('request.json', {
    tool: 'delegate_autopilot',
    received_at,
    request,
  });
  put('autopilot_decision.json', { should_delegate: true, reason: 'Many parts.' });
  put('autopilot_plan.json', {
    source: 'model',
    warnings: [],
    jobs: jobs.map((job) => ({
      id: job.id,
      title: `Job ${job.id}`,
      task: `Do it. ${steps({ answer: { summary: `Did ${job.id}.` } })}`,
      thinking_level: 'low',
      role: 'worker',
      sandbox: job.sandbox ?? 'read-only',
      depends_on: [],
      acceptance: [],
      skills_mode: 'none',
      max_skills: 0,
    })),
  });
  put('autopilot_aggregate.json', {
    usage: usage(100),
    jobs: jobs.map((job) => ({
      id: job.id,
      title: `Job ${job.id}`,
      run_id: `${id}/${job.id}`,
      run_dir: at('subruns', job.id),
      subagent_thread_id: null,
      selected_skills: [],
      summary: job.status,
      deliverables: [],
      open_questions: [],
      next_actions: [],
      artifacts: [],
      timing: { started_at: received_at, finished_at: received_at, duration_ms: 0 },
      status: job.status,
      error: null,
      usage: null,
      evidence: null,
      warnings: [],
      ended_processes: [],
    })),
  });
  for (const job of jobs) {
    if (job.status !== 'waiting')
      put(`subruns/${job.id}/request.json`, { tool: 'delegate_autopilot', received_at });
    if (job.result !== undefined)
      put(`subruns/${job.id}/result.json`, { thread_id: 'a thread', ...job.result });
  }
  const saved = {
    input,
    task: request.task,
    role: 'worker',
    cwd: bench.project,
    sandbox: 'workspace-write',
    warnings: [],
  };
  put('.autopilot.json', { request: saved, plannerUsage: [usage(100)], hosts: 1 });
}

async function finished() {
  await eventually(() => expect(existsSync(at('result.json'))).toBe(true));
  const { jobs } = readJson(at('autopilot_aggregate.json')) as AutopilotOutput;
  return {
    result: readJson(at('result.json')),
    statuses: jobs.map((job) => `${job.id} ${job.status}`),
  };
}
const cancellationRequests = () => {
  const database = new DatabaseSync(queueFile(), { readOnly: true });
  try {
    return database.prepare('SELECT directory, reason FROM wishes').all();
  } finally {
    database.close();
  }
};

describe('an autopilot of a killed server', () => {
  it('is resumed', async () => {
    writeAbandoned({ id: 'one', status: 'completed' }, { id: 'two', status: 'waiting' });
    await connect();
    expect(await finished()).toMatchObject({
      result: { status: 'completed', usage: { input_tokens: 110 } },
      statuses: ['one completed', 'two completed'],
    });
  });

  it.each([
    ['recorded', { id: 'one', status: 'cancelled' }],
    ['not recorded yet', { id: 'one', status: 'running', result: { status: 'cancelled' } }],
  ])('is resumed after the cancellation of one job, which is %s', async (_, job) => {
    writeAbandoned(job, { id: 'two', status: 'waiting' });
    await connect();
    expect(await finished()).toMatchObject({
      result: { status: 'failed' },
      statuses: ['one cancelled', 'two completed'],
    });
  });

  it('is not resumed after its own cancellation', async () => {
    writeAbandoned({ id: 'one', status: 'completed' }, { id: 'two', status: 'waiting' });
    await readQueue(bench, (queue) => queue.requestCancellation(at(), 'enough'));
    await connect();
    expect(await finished()).toMatchObject({
      result: { status: 'cancelled', error: 'cancelled: enough' },
      statuses: ['one completed', 'two skipped'],
    });
    expect(existsSync(at('subruns', 'two'))).toBe(false);
  });

  it.each([
    ['resumed', 1, ['one failed', 'two completed']],
    ['finished', 4, ['one failed', 'two skipped']],
  ])('is %s with the outcome of a job, not with the answer of its agent', async (_, hosts, expected) => {
    writeAbandoned(
      { id: 'one', status: 'running', result: { status: 'completed' } },
      { id: 'two', status: 'waiting' },
    );
    const [started] = readJson(at('autopilot_aggregate.json')).jobs;
    put('subruns/one/.settled.json', { ...started, status: 'failed', error: 'its check failed' });
    put('.autopilot.json', { ...readJson(at('.autopilot.json')), hosts });
    await connect();
    const { result, statuses } = await finished();
    expect(statuses).toEqual(expected);
    expect(result.error).toContain('one: its check failed');
    await eventually(() => expect(existsSync(at('subruns/one/.settled.json'))).toBe(false));
  });

  it('includes the tokens of jobs that finished without a server if it cannot be resumed', async () => {
    writeAbandoned(
      { id: 'one', status: 'running', result: { status: 'completed', usage: usage(7) } },
      { id: 'two', status: 'waiting' },
    );
    put('.autopilot.json', { ...readJson(at('.autopilot.json')), hosts: 4 });
    await connect();
    expect((await finished()).result).toMatchObject({ status: 'failed', usage: { input_tokens: 107 } });
  });

  it('is not resumed a day later, even if its dead agents are only found then', async () => {
    writeAbandoned({ id: 'one', status: 'running' }, { id: 'two', status: 'waiting' });
    put('subruns/one/events.jsonl', {});
    const then = new Date(Date.now() - 86_400_000);
    for (const file of ['.autopilot.json', 'autopilot_aggregate.json', 'subruns/one/events.jsonl'])
      utimesSync(at(file), then, then);
    put('subruns/one/result.json', { status: 'failed', thread_id: 'a thread', error: 'the server stopped' });
    await connect();
    expect(await finished()).toMatchObject({
      result: { status: 'failed' },
      statuses: ['one failed', 'two skipped'],
    });
  });

  it('is resumed if no step was recorded yet', async () => {
    writeAbandoned({ id: 'one', status: 'waiting' });
    writeFileSync(at('autopilot_aggregate.json'), '');
    const then = new Date(Date.now() - 86_400_000);
    utimesSync(at('autopilot_aggregate.json'), then, then);
    await connect();
    expect(await finished()).toMatchObject({ result: { status: 'completed' }, statuses: ['one completed'] });
  });

  it('is finished by a server with a narrower sandbox ceiling, which may not continue its jobs', async () => {
    writeAbandoned({ id: 'one', status: 'waiting', sandbox: 'workspace-write' });
    id = older;
    writeAbandoned({ id: 'one', status: 'waiting' });
    await connect({ 'delegate-sandbox-ceiling': 'read-only' });
    expect((await finished()).result).toMatchObject({ status: 'completed' });
    id = newer;
    expect(await finished()).toMatchObject({ result: { status: 'failed' }, statuses: ['one skipped'] });
    expect(existsSync(at('subruns'))).toBe(false);
  });

  it.each([
    ['finished', { hosts: 4 }],
    ['resumed', { hosts: 1 }],
  ])('that cannot be %s does not block other autopilots', async (_, change) => {
    writeAbandoned({ id: 'one', status: 'waiting' });
    put('.autopilot.json', { ...readJson(at('.autopilot.json')), ...change });
    rmSync(at('autopilot_aggregate.json'));
    for (const blocked of ['autopilot_aggregate.json', 'skills_index.json'])
      mkdirSync(at(blocked, 'full'), { recursive: true });
    id = older;
    writeAbandoned({ id: 'one', status: 'waiting' });
    const server = await connect();
    expect((await finished()).result).toMatchObject({ status: 'completed' });
    await eventually(async () => {
      const { text } = await server.call('list_runs', {});
      expect(text).toContain(`${newer}  failed`);
      expect(text).toContain(`${older}  completed`);
    });
  });
});

/** The plan that the scripted planner answers with. */
const plan = (...jobs: object[]) => JSON.stringify({ should_delegate: true, reason: 'Many parts.', jobs });
const job = (name: string, ...does: Step[]) => ({
  id: name,
  title: `Job ${name}`,
  thinking_level: 'low',
  task: `Do it. ${steps(...does)}`,
  sandbox: 'read-only',
  depends_on: [],
  skills: [],
  acceptance: [],
});
const task = (...jobs: object[]) =>
  `Refactor the parser, update the tests and rewrite the docs. ${bare({ begin: true }, { message: plan(...jobs) }, { usage: usage(1) })}`;
const startAutopilot = (server: Connection, given: string) =>
  server.client.request('tools/call', {
    name: 'delegate_autopilot',
    arguments: { task: given, cwd: bench.project },
  });
const folder = () => join(bench.home, 'runs');
const newest = () => join(folder(), existsSync(folder()) ? (readdirSync(folder())[0] ?? '') : '');

describe('an autopilot whose server is stopped', () => {
  it('keeps the isolated views of its agents, whose changes the next server applies', async () => {
    const commit = ['-c', 'user.name=T', '-c', 'user.email=t@example.org', 'commit', '-qm', 'first'];
    for (const args of [['add', '-A'], commit]) execFileSync('git', args, { cwd: bench.project });
    const settings = { 'delegate-command': scriptedAgent, 'delegate-on-disconnect': 'finish' };
    await using stopped = await new ServerProcess(bench, settings).initialize();
    const writer = job(
      'one',
      { wait: 1_500 },
      { file: { path: 'made.txt', text: 'made\n' } },
      { answer: {} },
    );
    void stopped.begin('delegate_autopilot', {
      task: task({ ...writer, sandbox: 'workspace-write' }),
      cwd: bench.project,
      sandbox: 'workspace-write',
    });
    await eventually(() => expect(existsSync(join(newest(), 'subruns/one/thread.json'))).toBe(true));
    await stopped.kill('SIGTERM');
    expect(existsSync(join(newest(), 'subruns/one/.workspace/workspace.json'))).toBe(true);
    await connect();
    await eventually(() => expect(existsSync(join(newest(), 'result.json'))).toBe(true));
    expect(readJson(join(newest(), 'result.json'))).toMatchObject({ status: 'completed' });
    expect(readFileSync(join(bench.project, 'made.txt'), 'utf8')).toBe('made\n');
    expect(existsSync(join(newest(), 'subruns/one/.workspace/upper'))).toBe(false);
  });
});

describe('the cancellation of an autopilot', () => {
  it('is recorded for servers that adopt it after a crash, and removed at the end', async () => {
    const server = await connect();
    void startAutopilot(
      server,
      task(job('one', { ignoreSignals: true }, { child: 'sleep 100' }, { hang: true })),
    ).catch(() => {});
    await eventually(() => expect(existsSync(join(newest(), 'subruns/one/thread.json'))).toBe(true));
    server.client.notify('notifications/cancelled', { requestId: 2, reason: 'enough' });
    await eventually(() =>
      expect(cancellationRequests()).toContainEqual({ directory: newest(), reason: 'enough' }),
    );
    await eventually(() => expect(existsSync(join(newest(), 'result.json'))).toBe(true));
    await server.close();
    expect(cancellationRequests()).toEqual([]);
  });

  it('by cancel_run leaves no entry in the queue', async () => {
    const server = await connect();
    void startAutopilot(server, task(job('one', { hang: true }))).catch(() => {});
    await eventually(() => expect(existsSync(join(newest(), 'subruns/one/thread.json'))).toBe(true));
    const { record } = await server.call('cancel_run', { run_id: readdirSync(folder())[0]! });
    expect(record.status).toBe('cancelled');
    await server.close();
    expect(cancellationRequests()).toEqual([]);
  });
});

describe('an autopilot', () => {
  it('saves no state if a job contains a secret', async () => {
    const server = await connect();
    const secret = job('one', { hang: true });
    void startAutopilot(
      server,
      task({ ...secret, task: `${secret.task} Use ghp_${'a1'.repeat(20)}.` }),
    ).catch(() => {});
    await eventually(() => expect(existsSync(join(newest(), 'subruns/one/thread.json'))).toBe(true));
    expect(existsSync(join(newest(), '.autopilot.json'))).toBe(false);
    await server.call('cancel_run', { run_id: readdirSync(folder())[0]! });
  });
});
