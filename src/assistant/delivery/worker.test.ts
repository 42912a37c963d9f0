import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type AssistantRows,
  fill,
  meeting,
  minute,
  noon,
  person,
  reminder,
} from '../../../test/assistant-rows.ts';
import { senderPerChannel } from '../../../test/channel-config.ts';
import { type Postgres, startPostgres } from '../../../test/postgres.ts';
import type { Channel as ChannelName, Notification } from '../../store/schema.ts';
import { createStore, type Store } from '../../store/store.ts';
import type { Message, Outcome } from '../sending/channel.ts';
import { claim, nextDue } from './claim.ts';
import { type OutcomeRecord, recordOutcomes } from './record-outcome.ts';
import { Scheduler } from './scheduler.ts';
import { Worker, type WorkerOptions } from './worker.ts';

const folder = mkdtempSync(join(tmpdir(), 'adjutant-worker-'));
let postgres: Postgres;
let databases = 0;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres?.close();
  rmSync(folder, { recursive: true, force: true });
});

type Answer = (message: Message, channel: ChannelName) => Outcome | Promise<Outcome>;
const accept: Answer = () => ({ kind: 'accepted', detail: 'ok' });

describe.each(['sqlite', 'postgres'] as const)('a worker on %s', (engine) => {
  let url: string;
  let store: Store;
  let now: number;
  let sent: { channel: ChannelName; message: Message }[];
  let answer: Answer;

  beforeEach(async () => {
    databases += 1;
    url =
      engine === 'sqlite'
        ? join(folder, `${databases}.db`)
        : await postgres.createDatabase(`worker_${databases}`);
    store = createStore(url);
    now = noon;
    sent = [];
    answer = accept;
    return () => store.close();
  });

  const channel = (name: ChannelName) => ({
    async deliver(message: Message) {
      sent.push({ channel: name, message });
      return answer(message, name);
    },
  });
  const senders = senderPerChannel(channel);
  const worker = (more: Partial<WorkerOptions> = {}) =>
    new Worker({ store, senders, owner: 'w1', clock: () => now, ...more });
  const once = (more: Partial<WorkerOptions> = {}) =>
    new Scheduler({ store, worker: worker(more), clock: () => now }).once();
  const row = (id: string): Promise<Notification> =>
    store.read((db) =>
      db.selectFrom('notifications').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    );
  const rows = (): Promise<Notification[]> =>
    store.read((db) =>
      db.selectFrom('notifications').selectAll().orderBy('created_ms').orderBy('id').execute(),
    );
  const actions = async () =>
    (await store.read((db) => db.selectFrom('audit').selectAll().orderBy('id').execute())).map(
      ({ action }) => action,
    );
  const update = (table: 'events' | 'notifications' | 'users', id: string, set: object) =>
    store.write(({ db }) =>
      db
        .updateTable(table)
        .set(set as never)
        .where('id', '=', id)
        .execute(),
    );

  const start = noon + 60 * minute;
  const event = meeting('e1', 'ada', start);
  const prepare = (more: AssistantRows = {}): Promise<void> =>
    fill(store, { users: [person('ada')], events: [event], ...more });

  it('sends due notifications only, and records them', async () => {
    await prepare({
      notifications: [reminder(event, noon, { id: 'a' }), reminder(event, noon + minute, { id: 'b' })],
    });
    expect(await once()).toBe(1);
    expect(sent).toMatchObject([
      {
        channel: 'email',
        message: { id: 'a', subject: 'Soon: Meeting e1', recipient: { address: 'ada@example.com' } },
      },
    ]);
    expect(await row('a')).toMatchObject({
      status: 'sent',
      sent_ms: noon,
      attempts: 1,
      owner: null,
      lease_ms: null,
    });
    expect(await row('b')).toMatchObject({ status: 'planned', attempts: 0 });
    expect(await actions()).toEqual(['notification.sent']);
    expect(await nextDue(store, now)).toEqual({ sendMs: noon + minute, followUpMs: undefined });
  });

  it('sends each notification once when several workers run', async () => {
    await prepare({
      events: [event],
      notifications: Array.from({ length: 300 }, (_, index) =>
        reminder(event, noon - index, { id: `n${index}`, parent_id: 'root' }),
      ),
      users: [person('ada')],
    });
    const others = Array.from({ length: 4 }, () => createStore(url));
    await Promise.all(
      others.map((other, index) =>
        new Scheduler({
          store: other,
          worker: worker({ store: other, owner: `w${index}`, slots: 7 }),
          clock: () => now,
        }).once(),
      ),
    );
    await Promise.all(others.map((other) => other.close()));
    expect(sent).toHaveLength(300);
    expect(new Set(sent.map(({ message }) => message.id)).size).toBe(300);
    expect((await actions()).every((action) => action === 'notification.sent')).toBe(true);
  });

  it.each([
    ['the event was cancelled', () => update('events', 'e1', { status: 'cancelled' })],
    ['the event has changed', () => update('events', 'e1', { revision: 'r2' })],
    ['acknowledged', () => update('notifications', 'a', { acknowledged_ms: noon })],
    ['the event was deleted', () => store.write(({ db }) => db.deleteFrom('events').execute())],
  ])('does not send when %s', async (reason, change) => {
    await prepare({ notifications: [reminder(event, noon, { id: 'a' })] });
    await change();
    const replanned: string[] = [];
    await once({ replan: async (_user, id) => void replanned.push(id) });
    expect(sent).toEqual([]);
    expect(await row('a')).toMatchObject({ status: 'cancelled', reason: expect.stringContaining(reason) });
    expect((await row('a')).key).toBe(reason === 'acknowledged' ? 'a' : 'a#a');
    expect(await actions()).toEqual(['notification.cancelled']);
    expect(replanned).toEqual(reason === 'the event has changed' ? ['e1'] : []);
  });

  it('waits for the end of quiet hours, without counting an attempt', async () => {
    // Noon UTC is 21:00 in Tokyo.
    const quiet = { timezone: 'Asia/Tokyo', quiet_start: '20:00', quiet_end: '21:10' };
    await fill(store, {
      users: [person('ada', quiet)],
      events: [event],
      notifications: [reminder(event, noon, { id: 'a' })],
    });
    await once();
    expect(await row('a')).toMatchObject({ status: 'planned', attempts: 0, next_ms: noon + 10 * minute });
    now += 10 * minute;
    await once();
    expect(sent).toMatchObject([{ message: { id: 'a', subject: 'Late: Soon: Meeting e1' } }]);
    expect(await actions()).toEqual(['notification.deferred', 'notification.sent']);
  });

  it.each([
    ['sends an alarm by a channel that can be silent', { email: 'ada@example.com' }, ['email'], 'failed'],
    [
      'keeps an alarm until the end of quiet hours if every channel makes a sound',
      { email: null },
      [],
      'planned',
    ],
  ])('%s', async (_, address, channels, status) => {
    const quiet = {
      quiet_start: '11:00',
      quiet_end: '12:20',
      phone_e164: null,
      channels: '["sms:+15550199"]',
    };
    await fill(store, {
      users: [person('ada', { channel_pref: 'sms', ...quiet, ...address })],
      events: [event],
      notifications: [reminder(event, noon, { id: 'a', channel: 'sms', origin: 'alarm' })],
    });
    await once();
    expect(sent.map((one) => one.channel)).toEqual(channels);
    expect(await row('a')).toMatchObject({ status });
    now += 20 * minute;
    await once();
    expect(sent).toHaveLength(1);
  });

  it('marks a reminder as missed if the quiet hours last until the event has started', async () => {
    await fill(store, {
      users: [person('ada', { quiet_start: '11:00', quiet_end: '14:00' })],
      events: [event],
      notifications: [reminder(event, noon, { id: 'a' })],
    });
    await once();
    expect(sent).toEqual([]);
    expect(await row('a')).toMatchObject({ status: 'missed', error: 'the quiet hours end too late' });
  });

  it('sends an email instead of a call on a weekend without calls', async () => {
    const saturday = noon + 5 * 1440 * minute;
    const brunch = meeting('e2', 'ada', saturday + 60 * minute);
    await fill(store, {
      users: [person('ada', { channel_pref: 'both', weekend_policy: 'email' })],
      events: [brunch],
      notifications: [reminder(brunch, saturday, { id: 'a', channel: 'call' })],
    });
    now = saturday;
    await once();
    expect(sent.map((one) => one.channel)).toEqual(['email']);
    expect(await row('a')).toMatchObject({ status: 'failed', error: 'no calls at the weekend' });
  });

  it('sends no more than three reminders of an occurrence', async () => {
    await prepare({
      notifications: [1, 2, 3, 4].map((slot) => reminder(event, noon - slot, { id: `n${slot}` })),
    });
    await once({ slots: 1 });
    expect(sent.map(({ message }) => message.id)).toEqual(['n4', 'n3', 'n2']);
    expect(await row('n1')).toMatchObject({ status: 'cancelled' });
  });

  it('sends a late reminder marked as late, and reports reminders that are too late as missed', async () => {
    const past = meeting('e2', 'ada', noon - 5 * minute, { title: 'Past' });
    await prepare({
      events: [event, past],
      notifications: [
        reminder(event, noon - 20 * minute, { id: 'late' }),
        reminder(past, noon - 20 * minute, { id: 'missed' }),
        reminder(past, noon - 10 * minute, { id: 'missed-too' }),
        reminder(past, noon - 10 * minute, { id: 'urgent', urgency: 'urgent' }),
      ],
    });
    await once();
    expect(sent.map(({ message }) => message.subject)).toEqual([
      'Late: Soon: Meeting e1',
      'Late: Soon: Past',
    ]);
    expect(await row('missed')).toMatchObject({ status: 'missed', sent_ms: null });
    now += 2 * minute;
    await once();
    expect(sent.at(-1)?.message).toMatchObject({
      subject: '2 reminders were missed',
      text: expect.stringContaining('Past, '),
    });
    expect(sent).toHaveLength(3);
    expect(await once()).toBe(0);
  });

  it('reports all missed reminders in one message when several workers find them', async () => {
    const past = Array.from({ length: 40 }, (_, index) =>
      meeting(`p${index}`, 'ada', noon - 5 * minute, { title: `Past ${index};` }),
    );
    await prepare({ events: past, notifications: past.map((one) => reminder(one, noon - 20 * minute)) });
    const workers = ['w1', 'w2', 'w3', 'w4'].map((owner) => worker({ owner, slots: 2 }));
    for (let turn = 0; turn < 5; turn++) await Promise.all(workers.map((one) => one.claimDue()));
    now += 2 * minute;
    await once();
    const report = sent.map(({ message }) => message.text).join('');
    expect(past.filter(({ title }) => !report.includes(title))).toEqual([]);
    expect(sent).toHaveLength(1);
  });

  it('retries with growing pauses, then uses the next channel', async () => {
    await prepare({ notifications: [reminder(event, noon, { id: 'a', urgency: 'high' })] });
    answer = (_message, name) =>
      name === 'email' ? { kind: 'temporary', detail: '451 busy' } : { kind: 'accepted', detail: 'ringing' };
    const pauses: number[] = [];
    for (let turn = 0; turn < 20 && (await row('a')).status !== 'failed'; turn++) {
      const before = now;
      now = (await nextDue(store, now)).sendMs ?? now;
      pauses.push(now - before);
      await once();
    }
    expect(pauses).toHaveLength(8);
    expect(pauses.slice(1)).toEqual(pauses.slice(1).sort((a, b) => a - b));
    expect(await row('a')).toMatchObject({
      status: 'failed',
      attempts: 8,
      error: expect.stringContaining('451 busy'),
    });
    expect(sent.at(-1)).toMatchObject({ channel: 'call' });
    expect((await rows()).map(({ channel: name, status, parent_id }) => [name, status, parent_id])).toEqual([
      ['email', 'failed', null],
      ['call', 'sent', 'a'],
    ]);
    expect((await actions()).filter((action) => action === 'notification.retried')).toHaveLength(7);
  });

  it('uses the next channel immediately after a permanent failure, and fails after the last one', async () => {
    await fill(store, {
      users: [person('ada', { phone_e164: null, ntfy_topic: 'ada' })],
      events: [event],
      notifications: [reminder(event, noon, { id: 'a' })],
    });
    answer = () => ({ kind: 'permanent', detail: '550 unknown' });
    await once();
    expect(sent.map((one) => one.channel)).toEqual(['email', 'ntfy']);
    expect((await rows()).map(({ status }) => status)).toEqual(['failed', 'failed']);
  });

  it('records answers of a provider that contain characters that cannot be stored', async () => {
    await prepare({ notifications: [reminder(event, noon, { id: 'a' })] });
    answer = () => ({ kind: 'temporary', detail: `451 \u0000\ud800 ${'long '.repeat(1000)}` });
    await once();
    expect(await row('a')).toMatchObject({
      status: 'planned',
      error: expect.stringMatching(/^451 .{0,1000}$/),
    });
  });

  it('does not call again if the phone may have rung', async () => {
    await prepare({
      notifications: [
        reminder(event, noon, { id: 'a', channel: 'call' }),
        // The row of a worker that was killed during the call.
        reminder(event, noon, {
          id: 'b',
          channel: 'call',
          status: 'sending',
          owner: 'dead',
          lease_ms: noon - 1,
          fence: 1,
          attempts: 1,
          result: 'dialling',
        }),
      ],
    });
    answer = (_message, name) =>
      name === 'call' ? { kind: 'unknown', detail: 'no answer in time' } : { kind: 'accepted', detail: 'ok' };
    await once();
    expect(sent.map((one) => one.channel)).toEqual(['call', 'email', 'email']);
    expect(await row('a')).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('may have been made'),
    });
    expect(await row('b')).toMatchObject({ status: 'failed' });
  });

  it('escalates until the call limit if nobody acknowledges', async () => {
    await prepare({ notifications: [reminder(event, start - 50 * minute, { id: 'a', urgency: 'urgent' })] });
    for (now = start - 50 * minute; now < start; now += minute) await once();
    expect(sent.map((one) => one.channel)).toEqual(['email', 'call', 'call', 'call']);
    expect((await actions()).filter((action) => action !== 'notification.sent')).toEqual([
      'notification.escalated',
      'notification.escalated',
      'notification.escalated',
    ]);
  });

  it('delivers other notifications while a changed event is planned again', async () => {
    const other = meeting('e2', 'ada', start);
    await prepare({
      events: [event, other],
      notifications: [
        reminder(event, noon, { id: 'a', revision: 'old' }),
        reminder(other, noon + minute, { id: 'b' }),
      ],
    });
    const { promise: planning, resolve: finishPlanning } = Promise.withResolvers<void>();
    const one = worker({ replan: () => planning });
    await one.claimDue();
    expect(await row('a')).toMatchObject({ status: 'cancelled' });
    now += minute;
    await one.claimDue();
    await one.untilOnlySlowReceivers();
    expect(await row('b')).toMatchObject({ status: 'sent' });
    expect(one.idle).toBe(false);
    const finished = one.finish(1000);
    finishPlanning();
    await finished;
    expect(one.idle).toBe(true);
  });

  it('limits the calls for an event, however many reminders it has', async () => {
    const notifications = [50, 40, 30].map((before) =>
      reminder(event, start - before * minute, { id: `r${before}`, urgency: 'urgent', channel: 'call' }),
    );
    const users = [person('ada', { channel_pref: 'call', max_call_attempts: 4 })];
    await prepare({ users, notifications });
    for (now = start - 50 * minute; now < start; now += minute) await once();
    expect(sent.filter((one) => one.channel === 'call')).toHaveLength(4);
    expect((await rows()).filter(({ status }) => status === 'planned')).toEqual([]);
  });

  it('stops escalating once any message of the chain is acknowledged', async () => {
    await prepare({ notifications: [reminder(event, start - 50 * minute, { id: 'a', urgency: 'urgent' })] });
    for (now = start - 50 * minute; now < start; now += minute) {
      await once();
      const call = (await rows()).find((one) => one.channel === 'call' && one.status === 'sent');
      if (call && call.acknowledged_ms === null)
        await update('notifications', call.id, { acknowledged_ms: now });
    }
    expect(sent.map((one) => one.channel)).toEqual(['email', 'call']);
  });

  it('takes over an expired lease, and ignores the outcome of the former owner', async () => {
    await prepare({ notifications: [reminder(event, noon, { id: 'a' })] });
    const { promise: hanging, resolve: release } = Promise.withResolvers<Outcome>();
    answer = () => hanging;
    const slow = worker({ owner: 'slow', leaseMs: 60_000, attemptMs: 30_000 });
    expect(await slow.claimDue()).toBe(1);
    await vi.waitFor(() => expect(sent).toHaveLength(1));
    answer = accept;
    expect(await once()).toBe(0);
    now += minute;
    expect(await once()).toBe(1);
    expect(await row('a')).toMatchObject({ status: 'sent', fence: 2, attempts: 1 });
    release({ kind: 'temporary', detail: 'from the past' });
    await slow.finish(10_000);
    expect(await row('a')).toMatchObject({ status: 'sent', fence: 2, error: null });
    expect((await actions()).sort()).toEqual(['notification.sent', 'notification.superseded']);
  });

  it('records an outcome once when the record is repeated after a lost answer', async () => {
    await prepare({ notifications: [reminder(event, noon, { id: 'a' })] });
    const [claimed] = await claim(store, { owner: 'w1', ms: 1000 }, noon, 1);
    const record: OutcomeRecord = {
      notification: claimed!.notification,
      status: 'sent',
      sentMs: noon,
      action: 'notification.sent',
    };
    await recordOutcomes(store, 'w1', noon, [record]);
    await recordOutcomes(store, 'w1', noon, [record]);
    expect(await row('a')).toMatchObject({ status: 'sent', fence: 1 });
    expect(await actions()).toEqual(['notification.sent']);
  });

  it('records one of two claims of the same worker in a batch as superseded', async () => {
    await prepare({ notifications: [reminder(event, noon, { id: 'a' })] });
    const record = async (nowMs: number): Promise<OutcomeRecord> => {
      const [claimed] = await claim(store, { owner: 'w1', ms: 1000 }, nowMs, 1);
      return { notification: claimed!.notification, status: 'sent', action: 'notification.sent' };
    };
    // The clock jumps during the first delivery, so that its lease expires.
    const records = [await record(noon), await record(noon + minute)];
    await recordOutcomes(store, 'w1', noon + minute, records);
    expect(await row('a')).toMatchObject({ status: 'sent', fence: 2 });
    expect((await actions()).sort()).toEqual(['notification.sent', 'notification.superseded']);
  });

  it('puts a notification back that is no longer due because the clock was set back', async () => {
    await prepare({ notifications: [reminder(event, noon, { id: 'a' })] });
    let readings = 0;
    const clock = () => (readings++ === 0 ? noon : noon - 60 * minute);
    const set = worker({ owner: 'set back', clock });
    expect(await set.claimDue()).toBe(1);
    await set.finish(10_000);
    expect(sent).toEqual([]);
    expect(await row('a')).toMatchObject({ status: 'planned', next_ms: noon, attempts: 0, owner: null });
  });

  it('does not send if the lease is about to expire', async () => {
    await prepare({ notifications: [reminder(event, noon, { id: 'a' })] });
    let reads = 0;
    const jumpingClock = () => (++reads > 1 ? noon + 100_000 : noon);
    const sleeper = worker({ clock: jumpingClock });
    await sleeper.claimDue();
    await sleeper.finish(10_000);
    expect(sent).toEqual([]);
    expect(await row('a')).toMatchObject({ status: 'sending' });
  });

  it('gives up on a notification after 50 workers died while sending it', async () => {
    await prepare({
      notifications: [
        reminder(event, noon, {
          id: 'a',
          status: 'sending',
          owner: 'dead',
          lease_ms: noon - 1,
          attempts: 1,
          fence: 52,
        }),
      ],
    });
    await once();
    expect(sent).toEqual([]);
    expect(await row('a')).toMatchObject({ status: 'failed' });
  });

  it('delivers other notifications when the channel throws for one', async () => {
    await prepare({
      notifications: [reminder(event, noon, { id: 'a' }), reminder(event, noon, { id: 'b' })],
    });
    answer = (message) => {
      if (message.id === 'a') throw new Error('a bug');
      return { kind: 'accepted', detail: 'ok' };
    };
    await once();
    expect(await row('b')).toMatchObject({ status: 'sent' });
    expect(await row('a')).toMatchObject({ status: 'sending', lease_ms: noon + 120_000 });
  });
});

describe('a SQLite file that cannot be written', () => {
  const event = meeting('e1', 'ada', noon + 60 * minute);
  let store: Store;
  let path: string;
  beforeEach(async () => {
    databases += 1;
    path = join(folder, `${databases}.db`);
    store = createStore(path);
    await fill(store, {
      users: [person('ada')],
      events: [event],
      notifications: [reminder(event, noon, { id: 'a' })],
    });
    return () => store.close();
  });
  const statusOf = async (id: string) =>
    (
      await store.read((db) =>
        db.selectFrom('notifications').select('status').where('id', '=', id).executeTakeFirst(),
      )
    )?.status;

  /** A worker whose channel interferes with the database before it accepts. */
  const workerWith = (interfere: () => unknown) => {
    const sent: string[] = [];
    const channel = {
      async deliver({ id }: Message) {
        sent.push(id);
        await interfere();
        return { kind: 'accepted', detail: 'ok', reference: 'long reference '.repeat(20_000) } as const;
      },
    };
    const senders = senderPerChannel(() => channel);
    return { sent, worker: new Worker({ store, senders, owner: 'w', clock: () => noon }) };
  };

  it('is retried until a delivery made while the disk was full is recorded', async () => {
    const limitPages = (count: number) =>
      store.write(({ db }) => sql.raw(`pragma max_page_count = ${count}`).execute(db));
    const { sent, worker } = workerWith(() => limitPages(1));
    await worker.claimDue();
    await vi.waitFor(() => expect(sent).toEqual(['a']));
    expect(await statusOf('a')).toBe('sending');
    await limitPages(1_000_000);
    await worker.finish(10_000);
    expect(await statusOf('a')).toBe('sent');
    expect(sent).toEqual(['a']);
  });

  it('is retried while another process holds a lock', async () => {
    const other = new DatabaseSync(path);
    const { sent, worker } = workerWith(() => other.exec('begin immediate'));
    await worker.claimDue();
    await vi.waitFor(() => expect(sent).toEqual(['a']));
    expect(await statusOf('a')).toBe('sending');
    other.exec('rollback');
    other.close();
    await worker.finish(20_000);
    expect(await statusOf('a')).toBe('sent');
  });
});
