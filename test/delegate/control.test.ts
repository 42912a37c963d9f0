import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listRunProcesses } from '../../src/delegate/process/process-table.ts';
import { listRunIds, type RunRecord } from '../../src/delegate/run/run-record.ts';
import type { RunOverview } from '../../src/delegate/tools/run-overview.ts';
import { eventually } from './eventually.ts';
import { killHost, readQueue } from './kill-host.ts';
import { bare, scriptedAgent, steps } from './scripted.ts';
import { ServerProcess } from './server-process.ts';
import { type Connection, createWorkbench, type Workbench } from './workbench.ts';

let bench: Workbench;
beforeEach(() => {
  bench = createWorkbench();
});
afterEach(() => bench[Symbol.asyncDispose]());

const connect = (settings: Readonly<Record<string, string>> = {}) =>
  bench.connect({ 'delegate-command': scriptedAgent, ...settings });
const newest = async () => (await listRunIds(join(bench.home, 'runs')))[0];
const listed = async (server: Connection) =>
  ((await server.call('list_runs', {})).record as unknown as { runs: RunOverview[] }).runs;
const firstRunning = (server: Connection) =>
  eventually(async () => {
    const [run] = await listed(server);
    expect(run).toMatchObject({ status: 'running', subagent_thread_id: expect.any(String) });
    return run!.run_id;
  });
const finished = (server: Connection, run_id: string): Promise<RunRecord> =>
  eventually(async () => {
    const { record } = await server.call('show_run', { run_id });
    expect(record.status).not.toMatch(/running|interrupted/);
    return record;
  });

describe('a time limit', () => {
  it.each([
    ['start', bare({ hang: true }), 'timed out: codex exec did not start a thread within 1 s'],
    ['idle', steps({ hang: true }), 'timed out: no event within 1 s'],
    [
      'total',
      steps(...Array.from({ length: 50 }, () => [{ command: 'x' }, { wait: 100 }] as const).flat()),
      'timed out: not finished within 1 s',
    ],
  ])('ends the run: %s', async (limit, task, error) => {
    const server = await connect({ [`delegate-${limit}-timeout-seconds`]: '1' });
    const { record } = await server.call('delegate_run', { task, cwd: bench.project });
    expect(record).toMatchObject({ status: 'failed', error });
    expect(record.ended_processes).toHaveLength(1);
    expect(await listRunProcesses(undefined, record.run_id)).toEqual([]);
  });

  it('for the answer does not end the run, whose result can be collected later', async () => {
    const server = await connect({ 'delegate-answer-within-seconds': '1' });
    const first = await server.call('delegate_run', {
      task: steps({ wait: 1_500 }, { answer: { summary: 'finished later' } }),
      cwd: bench.project,
    });
    expect(first.record).toMatchObject({ status: 'running', error: null });
    expect(first.text).toContain(`Call collect_run with run_id ${first.record.run_id}`);
    const { record } = await server.call('collect_run', { run_id: first.record.run_id, wait_seconds: 20 });
    expect(record).toMatchObject({ status: 'completed', summary: 'finished later' });
  });
});

describe('cancelling', () => {
  it('ends the agent and all processes it started, and lists them', async () => {
    const server = await connect();
    const task = steps({ ignoreSignals: true }, { child: "trap '' INT TERM; sleep 1000" }, { hang: true });
    const call = server.call('delegate_run', { task, cwd: bench.project });
    const run_id = await firstRunning(server);
    await eventually(async () =>
      expect((await listRunProcesses(undefined, run_id)).length).toBeGreaterThan(1),
    );
    const { record } = await server.call('cancel_run', { run_id, reason: 'enough' });
    expect(record).toMatchObject({ status: 'cancelled', error: 'cancelled: enough' });
    expect(record.ended_processes.map(({ by }) => by)).toContain('SIGKILL');
    expect(record.ended_processes.some(({ command }) => command.includes('sleep 1000'))).toBe(true);
    expect(await listRunProcesses(undefined, run_id)).toEqual([]);
    expect((await call).record.status).toBe('cancelled');
  });

  it('by the client gets no answer, but is recorded', async () => {
    const server = await connect();
    const answer = server.client.exchange({
      jsonrpc: '2.0',
      id: 'x',
      method: 'tools/call',
      params: { name: 'delegate_run', arguments: { task: steps({ hang: true }), cwd: bench.project } },
    });
    const run_id = await firstRunning(server);
    await server.client.notify('notifications/cancelled', { requestId: 'x', reason: 'no longer needed' });
    expect(await answer).toBeUndefined();
    expect(await finished(server, run_id)).toMatchObject({
      status: 'cancelled',
      error: 'cancelled: no longer needed',
    });
  });

  it('works for a run of another server', async () => {
    await using other = await new ServerProcess(bench, { 'delegate-command': scriptedAgent }).initialize();
    const call = other.call('delegate_run', { task: steps({ hang: true }), cwd: bench.project });
    const server = await connect();
    const run_id = await firstRunning(server);
    const { record } = await server.call('cancel_run', { run_id });
    expect(record.status).toBe('cancelled');
    expect((await call).status).toBe('cancelled');
  });

  it('removes a waiting run from the queue', async () => {
    const server = await connect({ 'delegate-max-parallel': '1' });
    const first = server.call('delegate_run', { task: steps({ hang: true }), cwd: bench.project });
    const running = await firstRunning(server);
    const second = server.call('delegate_run', { task: steps({ answer: {} }), cwd: bench.project });
    const waiting = await eventually(async () => {
      const run = (await listed(server)).find(({ status }) => status === 'waiting');
      expect(run).toBeDefined();
      return run!.run_id;
    });
    await server.call('cancel_run', { run_id: waiting });
    expect((await second).record).toMatchObject({ status: 'cancelled', subagent_thread_id: null });
    await server.call('cancel_run', { run_id: running });
    expect((await first).record.status).toBe('cancelled');
  });

  it('does not change a finished run', async () => {
    const server = await connect();
    const { record } = await server.call('delegate_run', { task: steps({ answer: {} }), cwd: bench.project });
    expect((await server.call('cancel_run', { run_id: record.run_id })).record.status).toBe('completed');
  });

  it('reports an unknown run', async () => {
    const server = await connect();
    const call = { name: 'cancel_run', arguments: { run_id: '../../etc' } };
    expect(await server.client.request('tools/call', call)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('There is no run ../../etc') }],
    });
  });
});

describe('a client that disconnects', () => {
  it('cancels its run', async () => {
    const server = await new ServerProcess(bench, { 'delegate-command': scriptedAgent }).initialize();
    server.begin('delegate_run', { task: steps({ hang: true }), cwd: bench.project });
    const watching = await connect();
    const run_id = await firstRunning(watching);
    await server.kill('SIGTERM');
    expect(await finished(watching, run_id)).toMatchObject({ status: 'cancelled' });
    expect(await listRunProcesses(undefined, run_id)).toEqual([]);
  });

  it('lets its run finish with on_disconnect = finish', async () => {
    const settings = { 'delegate-command': scriptedAgent, 'delegate-on-disconnect': 'finish' };
    const server = await new ServerProcess(bench, settings).initialize();
    const task = steps({ wait: 1_000 }, { answer: { summary: 'finished without a server' } });
    server.begin('delegate_run', { task, cwd: bench.project });
    await eventually(async () =>
      expect(existsSync(join(bench.home, 'runs', (await newest())!, 'thread.json'))).toBe(true),
    );
    await server.kill('SIGTERM');
    const next = await connect();
    expect(await finished(next, (await newest())!)).toMatchObject({
      status: 'completed',
      summary: 'finished without a server',
    });
  });
});

describe('a server that is killed', () => {
  it('leaves its running and its waiting runs to their hosts', async () => {
    const settings = { 'delegate-command': scriptedAgent, 'delegate-max-parallel': '1' };
    const first = await new ServerProcess(bench, settings).initialize();
    const ended = join(bench.folder, 'ended');
    const task = steps({ until: ended }, { answer: { summary: 'survived' } });
    first.begin('delegate_run', { task, cwd: bench.project });
    const watching = await connect();
    const running = await firstRunning(watching);
    first.begin('delegate_run', { task: steps({ answer: { summary: 'waited' } }), cwd: bench.project });
    // The run is in the queue before its host has it. Only the host opens a socket.
    const waiting = await eventually(async () => {
      const run = (await readQueue(bench, (queue) => queue.open())).find(({ state }) => state === 'waiting');
      expect(run?.socket).toEqual(expect.any(String));
      return run!.runId;
    });
    await first.kill('SIGKILL');
    writeFileSync(ended, '');
    expect(await finished(watching, running)).toMatchObject({ status: 'completed', summary: 'survived' });
    expect(await finished(watching, waiting)).toMatchObject({ status: 'completed', summary: 'waited' });
  });

  it('does not end the time limit of its runs', async () => {
    const settings = { 'delegate-command': scriptedAgent, 'delegate-total-timeout-seconds': '1' };
    const first = await new ServerProcess(bench, settings).initialize();
    first.begin('delegate_run', { task: steps({ hang: true }), cwd: bench.project });
    const watching = await connect();
    const run_id = await firstRunning(watching);
    await first.kill('SIGKILL');
    expect(await finished(watching, run_id)).toMatchObject({
      status: 'failed',
      error: 'timed out: not finished within 1 s',
    });
  });
});

describe('a run host that is killed', () => {
  it('leaves no process behind, a true state, and a thread to resume', async () => {
    const server = await connect();
    const task = steps({ child: 'setsid sleep 1000' }, { hang: true });
    const call = server.call('delegate_run', { task, cwd: bench.project });
    const run_id = await firstRunning(server);
    expect(await killHost(bench, run_id)).toBe(true);
    const { record } = await call;
    expect(record).toMatchObject({
      run_id,
      status: 'failed',
      error: 'the process that carried the run was killed before codex exec had finished',
    });
    expect(await listRunProcesses(undefined, run_id)).toEqual([]);
    const { thread_id } = JSON.parse(readFileSync(join(record.run_dir, 'thread.json'), 'utf8'));
    expect(record.subagent_thread_id).toBe(thread_id);
    expect(await readQueue(bench, (queue) => queue.open())).toEqual([]);
  });

  it('does not lose the answer of an agent that had finished its turn', async () => {
    const server = await connect();
    const text = JSON.stringify({
      summary: 'just in time',
      deliverables: [],
      open_questions: [],
      next_actions: [],
    });
    const message = { type: 'item.completed', item: { id: 'last', type: 'agent_message', text } };
    const task = steps({ emit: message }, { emit: { type: 'turn.completed', usage: {} } }, { hang: true });
    const call = server.call('delegate_run', { task, cwd: bench.project });
    const run_id = await firstRunning(server);
    const events = join(bench.home, 'runs', run_id, 'events.jsonl');
    await eventually(() => expect(readFileSync(events, 'utf8')).toContain('turn.completed'));
    expect(await killHost(bench, run_id)).toBe(true);
    expect((await call).record).toMatchObject({ status: 'completed', summary: 'just in time' });
  });

  it('is noticed by the next server if its own server was killed too', async () => {
    const first = await new ServerProcess(bench, { 'delegate-command': scriptedAgent }).initialize();
    first.begin('delegate_run', { task: steps({ hang: true }), cwd: bench.project });
    const server = await connect();
    const run_id = await firstRunning(server);
    await first.kill('SIGKILL');
    expect(await killHost(bench, run_id)).toBe(true);
    expect((await server.call('collect_run', { run_id })).record.status).toBe('failed');
    expect(await listRunProcesses(undefined, run_id)).toEqual([]);
  });
});

describe('the queue', () => {
  it('runs two calls for the same thread one after the other', async () => {
    const server = await connect();
    const thread_id = '01a1de69-7620-7c01-aa83-000000000000';
    const ask = () =>
      server.call('delegate_resume', {
        thread_id,
        task: steps({ wait: 300 }, { answer: {} }),
        cwd: bench.project,
      });
    const [one, other] = await Promise.all([ask(), ask()]);
    const [first, second] = [one.record, other.record].sort((a, b) =>
      a.timing.started_at < b.timing.started_at ? -1 : 1,
    );
    expect([one.record.status, other.record.status]).toEqual(['completed', 'completed']);
    expect(Date.parse(second!.timing.started_at)).toBeGreaterThanOrEqual(
      Date.parse(first!.timing.finished_at),
    );
  });
});
