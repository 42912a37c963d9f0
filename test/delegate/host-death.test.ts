import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundle } from '../program.ts';
import { eventually } from './eventually.ts';
import { killHost, readQueue } from './kill-host.ts';
import { hostsOf } from './run-hosts.ts';
import { type Step, scriptedAgent, steps } from './scripted.ts';
import { ServerProcess } from './server-process.ts';
import { createWorkbench, type Workbench } from './workbench.ts';

let bench: Workbench;
let settings: Record<string, string>;
beforeEach(() => {
  bench = createWorkbench();
  const agent = join(bench.folder, 'counted-codex');
  // In its sandbox the agent can write only next to its answer.
  writeFileSync(
    agent,
    `#!/bin/sh\nlast=\nfor one; do if [ "$last" = -o ]; then echo exec >> "\${one%/*}/starts"; fi; last=$one; done\nexec ${process.execPath} ${scriptedAgent} "$@"\n`,
  );
  chmodSync(agent, 0o755);
  settings = { 'delegate-command': agent, 'delegate-answer-within-seconds': '0' };
});
afterEach(() => bench[Symbol.asyncDispose]());

/** How often an agent was started to do a task. */
const countStarts = () =>
  globSync('**/starts', { cwd: join(bench.home, 'runs') })
    .map((path) => readFileSync(join(bench.home, 'runs', path), 'utf8').match(/^exec$/gm)!.length)
    .reduce((all, some) => all + some, 0);
const task = (...all: readonly Step[]) => ({ task: steps(...all), cwd: bench.project });
const openRuns = () => readQueue(bench, (queue) => queue.open());

/** Resolves with the only host of this server when the run directory exists: long before the order is ready. */
async function hostBeforeOrder(server = process.pid): Promise<number> {
  const runs = join(bench.home, 'runs');
  while (!existsSync(runs) || readdirSync(runs).length === 0) await nextTick();
  const [host, ...others] = hostsOf(server);
  expect(others).toEqual([]);
  return host!;
}

/** Kills a process and does not return to the event loop until it is dead. */
function killNow(pid: number): void {
  process.kill(pid, 'SIGKILL');
  while (hostsOf(process.pid).includes(pid)) spawnSync('sleep', ['0.01']);
}

describe('a run whose host dies', () => {
  it('before the order is sent is started once, by another host', async () => {
    const server = await bench.connect(settings);
    const call = server.call('delegate_run', task({ answer: {} }));
    killNow(await hostBeforeOrder());
    expect((await call).record).toMatchObject({ status: 'completed', error: null });
    expect(countStarts()).toBe(1);
  });

  const plan = { should_delegate: false, reason: 'It is one word.', jobs: [] };
  it.each<[string, Step]>([
    ['delegate_run', { answer: {} }],
    ['delegate_autopilot', { message: JSON.stringify(plan) }],
  ])('before it accepts the order is started once, by another host: %s', async (tool, step) => {
    const server = await bench.connect(settings);
    const call = server.call(tool, task(step));
    const host = await hostBeforeOrder();
    process.kill(host, 'SIGSTOP');
    await eventually(async () => expect((await openRuns())[0]?.owner.pid).toBe(host));
    process.kill(host, 'SIGKILL');
    expect((await call).record).toMatchObject({ status: 'completed', error: null, warnings: [] });
    expect(countStarts()).toBe(1);
  });

  it('before it accepts the order, and is cancelled meanwhile, is not started', async () => {
    const server = await bench.connect(settings);
    const call = server.call('delegate_run', task({ answer: {} }));
    const host = await hostBeforeOrder();
    process.kill(host, 'SIGSTOP');
    const [run] = await eventually(async () => {
      const open = await openRuns();
      expect(open[0]?.owner.pid).toBe(host);
      return open;
    });
    await readQueue(bench, (queue) => queue.requestCancellation(run!.directory, 'not needed'));
    process.kill(host, 'SIGKILL');
    expect((await call).record).toMatchObject({ status: 'cancelled', error: 'cancelled: not needed' });
    expect(countStarts()).toBe(0);
  });

  it('before it accepts the order is left to its own server by others', async () => {
    await using server = await new ServerProcess(bench, settings).initialize();
    const { result } = server.begin('delegate_run', task({ answer: {} }));
    const host = await hostBeforeOrder(server.child.pid);
    process.kill(host, 'SIGSTOP');
    const [run] = await eventually(async () => {
      const open = await openRuns();
      expect(open[0]?.owner.pid).toBe(host);
      return open;
    });
    server.child.kill('SIGSTOP');
    process.kill(host, 'SIGKILL');
    // Servers recover runs in their order, so the other one has passed over the first run when this one is gone.
    const abandoned = join(bench.home, 'runs', 'abandoned');
    await readQueue(bench, (queue) => {
      queue.enqueue({ ...run!, directory: abandoned });
      queue.assign(abandoned, { pid: host, born: 'earlier' });
      queue.recordAcceptance(abandoned);
    });
    await using other = await new ServerProcess(bench, settings).initialize();
    await eventually(async () => expect(await openRuns()).toHaveLength(1));
    const { status } = await other.call('show_run', { run_id: run!.runId });
    server.child.kill('SIGCONT');
    expect(status).not.toBe('interrupted');
    expect((await result)['structuredContent']).toMatchObject({ status: 'completed', error: null });
    expect(countStarts()).toBe(1);
  });

  it('after it accepted the order, but before the agent starts, is not given to another', async () => {
    const server = await bench.connect({ ...settings, 'delegate-max-parallel': '1' });
    const first = server.call('delegate_run', task({ hang: true }));
    const running = await eventually(async () => {
      const [run] = await openRuns();
      expect(run?.process).toBeTruthy();
      return run!;
    });
    const second = server.call('delegate_run', task({ answer: {} }));
    const waiting = await eventually(async () => {
      const [, run] = await openRuns();
      expect(run?.socket).toEqual(expect.any(String));
      return run!;
    });
    expect(await killHost(bench, waiting.runId)).toBe(true);
    expect((await second).record).toMatchObject({
      status: 'failed',
      error: 'the run was interrupted before its agent was started',
    });
    await server.call('cancel_run', { run_id: running.runId });
    expect((await first).record.status).toBe('cancelled');
    expect(countStarts()).toBe(1);
  });

  it('after the agent has started is not repeated', async () => {
    const server = await bench.connect(settings);
    const call = server.call('delegate_run', task({ hang: true }));
    const run = await eventually(async () => {
      const [open] = await openRuns();
      expect(open?.process).toBeTruthy();
      return open!;
    });
    await eventually(() => expect(countStarts()).toBe(1));
    expect(await killHost(bench, run.runId)).toBe(true);
    expect((await call).record).toMatchObject({ status: 'failed', error: expect.stringContaining('killed') });
    expect(countStarts()).toBe(1);
  });

  it('like every other host fails after some attempts', async () => {
    const program = join(bench.folder, 'program');
    cpSync(dirname(bundle), program, { recursive: true });
    const launcher = join(program, 'adjutant.cjs');
    await using server = await new ServerProcess(bench, settings, [], launcher).initialize();
    writeFileSync(launcher, 'process.exit(1)');
    expect(await server.call('delegate_run', task({ answer: {} }))).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(
        /^4 run hosts exited before they accepted \S+\. If Adjutant was updated, restart/,
      ),
    });
    expect(countStarts()).toBe(0);
    expect(await openRuns()).toEqual([]);
  });
});
