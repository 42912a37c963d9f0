import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { machineId } from '../../src/routines/definition/machine.ts';
import type { Routine } from '../../src/routines/definition/routine.ts';
import { newId } from '../../src/store/id.ts';
import { createRecords } from '../../src/store/records.ts';
import { createStore } from '../../src/store/store.ts';
import { fill, person } from '../assistant-rows.ts';
import { hostsOf } from '../delegate/run-hosts.ts';
import { scriptedAgent, steps } from '../delegate/scripted.ts';
import { startPostgres } from '../postgres.ts';
import { bundle } from '../program.ts';

/** A week in which an hour lasts a second. Each routine is due once a day. */
const [days, dayMs] = [7, 24_000];
const faultMs = 5_000;
const settleMs = 180_000;

export interface KillResult {
  readonly counts: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}

/**
 * For a week, two machines on PostgreSQL fire routines with real workers and run hosts, while both are killed and the database
 * crashes. Each due time must have one row, at most one run whose agent began to work, and one message or an explanation.
 */
export async function killEverything(perMachine: number): Promise<KillResult> {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-kills-'));
  const postgres = await startPostgres();
  const url = await postgres.createDatabase('routines');
  const store = createStore(url);
  const records = createRecords(url);
  const homes = ['one', 'two'].map((name) => join(folder, name));
  const workers = new Map<string, ChildProcess>();
  const start = (home: string) =>
    workers.set(
      home,
      spawn(process.execPath, [bundle, 'worker'], {
        stdio: 'ignore',
        env: {
          ...{ PATH: process.env['PATH'], HOME: home, ADJUTANT_HOME: home, DATABASE_URL: url },
          ...{ ADJUTANT_DELEGATE_COMMAND: scriptedAgent, ADJUTANT_LOG_LEVEL: 'error' },
          // Runs whose hosts are killed fail, and the routine must go on.
          ADJUTANT_ROUTINES_MAX_FAILURES: '0',
        },
      }),
    );
  const faults = { workers: 0, hosts: 0, databases: 0 };
  try {
    await fill(store, { users: [person('ada', { quiet_start: '00:00', quiet_end: '00:00' })] });
    const beganMs = Math.ceil(Date.now() / 1000) * 1000 + 3_000;
    const expected = new Set<string>();
    for (const home of homes) {
      mkdirSync(home);
      for (let index = 0; index < perMachine; index++) {
        const firstMs = beganMs + Math.floor((index * dayMs) / perMachine / 1000) * 1000;
        const routine = dailyRoutine(home, index, firstMs);
        for (let day = 0; day < days; day++) expected.add(`${routine.id} ${firstMs + day * dayMs}`);
        await records.change('routines', routine.id, () => ({ next: JSON.parse(JSON.stringify(routine)) }));
      }
      start(home);
    }
    const rowsOf = () => store.read((db) => db.selectFrom('firings').selectAll().execute());
    const isOver = async () => {
      const rows = await rowsOf().catch(() => []);
      return (
        rows.length >= expected.size &&
        rows.every(({ ended_ms, untold }) => ended_ms !== null && untold === 0)
      );
    };
    for (let fault = 0; Date.now() < beganMs + days * dayMs; fault++) {
      await pause(faultMs);
      const home = homes[fault % 2]!;
      if (fault % 4 === 2) {
        const [host] = hostsOf(workers.get(home)!.pid!);
        if (host !== undefined) {
          process.kill(host, 'SIGKILL');
          faults.hosts += 1;
        }
      } else if (fault % 8 === 5) {
        await postgres.stop('crash');
        await pause(500);
        await postgres.start();
        faults.databases += 1;
      } else {
        workers.get(home)!.kill('SIGKILL');
        start(home);
        faults.workers += 1;
      }
    }
    for (const end = Date.now() + settleMs; Date.now() < end && !(await isOver()); ) await pause(500);
    const rows = await rowsOf();
    const begun = begunFirings(...homes);
    const messages = await store.read((db) =>
      db.selectFrom('notifications').select(['about']).where('about', 'like', 'routine/%').execute(),
    );
    const perThing = new Map<string, number>();
    for (const { about } of messages) perThing.set(about!, (perThing.get(about!) ?? 0) + 1);
    const problems = rows.flatMap((row) => {
      const name = `${row.routine_id} (${row.status}, ${row.reason})`;
      const count = begun.get(row.id) ?? 0;
      const told = perThing.get(`routine/${row.routine_id}/${row.id}`) ?? 0;
      return [
        ...(row.ended_ms === null ? [`${name} did not end`] : []),
        ...(count > 1 ? [`${name} began ${count} times`] : []),
        ...(row.status === 'completed' && count !== 1
          ? [`${name} is completed, but began ${count} times`]
          : []),
        ...(row.status === 'skipped' && !row.reason ? [`${name} is not explained`] : []),
        ...(row.status !== 'skipped' && row.ended_ms !== null && told !== 1
          ? [`${name} has ${told} messages`]
          : []),
      ];
    });
    const found = new Set(rows.map(({ routine_id, due_ms }) => `${routine_id} ${due_ms}`));
    const missing = [...expected].filter((due) => !found.has(due)).length;
    if (rows.length !== expected.size || missing > 0)
      problems.push(`${rows.length} rows instead of ${expected.size}, and ${missing} due times without one`);
    for (const [id, missed] of Map.groupBy(rows.filter(isMissed), ({ routine_id }) => routine_id)) {
      const told = messages.filter(({ about }) => about!.startsWith(`routine/${id}/missed/`)).length;
      if (told < 1 || told > missed.length)
        problems.push(`${id} has ${told} messages about ${missed.length} missed times`);
    }
    const ended = Object.fromEntries(
      [...Map.groupBy(rows, ({ status }) => status)].map(([status, all]) => [status, all.length]),
    );
    return { counts: { rows: rows.length, ...ended, messages: messages.length, ...faults }, problems };
  } finally {
    for (const worker of workers.values()) {
      const over = worker.exitCode === null && worker.signalCode === null ? once(worker, 'exit') : undefined;
      worker.kill('SIGTERM');
      await over;
    }
    await records.close();
    await store.close();
    await postgres.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function isMissed({ reason }: { readonly reason: string | null }): boolean {
  return reason?.startsWith('missed') ?? false;
}

function dailyRoutine(home: string, index: number, firstMs: number): Routine {
  const start = new Date(firstMs).toISOString().slice(0, 19);
  return {
    ...routineAt(home, index, firstMs),
    trigger: { kind: 'rule', rule: `FREQ=SECONDLY;INTERVAL=${dayMs / 1000};COUNT=${days}`, start },
    overlap: index % 2 === 0 ? 'queue' : 'skip',
  };
}

/** A routine of the machine with this home folder, which is due once and whose agent works for some time. */
export function routineAt(home: string, index: number, atMs: number, workMs = 300): Routine {
  const now = Date.now();
  return {
    ...{ id: newId(now), name: `r${index}`, cwd: home, when: new Date(atMs).toISOString(), zone: 'UTC' },
    task: steps(
      { wait: workMs },
      { answer: { summary: `Done ${index}.`, deliverables: [], open_questions: [], next_actions: [] } },
    ),
    trigger: { kind: 'once', atMs },
    ...{
      notify: 'ada',
      sandbox: 'read-only',
      apply: 'ask',
      missed: 'once',
      catchUpHours: 12,
      overlap: 'skip',
    },
    ...{
      machine: machineId(home),
      host: home,
      creator: { name: 'owner', identity: 'owner' },
      status: 'active',
    },
    ...{ sinceMs: now - 1000, createdMs: now, updatedMs: now },
  };
}

/** How often the agent of each firing began to work. */
export function begunFirings(...homes: readonly string[]): ReadonlyMap<string, number> {
  const begun = new Map<string, number>();
  for (const task of homes.flatMap(begunTasks)) {
    const id = /\(firing ([0-9a-f-]{36}),/.exec(task)?.[1] ?? 'none';
    begun.set(id, (begun.get(id) ?? 0) + 1);
  }
  return begun;
}

/** The tasks of the runs whose agents began to work: those that have a thread. */
function begunTasks(home: string): string[] {
  const runs = join(home, 'runs');
  if (!existsSync(runs)) return [];
  return readdirSync(runs).flatMap((id) => {
    const read = (name: string) => {
      try {
        return JSON.parse(readFileSync(join(runs, id, name), 'utf8'));
      } catch {
        return undefined;
      }
    };
    return read('thread.json') === undefined ? [] : [String(read('request.json')?.request?.task)];
  });
}
