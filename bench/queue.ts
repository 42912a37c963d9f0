// Measures how many notifications per second are claimed and completed, and how late they start, compared with
// graphile-worker (local queue and batched completion enabled) on one PostgreSQL server. Both run in turns, with the same
// number of processes and jobs. A `graphile` job does the same work: it looks up the notification, the user and the
// event, and records the outcome. An `empty` job does nothing.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createStore, type Store } from '../src/store/store.ts';
import { fill, meeting, minute, person, reminder } from '../test/assistant-rows.ts';
import { importComponent } from '../test/components.ts';
import { startPostgres } from '../test/postgres.ts';
import { median, table } from './parts/figures.ts';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '3' },
    processes: { type: 'string', default: '4' },
  },
});
const jobs = Number(values.jobs);
type Kind = 'adjutant' | 'graphile' | 'empty';
const kinds: readonly Kind[] = ['adjutant', 'graphile', 'empty'];

interface QueueUnderTest {
  readonly url: string;
  /** Adds jobs that are due at these times, in one statement. */
  add(dueMs: readonly number[]): Promise<void>;
  /** Makes all jobs due now and wakes the workers. */
  release(): Promise<void>;
  left(): Promise<number>;
  close(): Promise<void>;
}

interface TestDatabase {
  add(dueMs: readonly number[]): Promise<readonly string[]>;
  readonly store: Store;
}

async function openDatabase(url: string): Promise<TestDatabase> {
  const store = createStore(url);
  await fill(store, { users: Array.from({ length: 100 }, (_, index) => person(`u${index}`)) });
  let added = 0;
  return {
    store,
    async add(dueMs) {
      const events = dueMs.map((_, index) =>
        meeting(`e${added + index}`, `u${index % 100}`, Date.now() + 600 * minute),
      );
      const notifications = dueMs.map((due, index) =>
        reminder(events[index]!, due, { id: `n${added + index}:${due}` }),
      );
      added += dueMs.length;
      await fill(store, { events, notifications });
      return notifications.map(({ id }) => id);
    },
  };
}

async function createAdjutant(url: string): Promise<QueueUnderTest> {
  const { store, add } = await openDatabase(url);
  return {
    url,
    add: async (dueMs) => void (await add(dueMs)),
    release: () =>
      store.write(async ({ db, changed }) => {
        const now = Date.now();
        await db
          .updateTable('notifications')
          .set({ next_ms: now, plan_ms: now })
          .where('status', '=', 'planned')
          .execute();
        changed({ kind: 'notification', id: 'n0', userId: 'u0' });
      }),
    async left() {
      const { left } = await store.read((db) =>
        db
          .selectFrom('notifications')
          .select(({ fn }) => fn.countAll<number>().as('left'))
          .where('status', 'in', ['planned', 'sending'])
          .executeTakeFirstOrThrow(),
      );
      return Number(left);
    },
    close: () => store.close(),
  };
}

async function createGraphile(url: string): Promise<QueueUnderTest> {
  const { runMigrations } = (await importComponent('graphile-worker')) as unknown as Record<
    string,
    CallableFunction
  >;
  await runMigrations!({ connectionString: url });
  const { store, add } = await openDatabase(url);
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  return {
    url,
    async add(dueMs) {
      await pool.query(
        `select graphile_worker.add_job('deliver', json_build_object('id', id), run_at => to_timestamp(due / 1000.0))
         from unnest($1::bigint[], $2::text[]) as t(due, id)`,
        [dueMs, await add(dueMs)],
      );
    },
    async release() {
      await pool.query(
        `update graphile_worker._private_jobs set run_at = now(); select pg_notify('jobs:insert', '{"count":1}')`,
      );
    },
    left: async () =>
      Number((await pool.query('select count(*) from graphile_worker._private_jobs')).rows[0].count),
    async close() {
      await pool.end();
      await store.close();
    },
  };
}

class WorkerPool {
  readonly #processes: readonly ChildProcess[];

  private constructor(processes: readonly ChildProcess[]) {
    this.#processes = processes;
  }

  static async start(kind: Kind, url: string): Promise<WorkerPool> {
    const file = join(import.meta.dirname, 'parts/delivery-process.ts');
    const processes = Array.from({ length: Number(values.processes) }, () =>
      fork(file, [kind, url], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
    );
    await Promise.all(processes.map((child) => once(child, 'message')));
    return new WorkerPool(processes);
  }

  async report(): Promise<[string, number][]> {
    const reports = await Promise.all(
      this.#processes.map(async (child) => {
        const answer = once(child, 'message');
        child.send('report');
        return ((await answer)[0] as { handled: [string, number][] }).handled;
      }),
    );
    return reports.flat();
  }

  async stop(): Promise<void> {
    const ended = this.#processes.map((child) => once(child, 'exit'));
    for (const child of this.#processes) child.send('stop');
    await Promise.all(ended);
  }
}

async function untilDrained(queue: QueueUnderTest): Promise<void> {
  while ((await queue.left()) > 0) await pause(20);
}

/** Jobs per second, from the moment they become due for waiting processes until the last one is completed. */
async function throughput(kind: Kind, queue: QueueUnderTest): Promise<number> {
  await queue.add(Array.from({ length: jobs }, () => Date.now() + 300 * minute));
  const pool = await WorkerPool.start(kind, queue.url);
  await pause(500);
  await queue.release();
  const startMs = performance.now();
  await untilDrained(queue);
  const seconds = (performance.now() - startMs) / 1000;
  const handled = await pool.report();
  await pool.stop();
  const unique = new Set(handled.map(([id]) => id)).size;
  if (unique !== jobs || handled.length !== jobs)
    throw new Error(`${kind} handled ${handled.length} jobs, ${unique} of them different; expected ${jobs}`);
  return jobs / seconds;
}

/** How late the jobs started, in milliseconds, sorted. */
async function lateness(
  kind: Kind,
  queue: QueueUnderTest,
  due: (now: number) => number[],
): Promise<number[]> {
  const pool = await WorkerPool.start(kind, queue.url);
  await pause(500);
  const times = due(Date.now());
  await queue.add(times);
  await pause(Math.max(...times) - Date.now());
  await untilDrained(queue);
  const handled = await pool.report();
  await pool.stop();
  return handled.map(([id, at]) => at - Number(id.split(':')[1])).sort((a, b) => a - b);
}

const quantile = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;

const server = await startPostgres({ settings: { max_connections: '200' } });
const queues: Record<Kind, QueueUnderTest> = {
  adjutant: await createAdjutant(await server.createDatabase('adjutant')),
  graphile: await createGraphile(await server.createDatabase('graphile')),
  empty: await createGraphile(await server.createDatabase('empty')),
};
try {
  const rates: Record<Kind, number[]> = { adjutant: [], graphile: [], empty: [] };
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const kind of kinds) rates[kind].push(await throughput(kind, queues[kind]));
  }
  table(
    ['per second', 'best', 'median', 'relative to adjutant'],
    kinds.map((kind) => [
      kind,
      Math.max(...rates[kind]).toFixed(0),
      median(rates[kind]).toFixed(0),
      median(rates[kind]) / median(rates.adjutant),
    ]),
  );
  const schedules: Record<string, (now: number) => number[]> = {
    'spread over ten seconds': (now) =>
      Array.from({ length: 500 }, () => now + 1000 + Math.floor(Math.random() * 10_000)),
    'all in one scheduled second': (now) => {
      const second = Math.ceil(now / 1000) * 1000 + 2000;
      return Array.from({ length: 100 }, () => second);
    },
  };
  for (const [name, due] of Object.entries(schedules)) {
    for (const kind of ['adjutant', 'graphile'] as const) {
      const late = await lateness(kind, queues[kind], due);
      const figures = [0.5, 0.99, 1].map((share) => quantile(late, share));
      console.log(
        `lateness, ${name}: ${kind.padEnd(16)} p50 ${figures[0]} ms, p99 ${figures[1]} ms, worst ${figures[2]} ms, earliest ${late[0]} ms`,
      );
    }
  }
} finally {
  for (const queue of Object.values(queues)) await queue.close();
  await server.close();
}
