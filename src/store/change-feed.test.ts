import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fill, meeting, minute, person, reminder } from '../../test/assistant-rows.ts';
import { senderPerChannel } from '../../test/channel-config.ts';
import { type Postgres, startPostgres } from '../../test/postgres.ts';
import { Scheduler } from '../assistant/delivery/scheduler.ts';
import { Worker } from '../assistant/delivery/worker.ts';
import type { Senders } from '../assistant/sending/channel.ts';
import { followChanges } from './change-feed.ts';
import { createStore, type Store, type StoreChange } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'adjutant-feed-'));
let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres?.close();
  rmSync(folder, { recursive: true, force: true });
});

const waitOptions = { timeout: 15_000, interval: 20 };

function addUser(store: Store, id: string): Promise<void> {
  return store.write(async ({ db, changed }) => {
    await db.insertInto('users').values(person(id)).execute();
    changed({ kind: 'user', id, userId: id });
  });
}

function recordingChannels(sent: string[]): Senders {
  const channel = {
    async deliver({ id }: { id: string }) {
      sent.push(id);
      return { kind: 'accepted', detail: 'ok' } as const;
    },
  };
  return senderPerChannel(() => channel);
}

describe.each(['sqlite', 'postgres'] as const)('the change feed on %s', (engine) => {
  const address = async (name: string) =>
    engine === 'sqlite' ? join(folder, `${name}.db`) : await postgres.createDatabase(name);

  it('delivers every change by another process once and does not repeat its own changes', async () => {
    const url = await address('reach');
    const [here, there] = [createStore(url), createStore(url)];
    await addUser(here, 'first');
    const received: StoreChange[] = [];
    here.subscribe((changes) => received.push(...changes));
    let calls = 0;
    const feed = followChanges(here, url, () => {
      calls += 1;
    });
    await vi.waitFor(() => expect(calls).toBeGreaterThan(0), waitOptions);
    await addUser(there, 'theirs');
    await vi.waitFor(
      () => expect(received).toEqual([{ kind: 'user', id: 'theirs', userId: 'theirs' }]),
      waitOptions,
    );
    await addUser(here, 'ours');
    await addUser(there, 'last');
    await vi.waitFor(() => expect(received.at(-1)?.id).toBe('last'), waitOptions);
    expect(received.map(({ id }) => id)).toEqual(['theirs', 'ours', 'last']);
    await feed.close();
    await Promise.all([here.close(), there.close()]);
  });

  it('wakes a sleeping worker', async () => {
    const url = await address('wake');
    const [here, there] = [createStore(url), createStore(url)];
    const sent: string[] = [];
    const worker = new Worker({ store: here, senders: recordingChannels(sent), owner: 'w' });
    const scheduler = new Scheduler({ store: here, worker });
    const feed = followChanges(here, url, () => scheduler.wake());
    scheduler.start();
    const now = Date.now();
    const event = meeting('e', 'ada', now + 60 * minute);
    await fill(there, {
      users: [person('ada')],
      events: [event],
      notifications: [reminder(event, now, { id: 'now' }), reminder(event, now + 300, { id: 'soon' })],
    });
    await vi.waitFor(() => expect(sent).toEqual(['now', 'soon']), waitOptions);
    await feed.close();
    await scheduler.stop();
    await Promise.all([here.close(), there.close()]);
  });
});

describe('a change feed that missed changes', () => {
  const listen = (store: Store, url: string) => {
    const received: StoreChange[] = [];
    store.subscribe((changes) => received.push(...changes));
    let calls = 0;
    const feed = followChanges(store, url, () => {
      calls += 1;
    });
    const ready = () => vi.waitFor(() => expect(calls).toBeGreaterThan(0), waitOptions);
    return { received, feed, ready };
  };

  it('scans for them after a lost connection to PostgreSQL', async () => {
    const url = await postgres.createDatabase('lost');
    const [here, there] = [createStore(url), createStore(url)];
    await addUser(there, 'ada');
    const { received, feed, ready } = listen(here, url);
    await ready();
    await there.read((db) =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' and datname = 'lost'`.execute(
        db,
      ),
    );
    await there.write(async ({ db, changed }) => {
      await db
        .insertInto('events')
        .values(meeting('e', 'ada', Date.now(), { updated_ms: Date.now() }))
        .execute();
      await db
        .insertInto('records')
        .values({ kind: 'prompts', key: 'k', value: '{}', position: 1 })
        .execute();
      changed({ kind: 'event', id: 'e', userId: 'ada' });
      changed({ kind: 'record', id: 'prompts', userId: '' });
    });
    await vi.waitFor(() => {
      expect(received).toContainEqual({ kind: 'event', id: 'e', userId: 'ada' });
      expect(received).toContainEqual({ kind: 'user', id: 'ada', userId: 'ada' });
      expect(received).toContainEqual({ kind: 'record', id: 'prompts', userId: '' });
    }, waitOptions);
    await feed.close();
    await Promise.all([here.close(), there.close()]);
  });

  it('follows a file that replaced the old one', async () => {
    const url = join(folder, 'replaced.db');
    const [here, there] = [createStore(url), createStore(url)];
    await addUser(there, 'ada');
    const { received, feed, ready } = listen(here, url);
    await ready();
    for (const end of ['', '-wal', '-shm', '.last-backup']) rmSync(`${url}${end}`, { force: true });
    await addUser(there, 'bob');
    // The write above created the file; the feed follows it from now on.
    await vi.waitFor(async () => {
      await there.write(async ({ changed }) => changed({ kind: 'user', id: 'bob', userId: 'bob' }));
      expect(received).toContainEqual({ kind: 'user', id: 'bob', userId: 'bob' });
    }, waitOptions);
    await feed.close();
    await Promise.all([here.close(), there.close()]);
  });
});

describe('a worker whose database crashes and restarts', () => {
  it('records what it sent during the outage and sends what is due later', async () => {
    const server = await startPostgres();
    try {
      const url = await server.createDatabase('away');
      const store = createStore(url);
      const now = Date.now();
      let passedMs = 0;
      const clock = () => Date.now() + passedMs;
      const event = meeting('e', 'ada', now + 60 * minute);
      await fill(store, {
        users: [person('ada')],
        events: [event],
        notifications: [
          reminder(event, now, { id: 'during' }),
          reminder(event, now + 20 * minute, { id: 'after' }),
        ],
      });
      const sent: string[] = [];
      const { promise: taken, resolve: accept } = Promise.withResolvers<void>();
      const channels = recordingChannels(sent);
      const slow: Senders = {
        ...channels,
        email: {
          async deliver(message, signal) {
            if (message.id === 'during') await taken;
            return channels['email']!.deliver(message, signal);
          },
        },
      };
      const worker = new Worker({ store, senders: slow, owner: 'w', clock, leaseMs: 60 * minute });
      const scheduler = new Scheduler({ store, worker, clock });
      const feed = followChanges(store, url, () => scheduler.wake());
      scheduler.start();
      const statusOf = async (id: string) =>
        (
          await store.read((db) =>
            db.selectFrom('notifications').select('status').where('id', '=', id).executeTakeFirst(),
          )
        )?.status;
      await vi.waitFor(async () => expect(await statusOf('during')).toBe('sending'), waitOptions);
      await server.stop('crash');
      accept();
      await vi.waitFor(() => expect(sent).toEqual(['during']), waitOptions);
      await expect(statusOf('during')).rejects.toMatchObject({ kind: 'unavailable' });
      passedMs = 21 * minute;
      await server.start();
      await vi.waitFor(async () => {
        expect(await statusOf('during')).toBe('sent');
        expect(await statusOf('after')).toBe('sent');
      }, waitOptions);
      expect(sent).toEqual(['during', 'after']);
      const received: StoreChange[] = [];
      store.subscribe((changes) => received.push(...changes));
      const other = createStore(url);
      await vi.waitFor(async () => {
        await addUser(other, `u${Math.random()}`);
        expect(received.length).toBeGreaterThan(0);
      }, waitOptions);
      await feed.close();
      await scheduler.stop();
      await Promise.all([store.close(), other.close()]);
    } finally {
      await server.close();
    }
  });
});
