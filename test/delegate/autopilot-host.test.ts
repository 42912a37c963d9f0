import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listRunProcesses } from '../../src/delegate/process/process-table.ts';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, type Turn } from '../model/turn.ts';
import { autopilotTask, job } from './autopilot-task.ts';
import { killHost } from './kill-host.ts';
import { resetProject } from './project.ts';
import { ServerProcess } from './server-process.ts';
import { createWorkbench, nativeCodex, type Workbench } from './workbench.ts';

let model: Model;
let bench: Workbench;
beforeAll(async () => {
  model = await startResponsesModel();
  bench = createWorkbench(model.config);
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await model.close();
});
beforeEach(() => resetProject(bench, { 'README.md': '# A project\n' }));

const connect = async (settings: Record<string, string> = {}) =>
  bench.connect({
    'delegate-command': await nativeCodex(),
    'delegate-answer-within-seconds': '0',
    ...settings,
  });
const read = (path: string) => readFileSync(join(bench.project, path), 'utf8');
const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

const runs = () => join(bench.home, 'runs');
const ids = () => (existsSync(runs()) ? readdirSync(runs()) : []);
const statuses = (aggregate: { jobs: { id: string; status: string }[] }) =>
  aggregate.jobs.map(({ id, status }) => `${id} ${status}`);
const finished = async (id: string) => {
  await expect.poll(() => existsSync(join(runs(), id, 'result.json')), { timeout: 30_000 }).toBe(true);
  const aggregate = readJson(join(runs(), id, 'autopilot_aggregate.json'));
  return { result: readJson(join(runs(), id, 'result.json')), aggregate };
};
const second = (...turns: Turn[]) =>
  job('second', { depends_on: ['first'], sandbox: 'workspace-write' }, ...turns);
const task = autopilotTask(
  job('first'),
  second({ shell: 'echo alone > alone.txt; sleep 2' }, answer({ summary: 'Finished alone.' })),
  job('third', { depends_on: ['second'] }),
);

/** Starts an autopilot on a server of its own, and waits until a file exists in its run directory. */
async function startAutopilot(file: string, given: string, settings: Record<string, string> = {}) {
  const server = await new ServerProcess(bench, {
    'delegate-command': await nativeCodex(),
    'delegate-answer-within-seconds': '0',
    ...settings,
  }).initialize();
  const known = ids();
  const args = { task: given, cwd: bench.project };
  const output = server.call('delegate_autopilot', args);
  const newest = () => ids().find((id) => !known.includes(id)) ?? '';
  await expect.poll(() => existsSync(join(runs(), newest(), file)), { timeout: 20_000 }).toBe(true);
  return { server, output, id: newest() };
}

describe('an autopilot whose server is killed', () => {
  it('does not notice', async () => {
    const before = model.requests.length;
    const { server, id } = await startAutopilot('subruns/second/.workspace/upper/alone.txt', task);
    await server.kill('SIGKILL');
    const { result, aggregate } = await finished(id);
    expect(result).toMatchObject({ status: 'completed', error: null, warnings: [] });
    expect(aggregate.summary).toBe(
      'Job first (completed): Did first.\nJob second (completed): Finished alone.\nJob third (completed): Did third.',
    );
    expect(read('alone.txt')).toBe('alone\n');
    // One request for the planner, one each for the first and third job, and two for the second, which ran a command.
    expect(model.requests.slice(before)).toHaveLength(5);
  });

  it('can be cancelled by another server', async () => {
    const { server, id } = await startAutopilot(
      'subruns/second/thread.json',
      autopilotTask(job('first'), second({ shell: 'sleep 600' }), job('third', { depends_on: ['second'] })),
    );
    await server.kill('SIGKILL');
    const next = await connect();
    const { record } = await next.call('cancel_run', { run_id: id });
    expect(record.status).toBe('cancelled');
    const { aggregate } = await finished(id);
    expect(statuses(aggregate)).toEqual(['first completed', 'second cancelled', 'third skipped']);
  });
});

describe('an autopilot whose run host is killed', () => {
  it('is continued by the server that waits for it', async () => {
    const { server, output, id } = await startAutopilot('subruns/second/.workspace/upper/alone.txt', task);
    expect(await killHost(bench, id)).toBe(true);
    expect(await output).toMatchObject({ status: 'completed', error: null });
    await server[Symbol.asyncDispose]();
    const { result, aggregate } = await finished(id);
    expect(result.warnings).toContain(
      'The process of the autopilot was killed; another one continued its work.',
    );
    expect(statuses(aggregate)).toEqual(['first completed', 'second completed', 'third completed']);
    expect(read('alone.txt')).toBe('alone\n');
    expect(readFileSync(aggregate.jobs[1].patch.path, 'utf8')).toContain('+alone');
    expect(readdirSync(join(runs(), id)).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('is continued by the next server, also if it had no plan yet', async () => {
    const { server, id } = await startAutopilot('planner/plan-1/events.jsonl', task);
    await server.kill('SIGKILL');
    expect(await killHost(bench, id)).toBe(true);
    expect(existsSync(join(runs(), id, 'autopilot_plan.json'))).toBe(false);
    await connect();
    const { result, aggregate } = await finished(id);
    expect(result).toMatchObject({ status: 'completed', error: null });
    expect(statuses(aggregate)).toEqual(['first completed', 'second completed', 'third completed']);
  });

  it.each([
    ['was already carried by four hosts', { hosts: 4 }, task],
    ['has a secret in its task', undefined, `Use ghp_${'a1'.repeat(20)}. ${task}`],
  ])('is finished without being continued if it %s', async (_, change, given) => {
    const { server, id } = await startAutopilot('subruns/second/.workspace/upper/alone.txt', given);
    await server.kill('SIGKILL');
    expect(await killHost(bench, id)).toBe(true);
    const stateFile = join(runs(), id, '.autopilot.json');
    expect(existsSync(stateFile)).toBe(change !== undefined);
    if (change !== undefined) writeFileSync(stateFile, JSON.stringify({ ...readJson(stateFile), ...change }));
    await connect();
    const { result, aggregate } = await finished(id);
    expect(result.status).toBe('failed');
    expect(result.error).toContain('the process of the autopilot was killed');
    expect(statuses(aggregate)).toEqual(['first completed', 'second failed', 'third skipped']);
    expect(readFileSync(aggregate.jobs[1].patch.path, 'utf8')).toContain('+alone');
  });
});

describe('an autopilot whose client disconnects', () => {
  it.each([
    ['finish', 'completed'],
    ['cancel', 'cancelled'],
  ])('with on_disconnect = %s is %s', async (policy, status) => {
    const { server, id } = await startAutopilot('subruns/second/thread.json', task, {
      'delegate-on-disconnect': policy,
    });
    await server.kill('SIGTERM');
    expect((await finished(id)).result.status).toBe(status);
    expect(await listRunProcesses(undefined, `${id}/second`)).toEqual([]);
  });
});
