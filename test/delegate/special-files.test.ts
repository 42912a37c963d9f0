import { execFile, execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunRecord } from '../../src/delegate/run/run-record.ts';
import { FolderClaims } from '../../src/delegate/workspace/folder-claims.ts';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, script } from '../model/turn.ts';
import { bundle } from '../program.ts';
import { eventually } from './eventually.ts';
import { killHost, readQueue } from './kill-host.ts';
import { ServerProcess } from './server-process.ts';
import { createWorkbench, nativeCodex, type Workbench } from './workbench.ts';

/** Tests with the real Codex in a folder with a named pipe, which must never be opened. */
let model: Model;
let bench: Workbench;
let server: ServerProcess;
beforeEach(async () => {
  model = await startResponsesModel();
  bench = createWorkbench(model.config);
  server = await startServer();
});
afterEach(async () => {
  writeFileSync(flag('end'), '');
  await server[Symbol.asyncDispose]();
  await bench[Symbol.asyncDispose]();
  await model.close();
});

const flag = (name: string) => join(bench.folder, name);
const inProject = (name: string) => join(bench.project, name);
const waitFor = (name: string) => `until [ -e ${flag(name)} ]; do sleep 0.05; done`;
const startServer = async () =>
  new ServerProcess(bench, {
    'delegate-command': await nativeCodex(),
    'delegate-answer-within-seconds': '0',
  }).initialize();

function delegate(shell: string) {
  const task = script({ shell, timeoutMs: 60_000 }, answer({ summary: 'Done.' }));
  const { result } = server.begin('delegate_run', { task, cwd: bench.project, sandbox: 'workspace-write' });
  result.catch(() => {});
  return { result: result.then((reply) => reply['structuredContent'] as unknown as RunRecord) };
}

const isPipe = (name: string) => lstatSync(inProject(name)).isFIFO();
const makePipe = (name: string) => execFileSync('mkfifo', [inProject(name)]);
const adjutant = (...args: readonly string[]) =>
  promisify(execFile)(process.execPath, [bundle, ...args, '--home', bench.home], {
    env: bench.env,
    timeout: 15_000,
  });

describe('a named pipe in the folder of a run', () => {
  it('stays if the run replaces it with a file, and the other changes are applied', async () => {
    makePipe('ctl');
    const { result } = delegate('rm ctl; echo x > ctl; echo y > other');
    expect(await result).toMatchObject({
      status: 'completed_with_problems',
      error: expect.stringContaining(
        'ctl was not applied: it is a named pipe, which a run cannot replace; Its changes are kept',
      ),
    });
    expect(isPipe('ctl')).toBe(true);
    expect(readFileSync(inProject('other'), 'utf8')).toBe('y\n');
  });

  it('stays if the run deletes it', async () => {
    makePipe('ctl');
    expect(await delegate('rm ctl').result).toMatchObject({
      status: 'completed_with_problems',
      error: expect.stringContaining('ctl was not applied: it is a named pipe'),
    });
    expect(isPipe('ctl')).toBe(true);
  });

  it('does not replace the file that it was before the run', async () => {
    writeFileSync(inProject('ctl'), 'x\n');
    expect(await delegate('rm ctl; mkfifo ctl').result).toMatchObject({
      status: 'completed_with_problems',
      error: expect.stringContaining('ctl was not applied: the run made it a named pipe'),
    });
    expect(readFileSync(inProject('ctl'), 'utf8')).toBe('x\n');
  });

  it('is left behind with a warning if the run created it', async () => {
    expect(await delegate('mkfifo left; echo y > other').result).toMatchObject({
      status: 'completed',
      error: null,
      warnings: ['left was not applied: it is a named pipe, a socket or a device.'],
    });
    expect(existsSync(inProject('left'))).toBe(false);
    expect(existsSync(inProject('other'))).toBe(true);
  });
});

/** Starts a run, and resolves when its host waits to apply its changes, because this process holds the folder. */
async function holdBack() {
  makePipe('ctl');
  const run = delegate(`touch ${flag('started')}; ${waitFor('go')}; rm ctl; echo x > ctl; echo y > other`);
  await eventually(() => expect(existsSync(flag('started'))).toBe(true));
  const claims = await FolderClaims.open(bench.home);
  await claims.tryClaim({ folder: bench.project, run: 'a test', kind: 'delivery', storage: '' }, []);
  writeFileSync(flag('go'), '');
  const [open] = await readQueue(bench, (queue) => queue.open());
  const { directory, runId } = open!;
  await eventually(() => expect(existsSync(join(directory, '.workspace', 'changes.json'))).toBe(true));
  const release = () => {
    claims.release('a test', 'delivery');
    claims.close();
  };
  return { ...run, directory, runId, release };
}

describe('a run that applies its changes', () => {
  it('can be cancelled, and keeps what is not applied', async () => {
    const { result, runId, release } = await holdBack();
    expect(await server.call('cancel_run', { run_id: runId, reason: 'enough' })).toMatchObject({
      status: 'cancelled',
      error: expect.stringMatching(
        /^cancelled: enough; .* was not applied: the run was cancelled; Its changes/,
      ),
    });
    expect((await result).status).toBe('cancelled');
    expect(existsSync(inProject('other'))).toBe(false);
    release();
    expect(await server.call('apply_run', { run_id: runId })).toMatchObject({
      files: ['other'],
      conflicts: [{ path: 'ctl', reason: 'it is a named pipe, which a run cannot replace' }],
    });
  });

  it('is not finished by whoever reads it after its host was killed, but by the next server', async () => {
    const { directory, runId, release } = await holdBack();
    await server.kill('SIGKILL');
    expect(await killHost(bench, runId)).toBe(true);
    expect((await adjutant('runs', 'list')).stdout).toMatch(new RegExp(`^${runId}  interrupted `, 'm'));
    const { stdout } = await adjutant('runs', 'show', runId);
    expect(stdout).toContain('status: interrupted');
    expect(stdout).toContain(`finish the run with "adjutant runs cancel" and run_id ${runId}`);
    expect((await adjutant('runs', 'tail', runId)).stdout).toContain('Done.');
    await expect(adjutant('runs', 'diff', runId)).rejects.toThrow(`Run ${runId} is still in progress.`);
    expect(existsSync(join(directory, 'result.json'))).toBe(false);
    release();
    server = await startServer();
    await eventually(async () =>
      expect(await server.call('show_run', { run_id: runId })).toMatchObject({
        status: 'completed_with_problems',
        error: expect.stringMatching(/^ctl was not applied: it is a named pipe/),
      }),
    );
    expect(isPipe('ctl')).toBe(true);
    expect(existsSync(inProject('other'))).toBe(true);
  });

  it('is finished by the command that cancels it, if its host was killed and no server runs', async () => {
    const { runId, release } = await holdBack();
    await server.kill('SIGKILL');
    expect(await killHost(bench, runId)).toBe(true);
    expect((await adjutant('runs', 'cancel', runId)).stdout).toContain('status: cancelled');
    release();
    expect(existsSync(inProject('other'))).toBe(false);
    await expect(adjutant('runs', 'apply', runId)).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('ctl'),
    });
    expect(existsSync(inProject('other'))).toBe(true);
  });
});
