import { once as first } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fill, meeting, minute, noon, person, reminder } from '../../../test/assistant-rows.ts';
import { channelConfig } from '../../../test/channel-config.ts';
import { type Postgres, startPostgres } from '../../../test/postgres.ts';
import { createStore, type Store } from '../../store/store.ts';
import { claim, nextDue } from './claim.ts';
import { Scheduler } from './scheduler.ts';
import { createSenders } from './senders.ts';
import { Worker } from './worker.ts';

/** A receiver that does not answer until the test calls `answerAll`. */
async function startReceiver(answerAfterMs = 0) {
  const open: ServerResponse[] = [];
  let holding = true;
  const server = createServer((_, response) =>
    holding ? open.push(response) : setTimeout(() => response.end(), answerAfterMs),
  );
  await first(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open,
    answerAll() {
      holding = false;
      for (const response of open.splice(0)) response.end();
    },
    close: () => server.close().closeAllConnections(),
  };
}

const folder = mkdtempSync(join(tmpdir(), 'adjutant-silent-'));
let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres?.close();
  rmSync(folder, { recursive: true, force: true });
});

const running = (scheduler: Scheduler) => {
  scheduler.start();
  return () => scheduler.stop();
};
const once = (scheduler: Scheduler) => {
  const handled = scheduler.once();
  return async () => expect(await handled).toBe(24);
};

const waitOptions = { timeout: 20_000, interval: 10 };

describe.each(['sqlite', 'postgres'])('a slow webhook receiver, on %s', (engine) => {
  let databases = 0;
  const open = async (): Promise<Store> => {
    databases += 1;
    return createStore(
      engine === 'sqlite'
        ? join(folder, `${databases}.db`)
        : await postgres.createDatabase(`silent_${databases}`),
    );
  };
  /** Stores users with their webhooks and the given number of notifications for each, due in this order. */
  const storeUsers = async (store: Store, users: Readonly<Record<string, string>>, each: number) => {
    const names = Object.keys(users);
    const events = names.map((name) => meeting(name, name, noon + 60 * minute));
    await fill(store, {
      users: names.map((name) => person(name, { webhook_url: users[name]! })),
      events,
      notifications: events.flatMap((event, place) =>
        Array.from({ length: each }, (_, index) =>
          reminder(event, noon - minute + 1000 * place + index, {
            id: `${event.id}${index}`,
            channel: 'webhook',
            parent_id: 'root',
          }),
        ),
      ),
    });
  };
  const sent = (store: Store) =>
    store.read(async (db) =>
      (await db.selectFrom('notifications').select('id').where('status', '=', 'sent').execute()).map(
        ({ id }) => id,
      ),
    );

  it.each([
    ['of one user', { eve: '/hook' }, running, 0],
    ['of several users', { eve: '/a', mallory: '?b', trudy: '' }, running, 0],
    ['of one user, in a single round,', { eve: '/hook' }, once, 0],
    ['of one user, in a single round with another receiver that takes 60 ms,', { eve: '/hook' }, once, 60],
  ])(
    '%s does not delay other receivers, and gets its own webhooks once it answers',
    async (_, paths, begin, answerAfterMs) => {
      const [slow, good, store] = [await startReceiver(), await startReceiver(answerAfterMs), await open()];
      good.answerAll();
      const hostile = Object.entries(paths).map(([name, path]) => [name, `${slow.url}${path}`]);
      await storeUsers(store, { ...Object.fromEntries(hostile), ada: `${good.url}/hook` }, 12);
      const worker = new Worker({
        store,
        senders: createSenders(
          channelConfig('outbox', {
            'delivery.webhook_secret': 's',
            'delivery.private_hosts': ['127.0.0.1'],
          }),
        ),
        owner: 'w',
        clock: () => noon,
        slots: 4,
        slowAfterMs: 20,
      });
      const scheduler = new Scheduler({ store, worker, clock: () => noon });
      const over = begin(scheduler);
      await vi.waitFor(async () => expect(await sent(store)).toHaveLength(12), waitOptions);
      expect((await sent(store)).every((id) => id.startsWith('ada'))).toBe(true);
      // One delivery per slot started before the receiver counted as slow, and none after that.
      await vi.waitFor(() => expect(slow.open.length).toBe(4), waitOptions);
      slow.answerAll();
      const all = 12 * (hostile.length + 1);
      await vi.waitFor(async () => expect(await sent(store)).toHaveLength(all), waitOptions);
      await over();
      slow.close();
      good.close();
      await store.close();
    },
  );

  it('does not wake a worker for notifications that a dead worker had claimed for it', async () => {
    const store = await open();
    await storeUsers(store, { eve: 'https://hooks.example/x', ada: 'https://other.example/' }, 1);
    await claim(store, { owner: 'dead', ms: 1000 }, noon - 10_000, 10);
    expect((await nextDue(store, noon)).sendMs).toBe(noon - 9000);
    expect((await nextDue(store, noon, ['https://hooks.example'])).sendMs).toBe(noon - 9000);
    expect(await nextDue(store, noon, ['https://hooks.example', 'https://other.example'])).toEqual({
      sendMs: undefined,
      followUpMs: undefined,
    });
    await store.close();
  });

  it('is distinguished from hosts with a longer name, and does not affect other channels', async () => {
    const store = await open();
    const users = {
      a: 'https://hooks.example/x',
      b: 'https://hooks.example',
      c: 'https://hooks.example.org/x',
      d: 'https://hooks.example:8443/',
      e: 'https://hooks.example?user=e',
      f: 'https://Hooks.Example/f',
    };
    await storeUsers(store, users, 1);
    const slowReceivers = ['https://hooks.example'];
    expect((await nextDue(store, noon, slowReceivers)).sendMs).toBe(noon - minute + 2000);
    expect((await nextDue(store, noon)).sendMs).toBe(noon - minute);
    const taken = await claim(store, { owner: 'w', ms: 1000 }, noon, 10, { slowReceivers });
    expect(taken.map(({ notification }) => notification.id).toSorted()).toEqual(['c0', 'd0']);
    await store.write(({ db }) => db.updateTable('notifications').set({ channel: 'email' }).execute());
    const mails = await claim(store, { owner: 'w', ms: 1000 }, noon, 10, { slowReceivers });
    expect(mails.map(({ notification }) => notification.id).toSorted()).toEqual(['a0', 'b0', 'e0', 'f0']);
    await store.close();
  });
});
