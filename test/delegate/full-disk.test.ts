import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunDirectory } from '../../src/delegate/files/run-directory.ts';
import { listRunProcesses } from '../../src/delegate/process/process-table.ts';
import type { RunOverview } from '../../src/delegate/sharing/run-overview.ts';
import { startResponsesModel } from '../model/responses-model.ts';
import { script } from '../model/turn.ts';
import { eventually } from './eventually.ts';
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
