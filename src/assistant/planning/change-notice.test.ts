import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';
import type { JsonObject } from '../../json.ts';
import { createDelivery } from '../delivery/delivery.ts';

const minute = 60_000;
/** On the Tuesday on which everything takes place, in Berlin. */
const at = (time: string, day = 17) => Date.parse(`2026-11-${day}T${time}:00+01:00`);
const ada = { id: 'ada', name: 'Ada', email: 'ada@example.com', timezone: 'Europe/Berlin' };

/** What a worker does in one round at that time; what it wrote, by subject. */
async function work(diary: TestAssistant, now: number): Promise<string[]> {
  diary.now = now;
  const before = new Set(outbox(diary));
  const delivery = createDelivery({
    databaseUrl: diary.file,
    policy: { name: 'rules', timeoutMs: 1000 },
    calendars: {
      privateHosts: [],
      passwordsFile: join(dirname(diary.file), 'passwords'),
      maxBytes: 1_000_000,
      intervalMs: 15 * minute,
    },
    channels: { outboxDir: folderOf(diary), mailFrom: 'adjutant@example.com', privateHosts: [] },
    slots: 4,
    leaseMs: 60_000,
    clock: () => diary.now,
  });
  await delivery.once();
  await delivery.stop();
  const written = outbox(diary).filter((name) => !before.has(name) && name.endsWith('.eml'));
  return Promise.all(
    written.map(async (name) => {
      const { subject = '', text = '' } = await PostalMime.parse(readFileSync(join(folderOf(diary), name)));
      return `${subject}\n${text}`;
    }),
  );
}

const folderOf = (diary: TestAssistant) => join(dirname(diary.file), 'outbox');
function outbox(diary: TestAssistant): string[] {
  try {
    return readdirSync(folderOf(diary));
  } catch {
    return [];
  }
}

/** All that is written from one time to another, in steps of half a minute around what is planned. */
async function workUntil(diary: TestAssistant, untilMs: number): Promise<string[]> {
  const written: string[] = [];
  for (;;) {
    const { notifications } = (await diary.call('listNotifications', {
      status: 'planned',
      days_back: 1,
      days_forward: 30,
    })) as { notifications: { plan_time: string }[] };
    const [next] = notifications.map(({ plan_time }) => Date.parse(plan_time)).filter((ms) => ms <= untilMs);
    if (next === undefined) return written;
    written.push(...(await work(diary, Math.max(diary.now, next) + 1)));
  }
}

/** Ada has a dentist's appointment at 14:00, of which she was reminded at 13:00. */
async function reminded(user: JsonObject = {}): Promise<TestAssistant> {
  const diary = openAssistant();
  await diary.call('createUser', { ...ada, ...user });
  await diary.call('createEvent', {
    user_id: 'ada',
    id: 'dentist',
    title: 'Dentist',
    start_ts: '2026-11-17T14:00',
  });
  await diary.call('planNotifications', { user_id: 'ada' });
  expect(await work(diary, at('13:00'))).toEqual([expect.stringMatching(/^Reminder: Dentist, .* 2:00/)]);
  diary.now = at('13:05');
  return diary;
}

const move = (diary: TestAssistant, start_ts: string) =>
  diary.call('updateEvent', { event_id: 'dentist', start_ts });

describe('a change after a reminder', () => {
  it('is reported once when the event moves earlier, with the time that the person was told', async () => {
    await using diary = await reminded();
    await move(diary, '2026-11-17T13:40');
    const written = await workUntil(diary, at('15:00'));
    expect(written).toEqual([expect.stringMatching(/^Moved: Dentist, now .* 1:40/)]);
    expect(written[0]).toMatch(/You were reminded of .* 2:00/);
  });

  it('is reported even if the event has begun at its new time', async () => {
    await using diary = await reminded();
    await move(diary, '2026-11-17T12:30');
    expect(await workUntil(diary, at('15:00'))).toEqual([expect.stringMatching(/^Moved: Dentist/)]);
  });

  it('is reported when the event moves later, and the new reminder says that it moved', async () => {
    await using diary = await reminded();
    await move(diary, '2026-11-18T10:00');
    const [notice, reminder, ...more] = await workUntil(diary, at('15:00', 18));
    expect(notice).toMatch(/^Moved: Dentist, now Wednesday.* 10:00/);
    expect(reminder).toMatch(/^Reminder: Dentist, Wednesday/);
    expect(reminder).toMatch(/Moved: you were reminded of Tuesday.* 2:00/);
    expect(more).toEqual([]);
  });

  it.each<[string, (diary: TestAssistant) => Promise<unknown>]>([
    ['cancelled', (diary) => diary.call('updateEvent', { event_id: 'dentist', status: 'cancelled' })],
    ['deleted', (diary) => diary.call('deleteEvent', { event_id: 'dentist' })],
  ])('is reported when the event is %s', async (_, end) => {
    await using diary = await reminded();
    await end(diary);
    const written = await workUntil(diary, at('15:00'));
    expect(written).toEqual([expect.stringMatching(/^Cancelled: Dentist, .* 2:00/)]);
  });

  it('is reported in one message however often the event changes in a minute', async () => {
    await using diary = await reminded();
    await move(diary, '2026-11-17T13:40');
    await diary.call('updateEvent', { event_id: 'dentist', status: 'cancelled' });
    await diary.call('updateEvent', { event_id: 'dentist', status: 'confirmed' });
    await move(diary, '2026-11-17T13:50');
    expect(await workUntil(diary, at('15:00'))).toEqual([expect.stringMatching(/^Moved: .* 1:50/)]);
  });

  it('is not reported when the event is back at the time that the person knows', async () => {
    await using diary = await reminded();
    await move(diary, '2026-11-17T13:40');
    await move(diary, '2026-11-17T14:00');
    expect(await workUntil(diary, at('15:00'))).toEqual([]);
  });

  it('is reported again when a cancelled event takes place after all', async () => {
    await using diary = await reminded();
    await diary.call('updateEvent', { event_id: 'dentist', status: 'cancelled' });
    expect(await workUntil(diary, at('13:10'))).toHaveLength(1);
    await diary.call('updateEvent', { event_id: 'dentist', status: 'confirmed' });
    expect(await workUntil(diary, at('15:00'))).toEqual([
      expect.stringMatching(/^Takes place after all: Dentist/),
    ]);
  });

  it('waits for the end of quiet hours, and is not reported when that is too late', async () => {
    await using diary = openAssistant();
    await diary.call('createUser', ada);
    for (const [id, start_ts] of [
      ['early', '2026-11-17T06:30'],
      ['later', '2026-11-17T07:30'],
    ])
      await diary.call('createEvent', { user_id: 'ada', id, title: id, start_ts });
    await diary.call('planNotifications', { user_id: 'ada' });
    expect(await workUntil(diary, at('22:00', 16))).toHaveLength(2);
    diary.now = at('22:00', 16);
    for (const event_id of ['early', 'later'])
      await diary.call('updateEvent', { event_id, status: 'cancelled' });
    expect(await diary.call('listNotifications', { status: 'planned', days_back: 1 })).toMatchObject({
      notifications: [{ event_id: 'later', plan_time: '2026-11-17T06:00:00Z' }],
    });
    expect(await workUntil(diary, at('12:00'))).toEqual([expect.stringMatching(/^Cancelled: later/)]);
  });

  it('is reported to nobody who was not told before', async () => {
    await using diary = openAssistant();
    await diary.call('createUser', ada);
    await diary.call('createEvent', {
      user_id: 'ada',
      id: 'dentist',
      title: 'D',
      start_ts: '2026-11-17T14:00',
    });
    await diary.call('planNotifications', { user_id: 'ada' });
    await diary.call('updateEvent', { event_id: 'dentist', status: 'cancelled' });
    expect(await workUntil(diary, at('15:00'))).toEqual([]);
  });

  it('is reported for one occurrence of a series, and for a series that moves as a whole', async () => {
    await using diary = openAssistant();
    await diary.call('createUser', ada);
    for (const id of ['one', 'all'])
      await diary.call('createEvent', {
        user_id: 'ada',
        id,
        title: id,
        start_ts: '2026-11-17T14:00',
        rrule: 'FREQ=DAILY;COUNT=3',
      });
    await diary.call('planNotifications', { user_id: 'ada' });
    expect(await work(diary, at('13:00'))).toHaveLength(2);
    diary.now = at('13:05');
    await diary.call('deleteEvent', { event_id: 'one', occurrence: '2026-11-17T13:00:00Z' });
    await diary.call('updateEvent', { event_id: 'all', start_ts: '2026-11-17T15:00' });
    // A change that moves nothing reports nothing more.
    await diary.call('updateEvent', { event_id: 'all', title: 'all of them' });
    const written = await workUntil(diary, at('13:30'));
    expect(written.map((text) => text.split('\n')[0]).toSorted()).toEqual([
      expect.stringMatching(/^Cancelled: one, .* 2:00/),
      expect.stringMatching(/^Moved: all of them, now .* 3:00/),
    ]);
  });

  it.each(['sync', 'import'])('is reported when it comes by %s', async (way) => {
    await using diary = openAssistant();
    await diary.call('createUser', ada);
    const file = join(dirname(diary.file), 'work.ics');
    const calendar = (...lines: readonly string[]) =>
      [
        'BEGIN:VCALENDAR',
        ...lines.map((line) => `BEGIN:VEVENT\n${line}\nEND:VEVENT`),
        'END:VCALENDAR',
        '',
      ].join('\n');
    const bring = async (text: string) => {
      writeFileSync(file, text);
      if (way === 'import') await diary.call('importCalendar', { user_id: 'ada', content: text });
      else await diary.call('addCalendar', { user_id: 'ada', source: file });
    };
    const moving = (time: string) => `UID:m\nSUMMARY:Moves\nDTSTART:20261117T${time}Z`;
    const going = (status: string) => `UID:g\nSUMMARY:Goes\nDTSTART:20261117T130000Z\nSTATUS:${status}`;
    await bring(calendar(moving('130000'), going('CONFIRMED')));
    await diary.call('planNotifications', { user_id: 'ada' });
    expect(await work(diary, at('13:00'))).toHaveLength(2);
    diary.now = at('13:05');
    await bring(calendar(moving('123000'), going('CANCELLED')));
    const written = await workUntil(diary, at('15:00'));
    expect(written.map((text) => text.split('\n')[0]).toSorted()).toEqual([
      expect.stringMatching(/^Cancelled: Goes, .* 2:00/),
      expect.stringMatching(/^Moved: Moves, now .* 1:30/),
    ]);
  });
});

describe('an acknowledgement', () => {
  /** By mail an hour before and by phone a quarter of an hour before. */
  const both = { channel_pref: 'both', phone_e164: '+4930123456' };

  async function acknowledged(): Promise<TestAssistant> {
    const diary = await reminded(both);
    const { notifications } = (await diary.call('listNotifications', { status: 'sent', days_back: 1 })) as {
      notifications: { id: string }[];
    };
    await diary.call('acknowledgeNotification', { notification_id: notifications[0]!.id });
    return diary;
  }

  it('ends the reminders of the occurrence on every channel, whatever is planned later', async () => {
    await using diary = await acknowledged();
    expect(await diary.call('listNotifications', { status: 'planned', days_back: 1 })).toMatchObject({
      count: 0,
    });
    await diary.call('updateEvent', { event_id: 'dentist', title: 'Dentist, with papers' });
    await diary.call('planNotifications', { user_id: 'ada' });
    await diary.call('planNotifications', { user_id: 'ada', force_replan: true });
    expect(await diary.call('listNotifications', { status: 'planned', days_back: 1 })).toMatchObject({
      count: 0,
    });
    const before = outbox(diary);
    await work(diary, at('13:45'));
    await work(diary, at('13:59'));
    expect(outbox(diary)).toEqual(before);
  });

  it('does not keep a later move or cancellation from being reported', async () => {
    await using diary = await acknowledged();
    await move(diary, '2026-11-17T15:30');
    expect(await workUntil(diary, at('13:20'))).toEqual([expect.stringMatching(/^Moved: .* 3:30/)]);
    await diary.call('updateEvent', { event_id: 'dentist', status: 'cancelled' });
    expect(await workUntil(diary, at('16:00'))).toEqual([expect.stringMatching(/^Cancelled: /)]);
  });

  it('of a reminder does not take back a notice that is still to be sent', async () => {
    await using diary = await reminded(both);
    await move(diary, '2026-11-17T13:40');
    const { notifications } = (await diary.call('listNotifications', { status: 'sent', days_back: 1 })) as {
      notifications: { id: string }[];
    };
    await diary.call('acknowledgeNotification', { notification_id: notifications[0]!.id });
    expect(await workUntil(diary, at('13:20'))).toEqual([expect.stringMatching(/^Moved: /)]);
  });
});
