import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundle } from '../program.ts';
import { eventually } from './eventually.ts';
import { readQueue } from './kill-host.ts';
import { hostsOf } from './run-hosts.ts';
import { scriptedAgent, steps } from './scripted.ts';
import { ServerProcess } from './server-process.ts';
import { type Connection, createWorkbench, type Workbench } from './workbench.ts';

let bench: Workbench;
beforeEach(() => {
  bench = createWorkbench();
});
afterEach(() => bench[Symbol.asyncDispose]());

/** Starts a run and resolves with its socket when the host listens. */
async function startRun(server: Connection, task: string) {
  const call = server.call('delegate_run', { task, cwd: bench.project });
  const socket = await eventually(async () => {
    const [run] = await readQueue(bench, (queue) => queue.open());
    expect(run?.socket).toEqual(expect.any(String));
    return run!.socket!;
  });
  return { call, socket };
}

describe('the socket of a run host', () => {
  it.each([
    ['XDG_RUNTIME_DIR', () => join(bench.folder, 'runtime')],
    ['the temporary folder if XDG_RUNTIME_DIR is not set', () => undefined],
    ['the temporary folder if XDG_RUNTIME_DIR is too long', () => join(bench.folder, 'x'.repeat(100))],
  ])('is in a private folder in %s, and is removed with the run', async (_, folder) => {
    const runtime = folder();
    if (runtime !== undefined) {
      mkdirSync(runtime);
      bench.env['XDG_RUNTIME_DIR'] = runtime;
    }
    const server = await bench.connect({ 'delegate-command': scriptedAgent });
    const { call, socket } = await startRun(server, steps({ hang: true }));
    const isInRuntime = runtime !== undefined && runtime.length < 100;
    expect(dirname(dirname(socket)) === runtime).toBe(isInRuntime);
    expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
    connect(socket).end('{"cancel":"through the socket"}\n');
    expect((await call).record).toMatchObject({
      status: 'cancelled',
      error: 'cancelled: through the socket',
    });
    await eventually(() => expect(() => statSync(socket)).toThrow('ENOENT'));
  });

  it('is not placed in a folder that others can open', async () => {
    const runtime = join(bench.folder, 'open');
    mkdirSync(join(runtime, 'adjutant'), { recursive: true, mode: 0o755 });
    bench.env['XDG_RUNTIME_DIR'] = runtime;
    const server = await bench.connect({ 'delegate-command': scriptedAgent });
    const { call, socket } = await startRun(server, steps({ wait: 500 }, { answer: {} }));
    expect(socket.startsWith(runtime)).toBe(false);
    expect((await call).record.status).toBe('completed');
  });
});

describe('a run host', () => {
  it('keeps working when its program is removed by an update', async () => {
    const program = join(bench.folder, 'program');
    cpSync(dirname(bundle), program, { recursive: true });
    const settings = { 'delegate-command': scriptedAgent, 'delegate-answer-within-seconds': '0' };
    await using server = await new ServerProcess(
      bench,
      settings,
      [],
      join(program, 'adjutant.cjs'),
    ).initialize();
    const call = server.call('delegate_run', {
      task: steps({ wait: 1_000 }, { answer: { summary: 'not disturbed' } }),
      cwd: bench.project,
    });
    await eventually(async () =>
      expect(await readQueue(bench, (queue) => queue.open()[0]?.process)).toBeTruthy(),
    );
    rmSync(program, { recursive: true });
    expect(await call).toMatchObject({ status: 'completed', summary: 'not disturbed' });
  });

  it('of a server that runs from source runs from the same source', async () => {
    const root = join(import.meta.dirname, '..', '..');
    const clone = join(bench.folder, 'clone');
    cpSync(join(root, 'src'), join(clone, 'src'), { recursive: true });
    cpSync(join(root, 'package.json'), join(clone, 'package.json'));
    symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
    // A clone that was built once, and changed afterwards.
    symlinkSync(dirname(bundle), join(clone, 'dist'));
    const changed = join(clone, 'src/delegate/run/run-finish.ts');
    const head = /(async function finishRun\(.*\{\n)/;
    writeFileSync(
      changed,
      readFileSync(changed, 'utf8').replace(head, "$1  throw new Error('a change of finishRun');\n"),
    );
    const settings = { 'delegate-command': scriptedAgent };
    await using server = await new ServerProcess(
      bench,
      settings,
      [],
      join(clone, 'src/main.ts'),
    ).initialize();
    server.begin('delegate_run', { task: steps({ answer: {} }), cwd: bench.project });
    await eventually(() => expect(server.stderr).toContain('a change of finishRun'));
  });

  it('is kept ready after a run, carries the next one, and ends with the server', async () => {
    const settings = { 'delegate-command': scriptedAgent, 'delegate-answer-within-seconds': '0' };
    await using server = await new ServerProcess(bench, settings).initialize();
    expect(hostsOf(server.child.pid!)).toEqual([]);
    const run = () => server.call('delegate_run', { task: steps({ answer: {} }), cwd: bench.project });
    /** The host that stays: the one of a finished run ends soon. */
    const spare = () =>
      eventually(async () => {
        const hosts = hostsOf(server.child.pid!);
        expect(hosts).toHaveLength(1);
        await pause(300);
        expect(hostsOf(server.child.pid!)).toEqual(hosts);
        return hosts[0]!;
      });
    expect((await run()).status).toBe('completed');
    const first = await spare();
    const waiting = server.call('delegate_run', { task: steps({ hang: true }), cwd: bench.project });
    const open = await eventually(async () => {
      const [found] = await readQueue(bench, (queue) => queue.open());
      expect(found?.process).toBeTruthy();
      return found!;
    });
    expect(open.owner.pid).toBe(first);
    await server.call('cancel_run', { run_id: open.runId });
    expect((await waiting).status).toBe('cancelled');
    // A spare host that ends does not harm the next run, not even if the server has not noticed it yet.
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const pid = await spare();
      process.kill(pid, signal);
      // A host that has accepted an order cancels the run on SIGTERM, so wait until the idle host has exited.
      if (signal === 'SIGTERM') await eventually(() => expect(hostsOf(server.child.pid!)).not.toContain(pid));
      expect(await run()).toMatchObject({ status: 'completed', error: null });
    }
    const last = await spare();
    await server.kill('SIGKILL');
    await eventually(() => expect(() => process.kill(last, 0)).toThrow('ESRCH'));
  });

  it.each([
    ['the order has another format', { format: 0 }, 'Adjutant was updated while this server was running'],
    ['the server is gone before the order', undefined, ''],
  ])('exits if %s', async (_, order, message) => {
    const host = spawn(process.execPath, [bundle, 'run-host'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    const channel = host.stdio[3] as Socket;
    let received = '';
    channel.on('data', (chunk) => {
      received += chunk;
    });
    if (order === undefined) channel.end();
    else channel.write(`${JSON.stringify(order)}\n`);
    expect(await once(host, 'exit')).toEqual([0, null]);
    expect(received).toContain(message);
  });
});
