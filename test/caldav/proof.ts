import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../src/json.ts';
import { openAssistant, type TestAssistant } from '../open-assistant.ts';
import { corpus } from './corpus.ts';
import { hasCyrus, startCyrus } from './cyrus.ts';
import { hasDavical, startDavical } from './davical.ts';
import { startProxy } from './proxy.ts';
import { hasRadicale, password, startRadicale } from './radicale.ts';
import { startCalDav } from './server.ts';
import { hasXandikos, startXandikos } from './xandikos.ts';

export interface ProofServer {
  readonly name: string;
  /** Address of an empty calendar. */
  readonly url: string;
  /** Keeps the bytes of an object; other servers order its lines anew. */
  readonly exact: boolean;
  /** Spoils some properties of meetings whenever it stores them, whoever sends them. */
  readonly spoils?: boolean;
  /** Accepts two writes of one version at the same moment, and so loses one. */
  readonly losesWrites?: boolean;
  /** Number of writes that it refused because the event had changed, if it counts them. */
  refusals?(): number;
  close(): Promise<void>;
}

/** The servers of the proof. One that is not installed is a reason to skip. */
export const proofServers: Readonly<
  Record<string, { readonly isInstalled: boolean; readonly packages: string; start(): Promise<ProofServer> }>
> = {
  Radicale: {
    isInstalled: hasRadicale,
    packages: 'radicale',
    async start() {
      const radicale = await startRadicale();
      await radicale.send('MKCALENDAR', '/ann/cal/');
      return { name: 'Radicale', url: `${radicale.url}/ann/cal/`, exact: false, close: radicale.close };
    },
  },
  Xandikos: {
    isInstalled: hasXandikos,
    packages: 'xandikos',
    start: async () => ({ name: 'Xandikos', exact: false, ...(await startXandikos()) }),
  },
  DAViCal: {
    isInstalled: hasDavical,
    packages: 'davical php-cli',
    start: async () => ({
      name: 'DAViCal',
      exact: false,
      spoils: true,
      losesWrites: true,
      ...(await startDavical()),
    }),
  },
  Cyrus: {
    isInstalled: hasCyrus,
    packages: 'cyrus-imapd cyrus-caldav, and run as root',
    start: async () => ({ name: 'Cyrus', exact: false, ...(await startCyrus()) }),
  },
  loopback: {
    isInstalled: true,
    packages: '',
    async start() {
      const server = await startCalDav();
      return {
        name: 'loopback',
        url: server.url,
        exact: true,
        refusals: () => server.refusals,
        close: server.close,
      };
    },
  },
};

const now = Date.parse('2026-06-01T08:00:00Z');
const authorization = `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`;

async function send(method: string, url: string, body?: string): Promise<string> {
  const headers = { authorization, 'content-type': 'text/calendar; charset=utf-8' };
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  return response.text();
}

/** Opens an assistant that follows the calendar. */
async function openWriter(url: string, folder: string): Promise<TestAssistant> {
  const passwordsFile = join(folder, 'passwords');
  writeFileSync(passwordsFile, `machine 127.0.0.1 login ann password "${password}"\n`);
  const calendars = { privateHosts: ['127.0.0.1'], passwordsFile, maxBytes: 1e8, intervalMs: 900_000 };
  const assistant = openAssistant({ calendars });
  assistant.now = now;
  await assistant.call('create_user', {
    id: 'ann',
    name: 'Ann',
    email: 'ann@example.com',
    timezone: 'Europe/Berlin',
  });
  await assistant.call('add_calendar', { user_id: 'ann', source: url, kind: 'caldav', username: 'ann' });
  return assistant;
}

async function eventIds(assistant: TestAssistant): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for (let cursor: string | undefined; ; ) {
    const page = (await assistant.call('list_events', {
      days_forward: 60,
      limit: 1000,
      ...(cursor !== undefined && { cursor }),
    })) as unknown as { events: { id: string }[]; next_cursor?: string };
    for (const { id } of page.events) ids.set(id, '');
    cursor = page.next_cursor;
    if (cursor === undefined) break;
  }
  for (const id of ids.keys()) {
    const { provider_event_id } = await assistant.call('get_event', { event_id: id });
    ids.set(id, String(provider_event_id));
  }
  return new Map([...ids].map(([id, uid]) => [uid, id]));
}

/**
 * Replaces one version of an object with two others at the same moment. A server that lets both succeed loses one of them, which no
 * program can prevent. Returns how often that happened.
 */
export async function countDoubleWrites(server: ProofServer, rounds: number): Promise<number> {
  const href = `${server.url}double.ics`;
  const base = corpus
    .find(({ name }) => name === 'script-single')!
    .text.replaceAll('script-single@', 'double@');
  let doubles = 0;
  for (let round = 0; round < rounds; round++) {
    const titled = (title: string) => base.replace('Old single', `${title} ${round}`);
    const put = (title: string, condition: Record<string, string>) =>
      fetch(href, {
        method: 'PUT',
        headers: { authorization, 'content-type': 'text/calendar; charset=utf-8', ...condition },
        body: titled(title),
      });
    await (await put('First', {})).arrayBuffer();
    const seen = await fetch(href, { headers: { authorization } });
    await seen.arrayBuffer();
    const condition = { 'if-match': seen.headers.get('etag') ?? '' };
    const replies = await Promise.all([put('Second', condition), put('Third', condition)]);
    for (const reply of replies) await reply.arrayBuffer();
    if (replies.every(({ ok, status }) => ok && status !== 207)) doubles += 1;
  }
  await send('DELETE', href);
  return doubles;
}

export interface RaceResult {
  readonly races: number;
  readonly succeeded: number;
  readonly refused: number;
  /** Changes that were reported as written and are not there. */
  readonly lost: readonly string[];
}

const fields = { title: 'SUMMARY', location: 'LOCATION', description: 'DESCRIPTION' } as const;

/** Three writers change one event at the same moment: mostly different properties, in every fourth race the same one. */
export async function race(server: ProofServer, races: number): Promise<RaceResult> {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-race-'));
  const lost: string[] = [];
  const writers: TestAssistant[] = [];
  let [succeeded, refused] = [0, 0];
  try {
    const base = corpus.find(({ name }) => name === 'thunderbird-weekly')!;
    const href = `${server.url}race.ics`;
    await send('PUT', href, base.text.replaceAll('thunderbird-weekly@', 'race@'));
    for (let index = 0; index < 3; index++) writers.push(await openWriter(server.url, folder));
    const ids = await Promise.all(writers.map((writer) => eventIds(writer)));
    const uid = 'race@example.com';
    for (let round = 0; round < races; round++) {
      for (const writer of writers) await writer.call('sync_calendar', { user_id: 'ann' });
      const names =
        round % 4 === 3
          ? (['location', 'location', 'location'] as const)
          : (Object.keys(fields) as (keyof typeof fields)[]);
      const changes = names.map((field, index) => ({ field, value: `${field} ${round} of writer ${index}` }));
      const outcomes = await Promise.allSettled(
        changes.map(({ field, value }, index) =>
          writers[index]!.call('update_event', { event_id: ids[index]!.get(uid)!, [field]: value }),
        ),
      );
      const text = unfold(await send('GET', href));
      const written = changes.filter((_, index) => outcomes[index]!.status === 'fulfilled');
      succeeded += written.length;
      refused += changes.length - written.length;
      for (const outcome of outcomes)
        if (outcome.status === 'rejected' && !/same time|since the last sync/.test(String(outcome.reason)))
          lost.push(`race ${round}: ${outcome.reason}`);
      for (const { field, value } of written)
        if (!text.includes(value)) lost.push(`race ${round}: ${fields[field]}:${value}`);
      // Different properties never collide; of three values for one property, exactly one wins.
      const expected = new Set(names).size;
      if (written.length !== expected)
        lost.push(`race ${round}: ${written.length} of ${expected} changes were written`);
    }
  } finally {
    for (const writer of writers) await writer[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
  return { races, succeeded, refused, lost };
}

export interface CorpusResult {
  readonly objects: number;
  /** Properties that we did not change, in all objects. */
  readonly foreign: number;
  readonly rejected: readonly string[];
  /** Objects of which we sent other properties than we had read, or whose change is not stored. */
  readonly damaged: readonly string[];
  /** Objects in which the server changed other properties while it stored them. */
  readonly spoiled: readonly string[];
}

const ours = /^(SUMMARY|LOCATION|SEQUENCE|DTSTAMP|LAST-MODIFIED)[:;]/;

/** Changes title and place of each object, and compares everything else as read, as sent and as stored. */
export async function editCorpus(server: ProofServer, every = 1): Promise<CorpusResult> {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-corpus-'));
  const rejected: string[] = [];
  const damaged: string[] = [];
  const spoiled: string[] = [];
  const stored = new Map<string, string>();
  let foreign = 0;
  for (const { name, text } of corpus.filter((_, index) => index % every === 0)) {
    try {
      await send('PUT', `${server.url}${name}.ics`, text);
      stored.set(name, await send('GET', `${server.url}${name}.ics`));
    } catch (error) {
      rejected.push(`${name}: ${error}`);
    }
  }
  const proxy = await startProxy(new URL(server.url).origin);
  /** What we sent last. */
  let sent = '';
  proxy.intercept = ({ method, body, forward }) => {
    if (method === 'PUT') sent = body;
    return forward();
  };
  const writer = await openWriter(new URL(new URL(server.url).pathname, proxy.url).href, folder);
  try {
    const ids = await eventIds(writer);
    for (const [name, before] of stored) {
      const event_id = ids.get(`${name}@example.com`)!;
      await confirmed(writer, { event_id, title: `New ${name}`, location: 'New place' });
      const after = await send('GET', `${server.url}${name}.ics`);
      const [left, ours] = [before, sent].map((text) => foreignLines(text, true));
      foreign += left!.length;
      if (JSON.stringify(left) !== JSON.stringify(ours) || !after.includes('New place')) damaged.push(name);
      const [had, has] = [before, after].map((text) => foreignLines(text, server.exact));
      if (JSON.stringify(had) !== JSON.stringify(has)) spoiled.push(name);
    }
  } finally {
    await writer[Symbol.asyncDispose]();
    await proxy.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return { objects: stored.size, foreign, rejected, damaged, spoiled };
}

/** Updates an event, and agrees if its server would tell others about the change. */
async function confirmed(writer: TestAssistant, change: JsonObject): Promise<void> {
  await writer.call('update_event', change).catch((error: unknown) => {
    const [, confirm] = /\bconfirm "([\w-]+)"/.exec(String(error)) ?? [];
    if (confirm === undefined) throw error;
    return writer.call('update_event', { ...change, confirm });
  });
}

/** Lines that the edit must not touch: raw and in order, or unfolded and sorted if the server writes them anew. */
function foreignLines(text: string, exact: boolean): readonly string[] {
  if (!exact)
    return unfold(text)
      .split(/\r?\n/)
      .filter((line) => line !== '' && !ours.test(line))
      .sort();
  return (text.match(/[^\n]*\n(?:[ \t][^\n]*\n)*/g) ?? []).filter((line) => !ours.test(line));
}

function unfold(text: string): string {
  return text.replaceAll(/\r?\n[ \t]/g, '');
}
