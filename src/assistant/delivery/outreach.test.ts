import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fill, minute, noon, person } from '../../../test/assistant-rows.ts';
import { channelConfig, senderPerChannel } from '../../../test/channel-config.ts';
import { type Postgres, startPostgres } from '../../../test/postgres.ts';
import { owner } from '../../context.ts';
import type { Outreach, OutreachMessage } from '../../outreach.ts';
import type { NewUser } from '../../store/schema.ts';
import { createStore, type Store } from '../../store/store.ts';
import { expandEvent } from '../calendar/expand-event.ts';
import type { Message, Outcome } from '../sending/channel.ts';
import { createOutreach } from './outreach.ts';
import { Scheduler } from './scheduler.ts';
import { Worker } from './worker.ts';

const folder = mkdtempSync(join(tmpdir(), 'adjutant-outreach-'));
const hour = 60 * minute;
let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(['sqlite', 'postgres'] as const)('messages on %s', (engine) => {
  let store: Store;
  let outreach: Outreach;
  let now: number;
  let sent: { channel: string; message: Message }[];
  let outcome: Outcome;
  let databases = 0;

  beforeEach(async () => {
    databases += 1;
    store = createStore(
      engine === 'sqlite'
        ? join(folder, `${databases}.db`)
        : await postgres.createDatabase(`outreach_${databases}`),
    );
    [now, sent, outcome] = [noon, [], { kind: 'accepted', detail: 'ok' }];
    const data = { store, clock: () => now, occurrences: expandEvent };
    outreach = createOutreach(data, channelConfig(join(folder, 'outbox')), { id: 'ada', file: '' });
    const preferred = { channel_pref: 'ntfy', ntfy_topic: 'ada', quiet_start: '22:00', quiet_end: '07:00' };
    await fill(store, { users: [person('ada', preferred), person('ben', { channel_pref: 'ntfy' })] });
    return () => store.close();
  });

  const senders = senderPerChannel((channel) => ({
    async deliver(message) {
      sent.push({ channel, message });
      return outcome;
    },
  }));
  const work = async (atMs: number) => {
    now = atMs;
    const worker = new Worker({
      ...{ store, senders, owner: 'w1', clock: () => now },
      links: async (_, user) => ({
        acknowledge: `https://a.example/${user.id}`,
        page: 'https://a.example/#/runs/1',
      }),
    });
    await new Scheduler({ store, worker, clock: () => now }).once();
    return sent
      .splice(0)
      .map(({ channel, message }) => `${message.recipient.address} by ${channel}: ${message.subject}`);
  };
  const message = (more: Partial<OutreachMessage> = {}): OutreachMessage => ({
    key: 'run/1/finished',
    person: 'me',
    title: 'A run in notes has finished',
    ...more,
  });
  const night = noon + 11 * hour;
  const morning = noon + 19 * hour;

  it('go to the preferred channel, once per key and person', async () => {
    expect(await outreach.send(message())).toMatchObject({ person: 'ada', channel: 'ntfy', dueMs: noon });
    await outreach.send(message({ title: 'It has finished' }));
    await outreach.send(message({ person: 'Name of ben' }));
    expect(await work(noon)).toEqual([
      'ada by ntfy: It has finished',
      'ben@example.com by email: A run in notes has finished',
    ]);
    await outreach.send(message());
    expect(await work(noon + minute)).toEqual([]);
  });

  it('wait for the end of quiet hours, arrive in them silently, or ignore them', async () => {
    now = night;
    await outreach.send(message({ key: 'a', title: 'delayed' }));
    await outreach.send(message({ key: 'b', title: 'silent', quietHours: 'silent', urgency: 'important' }));
    await outreach.send(message({ key: 'c', title: 'loud', quietHours: 'ignore', urgency: 'important' }));
    expect((await work(night)).sort()).toEqual(['ada by ntfy: loud', 'ada by ntfy: silent']);
    expect(await work(morning)).toContain('ada by ntfy: delayed');
  });

  it('make no sound if they arrive in quiet hours by permission', async () => {
    now = night;
    await outreach.send(message({ quietHours: 'silent', urgency: 'important' }));
    const worker = new Worker({ store, senders, owner: 'w1', clock: () => now });
    await new Scheduler({ store, worker, clock: () => now }).once();
    expect(sent.map(({ message: { urgency } }) => urgency)).toEqual(['low']);
  });

  it('come by a channel that can be silent, or else at the end of quiet hours', async () => {
    const asks = { quietHours: 'silent', urgency: 'important' } as const;
    const texts = { channel_pref: 'sms', ntfy_topic: null, channels: '["sms:+15550199"]' };
    const prefer = (more: Partial<NewUser>) =>
      store.write(({ db }) =>
        db
          .updateTable('users')
          .set({ ...texts, ...more })
          .where('id', '=', 'ada')
          .execute(),
      );
    now = night;
    await prefer({});
    await outreach.send(message({ key: 'a', ...asks }));
    expect(await work(night)).toEqual(['ada@example.com by email: A run in notes has finished']);
    // Nobody answers the mail. The next channel makes a sound, so it waits.
    expect(await work(night + 6 * minute)).toEqual([]);
    expect(await work(morning)).toEqual(['+15550199 by sms: A run in notes has finished']);
    now = night + 24 * hour;
    await prefer({ email: null });
    expect(await outreach.send(message({ key: 'b', ...asks }))).toMatchObject({
      channel: 'sms',
      dueMs: noon + (19 + 24) * hour,
    });
  });

  it('are not sent after they are withdrawn or expired, and can be sent again', async () => {
    now = night;
    await outreach.send(message({ key: 'a' }));
    await outreach.send(message({ key: 'b', expiresMs: morning - 1 }));
    await outreach.withdraw('a');
    expect(await work(morning)).toEqual([]);
    await outreach.send(message({ key: 'a', title: 'again' }));
    expect(await work(morning + 1)).toEqual(['ada by ntfy: again']);
    await outreach.withdraw('a');
    await outreach.send(message({ key: 'a', title: 'and again' }));
    expect(await work(morning + 2)).toEqual(['ada by ntfy: and again']);
  });

  it('that are important go on to the next channel until they are withdrawn', async () => {
    await outreach.send(message({ urgency: 'important' }));
    expect(await work(noon)).toHaveLength(1);
    expect(await work(noon + 4 * minute)).toEqual([]);
    const next = await work(noon + 6 * minute);
    expect(next).toHaveLength(1);
    expect(next[0]).not.toContain('by ntfy');
    await outreach.withdraw('run/1/finished');
    expect(await work(noon + 20 * minute)).toEqual([]);
  });

  it('that fail go on to the next channel', async () => {
    await outreach.send(message());
    outcome = { kind: 'permanent', detail: 'no such topic' };
    expect((await work(noon)).map((line) => line.replace(/:.*/, ''))).toEqual([
      'ada by ntfy',
      'ada@example.com by email',
    ]);
  });

  it('name their page, and an important one can be confirmed', async () => {
    await outreach.send(message({ urgency: 'important', page: '/#/runs/1' }));
    const worker = new Worker({
      ...{ store, senders, owner: 'w1', clock: () => now },
      links: async () => ({ acknowledge: 'https://a.example/ok', page: 'https://a.example/#/runs/1' }),
    });
    await new Scheduler({ store, worker, clock: () => now }).once();
    const { data, actions, text } = sent[0]!.message;
    expect(data).toEqual({
      about: 'run/1/finished',
      link: 'https://a.example/#/runs/1',
      acknowledge_url: 'https://a.example/ok',
    });
    expect(actions).toEqual({ acknowledge: 'OK' });
    expect(text).toContain('Show: https://a.example/#/runs/1');
  });

  it('need a known person', async () => {
    await expect(outreach.send(message({ person: 'carl' }))).rejects.toThrow(/nobody is called "carl"/);
    const rights = { scopes: [], people: ['ben'], sandbox: 'read-only' } as const;
    await expect(outreach.findPerson('ada', { ...owner, rights })).rejects.toThrow(/nobody is called/);
    expect(await outreach.findPerson('me', { ...owner, rights })).toBe('ben');
    expect(await outreach.canReach('ada')).toBe(false);
  });
});
