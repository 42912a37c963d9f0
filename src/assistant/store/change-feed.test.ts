import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fill, meeting, minute, person, reminder } from '../../../test/diary.ts';
import { type Postgres, startPostgres } from '../../../test/postgres.ts';
import type { Channels } from '../channels/channel.ts';
import { Scheduler } from '../delivery/scheduler.ts';
import { Worker } from '../delivery/worker.ts';
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

const patience = { timeout: 15_000, interval: 20 };

function addUser(store: Store, id: string): Promise<void> {
  return store.write(async ({ db, changed }) => {
    await db.insertInto('users').values(person(id)).execute();
    changed({ kind: 'user', id, userId: id });
  });
}

function courier(sent: string[]): Channels {
  const channel = {
    async deliver({ id }: { id: string }) {
      sent.push(id);
      return { kind: 'accepted', detail: 'ok' } as const;
    },
  };
  return { email: channel, call: channel, webhook: channel, ntfy: channel };
}

describe.each(['sqlite', 'postgres'] as const)('changes of other processes on %s', (engine) => {
  const address = async (name: string) =>
    engine === 'sqlite' ? join(folder, `${name}.db`) : await postgres.createDatabase(name);

  it('reach the listeners of a store once, and its own are not repeated', async () => {
    const url = await address('reach');
    const [here, there] = [createStore(url), createStore(url)];
    await addUser(here, 'first');
    const heard: StoreChange[] = [];
    here.subscribe((changes) => heard.push(...changes));
    let looks = 0;
    const feed = followChanges(here, url, () => {
      looks += 1;
    });
    await vi.waitFor(() => expect(looks).toBeGreaterThan(0), patience);
    await addUser(there, 'theirs');
    await vi.waitFor(
      () => expect(heard).toEqual([{ kind: 'user', id: 'theirs', userId: 'theirs' }]),
      patience,
    );
    await addUser(here, 'ours');
    await addUser(there, 'last');
    await vi.waitFor(() => expect(heard.at(-1)?.id).toBe('last'), patience);
    expect(heard.map(({ id }) => id)).toEqual(['theirs', 'ours', 'last']);
    await feed.close();
    await Promise.all([here.close(), there.close()]);
  });

  it('wake a worker that sleeps', async () => {
    const url = await address('wake');
    const [here, there] = [createStore(url), createStore(url)];
    const sent: string[] = [];
    const worker = new Worker({ store: here, channels: courier(sent), owner: 'w' });
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
    await vi.waitFor(() => expect(sent).toEqual(['now', 'soon']), patience);
    await feed.close();
    await scheduler.stop();
    await Promise.all([here.close(), there.close()]);
  });
});

describe('changes that nobody told of', () => {
  const listen = (store: Store, url: string) => {
    const heard: StoreChange[] = [];
    store.subscribe((changes) => heard.push(...changes));
    let looks = 0;
    const feed = followChanges(store, url, () => {
      looks += 1;
    });
    const ready = () => vi.waitFor(() => expect(looks).toBeGreaterThan(0), patience);
    return { heard, feed, ready };
  };

  it('are looked for when a connection to PostgreSQL was lost', async () => {
    const url = await postgres.createDatabase('lost');
    const [here, there] = [createStore(url), createStore(url)];
    await addUser(there, 'ada');
    const { heard, feed, ready } = listen(here, url);
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
      expect(heard).toContainEqual({ kind: 'event', id: 'e', userId: 'ada' });
      expect(heard).toContainEqual({ kind: 'user', id: 'ada', userId: 'ada' });
      expect(heard).toContainEqual({ kind: 'record', id: 'prompts', userId: '' });
    }, patience);
    await feed.close();
    await Promise.all([here.close(), there.close()]);
  });

  it('are followed in the file that took the place of another', async () => {
    const url = join(folder, 'replaced.db');
    const [here, there] = [createStore(url), createStore(url)];
    await addUser(there, 'ada');
    const { heard, feed, ready } = listen(here, url);
    await ready();
    for (const end of ['', '-wal', '-shm']) rmSync(`${url}${end}`, { force: true });
    await addUser(there, 'bob');
    // The first change made the file; from there on it is followed.
    await vi.waitFor(async () => {
      await there.write(async ({ changed }) => changed({ kind: 'user', id: 'bob', userId: 'bob' }));
      expect(heard).toContainEqual({ kind: 'user', id: 'bob', userId: 'bob' });
    }, patience);
    await feed.close();
    await Promise.all([here.close(), there.close()]);
  });
});

describe('a database that goes away and comes back', () => {
  it('loses nothing: what was sent meanwhile is recorded, what comes due later is sent', async () => {
    const server = await startPostgres();
    try {
      const url = await server.createDatabase('away');
      const store = createStore(url);
      const now = Date.now();
      const event = meeting('e', 'ada', now + 60 * minute);
      await fill(store, {
        users: [person('ada')],
        events: [event],
        notifications: [reminder(event, now, { id: 'during' }), reminder(event, now + 1500, { id: 'after' })],
      });
      const sent: string[] = [];
      const { promise: taken, resolve: accept } = Promise.withResolvers<void>();
      const channels = courier(sent);
      const slow: Channels = {
        ...channels,
        email: {
          async deliver(message, signal) {
            if (message.id === 'during') await taken;
            return channels.email.deliver(message, signal);
          },
        },
      };
      const worker = new Worker({ store, channels: slow, owner: 'w' });
      const scheduler = new Scheduler({ store, worker });
      const feed = followChanges(store, url, () => scheduler.wake());
      scheduler.start();
      const statusOf = async (id: string) =>
        (
          await store.read((db) =>
            db.selectFrom('notifications').select('status').where('id', '=', id).executeTakeFirst(),
          )
        )?.status;
      await vi.waitFor(async () => expect(await statusOf('during')).toBe('sending'), patience);
      await server.stop('crash');
      accept();
      await vi.waitFor(() => expect(sent).toEqual(['during']), patience);
      await expect(statusOf('during')).rejects.toMatchObject({ kind: 'unavailable' });
      await server.start();
      await vi.waitFor(async () => {
        expect(await statusOf('during')).toBe('sent');
        expect(await statusOf('after')).toBe('sent');
      }, patience);
      expect(sent).toEqual(['during', 'after']);
      const heard: StoreChange[] = [];
      store.subscribe((changes) => heard.push(...changes));
      const other = createStore(url);
      await vi.waitFor(async () => {
        await addUser(other, `u${Math.random()}`);
        expect(heard.length).toBeGreaterThan(0);
      }, patience);
      await feed.close();
      await scheduler.stop();
      await Promise.all([store.close(), other.close()]);
    } finally {
      await server.close();
    }
  });
});
