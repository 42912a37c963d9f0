import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { createStore, type Store } from '../src/assistant/store/store.ts';
import { fill, meeting, minute, person, reminder } from './assistant-rows.ts';
import { type Postgres, startPostgres } from './postgres.ts';

export interface Proof {
  readonly engine: 'sqlite' | 'postgres';
  readonly notifications: number;
  readonly workers: number;
  /** How many arrive between two blows, fewest and most: a slow machine is not struck more often than a fast one. */
  readonly between: readonly [number, number];
  /** What is done to them: a worker is killed, a connection to the database is cut, the database itself is. */
  readonly blows: readonly ('kill' | 'cut' | 'crash')[];
  readonly giveUpMs: number;
}

export interface Figures {
  readonly notifications: number;
  /** Distinct ones that arrived. */
  readonly delivered: number;
  readonly recorded: number;
  /** Arrived more than once because the end came between acceptance and record. */
  readonly repeatedInWindow: number;
  /** Arrived more than once although an earlier arrival was on record. Must be none. */
  readonly repeatedOutside: number;
  readonly kills: number;
  readonly cuts: number;
  readonly crashes: number;
  readonly seconds: number;
}

/** Many workers, many notifications, and somebody who kills: what arrived, against what is on record. */
export async function proveDelivery(proof: Proof): Promise<Figures> {
  const home = mkdtempSync(join(tmpdir(), 'adjutant-proof-'));
  const postgres = proof.engine === 'postgres' ? await startPostgres() : undefined;
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
  const crew = new Crew(home, url, proof.workers);
  try {
    await prepare(store, proof.notifications, `http://127.0.0.1:${port}/`);
    const begin = performance.now();
    crew.start();
    const blows = await strike(proof, crew, url, postgres, arrivals, () => remaining(store));
    const seconds = (performance.now() - begin) / 1000;
    await crew.stop();
    return { ...(await count(store, arrivals, proof.notifications)), ...blows, seconds };
  } finally {
    await crew.stop();
    await store.close();
    await postgres?.close();
    receiver.closeAllConnections();
    receiver.close();
    rmSync(home, { recursive: true, force: true });
  }
}

class Crew {
  readonly #home: string;
  readonly #url: string;
  readonly #size: number;
  #members: ChildProcess[] = [];

  constructor(home: string, url: string, size: number) {
    this.#home = home;
    this.#url = url;
    this.#size = size;
  }

  start(): void {
    while (this.#members.length < this.#size) this.#members.push(this.#hire());
  }

  kill(): void {
    const [victim] = this.#members.splice(Math.floor(Math.random() * this.#members.length), 1);
    victim?.kill('SIGKILL');
    this.start();
  }

  async stop(): Promise<void> {
    const members = this.#members;
    this.#members = [];
    const ended = members.map((member) => (member.exitCode === null ? once(member, 'exit') : undefined));
    for (const member of members) member.kill('SIGTERM');
    await Promise.all(ended);
  }

  #hire(): ChildProcess {
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
    reminder(events[Math.floor(index / 3)]!, now - 1000, { id: `n${index}`, channel: 'webhook' }),
  );
  await fill(store, { users, events, notifications: rows });
}

async function remaining(store: Store): Promise<number> {
  const { left } = await store.read((db) =>
    db
      .selectFrom('notifications')
      .select(({ fn }) => fn.countAll<number>().as('left'))
      .where('status', 'in', ['planned', 'sending'])
      .executeTakeFirstOrThrow(),
  );
  return Number(left);
}

async function strike(
  { blows, between: [fewest, most], giveUpMs }: Proof,
  crew: Crew,
  url: string,
  postgres: Postgres | undefined,
  arrivals: ReadonlyMap<string, number>,
  left: () => Promise<number>,
) {
  const dealt = { kills: 0, cuts: 0, crashes: 0 };
  const deadline = performance.now() + giveUpMs;
  let next = 0;
  while (performance.now() < deadline) {
    await pause(20);
    if (arrivals.size < next) {
      // Nothing new may come any more, or not before a lease has run out.
      if (Math.random() < 0.05 && (await left().catch(() => 1)) === 0) break;
      continue;
    }
    if ((await left().catch(() => 1)) === 0) break;
    next = arrivals.size + fewest + Math.random() * (most - fewest);
    switch (blows[Math.floor(Math.random() * blows.length)]) {
      case 'kill':
        crew.kill();
        dealt.kills += 1;
        break;
      case 'cut':
        dealt.cuts += await cut(url);
        break;
      case 'crash':
        await postgres?.stop('crash');
        await postgres?.start();
        dealt.crashes += 1;
        break;
    }
  }
  return dealt;
}

/** Ends about half of the connections that the workers have to the database. */
async function cut(url: string): Promise<number> {
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
