import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { expandEvent } from '../../src/assistant/calendar/expand-event.ts';
import { createOutreach } from '../../src/assistant/delivery/outreach.ts';
import type { Delegation } from '../../src/delegate/run/delegation.ts';
import { endEvent } from '../../src/delegate/run/run-events.ts';
import { RunQueue } from '../../src/delegate/run/run-queue.ts';
import { RunNews } from '../../src/delegate/tools/run-news.ts';
import type { Outreach } from '../../src/outreach.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import { fill, person } from '../assistant-rows.ts';
import { channelConfig } from '../channel-config.ts';
import { type Postgres, startPostgres } from '../postgres.ts';

const day = 86_400_000;
let postgres: Postgres;
let store: Store;
let outreach: Outreach;
let folder: string;
let queue: RunQueue;
let databases = 0;

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.close());
beforeEach(async () => {
  databases += 1;
  folder = mkdtempSync(join(tmpdir(), 'adjutant-run-events-'));
  store = createStore(await postgres.createDatabase(`events_${databases}`));
  const data = { store, clock: Date.now, occurrences: expandEvent };
  outreach = createOutreach(data, channelConfig(join(folder, 'outbox')), { id: 'ada', file: '' });
  await fill(store, { users: [person('ada')] });
  queue = await RunQueue.open(join(folder, 'runs.sqlite'));
  return async () => {
    queue.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  };
});

/** What a server does after its start. */
function startNews(): RunNews {
  const options = {
    queueFile: join(folder, 'runs.sqlite'),
    runsDir: join(folder, 'runs'),
    news: { notify: 'me', details: false, approvers: [], atNight: 'silent' },
  };
  const runner = { queue: Promise.resolve(queue), redact: (text: string) => text };
  return new RunNews({ options, runner } as unknown as Delegation, outreach);
}

/** The files of a run of which ada is to be notified. */
function putRun(endedMs: number): string {
  const at = new Date(endedMs).toISOString();
  const name = `${at.slice(0, 10)}_${at.slice(11, 23).replace(/[:.]/g, '')}_000000000001`;
  const directory = join(folder, 'runs', name);
  mkdirSync(directory, { recursive: true });
  const put = (file: string, value: object) => writeFileSync(join(directory, file), JSON.stringify(value));
  put('request.json', {
    ...{ tool: 'delegate_run', received_at: at, request: { task: 'x', cwd: '/srv/shop' } },
    notify: { person: 'ada', if_left: false },
  });
  put('result.json', { status: 'completed', started_at: at, finished_at: at, error: null, summary: 'Done' });
  return directory;
}

const told = () =>
  store.read((db) => db.selectFrom('notifications').select('about').orderBy('about').execute());

it.each([
  ['an hour', 1, day / 24],
  ['40 days', 0, 40 * day],
])(
  'a run ended %s ago without an event › a server that starts queues %s messages',
  async (_, count, ageMs) => {
    putRun(Date.now() - ageMs);
    await startNews().tell();
    expect(await told()).toHaveLength(count);
  },
);

it('a message about a run that ended while PostgreSQL was down is sent once it is back', async () => {
  const news = startNews();
  await news.tell();
  await postgres.stop('crash');
  const directory = putRun(Date.now());
  queue.events.add((await endEvent(queue.events, directory))!, directory);
  await news.tell();
  expect(queue.events.unsettled()).toHaveLength(1);
  await postgres.start();
  await news.tell();
  await news.tell();
  expect(queue.events.unsettled()).toEqual([]);
  expect(await told()).toEqual([{ about: expect.stringMatching(/^run\/.*\/finished$/) }]);
});
