import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endRun } from './process-end.ts';
import { familyOf, findRoot, identify, isAlive, runMarker } from './process-table.ts';

let folder: string;
let run: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-ending-'));
  run = folder;
});
afterEach(async () => {
  await endRun(undefined, run, 0);
  rmSync(folder, { recursive: true, force: true });
});

/** A shell that runs the script, marked as part of the run; resolves when the script has made the file `ready`. */
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

async function identityOf(child: ChildProcess) {
  return (await identify(child.pid!))!;
}

describe('a process', () => {
  it('is known by its number and its birth, not by its number alone', async () => {
    const self = (await identify(process.pid))!;
    expect(await isAlive(self)).toBe(true);
    expect(await isAlive({ ...self, born: 'another time' })).toBe(false);
  });

  it('that does not exist has no identity', async () => {
    expect(await identify(2 ** 30)).toBeUndefined();
  });
});

describe('ending a run', () => {
  it('that has no process left ends nothing', async () => {
    expect(await endRun({ pid: 2 ** 30, born: '1' }, run, 100)).toEqual([]);
  });

  it('asks first and names what went by itself', async () => {
    const child = await start("trap 'exit 0' INT; touch ready; while true; do sleep 0.05; done");
    const ended = await endRun(await identityOf(child), run, 5_000);
    expect(ended.find(({ pid }) => pid === child.pid)).toMatchObject({ by: 'SIGINT' });
    expect(await familyOf(undefined, run)).toEqual([]);
  });

  it('kills children that ignore signals and such as left the session', async () => {
    const child = await start(
      `trap '' INT TERM HUP
       (trap '' INT TERM HUP; while true; do sleep 1; done) &
       setsid bash -c "trap '' INT TERM HUP; while true; do sleep 1; done" &
       (setsid sleep 1000 & disown; exit) &
       sleep 0.3; touch ready; wait`,
    );
    const ended = await endRun(await identityOf(child), run, 200);
    expect(ended.length).toBeGreaterThanOrEqual(4);
    expect(ended.map(({ command }) => command)).toContain('sleep 1000');
    expect(await familyOf(undefined, run)).toEqual([]);
  });

  it('finds the family of a dead parent by its mark', async () => {
    const child = await start('setsid sleep 1000 & echo $! > pid; sync; touch ready; wait');
    const root = await identityOf(child);
    process.kill(child.pid!, 'SIGKILL');
    await vi.waitFor(async () => expect(await isAlive(root)).toBe(false), 10_000);
    const orphan = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    expect((await findRoot(run))?.pid).toBe(orphan);
    expect((await endRun(root, run, 0)).map(({ pid }) => pid)).toContain(orphan);
    expect(await familyOf(undefined, run)).toEqual([]);
  });
});
