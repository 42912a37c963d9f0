import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, type Turn } from '../model/turn.ts';
import { job, planned } from './planned.ts';
import { gitIn, renewProject } from './project.ts';
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
beforeEach(() => renewProject(bench, { 'README.md': '# A project\n' }));

const connect = async (settings: Record<string, string> = {}) =>
  bench.connect({
    'delegate-command': await nativeCodex(),
    'delegate-answer-within-seconds': '0',
    ...settings,
  });
const read = (path: string) => readFileSync(join(bench.project, path), 'utf8');
const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const git = (...args: string[]) => gitIn(bench, ...args);

describe('an autopilot whose server is killed', () => {
  const runs = () => join(bench.home, 'runs');
  const ids = () => (existsSync(runs()) ? readdirSync(runs()) : []);
  const statuses = (sum: { jobs: { id: string; status: string }[] }) =>
    sum.jobs.map(({ id, status }) => `${id} ${status}`);
  const ended = async (id: string) => {
    await expect.poll(() => existsSync(join(runs(), id, 'result.json')), { timeout: 30_000 }).toBe(true);
    const sum = readJson(join(runs(), id, 'autopilot_aggregate.json'));
    return { result: readJson(join(runs(), id, 'result.json')), sum };
  };
  const second = (...turns: Turn[]) =>
    job('second', { depends_on: ['first'], sandbox: 'workspace-write' }, ...turns);

  /** Kills a server while it is at the second job. */
  async function killedAt(sign: string, task: string, more: object = {}): Promise<string> {
    await using doomed = await new ServerProcess(bench, {
      'delegate-command': await nativeCodex(),
    }).initialize();
    const known = ids();
    void doomed.begin('delegate_autopilot', { task, cwd: bench.project, ...more });
    const newest = () => ids().find((id) => !known.includes(id)) ?? '';
    await expect.poll(() => existsSync(join(runs(), newest(), sign)), { timeout: 20_000 }).toBe(true);
    await doomed.kill('SIGKILL');
    return newest();
  }
  const alone = planned(
    job('first'),
    second({ shell: 'echo alone > alone.txt; sleep 2' }, answer({ summary: 'Went on alone.' })),
    job('third', { depends_on: ['second'] }),
  );

  it('is gone on with by the next one, without doing anything twice', async () => {
    const before = model.requests.length;
    const id = await killedAt('worktrees/second/alone.txt', alone, { worktrees: 'always' });
    await connect();
    const { result, sum } = await ended(id);
    expect(result).toMatchObject({ status: 'completed', error: null });
    expect(result.warnings).toContain('Its server ended while it was at work; another one went on with it.');
    expect(sum.summary).toBe(
      'Job first (completed): Did first.\nJob second (completed): Went on alone.\nJob third (completed): Did third.',
    );
    expect(read('alone.txt')).toBe('alone\n');
    expect(readFileSync(sum.jobs[1].patch.path, 'utf8')).toContain('+alone');
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    expect(readdirSync(join(runs(), id)).filter((name) => name.startsWith('.'))).toEqual([]);
    expect(result.usage).toEqual(sum.usage);
    // One of the planner, one each of the first and the third job, and two of the second, which ran a command.
    expect(model.requests.slice(before)).toHaveLength(5);
  });

  it('and the next one too, is gone on with once more', async () => {
    const id = await killedAt(
      'subruns/first/events.jsonl',
      planned(
        job('first', {}, { shell: 'sleep 2' }, answer({ summary: 'Did first.' })),
        second({ shell: 'sleep 3' }, answer({ summary: 'Did second.' })),
        job('third', { depends_on: ['second'] }),
      ),
    );
    await using doomed = await new ServerProcess(bench, {
      'delegate-command': await nativeCodex(),
    }).initialize();
    const sign = join(runs(), id, 'subruns/second/events.jsonl');
    await expect.poll(() => existsSync(sign), { timeout: 20_000 }).toBe(true);
    await doomed.kill('SIGKILL');
    await connect();
    const { result, sum } = await ended(id);
    expect(result.status).toBe('completed');
    expect(statuses(sum)).toEqual(['first completed', 'second completed', 'third completed']);
  });

  it('or stopped, with a job in line, is gone on with all the same', async () => {
    const settings = { 'delegate-on-disconnect': 'finish', 'delegate-max-parallel': '1' };
    await using stopped = await new ServerProcess(bench, {
      'delegate-command': await nativeCodex(),
      ...settings,
    }).initialize();
    const known = ids();
    const task = planned(
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
    const { result, sum } = await ended(newest());
    expect(result.status).toBe('completed');
    expect(statuses(sum)).toEqual(['one completed', 'two completed']);
  });

  it('can be cancelled from another one', async () => {
    const id = await killedAt(
      'subruns/second/events.jsonl',
      planned(job('first'), second({ shell: 'sleep 600' }), job('third', { depends_on: ['second'] })),
    );
    const next = await connect();
    const { record } = await next.call('cancel_run', { run_id: id });
    expect(record.status).toBe('cancelled');
    const { sum } = await ended(id);
    expect(statuses(sum)).toEqual(['first completed', 'second cancelled', 'third skipped']);
  });

  it.each([
    ['has ended three servers already', { servers: 3 }, alone],
    ['had a secret in its task', undefined, `Use ghp_${'a1'.repeat(20)}. ${alone}`],
  ])('is brought to its end where it %s', async (_, change, task) => {
    const id = await killedAt('worktrees/second/alone.txt', task, { worktrees: 'always' });
    const plan = join(runs(), id, '.flight.json');
    expect(existsSync(plan)).toBe(change !== undefined);
    if (change !== undefined) writeFileSync(plan, JSON.stringify({ ...readJson(plan), ...change }));
    await connect();
    const { result, sum } = await ended(id);
    expect(result.status).toBe('failed');
    expect(result.error).toContain('the server ended while the autopilot was at work');
    expect(sum.summary).toBe(
      'Job first (completed): Did first.\nJob second (completed): Went on alone.\nJob third (skipped): Skipped because the server ended.',
    );
    expect(readFileSync(sum.jobs[1].patch.path, 'utf8')).toContain('+alone');
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });
});
