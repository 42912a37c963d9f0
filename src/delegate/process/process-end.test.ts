import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { terminateRun } from './process-end.ts';
import { identify, isAlive, listRunProcesses, runMarker } from './process-table.ts';

let folder: string;
let run: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-ending-'));
  run = folder;
});
afterEach(async () => {
  await terminateRun(undefined, run, 0);
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a shell with the run marker. Resolves when the script has created the file `ready`. */
async function start(script: string): Promise<ChildProcess> {
  const child = spawn('bash', ['-c', script], {
    cwd: folder,
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, [runMarker]: run },
  });
  await vi.waitFor(() => expect(existsSync(join(folder, 'ready'))).toBe(true), 10_000);
  return child;
}

async function identifyChild(child: ChildProcess) {
  return (await identify(child.pid!))!;
}

describe('process identity', () => {
  it('compares the start time as well as the process id', async () => {
    const self = (await identify(process.pid))!;
    expect(await isAlive(self)).toBe(true);
    expect(await isAlive({ ...self, born: 'another time' })).toBe(false);
  });

  it('is undefined for a process that does not exist', async () => {
    expect(await identify(2 ** 30)).toBeUndefined();
  });
});

describe('terminateRun', () => {
  it('returns an empty list if the run has no processes left', async () => {
    expect(await terminateRun({ pid: 2 ** 30, born: '1' }, run, 100)).toEqual([]);
  });

  it('sends SIGINT first and reports the processes that exited by themselves', async () => {
    const child = await start("trap 'exit 0' INT; touch ready; while true; do sleep 0.05; done");
    const ended = await terminateRun(await identifyChild(child), run, 5_000);
    expect(ended.find(({ pid }) => pid === child.pid)).toMatchObject({ by: 'SIGINT' });
    expect(await listRunProcesses(undefined, run)).toEqual([]);
  });

  it('ends nothing if the run was started again since its processes were listed', async () => {
    const child = await start('touch ready; while true; do sleep 0.05; done');
    expect(await terminateRun(await identifyChild(child), run, 0, () => false)).toEqual([]);
    let isOver = true;
    const ended = terminateRun(undefined, run, 0, () => isOver);
    isOver = false;
    await ended;
    expect(await isAlive(await identifyChild(child))).toBe(true);
  });

  it('kills children that ignore signals or have left the session', async () => {
    const child = await start(
      `trap '' INT TERM HUP
       (trap '' INT TERM HUP; while true; do sleep 1; done) &
       setsid bash -c "trap '' INT TERM HUP; while true; do sleep 1; done" &
       (setsid sleep 1000 & disown; exit) &
       sleep 0.3; touch ready; wait`,
    );
    const ended = await terminateRun(await identifyChild(child), run, 200);
    expect(ended.length).toBeGreaterThanOrEqual(4);
    expect(ended.map(({ command }) => command)).toContain('sleep 1000');
    expect(await listRunProcesses(undefined, run)).toEqual([]);
  });

  it('finds the children of a dead parent by their run marker', async () => {
    const child = await start('setsid sleep 1000 & echo $! > pid; sync; touch ready; wait');
    const root = await identifyChild(child);
    process.kill(child.pid!, 'SIGKILL');
    await vi.waitFor(async () => expect(await isAlive(root)).toBe(false), 10_000);
    const orphan = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    expect((await terminateRun(root, run, 0)).map(({ pid }) => pid)).toContain(orphan);
    expect(await listRunProcesses(undefined, run)).toEqual([]);
  });
});
