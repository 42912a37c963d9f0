import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { killHost, readQueue } from '../delegate/kill-host.ts';
import { cutConnections } from '../prove/parts/delivery-proof.ts';
import type { Random } from '../random-numbers.ts';
import { Clock } from './clock.ts';
import type { ServiceProcess } from './service-process.ts';
import type { World } from './world.ts';

export interface Fault {
  readonly name: string;
  readonly weight: number;
  /** Why this fault cannot be caused here. */
  readonly skipped?: (world: World) => string | undefined;
  /** Causes the fault and repairs it. False if there was nothing to break. */
  cause(world: World, random: Random): Promise<boolean | void>;
}

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;

const running = (world: World): ServiceProcess[] => world.services.filter(({ pid }) => pid !== undefined);
const mortal = (world: World, name: RegExp): ServiceProcess[] =>
  running(world).filter((service) => service !== world.witness && name.test(service.name));

/** Ends a process and starts it again. The client of the server on stdio starts that one. */
async function restart(
  world: World,
  random: Random,
  name: RegExp,
  signal: 'SIGKILL' | 'SIGTERM',
): Promise<boolean> {
  const service = random.pick(mortal(world, name));
  if (service === undefined) return false;
  await service.stop(signal);
  await pause(random.between(0, 1_500));
  if (service.child === undefined && service.name !== 'server on stdio') service.start();
  return true;
}

export const faults: readonly Fault[] = [
  {
    name: 'server killed',
    weight: 4,
    cause: (world, random) => restart(world, random, /^server/, 'SIGKILL'),
  },
  {
    name: 'worker killed',
    weight: 3,
    cause: (world, random) => restart(world, random, /worker$/, 'SIGKILL'),
  },
  {
    name: 'server or worker stopped with SIGTERM',
    weight: 2,
    cause: (world, random) => restart(world, random, /./, 'SIGTERM'),
  },
  {
    name: 'server or worker frozen for up to 12 s',
    weight: 2,
    async cause(world, random) {
      const { child } = random.pick(running(world)) ?? {};
      if (child === undefined) return false;
      child.kill('SIGSTOP');
      await pause(random.between(500, 12_000));
      child.kill('SIGCONT');
      return true;
    },
  },
  {
    name: 'run host killed',
    weight: 3,
    async cause(world, random) {
      const open = await readQueue(world, (queue) => queue.open()).catch(() => []);
      const own = new Set(running(world).map(({ pid }) => pid));
      // Until a run has a host, its server owns it.
      const run = random.pick(open.filter(({ owner }) => !own.has(owner.pid)));
      return run !== undefined && (await killHost(world, run.runId).catch(() => false));
    },
  },
  {
    name: 'database crashed',
    weight: 2,
    skipped: ({ postgres }) => (postgres === undefined ? 'SQLite has no server' : undefined),
    async cause({ postgres }, random) {
      await postgres!.stop('crash');
      await pause(random.between(0, 6_000));
      await postgres!.start();
    },
  },
  {
    name: 'database connections cut',
    weight: 2,
    skipped: ({ postgres }) => (postgres === undefined ? 'SQLite has no connections' : undefined),
    async cause({ databaseUrl }) {
      await cutConnections(databaseUrl).catch(() => {});
    },
  },
  {
    name: 'database locked for up to 8 s',
    weight: 3,
    skipped: ({ postgres }) => (postgres === undefined ? undefined : 'PostgreSQL has no such lock'),
    async cause({ databaseUrl }, random) {
      const database = new DatabaseSync(databaseUrl, { timeout: 2_000 });
      try {
        database.exec('BEGIN IMMEDIATE');
        await pause(random.between(500, 8_000));
      } catch {
        return false;
      } finally {
        database.close();
      }
      return true;
    },
  },
  {
    name: 'disk full',
    weight: 3,
    skipped: ({ isSmallDisk }) => (isSmallDisk ? undefined : 'no small disk could be mounted'),
    async cause({ folder }, random) {
      fillDisk(join(folder, 'filler'));
      await pause(random.between(500, 6_000));
      rmSync(join(folder, 'filler'));
    },
  },
  {
    name: 'no free file handles',
    weight: 3,
    skipped: () => (hasPrlimit ? undefined : 'prlimit is not installed'),
    async cause(world, random) {
      const { pid } = random.pick(running(world).filter(({ isSettled }) => isSettled)) ?? {};
      if (pid === undefined) return false;
      const isLimited = limitFiles(pid, openFiles(pid) + Math.floor(random.between(-3, 3)));
      await pause(random.between(500, 6_000));
      limitFiles(pid, 1024);
      return isLimited;
    },
  },
  {
    name: 'clock jumped',
    weight: 3,
    skipped: () => (Clock.isAvailable ? undefined : 'libfaketime is not installed'),
    async cause({ clock }, random) {
      clock.set(random.between(-1, 1));
    },
  },
];

function fillDisk(path: string): void {
  const file = openSync(path, 'w');
  for (const size of [65_536, 4_096])
    try {
      for (;;) writeSync(file, Buffer.alloc(size));
    } catch {}
  closeSync(file);
}

function openFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

function limitFiles(pid: number, files: number): boolean {
  try {
    execFileSync('prlimit', ['--pid', String(pid), `--nofile=${Math.max(3, files)}:`], { stdio: 'ignore' });
    return true;
  } catch {
    // The process has ended.
    return false;
  }
}
