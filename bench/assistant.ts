// Notifications claimed, fenced and completed per second, and how late they are, side by side with graphile-worker on
// one PostgreSQL server: so many processes each, in turns, the same number of pieces of work.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createStore } from '../src/assistant/store/store.ts';
import { importComponent } from '../test/components.ts';
import { fill, meeting, minute, person, reminder } from '../test/diary.ts';
import { startPostgres } from '../test/postgres.ts';

const { values } = parseArgs({
  options: {
    pieces: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '3' },
    processes: { type: 'string', default: '4' },
  },
});
const pieces = Number(values.pieces);
type Kind = 'adjutant' | 'graphile-worker';
const kinds: readonly Kind[] = ['adjutant', 'graphile-worker'];

interface Contender {
  readonly url: string;
  /** Adds pieces of work that are due at these times, all in one go. */
  add(dueMs: readonly number[]): Promise<void>;
  /** Makes all of them due at once, and tells whoever sleeps. */
  release(): Promise<void>;
  left(): Promise<number>;
  close(): Promise<void>;
}

async function contendAdjutant(url: string): Promise<Contender> {
  const store = createStore(url);
  await fill(store, { users: Array.from({ length: 100 }, (_, index) => person(`u${index}`)) });
  let made = 0;
  return {
    url,
    async add(dueMs) {
      const events = dueMs.map((_, index) =>
        meeting(`e${made + index}`, `u${index % 100}`, Date.now() + 600 * minute),
      );
      const notifications = dueMs.map((due, index) =>
        reminder(events[index]!, due, { id: `n${made + index}:${due}` }),
      );
      made += dueMs.length;
      await fill(store, { events, notifications });
    },
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
    left: async () =>
      Number(
        (
          await store.read((db) =>
            db
              .selectFrom('notifications')
              .select(({ fn }) => fn.countAll<number>().as('left'))
              .where('status', 'in', ['planned', 'sending'])
              .executeTakeFirstOrThrow(),
          )
        ).left,
      ),
    close: () => store.close(),
  };
}

async function contendGraphile(url: string): Promise<Contender> {
  const { runMigrations } = (await importComponent('graphile-worker')) as unknown as Record<
    string,
    CallableFunction
  >;
  await runMigrations!({ connectionString: url });
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  let made = 0;
  return {
    url,
    async add(dueMs) {
      const first = made;
      made += dueMs.length;
      await pool.query(
        `select graphile_worker.add_job('deliver', json_build_object('id', 'n' || ($2 + i) || ':' || due), run_at => to_timestamp(due / 1000.0))
         from unnest($1::bigint[]) with ordinality as t(due, i)`,
        [dueMs, first],
      );
    },
    async release() {
      await pool.query(
        `update graphile_worker._private_jobs set run_at = now(); select pg_notify('jobs:insert', '{"count":1}')`,
      );
    },
    left: async () =>
      Number((await pool.query('select count(*) from graphile_worker._private_jobs')).rows[0].count),
    close: () => pool.end(),
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
  'graphile-worker': await contendGraphile(await server.createDatabase('graphile')),
};
try {
  const rates: Record<Kind, number[]> = { adjutant: [], 'graphile-worker': [] };
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const kind of kinds) rates[kind].push(await throughput(kind, contenders[kind]));
  }
  for (const kind of kinds)
    console.log(`${kind.padEnd(16)} ${rates[kind].map((rate) => rate.toFixed(0)).join(' ')} per second`);
  const best = (kind: Kind) => Math.max(...rates[kind]);
  const median = (kind: Kind) =>
    quantile(
      rates[kind].toSorted((a, b) => a - b),
      0.5,
    );
  console.log(
    `adjutant / graphile-worker: best ${(best('adjutant') / best('graphile-worker')).toFixed(2)}, median ${(median('adjutant') / median('graphile-worker')).toFixed(2)}`,
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
    for (const kind of kinds) {
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
