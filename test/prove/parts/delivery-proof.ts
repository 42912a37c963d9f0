import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { createStore, type Store } from '../../../src/store/store.ts';
import { fill, meeting, minute, person, reminder } from '../../assistant-rows.ts';
import { type Postgres, startPostgres } from '../../postgres.ts';

export interface DeliveryTest {
  readonly engine: 'sqlite' | 'postgres';
  readonly notifications: number;
  readonly workers: number;
  /** Minimum and maximum number of arrivals between two faults, so that slow and fast machines get as many faults. */
  readonly arrivalsBetween: readonly [number, number];
  /** Faults to inject: kill a worker, cut database connections, or crash the database. */
  readonly faults: readonly ('kill' | 'cut' | 'crash')[];
  readonly timeoutMs: number;
}

export interface DeliveryResult {
  readonly notifications: number;
  /** Number of different notifications that arrived. */
  readonly delivered: number;
  readonly recorded: number;
  /** Arrived more than once, because a fault happened between acceptance and recording. */
  readonly repeatedInWindow: number;
  /** Arrived more than once although an earlier arrival was recorded. Must be zero. */
  readonly repeatedOutside: number;
  readonly kills: number;
  readonly cuts: number;
  readonly crashes: number;
  readonly seconds: number;
}

/** Delivers many notifications with several workers while faults are injected, and compares arrivals with records. */
export async function proveDelivery(test: DeliveryTest): Promise<DeliveryResult> {
  const home = mkdtempSync(join(tmpdir(), 'adjutant-proof-'));
  const postgres = test.engine === 'postgres' ? await startPostgres() : undefined;
  const url = postgres ? await postgres.createDatabase('proof') : join(home, 'adjutant.db');
  const store = createStore(url);
  const arrivals = new Map<string, number>();
  const receiver = createServer((request, response) => {
    const key = String(request.headers['idempotency-key']);
    arrivals.set(key, (arrivals.get(key) ?? 0) + 1);
    request.resume().on('end', () => response.writeHead(204).end());
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  const pool = new WorkerPool(home, url, test.workers);
  try {
    await prepare(store, test.notifications, `http://127.0.0.1:${port}/`);
    const startMs = performance.now();
    pool.start();
    const injected = await injectFaults(test, pool, url, postgres, arrivals, () => remaining(store));
    const seconds = (performance.now() - startMs) / 1000;
    await pool.stop();
    return { ...(await count(store, arrivals, test.notifications)), ...injected, seconds };
  } finally {
    await pool.stop();
    await store.close();
    await postgres?.close();
    receiver.closeAllConnections();
    receiver.close();
    rmSync(home, { recursive: true, force: true });
  }
}

class WorkerPool {
  readonly #home: string;
  readonly #url: string;
  readonly #size: number;
  #workers: ChildProcess[] = [];

  constructor(home: string, url: string, size: number) {
    this.#home = home;
    this.#url = url;
    this.#size = size;
  }

  start(): void {
    while (this.#workers.length < this.#size) this.#workers.push(this.#spawn());
  }

  kill(): void {
    const [worker] = this.#workers.splice(Math.floor(Math.random() * this.#workers.length), 1);
    worker?.kill('SIGKILL');
    this.start();
  }

  async stop(): Promise<void> {
    const workers = this.#workers;
    this.#workers = [];
    const ended = workers.map((worker) => (worker.exitCode === null ? once(worker, 'exit') : undefined));
    for (const worker of workers) worker.kill('SIGTERM');
    await Promise.all(ended);
  }

  #spawn(): ChildProcess {
    const { PATH } = process.env;
    return spawn(process.execPath, ['dist/adjutant.cjs', 'worker'], {
      stdio: 'ignore',
      env: {
        PATH,
        ADJUTANT_HOME: this.#home,
        DATABASE_URL: this.#url,
        ADJUTANT_DELIVERY_WEBHOOK_SECRET: 'proof',
        ADJUTANT_DELIVERY_PRIVATE_HOSTS: '127.0.0.1',
        ADJUTANT_DELIVERY_LEASE_SECONDS: '8',
        ADJUTANT_LOG_LEVEL: 'error',
      },
    });
  }
}

async function prepare(store: Store, notifications: number, webhook: string): Promise<void> {
  const now = Date.now();
  const users = Array.from({ length: 100 }, (_, index) => person(`u${index}`, { webhook_url: webhook }));
  const events = Array.from({ length: Math.ceil(notifications / 3) }, (_, index) =>
    meeting(`e${index}`, `u${index % 100}`, now + 600 * minute),
  );
  const rows = Array.from({ length: notifications }, (_, index) =>
    reminder(events[Math.floor(index / 3)]!, now - 1000, {
      id: `n${index}`,
      channel: 'webhook',
      // A time that the person named. Other reminders of the same time become one message.
      origin: 'event',
    }),
  );
  await fill(store, { users, events, notifications: rows });
}

async function remaining(store: Store): Promise<number> {
  const { left } = await store.read((db) =>
    db
      .selectFrom('notifications')
      .select(({ fn }) => fn.countAll<number>().as('left'))
      .where('status', 'in', ['planned', 'sending'])
      // The workers also plan later reminders of the same events.
      .where('id', 'like', 'n%')
      .executeTakeFirstOrThrow(),
  );
  return Number(left);
}

async function injectFaults(
  { faults, arrivalsBetween: [min, max], timeoutMs }: DeliveryTest,
  pool: WorkerPool,
  url: string,
  postgres: Postgres | undefined,
  arrivals: ReadonlyMap<string, number>,
  left: () => Promise<number>,
) {
  const injected = { kills: 0, cuts: 0, crashes: 0 };
  const deadline = performance.now() + timeoutMs;
  let next = 0;
  while (performance.now() < deadline) {
    await pause(20);
    if (arrivals.size < next) {
      // No new arrivals: everything may be delivered, or a lease must expire first. Check only now and then.
      if (Math.random() < 0.05 && (await left().catch(() => 1)) === 0) break;
      continue;
    }
    if ((await left().catch(() => 1)) === 0) break;
    next = arrivals.size + min + Math.random() * (max - min);
    switch (faults[Math.floor(Math.random() * faults.length)]) {
      case 'kill':
        pool.kill();
        injected.kills += 1;
        break;
      case 'cut':
        injected.cuts += await cutConnections(url);
        break;
      case 'crash':
        await postgres?.stop('crash');
        await postgres?.start();
        injected.crashes += 1;
        break;
    }
  }
  return injected;
}

/** Terminates about half of the workers' database connections. */
export async function cutConnections(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rowCount } = await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'adjutant' and random() < 0.5",
    );
    return rowCount ?? 0;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function count(store: Store, arrivals: ReadonlyMap<string, number>, notifications: number) {
  const records = await store.read((db) =>
    db
      .selectFrom('audit')
      .select(({ fn }) => ['notification_id', fn.countAll<number>().as('times')])
      .where('action', 'in', ['notification.sent', 'notification.superseded'])
      .groupBy('notification_id')
      .execute(),
  );
  const recordOf = new Map(records.map(({ notification_id, times }) => [notification_id, Number(times)]));
  const repeated = [...arrivals].filter(([, times]) => times > 1);
  const outside = repeated.filter(([id]) => (recordOf.get(id) ?? 0) > 1);
  const { recorded } = await store.read((db) =>
    db
      .selectFrom('notifications')
      .select(({ fn }) => fn.countAll<number>().as('recorded'))
      .where('status', '=', 'sent')
      .executeTakeFirstOrThrow(),
  );
  return {
    notifications,
    delivered: arrivals.size,
    recorded: Number(recorded),
    repeatedInWindow: repeated.length - outside.length,
    repeatedOutside: outside.length,
  };
}
