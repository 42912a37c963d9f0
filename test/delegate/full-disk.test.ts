import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listRunProcesses } from '../../src/delegate/process/process-table.ts';
import { listRunIds } from '../../src/delegate/run/run-record.ts';
import type { RunOverview } from '../../src/delegate/tools/run-overview.ts';
import { RunDirectory } from '../../src/delegate/workspace/run-directory.ts';
import { startResponsesModel } from '../model/responses-model.ts';
import { script } from '../model/turn.ts';
import { bundle } from '../program.ts';
import { eventually } from './eventually.ts';
import { putFinishedRun } from './finished-run.ts';
import { readQueue } from './kill-host.ts';
import { type Step, scriptedAgent, steps } from './scripted.ts';
import { type Connection, createWorkbench, nativeCodex, type Workbench } from './workbench.ts';

const canMount = spawnSync('unshare', ['-m', 'true']).status === 0 && process.getuid?.() === 0;

describe.runIf(canMount)('a full disk', () => {
  let bench: Workbench;
  let disk: string;
  let server: Connection;
  beforeEach(async () => {
    bench = createWorkbench();
    disk = join(bench.folder, 'small');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]);
    server = await bench.connect({
      'delegate-command': scriptedAgent,
      'delegate-runs-dir': join(disk, 'runs'),
      'delegate-state-dir': join(disk, 'state'),
      'delegate-answer-within-seconds': '0',
    });
  });
  afterEach(async () => {
    await server.close();
    execFileSync('umount', ['-l', disk]);
    await bench[Symbol.asyncDispose]();
  });
  const fill = () => {
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, 'filler'), Buffer.alloc(bavail * bsize));
  };
  const listed = async () =>
    ((await server.call('list_runs', {})).record as unknown as { runs: RunOverview[] }).runs;
  const run = (...does: Step[]) => server.call('delegate_run', { task: steps(...does), cwd: bench.project });

  it('is the reason of a run that cannot start', async () => {
    await run({ answer: {} });
    fill();
    const { record } = await run({ answer: {} });
    expect(record.status).toBe('failed');
    expect(record.error).toContain(`${join(disk, 'runs')}: the disk is full`);
    expect((await listed()).map(({ status }) => status)).toEqual(['completed']);
  });

  it('is the reason of a session whose events cannot be recorded', async () => {
    const model = await startResponsesModel();
    writeFileSync(join(bench.codexHome, 'config.toml'), model.config);
    const codex = await bench.connect({
      'delegate-command': await nativeCodex(),
      'delegate-runs-dir': join(disk, 'runs'),
      'delegate-state-dir': join(disk, 'state'),
      'delegate-answer-within-seconds': '0',
    });
    const turns = [
      { shell: 'sleep 2', timeoutMs: 9_000 },
      { say: 'x'.repeat(200_000), pieces: 20 },
    ];
    const call = codex.call('delegate_run', { task: script(...turns), cwd: bench.project });
    await eventually(() => expect(model.requests.length).toBeGreaterThan(0));
    fill();
    const { record } = await call;
    expect(record.status).toBe('failed');
    expect(record.error).toContain(`${record.run_dir}: the disk is full`);
    expect(await listRunProcesses(undefined, record.run_id)).toEqual([]);
    await codex.close();
    await model.close();
  });

  it('is the reason of a run that cannot finish, whose state is true before and after', async () => {
    await run({ answer: {} });
    const call = run({ wait: 1_500 }, { flood: 1_000_000 }, { answer: {} });
    await eventually(async () => expect((await listed())[0]?.status).toBe('running'));
    const { record } = await call;
    expect(record.status).toBe('failed');
    expect(record.error).toContain(`${record.run_dir}: the disk is full`);
    expect((await listed())[0]).toMatchObject({ run_id: record.run_id, status: 'failed' });
    rmSync(join(disk, 'filler'), { force: true });
    expect((await server.call('show_run', { run_id: record.run_id })).record.status).toBe('failed');
  });
});

it('a server finishes a run of its own that it could not finish before', async () => {
  await using bench = createWorkbench();
  const directory = await RunDirectory.create(join(bench.home, 'runs'), undefined, { tool: 'delegate_run' });
  // According to the queue, this process owns the run, because the server runs in it. But no host carries the run.
  await readQueue(bench, (queue) =>
    queue.enqueue({
      directory: directory.path,
      runId: directory.id,
      agent: 'codex',
      tool: 'delegate_run',
      state: 'waiting',
      threadId: null,
    }),
  );
  const server = await bench.connect({ 'delegate-command': scriptedAgent });
  await eventually(async () =>
    expect((await server.call('show_run', { run_id: directory.id })).record).toMatchObject({
      status: 'failed',
      error: 'the run was interrupted before its agent was started',
    }),
  );
  expect(await readQueue(bench, (queue) => queue.open())).toEqual([]);
});

/** The commands that show what fills a disk and free its space, with all state on a full disk of 2 MB. */
describe.runIf(canMount)('with its home on a full disk', () => {
  let bench: Workbench;
  let disk: string;
  beforeEach(() => {
    bench = createWorkbench();
    disk = join(bench.folder, 'small');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk]);
  });
  afterEach(async () => {
    execFileSync('umount', ['-l', disk]);
    await bench[Symbol.asyncDispose]();
  });
  const start = (...args: readonly string[]) =>
    spawn(
      process.execPath,
      [bundle, ...args, '--home', join(disk, 'home'), '--delegate-command', scriptedAgent],
      { cwd: bench.project, env: bench.env, stdio: ['ignore', 'pipe', 'pipe'] },
    );
  const adjutant = async (...args: readonly string[]) => {
    const child = start(...args);
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    expect(stderr).not.toMatch(/^ +at /m);
    return { stdout, stderr, code: code as number };
  };
  /** Fills the disk to its last byte. */
  const fill = () => {
    const file = openSync(join(disk, 'filler'), 'a');
    for (const size of [65_536, 4_096, 1])
      try {
        for (;;) writeSync(file, Buffer.alloc(size));
      } catch {}
    closeSync(file);
  };

  it('adjutant runs lists, shows and deletes runs', async () => {
    const runs = join(disk, 'home', 'runs');
    const ids = [1, 2, 3].map((index) => putFinishedRun(runs, index));
    writeFileSync(join(runs, ids[0]!, 'events.jsonl'), Buffer.alloc(1_200_000));
    fill();
    expect(await adjutant('runs', 'list')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${ids[2]}  completed`),
    });
    expect(await adjutant('runs', 'show', ids[0]!)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('summary: Did 1'),
    });
    const cleaned = await adjutant('runs', 'clean', '--older-than-days', '0', '--keep', '1');
    expect(cleaned).toMatchObject({ code: 0, stdout: `Removed:\n${ids[1]}\n${ids[0]}\n` });
    expect(readdirSync(runs)).toEqual([ids[2]]);
    expect(statfsSync(disk).bavail * statfsSync(disk).bsize).toBeGreaterThan(300_000);
    // What could not be recorded before is in the security log now.
    const { stdout } = await adjutant('audit', '--json');
    expect(JSON.parse(stdout).entries).toContainEqual(
      expect.objectContaining({ action: 'clean_runs', outcome: 'done' }),
    );
  });

  it('adjutant runs cancels a run, whose result is true', async () => {
    await adjutant('delegate', steps({ answer: {} }));
    const run = start('delegate', steps({ command: 'ls' }, { hang: true }));
    const ended = once(run, 'close');
    const list = async () => (await adjutant('runs', 'list')).stdout;
    await eventually(async () => expect((await adjutant('runs', 'tail', 'last')).stdout).toContain('$ ls'));
    fill();
    const cancelled = await adjutant('runs', 'cancel', 'last');
    expect(cancelled).toMatchObject({ code: 0, stdout: expect.stringContaining('status: cancelled') });
    await ended;
    expect(await list()).toContain('  cancelled');
    const id = (await listRunIds(join(disk, 'home', 'runs')))[0]!;
    expect(await listRunProcesses(undefined, id)).toEqual([]);
    const cleaned = await adjutant('runs', 'clean', '--older-than-days', '0');
    expect(cleaned.stdout).toContain(id);
    expect(readdirSync(join(disk, 'home', 'runs'))).toEqual([]);
  });
});
