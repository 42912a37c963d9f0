import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, type Turn } from '../model/turn.ts';
import { autopilotTask, job } from './autopilot-task.ts';
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

describe('an autopilot whose server is killed', () => {
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

  /** Starts an autopilot and kills its server when the file exists. */
  async function killServerWhenExists(file: string, task: string, more: object = {}): Promise<string> {
    await using doomed = await new ServerProcess(bench, {
      'delegate-command': await nativeCodex(),
    }).initialize();
    const known = ids();
    void doomed.begin('delegate_autopilot', { task, cwd: bench.project, ...more });
    const newest = () => ids().find((id) => !known.includes(id)) ?? '';
    await expect.poll(() => existsSync(join(runs(), newest(), file)), { timeout: 20_000 }).toBe(true);
    await doomed.kill('SIGKILL');
    return newest();
  }
  const task = autopilotTask(
    job('first'),
    second({ shell: 'echo alone > alone.txt; sleep 2' }, answer({ summary: 'Finished alone.' })),
    job('third', { depends_on: ['second'] }),
  );

  it('is resumed by the next server, without repeating any work', async () => {
    const before = model.requests.length;
    const id = await killServerWhenExists('subruns/second/.workspace/upper/alone.txt', task);
    await connect();
    const { result, aggregate } = await finished(id);
    expect(result).toMatchObject({ status: 'completed', error: null });
    expect(result.warnings).toContain('The server stopped during the autopilot; another server resumed it.');
    expect(aggregate.summary).toBe(
      'Job first (completed): Did first.\nJob second (completed): Finished alone.\nJob third (completed): Did third.',
    );
    expect(read('alone.txt')).toBe('alone\n');
    expect(readFileSync(aggregate.jobs[1].patch.path, 'utf8')).toContain('+alone');
    expect(readdirSync(join(runs(), id)).filter((name) => name.startsWith('.'))).toEqual([]);
    expect(result.usage).toEqual(aggregate.usage);
    // One request for the planner, one each for the first and third job, and two for the second, which ran a command.
    expect(model.requests.slice(before)).toHaveLength(5);
  });

  it('is resumed again if the next server is killed too', async () => {
    const id = await killServerWhenExists(
      'subruns/first/events.jsonl',
      autopilotTask(
        job('first', {}, { shell: 'sleep 2' }, answer({ summary: 'Did first.' })),
        second({ shell: 'sleep 3' }, answer({ summary: 'Did second.' })),
        job('third', { depends_on: ['second'] }),
      ),
    );
    await using doomed = await new ServerProcess(bench, {
      'delegate-command': await nativeCodex(),
    }).initialize();
    const file = join(runs(), id, 'subruns/second/events.jsonl');
    await expect.poll(() => existsSync(file), { timeout: 20_000 }).toBe(true);
    await doomed.kill('SIGKILL');
    await connect();
    const { result, aggregate } = await finished(id);
    expect(result.status).toBe('completed');
    expect(statuses(aggregate)).toEqual(['first completed', 'second completed', 'third completed']);
  });

  it('is also resumed after a normal stop with a waiting job', async () => {
    const settings = { 'delegate-on-disconnect': 'finish', 'delegate-max-parallel': '1' };
    await using stopped = await new ServerProcess(bench, {
      'delegate-command': await nativeCodex(),
      ...settings,
    }).initialize();
    const known = ids();
    const task = autopilotTask(
      job('one', {}, { shell: 'sleep 2' }, answer({ summary: 'Did one.' })),
      job('two', {}, { shell: 'sleep 1' }, answer({ summary: 'Did two.' })),
    );
    void stopped.begin('delegate_autopilot', { task, cwd: bench.project, max_parallel: 2 });
    const newest = () => ids().find((id) => !known.includes(id)) ?? '';
    const jobs = () =>
      ['one', 'two'].filter((id) => existsSync(join(runs(), newest(), 'subruns', id, 'codex_exec.json')));
    await expect.poll(jobs, { timeout: 20_000 }).toEqual(['one', 'two']);
    await stopped.kill('SIGTERM');
    await connect(settings);
    const { result, aggregate } = await finished(newest());
    expect(result.status).toBe('completed');
    expect(statuses(aggregate)).toEqual(['one completed', 'two completed']);
  });

  it('can be cancelled by another server', async () => {
    const id = await killServerWhenExists(
      'subruns/second/events.jsonl',
      autopilotTask(job('first'), second({ shell: 'sleep 600' }), job('third', { depends_on: ['second'] })),
    );
    const next = await connect();
    const { record } = await next.call('cancel_run', { run_id: id });
    expect(record.status).toBe('cancelled');
    const { aggregate } = await finished(id);
    expect(statuses(aggregate)).toEqual(['first completed', 'second cancelled', 'third skipped']);
  });

  it.each([
    ['was already run by three servers', { servers: 3 }, task],
    ['has a secret in its task', undefined, `Use ghp_${'a1'.repeat(20)}. ${task}`],
  ])('is finished without being resumed if it %s', async (_, change, given) => {
    const id = await killServerWhenExists('subruns/second/.workspace/upper/alone.txt', given);
    const stateFile = join(runs(), id, '.flight.json');
    expect(existsSync(stateFile)).toBe(change !== undefined);
    if (change !== undefined) writeFileSync(stateFile, JSON.stringify({ ...readJson(stateFile), ...change }));
    await connect();
    const { result, aggregate } = await finished(id);
    expect(result.status).toBe('failed');
    expect(result.error).toContain('the server stopped during the autopilot');
    expect(aggregate.summary).toBe(
      'Job first (completed): Did first.\nJob second (completed_with_problems): Finished alone.\nJob third (skipped): Skipped because the server stopped.',
    );
    expect(readFileSync(aggregate.jobs[1].patch.path, 'utf8')).toContain('+alone');
  });
});
