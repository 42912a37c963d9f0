import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createRecords } from '../../src/store/records.ts';
import { createStore } from '../../src/store/store.ts';
import { fill, person } from '../assistant-rows.ts';
import { scriptedAgent } from '../delegate/scripted.ts';
import { Program } from '../program.ts';
import { begunFirings, routineAt } from './kills.ts';

export interface RushResult {
  readonly counts: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}

/** How much longer a ping may wait than one to an idle server at the same time, besides the time for which no processor was free. */
const maxPingMs = 100;
/** How long each run works. */
const workMs = 50;

/**
 * Lets many routines become due at the same moment on a real server over HTTP, with real run hosts. A client sends pings all the
 * time. Each routine must run once, no more runs at a time than allowed, and no ping may wait for them.
 */
export async function rush(count: number, maxParallel: number): Promise<RushResult> {
  const env = {
    ADJUTANT_DELEGATE_COMMAND: scriptedAgent,
    ADJUTANT_DELEGATE_MAX_PARALLEL: String(maxParallel),
    ADJUTANT_LOG_LEVEL: 'error',
  };
  await using server = new Program(['serve', '--http', '--port', '0'], { env });
  await using idle = new Program(['serve', '--http', '--port', '0'], { env });
  const { home } = server;
  const file = join(home, 'adjutant.db');
  const store = createStore(file);
  const records = createRecords(file);
  try {
    await fill(store, { users: [person('ada', { quiet_start: '00:00', quiet_end: '00:00' })] });
    const pings = [await Pings.start(server), await Pings.start(idle)] as const;
    const dueMs = Date.now() + 5_000 + 10 * count;
    for (let index = 0; index < count; index++) {
      const routine = routineAt(home, index, dueMs, workMs);
      await records.change('routines', routine.id, () => ({ next: JSON.parse(JSON.stringify(routine)) }));
    }
    const problems: string[] = [];
    const end = dueMs + 60_000 + count * 5_000;
    let rows = await firingsOf(store);
    let mostOpen = 0;
    while (Date.now() < end && !(rows.length === count && rows.every(isOver))) {
      await pause(250);
      rows = await firingsOf(store);
      mostOpen = Math.max(
        mostOpen,
        rows.filter(({ status }) => ['starting', 'running'].includes(status)).length,
      );
    }
    const [busy, calm] = await Promise.all(pings.map((one) => one.stop()));
    const begun = begunFirings(home);
    for (const row of rows) {
      const times = begun.get(row.id) ?? 0;
      if (row.status !== 'completed' || times !== 1 || row.untold !== 0)
        problems.push(`${row.routine_id}: ${row.status} (${row.reason}), began ${times} times`);
    }
    if (rows.length !== count) problems.push(`${rows.length} rows instead of ${count}`);
    const mostRuns = mostAtOnce(home);
    if (Math.max(mostOpen, mostRuns) > maxParallel)
      problems.push(`${mostOpen} firings and ${mostRuns} runs at a time instead of ${maxParallel}`);
    const excess = busy!.ownMs - calm!.ownMs;
    if (excess > maxPingMs) problems.push(`a ping waited ${excess} ms longer than that to an idle server`);
    const messages = await store.read((db) =>
      db.selectFrom('notifications').select('about').where('about', 'like', 'routine/%').execute(),
    );
    if (messages.length !== count) problems.push(`${messages.length} messages instead of ${count}`);
    const last = Math.max(...rows.map(({ ended_ms }) => ended_ms ?? 0));
    return {
      counts: {
        ...{ routines: count, runs: begun.size, most_runs: mostRuns, most_firings: mostOpen },
        ...{ messages: messages.length, seconds: Math.round((last - dueMs) / 1000), pings: busy!.sent },
        ...{ slowest_ping_ms: busy!.slowestMs, of_it_own_ms: busy!.ownMs, processor_ms: busy!.processorMs },
        ...{ idle_ping_ms: calm!.slowestMs, of_it_idle_ms: calm!.ownMs },
      },
      problems,
    };
  } finally {
    await records.close();
    await store.close();
  }
}

const firingsOf = (store: ReturnType<typeof createStore>) =>
  store.read((db) => db.selectFrom('firings').selectAll().execute());

function isOver({
  ended_ms,
  untold,
}: {
  readonly ended_ms: number | null;
  readonly untold: number;
}): boolean {
  return ended_ms !== null && untold === 0;
}

/** The most runs that worked at the same time. */
function mostAtOnce(home: string): number {
  const runs = join(home, 'runs');
  const changes = readdirSync(runs).flatMap((id) => {
    const result = join(runs, id, 'result.json');
    if (!existsSync(result)) return [];
    const { started_at, finished_at } = JSON.parse(readFileSync(result, 'utf8'));
    return [
      { ms: Date.parse(started_at), by: 1 },
      { ms: Date.parse(finished_at), by: -1 },
    ];
  });
  let [open, most] = [0, 0];
  for (const { by } of changes.sort((one, other) => one.ms - other.ms || one.by - other.by)) {
    open += by;
    most = Math.max(most, open);
  }
  return most;
}

/** Sends pings to a server, one after the other. */
class Pings {
  readonly #ping: () => Promise<void>;
  readonly #pid: number;
  readonly #running: Promise<void>;
  #isOver = false;
  #sent = 0;
  #slowestMs = 0;
  #ownMs = 0;
  #processorMs = 0;

  static async start(program: Program): Promise<Pings> {
    const { url, token } = await program.listening();
    return new Pings(program.child.pid!, async () => {
      const response = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
      });
      const answer = (await response.json()) as { readonly result?: object };
      if (answer.result === undefined) throw new Error(`ping failed: ${JSON.stringify(answer)}`);
    });
  }

  private constructor(pid: number, ping: () => Promise<void>) {
    this.#pid = pid;
    this.#ping = ping;
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    // The first request opens the connection and loads code.
    await this.#ping();
    while (!this.#isOver) {
      const [sentMs, server, client] = [performance.now(), threadTimes(this.#pid), threadTimes(process.pid)];
      await this.#ping();
      const waitedMs = performance.now() - sentMs;
      const [serverNow, clientNow] = [threadTimes(this.#pid), threadTimes(process.pid)];
      const queuedMs = serverNow.queuedMs - server.queuedMs + clientNow.queuedMs - client.queuedMs;
      this.#sent += 1;
      this.#slowestMs = Math.max(this.#slowestMs, waitedMs);
      this.#ownMs = Math.max(this.#ownMs, waitedMs - queuedMs);
      this.#processorMs = Math.max(this.#processorMs, serverNow.usedMs - server.usedMs);
      await pause(20);
    }
  }

  async stop() {
    this.#isOver = true;
    await this.#running;
    return {
      sent: this.#sent,
      slowestMs: Math.round(this.#slowestMs),
      ownMs: Math.round(this.#ownMs),
      processorMs: Math.round(this.#processorMs),
    };
  }
}

/** For how long the main thread of a process has used a processor, and waited for one to be free. */
function threadTimes(pid: number) {
  if (process.platform !== 'linux') return { usedMs: 0, queuedMs: 0 };
  const [used, queued] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ').map(Number);
  return { usedMs: used! / 1e6, queuedMs: queued! / 1e6 };
}
