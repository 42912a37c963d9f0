import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listRunProcesses } from '../../src/delegate/process/process-table.ts';
import { listRunIds } from '../../src/delegate/run/run-record.ts';
import { bundle } from '../program.ts';
import { eventually } from './eventually.ts';
import { scriptedAgent, steps } from './scripted.ts';
import { createWorkbench, type Workbench } from './workbench.ts';

let bench: Workbench;
beforeEach(() => {
  bench = createWorkbench();
});
afterEach(() => bench[Symbol.asyncDispose]());

function start(
  ...args: readonly string[]
): ChildProcess & { readonly output: Promise<[string, string, number]> } {
  const child = spawn(
    process.execPath,
    [bundle, ...args, '--home', bench.home, '--delegate-command', scriptedAgent],
    { cwd: bench.project, env: bench.env, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const output = Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close').then(([code]) => code),
  ]);
  return Object.assign(child, { output: output as Promise<[string, string, number]> });
}
const adjutant = (...args: readonly string[]) => start(...args).output;
const newest = async () => (await listRunIds(join(bench.home, 'runs')))[0];

describe('adjutant delegate', () => {
  it('asks for a task if there is none', async () => {
    const [, stderr, code] = await adjutant('delegate');
    expect([code, stderr]).toEqual([2, expect.stringContaining('delegate needs a task')]);
  });

  it('prints the result, and with --watch also the events', async () => {
    const task = steps({ command: 'npm test' }, { wait: 700 }, { answer: { summary: 'from the terminal' } });
    const [stdout, stderr, code] = await adjutant('delegate', task, '--watch');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^delegate_run\nrun_id: .*\nstatus: completed /);
    expect(stdout).toContain('summary: from the terminal');
    expect(stderr).toContain('$ npm test\n$ npm test → 0\n');
    expect(stderr).toContain('turn completed\n');
  });

  it('exits with an error if the run fails, and prints JSON with --json', async () => {
    const [stdout, , code] = await adjutant('delegate', steps({ fail: 'no luck' }), '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'failed', error: 'no luck' });
  });

  it('expands a prompt that the task names, and starts nothing if there is none', async () => {
    const task = `:code_review ${steps({ answer: { summary: 'reviewed' } })}`;
    const [stdout, , code] = await adjutant('delegate', task);
    expect([code, stdout]).toEqual([0, expect.stringContaining('summary: reviewed')]);
    const before = await newest();
    expect(await adjutant('delegate', ':code_reviw foo()')).toEqual([
      '',
      expect.stringContaining('Prompt not found: code_reviw; did you mean code_review?'),
      1,
    ]);
    expect(await newest()).toBe(before);
  });

  it('cancels its run when it is interrupted', async () => {
    const child = start('delegate', steps({ hang: true }));
    const id = await eventually(async () => {
      const run = await newest();
      expect((await listRunProcesses(undefined, run ?? '')).length).toBeGreaterThan(0);
      return run!;
    });
    child.kill('SIGINT');
    const [stdout, , code] = await child.output;
    expect([code, stdout]).toEqual([130, expect.stringContaining('error: cancelled: interrupted')]);
    expect(await listRunProcesses(undefined, id)).toEqual([]);
  });

  it.each([
    ['SIGHUP', 129, 'cancel', 'cancelled'],
    ['SIGTERM', 143, 'cancel', 'cancelled'],
    ['SIGHUP', 129, 'finish', 'completed'],
  ] as const)(
    'leaves its run on %s with code %i and on_disconnect = %s %s',
    async (signal, code, policy, status) => {
      const task = steps({ wait: 1_500 }, { answer: {} });
      const child = start('delegate', task, `--delegate-on-disconnect=${policy}`);
      const id = await eventually(async () => {
        const run = await newest();
        expect((await listRunProcesses(undefined, run ?? '')).length).toBeGreaterThan(0);
        return run!;
      });
      child.kill(signal);
      expect((await child.output)[2]).toBe(code);
      await eventually(async () =>
        expect(JSON.parse((await adjutant('runs', 'show', id, '--json'))[0]).status).toBe(status),
      );
      expect(await listRunProcesses(undefined, id)).toEqual([]);
    },
  );
});

describe('adjutant runs', () => {
  it('suggests a command for an unknown one', async () => {
    const [, stderr, code] = await adjutant('runs', 'lst');
    expect([code, stderr]).toEqual([2, expect.stringContaining('Did you mean: adjutant runs list')]);
    expect((await adjutant('runs', 'show'))[1]).toContain('runs show needs RUN');
    expect((await adjutant('runs', 'show', 'last'))[1]).toContain('there are no runs yet');
  });

  it('lists, shows, tails and cleans runs', async () => {
    await adjutant('delegate', `Tidy up. ${steps({ command: 'ls' }, { answer: { summary: 'tidy' } })}`);
    const id = (await newest())!;
    expect((await adjutant('runs', 'list'))[0]).toMatch(
      new RegExp(`^${id}  completed  [\\d.]+ m?s  Tidy up\\.`),
    );
    expect(JSON.parse((await adjutant('runs', 'list', '--json'))[0])).toMatchObject({
      runs: [{ run_id: id }],
    });
    expect((await adjutant('runs', 'show', 'last'))[0]).toContain('summary: tidy');
    expect((await adjutant('runs', 'tail', id, '-n', '2'))[0]).toBe('$ ls → 0\nturn completed\n');
    expect((await adjutant('runs', 'clean', '--older-than-days', '0'))[0]).toBe(`Removed:\n${id}\n`);
    expect((await adjutant('runs'))[0]).toBe('There are no runs yet.\n');
  });

  it('follows and cancels the run of another process', async () => {
    const working = start('delegate', steps({ command: 'ls' }, { hang: true }));
    await eventually(async () => expect((await adjutant('runs', 'tail', 'last'))[0]).toContain('$ ls'));
    const following = start('runs', 'tail', 'last', '--follow');
    expect((await adjutant('runs', 'cancel', 'last'))[0]).toContain('error: cancelled: cancelled by hand');
    expect((await following.output)[2]).toBe(0);
    expect((await working.output)[0]).toContain('status: cancelled');
  });
});
