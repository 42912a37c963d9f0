import { once as first } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fill, meeting, minute, noon, person, reminder } from '../../../test/assistant-rows.ts';
import { type Postgres, startPostgres } from '../../../test/postgres.ts';
import { claim, nextDue } from '../delivery/claim.ts';
import { Scheduler } from '../delivery/scheduler.ts';
import { Worker } from '../delivery/worker.ts';
import { createStore, type Store } from '../store/store.ts';
import { createWebhookChannel } from './webhook.ts';

/** A receiver that answers when the test wants it to. */
async function startReceiver(answerAfterMs = 0) {
  const open: ServerResponse[] = [];
  let silent = true;
  const server = createServer((_, response) =>
    silent ? open.push(response) : setTimeout(() => response.end(), answerAfterMs),
  );
  await first(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open,
    speak() {
      silent = false;
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

const patience = { timeout: 20_000, interval: 10 };

describe.each(['sqlite', 'postgres'])('a silent receiver, on %s', (engine) => {
  let databases = 0;
  const open = async (): Promise<Store> => {
    databases += 1;
    return createStore(
      engine === 'sqlite'
        ? join(folder, `${databases}.db`)
        : await postgres.createDatabase(`silent_${databases}`),
    );
  };
  /** Users with their webhooks, and so many notifications for each, due in this order. */
  const furnish = async (store: Store, users: Readonly<Record<string, string>>, each: number) => {
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
    ['of one user, met by a run that ends,', { eve: '/hook' }, once, 0],
    ['of one user, met by a run that ends and has a slow receiver,', { eve: '/hook' }, once, 60],
  ])(
    '%s does not keep the others waiting, and gets its own once it speaks',
    async (_, paths, begin, answerAfterMs) => {
      const [silent, good, store] = [await startReceiver(), await startReceiver(answerAfterMs), await open()];
      good.speak();
      const hostile = Object.entries(paths).map(([name, path]) => [name, `${silent.url}${path}`]);
      await furnish(store, { ...Object.fromEntries(hostile), ada: `${good.url}/hook` }, 12);
      const channel = createWebhookChannel({ secret: 's', privateHosts: ['127.0.0.1'] });
      const worker = new Worker({
        store,
        channels: { email: channel, call: channel, webhook: channel, ntfy: channel },
        owner: 'w',
        clock: () => noon,
        slots: 4,
        silentMs: 20,
      });
      const scheduler = new Scheduler({ store, worker, clock: () => noon });
      const over = begin(scheduler);
      await vi.waitFor(async () => expect(await sent(store)).toHaveLength(12), patience);
      expect((await sent(store)).every((id) => id.startsWith('ada'))).toBe(true);
      // As many as there are slots began before anybody knew, and none since.
      await vi.waitFor(() => expect(silent.open.length).toBe(4), patience);
      silent.speak();
      const all = 12 * (hostile.length + 1);
      await vi.waitFor(async () => expect(await sent(store)).toHaveLength(all), patience);
      await over();
      silent.close();
      good.close();
      await store.close();
    },
  );

  it('is not looked for again and again by who may not take what a dead worker left for it', async () => {
    const store = await open();
    await furnish(store, { eve: 'https://hooks.example/x', ada: 'https://other.example/' }, 1);
    await claim(store, { owner: 'dead', ms: 1000 }, noon - 10_000, 10);
    expect((await nextDue(store, noon)).sendMs).toBe(noon - 9000);
    expect((await nextDue(store, noon, ['https://hooks.example'])).sendMs).toBe(noon - 9000);
    expect(await nextDue(store, noon, ['https://hooks.example', 'https://other.example'])).toEqual({
      sendMs: undefined,
      followUpMs: undefined,
    });
    await store.close();
  });

  it('is told from a host whose name begins like its own, and from other channels', async () => {
    const store = await open();
    const users = {
      a: 'https://hooks.example/x',
      b: 'https://hooks.example',
      c: 'https://hooks.example.org/x',
      d: 'https://hooks.example:8443/',
      e: 'https://hooks.example?user=e',
      f: 'https://Hooks.Example/f',
    };
    await furnish(store, users, 1);
    const silent = ['https://hooks.example'];
    expect((await nextDue(store, noon, silent)).sendMs).toBe(noon - minute + 2000);
    expect((await nextDue(store, noon)).sendMs).toBe(noon - minute);
    const taken = await claim(store, { owner: 'w', ms: 1000 }, noon, 10, { silent });
    expect(taken.map(({ notification }) => notification.id).toSorted()).toEqual(['c0', 'd0']);
    await store.write(({ db }) => db.updateTable('notifications').set({ channel: 'email' }).execute());
    const mails = await claim(store, { owner: 'w', ms: 1000 }, noon, 10, { silent });
    expect(mails.map(({ notification }) => notification.id).toSorted()).toEqual(['a0', 'b0', 'e0', 'f0']);
    await store.close();
  });
});
