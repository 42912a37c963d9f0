// Notifications claimed, fenced and completed per second, and how late they are, side by side with graphile-worker (its
// local queue and its batched completion on) on one PostgreSQL server: so many processes each, in turns, the same
// number of pieces. `graphile` does the same work: its jobs look up the notification, the user and the event, and
// record what was sent. `empty` are jobs that do nothing, for comparison.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createStore, type Store } from '../src/assistant/store/store.ts';
import { fill, meeting, minute, person, reminder } from '../test/assistant-rows.ts';
import { importComponent } from '../test/components.ts';
import { startPostgres } from '../test/postgres.ts';
import { median, table } from './figures.ts';

const { values } = parseArgs({
  options: {
    pieces: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '3' },
    processes: { type: 'string', default: '4' },
  },
});
const pieces = Number(values.pieces);
type Kind = 'adjutant' | 'graphile' | 'empty';
const kinds: readonly Kind[] = ['adjutant', 'graphile', 'empty'];

interface Contender {
  readonly url: string;
  /** Adds pieces of work that are due at these times, all in one go. */
  add(dueMs: readonly number[]): Promise<void>;
  /** Makes all of them due at once, and tells whoever sleeps. */
  release(): Promise<void>;
  left(): Promise<number>;
  close(): Promise<void>;
}

interface AssistantData {
  add(dueMs: readonly number[]): Promise<readonly string[]>;
  readonly store: Store;
}

async function openAssistant(url: string): Promise<AssistantData> {
  const store = createStore(url);
  await fill(store, { users: Array.from({ length: 100 }, (_, index) => person(`u${index}`)) });
  let made = 0;
  return {
    store,
    async add(dueMs) {
      const events = dueMs.map((_, index) =>
        meeting(`e${made + index}`, `u${index % 100}`, Date.now() + 600 * minute),
      );
      const notifications = dueMs.map((due, index) =>
        reminder(events[index]!, due, { id: `n${made + index}:${due}` }),
      );
      made += dueMs.length;
      await fill(store, { events, notifications });
      return notifications.map(({ id }) => id);
    },
  };
}

async function contendAdjutant(url: string): Promise<Contender> {
  const { store, add } = await openAssistant(url);
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

async function contendGraphile(url: string): Promise<Contender> {
  const { runMigrations } = (await importComponent('graphile-worker')) as unknown as Record<
    string,
    CallableFunction
  >;
  await runMigrations!({ connectionString: url });
  const { store, add } = await openAssistant(url);
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

class Crew {
  readonly #members: readonly ChildProcess[];

  private constructor(members: readonly ChildProcess[]) {
    this.#members = members;
  }

  static async hire(kind: Kind, url: string): Promise<Crew> {
    const file = join(import.meta.dirname, 'delivery-crew.ts');
    const members = Array.from({ length: Number(values.processes) }, () =>
      fork(file, [kind, url], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
    );
    await Promise.all(members.map((member) => once(member, 'message')));
    return new Crew(members);
  }

  async report(): Promise<[string, number][]> {
    const reports = await Promise.all(
      this.#members.map(async (member) => {
        const answer = once(member, 'message');
        member.send('report');
        return ((await answer)[0] as { handled: [string, number][] }).handled;
      }),
    );
    return reports.flat();
  }

  async dismiss(): Promise<void> {
    const ended = this.#members.map((member) => once(member, 'exit'));
    for (const member of this.#members) member.send('stop');
    await Promise.all(ended);
  }
}

async function drained(contender: Contender): Promise<void> {
  while ((await contender.left()) > 0) await pause(20);
}

/** From the moment the work is due for processes that wait for it until the last piece is off the books. */
async function throughput(kind: Kind, contender: Contender): Promise<number> {
  await contender.add(Array.from({ length: pieces }, () => Date.now() + 300 * minute));
  const crew = await Crew.hire(kind, contender.url);
  await pause(500);
  await contender.release();
  const begin = performance.now();
  await drained(contender);
  const seconds = (performance.now() - begin) / 1000;
  const handled = await crew.report();
  await crew.dismiss();
  const unique = new Set(handled.map(([id]) => id)).size;
  if (unique !== pieces || handled.length !== pieces)
    throw new Error(`${kind} handled ${handled.length} pieces, ${unique} of them different, of ${pieces}`);
  return pieces / seconds;
}

/** How late the pieces were begun, in milliseconds, sorted. */
async function lateness(kind: Kind, contender: Contender, due: (now: number) => number[]): Promise<number[]> {
  const crew = await Crew.hire(kind, contender.url);
  await pause(500);
  const times = due(Date.now());
  await contender.add(times);
  await pause(Math.max(...times) - Date.now());
  await drained(contender);
  const handled = await crew.report();
  await crew.dismiss();
  return handled.map(([id, at]) => at - Number(id.split(':')[1])).sort((a, b) => a - b);
}

const quantile = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;

const server = await startPostgres({ settings: { max_connections: '200' } });
const contenders: Record<Kind, Contender> = {
  adjutant: await contendAdjutant(await server.createDatabase('adjutant')),
  graphile: await contendGraphile(await server.createDatabase('graphile')),
  empty: await contendGraphile(await server.createDatabase('empty')),
};
try {
  const rates: Record<Kind, number[]> = { adjutant: [], graphile: [], empty: [] };
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const kind of kinds) rates[kind].push(await throughput(kind, contenders[kind]));
  }
  table(
    ['per second', 'best', 'median', 'of adjutant'],
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
      const late = await lateness(kind, contenders[kind], due);
      const figures = [0.5, 0.99, 1].map((share) => quantile(late, share));
      console.log(
        `lateness, ${name}: ${kind.padEnd(16)} p50 ${figures[0]} ms, p99 ${figures[1]} ms, worst ${figures[2]} ms, earliest ${late[0]} ms`,
      );
    }
  }
} finally {
  for (const contender of Object.values(contenders)) await contender.close();
  await server.close();
}
