import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../src/json.ts';
import { openAssistant, type TestAssistant } from '../open-assistant.ts';
import type { ProofServer } from './proof.ts';
import { digestGuard, type ProxiedReply, type ProxiedRequest, startProxy, withTag } from './proxy.ts';
import { password } from './radicale.ts';

const now = Date.parse('2026-06-01T08:00:00Z');
const dayMs = 86_400_000;
/** A person who is told to try again does so, but not forever. */
const maxTries = 40;

export interface FaultResult {
  readonly operations: number;
  /** Injected faults by kind. */
  readonly faults: Readonly<Record<string, number>>;
  readonly retries: number;
  /** What the server or we have at the end, and should not, or the other way round. */
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly wrong: readonly string[];
}

type Fault = (request: ProxiedRequest) => Promise<ProxiedReply>;

const isWrite = ({ method }: ProxiedRequest) => method === 'PUT' || method === 'DELETE';
const busy = () => new Response('busy', { status: 503 });

/** What goes wrong between a program and a real server. */
const faults: Readonly<Record<string, Fault>> = {
  'busy before': async () => busy(),
  'busy after': async ({ forward }) => {
    await forward();
    return busy();
  },
  'reset before': async () => 'cut',
  'reset after': async ({ forward }) => {
    await forward();
    return 'cut';
  },
  'half a reply': async ({ forward }) => ({ half: await forward() }),
  'no tag': async ({ forward }) => withTag(await forward(), () => undefined),
  'weak tag': async ({ forward }) => withTag(await forward(), (tag) => `W/${tag}`),
  redirect: async ({ path }) =>
    new Response('', { status: 307, headers: { location: `${path}${path.includes('?') ? '&' : '?'}again` } }),
};

/** A small generator of random numbers, so that a seed repeats a run. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** What an event should be: one line for each of its dates. */
type Expected = Map<string, { title: string; dates: Map<string, string> }>;

/**
 * Creates, changes and deletes events and single dates of series on a server behind a proxy that breaks one request in six, and
 * repeats each operation until it succeeds, as its errors say. At the end, the server must have what was reported as done.
 */
export async function survive(server: ProofServer, operations: number, seed = 1): Promise<FaultResult> {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-faults-'));
  const passwordsFile = join(folder, 'passwords');
  writeFileSync(passwordsFile, `machine 127.0.0.1 login ann password "${password}"\n`);
  const calendars = { privateHosts: ['127.0.0.1'], passwordsFile, maxBytes: 1e8, intervalMs: 900_000 };
  const proxy = await startProxy(new URL(server.url).origin);
  const next = random(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)]!;
  const counts: Record<string, number> = {};
  const guard = digestGuard('ann', password, 'SHA-256');
  let digest = false;
  const reach = (request: ProxiedRequest): ProxiedRequest =>
    digest ? { ...request, forward: () => guard.intercept(request) } : request;
  const intercept = async (request: ProxiedRequest): Promise<ProxiedReply> => {
    const plain = { ...request, path: request.path.replace(/[?&]again$/, '') };
    const through = reach(request);
    const name = next() < 1 / 6 && plain.path === request.path ? pick(Object.keys(faults)) : undefined;
    // A reply without a tag says nothing on its own; only replies of writes and reads have one.
    if (name === undefined || (/tag/.test(name) && !isWrite(request) && request.method !== 'GET'))
      return through.forward();
    counts[name] = (counts[name] ?? 0) + 1;
    return faults[name]!(through);
  };
  const open = async (url: string): Promise<{ assistant: TestAssistant; calendar_id: string }> => {
    const assistant = openAssistant({ calendars });
    assistant.now = now;
    await assistant.call('create_user', {
      ...{ id: 'ann', name: 'Ann', email: 'ann@example.com', timezone: 'Europe/Berlin' },
    });
    const added = await assistant.call('add_calendar', {
      ...{ user_id: 'ann', source: url, kind: 'caldav', username: 'ann' },
    });
    return { assistant, calendar_id: (added['calendars'] as { id: string }[])[0]!.id };
  };
  const { assistant, calendar_id } = await open(new URL(new URL(server.url).pathname, proxy.url).href);
  const expected: Expected = new Map();
  let retries = 0;
  const wrong: string[] = [];
  /** Calls a tool until it succeeds. Resolves to undefined if what it would change is gone. */
  const persist = async (tool: string, args: JsonObject): Promise<JsonObject | undefined> => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await assistant.call(tool, args);
      } catch (error) {
        const message = String(error);
        if (attempt === maxTries) throw error;
        retries += 1;
        if (tool === 'delete_event' && /not found|deleted|Occurrence/i.test(message)) return undefined;
        if (
          !/503|reached|respond|known whether|same time|since the last sync|conflict|cut|aborted|socket|sync|terminated|entity tag/i.test(
            message,
          )
        )
          wrong.push(`${tool} ${JSON.stringify(args)}: ${message}`);
        if (/since the last sync|same time|sync/.test(message))
          await assistant.call('sync_calendar', { calendar_id }).catch(() => undefined);
      }
    }
  };
  const start = (day: number, hour: number) =>
    `${new Date(now + day * dayMs).toISOString().slice(0, 10)}T${String(hour).padStart(2, '0')}:00`;
  const actions: Readonly<Record<string, (number: number) => Promise<void>>> = {
    async create(number) {
      const [title, at] = [`Event ${number}`, start(1 + Math.floor(next() * 20), 8 + Math.floor(next() * 9))];
      const made = (await persist('create_event', { user_id: 'ann', calendar_id, title, start_ts: at }))!;
      expected.set(String(made['id']), { title, dates: new Map([['', at]]) });
    },
    async series(number) {
      const [title, hour] = [`Series ${number}`, 8 + Math.floor(next() * 9)];
      const more = { start_ts: start(1, hour), rrule: 'FREQ=DAILY;COUNT=3' };
      const made = (await persist('create_event', { user_id: 'ann', calendar_id, title, ...more }))!;
      const dates = [1, 2, 3].map((day) => [start(day, hour).slice(0, 10), start(day, hour)] as const);
      expected.set(String(made['id']), { title, dates: new Map(dates) });
    },
    async rename(number) {
      const [event_id, known] = pick([...expected]);
      known.title = `${known.title.split(' changed')[0]} changed ${number}`;
      await persist('update_event', { event_id, title: known.title });
    },
    async move() {
      const [event_id, known] = pick([...expected]);
      const [date] = pick([...known.dates]);
      const at = `${(date || start(1 + Math.floor(next() * 20), 0)).slice(0, 10)}T${String(18 + Math.floor(next() * 5)).padStart(2, '0')}:30`;
      known.dates.set(date, at);
      await persist('update_event', { event_id, start_ts: at, ...(date !== '' && { occurrence: date }) });
    },
    async delete() {
      const [event_id, known] = pick([...expected]);
      const [date] = pick([...known.dates]);
      if (date === '' || known.dates.size === 1) {
        expected.delete(event_id);
        await persist('delete_event', { event_id });
      } else {
        known.dates.delete(date);
        await persist('delete_event', { event_id, occurrence: date });
      }
    },
  };
  try {
    proxy.intercept = intercept;
    for (let number = 0; number < operations; number++) {
      digest = Math.floor(number / 50) % 2 === 1;
      const name =
        expected.size < 5 ? 'create' : pick(['create', 'series', 'rename', 'move', 'move', 'delete']);
      await actions[name]!(number);
    }
    proxy.intercept = undefined;
    digest = false;
    await assistant.call('sync_calendar', { calendar_id });
    const fresh = await open(server.url);
    const wanted = [...expected.values()].flatMap(({ title, dates }) =>
      [...dates.values()].map((at) => `${title} ${at}`),
    );
    const [here, there] = [await listed(assistant), await listed(fresh.assistant)];
    await fresh.assistant[Symbol.asyncDispose]();
    const missing = (from: readonly string[], name: string) =>
      wanted.filter((one) => !from.includes(one)).map((one) => `${one} ${name}`);
    const extra = (from: readonly string[], name: string) =>
      from
        .filter((one, index) => !wanted.includes(one) || from.indexOf(one) !== index)
        .map((one) => `${one} ${name}`);
    return {
      ...{ operations, faults: counts, retries, wrong },
      lost: [...missing(there, 'on the server'), ...missing(here, 'here')],
      doubled: [...extra(there, 'on the server'), ...extra(here, 'here')],
    };
  } finally {
    await assistant[Symbol.asyncDispose]();
    await proxy.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Titles and local starts of all events. */
async function listed(assistant: TestAssistant): Promise<readonly string[]> {
  const found: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = (await assistant.call('list_events', {
      ...{ user_id: 'ann', from: '2026-05-30', to: '2026-07-30', limit: 500 },
      ...(cursor !== undefined && { cursor }),
    })) as unknown as { events: { title: string; start_ts: string }[]; next_cursor?: string };
    for (const { title, start_ts } of page.events) {
      const local = new Date(start_ts).toLocaleString('sv-SE', { timeZone: 'Europe/Berlin' });
      found.push(`${title} ${local.slice(0, 16).replace(' ', 'T')}`);
    }
    cursor = page.next_cursor;
    if (cursor === undefined) return found.sort();
  }
}
