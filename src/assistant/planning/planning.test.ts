import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatModel, startChatModel } from '../../../test/chat-model.ts';
import { monday, openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';
import { type Postgres, startPostgres } from '../../../test/postgres.ts';
import type { JsonObject } from '../../json.ts';

const ada = { id: 'ada', name: 'Ada', email: 'ada@example.com', timezone: 'Europe/Berlin' };
const dentist = { user_id: 'ada', id: 'dentist', title: 'Dentist', start_ts: '2026-11-17T14:00' };
const hour = 3_600_000;

async function withDentist(user: JsonObject = {}, event: JsonObject = {}): Promise<TestAssistant> {
  const diary = openAssistant();
  await diary.call('createUser', { ...ada, ...user });
  await diary.call('createEvent', { ...dentist, ...event });
  return diary;
}

const plan = (diary: TestAssistant, more: JsonObject = {}) =>
  diary.call('planNotifications', { user_id: 'ada', ...more });
const listed = async (diary: TestAssistant, more: JsonObject = {}) =>
  (
    (await diary.call('listNotifications', { days_forward: 30, days_back: 30, ...more })) as {
      notifications: JsonObject[];
    }
  ).notifications;
const planned = (diary: TestAssistant) => listed(diary, { status: 'planned' });

/** What a worker would do to a row. */
async function mark(diary: TestAssistant, id: unknown, fields: JsonObject): Promise<void> {
  const { createStore } = await import('../store/store.ts');
  const store = createStore(diary.file);
  await store.write(({ db }) =>
    db.updateTable('notifications').set(fields).where('id', '=', String(id)).execute(),
  );
  await store.close();
}

describe('planning', () => {
  it('is refused for nobody, for an unknown event and for somebody else’s', async () => {
    await using diary = await withDentist();
    await diary.call('createUser', { id: 'bo', name: 'Bo' });
    await expect(plan(diary, { user_id: 'nobody' })).rejects.toThrow('User not found');
    await expect(plan(diary, { event_id: 'nothing' })).rejects.toThrow('Event not found');
    await expect(plan(diary, { user_id: 'bo', event_id: 'dentist' })).rejects.toThrow('Event not found');
    await expect(plan(diary, { force_replan: 'yes' })).rejects.toThrow(/force_replan/);
  });

  it('stores what the rules decide and says who decided and why', async () => {
    await using diary = await withDentist();
    expect(await plan(diary)).toEqual({
      notifications_planned: 1,
      events_processed: 1,
      plan_time: '2026-11-16T08:00:00Z',
      dry_run: false,
      policies: [{ policy: 'rules', reason: 'built-in rules', events: 1 }],
      changes: [
        {
          action: 'add',
          event_id: 'dentist',
          channel: 'email',
          plan_time: '2026-11-17T12:00:00Z',
          urgency: 'normal',
          reason: '1 hour before',
        },
      ],
    });
    expect(await planned(diary)).toMatchObject([
      { event_id: 'dentist', channel: 'email', plan_time: '2026-11-17T12:00:00Z', status: 'planned' },
    ]);
  });

  it('tells the difference and changes nothing in a dry run', async () => {
    await using diary = await withDentist();
    const dry = await plan(diary, { dry_run: true });
    expect(dry).toMatchObject({ dry_run: true, changes: [{ action: 'add' }], notifications_planned: 1 });
    expect(await planned(diary)).toEqual([]);
    expect({ ...(await plan(diary)), dry_run: true }).toEqual(dry);
    expect(await plan(diary, { dry_run: true })).toMatchObject({
      changes: [{ action: 'keep' }],
      events_processed: 0,
    });
  });

  it('changes nothing the second time, forced or not', async () => {
    await using diary = await withDentist();
    await plan(diary);
    const before = await planned(diary);
    for (const force_replan of [false, true, true]) {
      const again = await plan(diary, { force_replan });
      expect(again).toMatchObject({ notifications_planned: 0, changes: [{ action: 'keep' }] });
      expect(await listed(diary)).toEqual(before);
    }
  });

  it('plans once when ten ask at the same moment', async () => {
    await using diary = await withDentist();
    const others = Array.from({ length: 9 }, () => openAssistant({ file: diary.file }));
    await Promise.all([diary, ...others].map((one) => plan(one, { force_replan: true })));
    expect(await listed(diary)).toHaveLength(1);
    for (const other of others) await other[Symbol.asyncDispose]();
  });

  it('lets the plan follow an event that moves, at once', async () => {
    await using diary = await withDentist();
    await plan(diary);
    const [before] = await planned(diary);
    await diary.call('updateEvent', { event_id: 'dentist', start_ts: '2026-11-18T16:00' });
    expect(await listed(diary)).toMatchObject([
      {
        id: before!['id'],
        plan_time: '2026-11-18T14:00:00Z',
        status: 'planned',
        subject: expect.stringContaining('November 18'),
      },
    ]);
  });

  it.each([
    [
      (diary: TestAssistant) => diary.call('updateEvent', { event_id: 'dentist', status: 'cancelled' }),
      'the event is cancelled',
    ],
    [
      (diary: TestAssistant) => diary.call('updateEvent', { event_id: 'dentist', status: 'tentative' }),
      'the event is tentative',
    ],
    [(diary: TestAssistant) => diary.call('deleteEvent', { event_id: 'dentist' }), 'the event was deleted'],
    [
      (diary: TestAssistant) =>
        diary.call('updateEvent', { event_id: 'dentist', start_ts: '2026-11-10T10:00' }),
      'it does not take place any more',
    ],
  ])('calls the plan off with its event (%#)', async (end, reason) => {
    await using diary = await withDentist();
    await plan(diary);
    await end(diary);
    expect(await listed(diary)).toMatchObject([{ status: 'cancelled', reason }]);
    await plan(diary, { force_replan: true });
    expect(await planned(diary)).toEqual([]);
  });

  it('plans again what was called off and is on again', async () => {
    await using diary = await withDentist();
    await plan(diary);
    await diary.call('updateEvent', { event_id: 'dentist', status: 'cancelled' });
    await diary.call('updateEvent', { event_id: 'dentist', status: 'confirmed' });
    await plan(diary, { force_replan: true });
    expect(await planned(diary)).toHaveLength(1);
  });

  it.each<[string, (diary: TestAssistant) => Promise<unknown>, (diary: TestAssistant) => Promise<unknown>]>([
    [
      'an event that was called off',
      (diary) => diary.call('updateEvent', { event_id: 'dentist', status: 'cancelled' }),
      (diary) => diary.call('updateEvent', { event_id: 'dentist', status: 'confirmed' }),
    ],
    [
      'an event that was moved away for a moment',
      (diary) => diary.call('updateEvent', { event_id: 'dentist', start_ts: '2026-11-10T14:00' }),
      (diary) => diary.call('updateEvent', { event_id: 'dentist', start_ts: '2026-11-17T14:00' }),
    ],
    [
      'a user who had no address for a moment',
      (diary) => diary.call('updateUser', { user_id: 'ada', unset: ['email'] }),
      (diary) => diary.call('updateUser', { user_id: 'ada', email: 'ada@example.com' }),
    ],
  ])('decides again for %s, once all is as it was', async (_, away, back) => {
    await using diary = await withDentist();
    await plan(diary);
    await away(diary);
    expect(await planned(diary)).toEqual([]);
    await back(diary);
    await plan(diary);
    expect(await planned(diary)).toMatchObject([{ plan_time: '2026-11-17T12:00:00Z' }]);
  });

  it.each(['planned', 'sent'] as const)(
    'lets a reminder that is %s live through a change of the text',
    async (status) => {
      await using diary = await withDentist({ channel_pref: 'both', phone_e164: '+4930123456' });
      await plan(diary);
      const row = (await planned(diary)).find(({ channel }) => channel === 'call')!;
      diary.now = Date.parse('2026-11-17T12:50:00Z');
      await mark(diary, row['id'], { status, urgency: 'urgent', escalate_ms: diary.now + 60_000 });
      await diary.call('updateEvent', { event_id: 'dentist', title: 'Dentist (Dr. Bloom)' });
      const { createStore } = await import('../store/store.ts');
      const store = createStore(diary.file);
      const [[now], [event]] = await store.read(async (db) => [
        await db.selectFrom('notifications').selectAll().where('id', '=', String(row['id'])).execute(),
        await db.selectFrom('events').selectAll().execute(),
      ]);
      await store.close();
      expect(now).toMatchObject({ status, revision: event!.revision, escalate_ms: diary.now + 60_000 });
      expect(now!.payload.includes('Dr. Bloom')).toBe(status === 'planned');
    },
  );

  it('does not send again what was sent when only the text changes', async () => {
    await using diary = await withDentist();
    await plan(diary);
    const [row] = await planned(diary);
    await mark(diary, row!['id'], { status: 'sent', sent_ms: monday });
    await diary.call('updateEvent', { event_id: 'dentist', title: 'Dentist (Dr. Bloom)' });
    expect(await plan(diary, { force_replan: true })).toMatchObject({
      notifications_planned: 0,
      changes: [],
      dropped: [{ offset_minutes: -60, reason: 'it was sent or cancelled already' }],
    });
  });

  it('reminds again after what was sent when the event moves', async () => {
    await using diary = await withDentist();
    await plan(diary);
    const [row] = await planned(diary);
    await mark(diary, row!['id'], { status: 'sent', sent_ms: monday });
    await diary.call('updateEvent', { event_id: 'dentist', start_ts: '2026-11-19T14:00' });
    expect(await plan(diary)).toMatchObject({ notifications_planned: 1 });
  });

  it('leaves what is due or being sent to the worker', async () => {
    await using diary = await withDentist();
    await plan(diary);
    const [row] = await planned(diary);
    diary.now = Date.parse('2026-11-17T12:01:00Z');
    expect(await plan(diary, { force_replan: true })).toMatchObject({
      notifications_planned: 0,
      changes: [],
    });
    await mark(diary, row!['id'], { status: 'sending' });
    await plan(diary, { force_replan: true });
    expect(await listed(diary)).toMatchObject([{ id: row!['id'], status: 'sending' }]);
  });

  it('keeps a person’s cancellation until a new plan is forced', async () => {
    await using diary = await withDentist();
    await plan(diary);
    const [row] = await planned(diary);
    const cancelled = await diary.call('cancelNotification', { notification_id: row!['id']! });
    expect(cancelled).toMatchObject({ status: 'cancelled', reason: 'cancelled on request' });
    await diary.call('updateEvent', { event_id: 'dentist', title: 'Dentist!' });
    await plan(diary);
    expect(await planned(diary)).toEqual([]);
    await plan(diary, { force_replan: true });
    expect(await planned(diary)).toHaveLength(1);
  });

  it('moves out of quiet hours, rather early than late', async () => {
    await using diary = await withDentist({}, { start_ts: '2026-11-18T07:30' });
    expect(await plan(diary)).toMatchObject({
      changes: [{ plan_time: '2026-11-17T19:59:00Z', reason: '1 hour before; moved before quiet time' }],
    });
  });

  it('moves behind quiet hours when the evening before is over', async () => {
    await using diary = await withDentist({}, { start_ts: '2026-11-17T07:30' });
    diary.now = Date.parse('2026-11-17T02:00:00Z');
    expect(await plan(diary)).toMatchObject({ changes: [{ plan_time: '2026-11-17T06:00:00Z' }] });
  });

  it('follows new preferences with what is planned already', async () => {
    await using diary = await withDentist();
    await plan(diary);
    await diary.call('updateUser', { user_id: 'ada', quiet_start: '12:00', quiet_end: '13:30' });
    expect(await planned(diary)).toMatchObject([{ plan_time: '2026-11-17T10:59:00Z' }]);
    await diary.call('updateUser', { user_id: 'ada', ntfy_topic: 'ada', channel_pref: 'ntfy' });
    expect(await planned(diary)).toMatchObject([{ channel: 'ntfy' }]);
    await diary.call('updateUser', { user_id: 'ada', unset: ['email', 'ntfy_topic'] });
    expect(await planned(diary)).toEqual([]);
  });

  it('calls who wants to be called, and nobody at the weekend', async () => {
    await using diary = await withDentist({ phone_e164: '+4930123456', channel_pref: 'both' });
    await diary.call('createEvent', { ...dentist, id: 'brunch', start_ts: '2026-11-21T11:00' });
    const { changes } = (await plan(diary)) as { changes: JsonObject[] };
    expect(changes.map(({ event_id, channel, urgency }) => [event_id, channel, urgency])).toEqual([
      ['dentist', 'email', 'normal'],
      ['dentist', 'call', 'high'],
      ['brunch', 'email', 'normal'],
      ['brunch', 'email', 'high'],
    ]);
  });

  it('sends nothing on a weekend that is to be free', async () => {
    await using diary = await withDentist({ weekend_policy: 'none' }, { start_ts: '2026-11-22T15:00' });
    expect(await plan(diary)).toMatchObject({ changes: [{ plan_time: '2026-11-20T19:59:00Z' }] });
  });

  it('heeds the rules of the user', async () => {
    await using diary = await withDentist(
      {},
      { organizer: 'Boss <boss@example.com>', location: 'Main Street 1' },
    );
    const setRule = (rule_type: string, rule_json: JsonObject) =>
      diary.call('setRule', { user_id: 'ada', rule_type, rule_json });
    await setRule('travel_buffer', { minutes: 30 });
    expect(await plan(diary)).toMatchObject({ changes: [{ plan_time: '2026-11-17T11:30:00Z' }] });
    await setRule('internal_meeting', { domains: ['example.com'] });
    expect(await plan(diary)).toMatchObject({
      changes: [{ action: 'move', plan_time: '2026-11-17T12:20:00Z' }],
    });
    await setRule('vip_organizer', { organizers: ['@example.com'] });
    expect(await plan(diary)).toMatchObject({
      policies: [{ reason: 'built-in rules; a VIP organises it; 30 minutes of travel' }],
      changes: [
        { plan_time: '2026-11-16T12:30:00Z' },
        { plan_time: '2026-11-17T11:30:00Z', urgency: 'normal' },
      ],
    });
  });

  it('plans every occurrence of a series, and moves none but the one that moves', async () => {
    await using diary = await withDentist({}, { rrule: 'FREQ=WEEKLY;COUNT=3' });
    expect(await plan(diary)).toMatchObject({ notifications_planned: 3, events_processed: 3 });
    await diary.call('deleteEvent', { event_id: 'dentist', occurrence: '2026-11-24T13:00:00Z' });
    const rows = await listed(diary);
    expect(rows.map(({ status }) => status)).toEqual(['planned', 'cancelled', 'planned']);
    expect(rows[1]).toMatchObject({ reason: 'it does not take place any more' });
  });

  it('plans for a series of hours that ends at a local time', async () => {
    await using diary = await withDentist({}, { rrule: 'FREQ=HOURLY;INTERVAL=2;UNTIL=20261117T180000' });
    expect(await plan(diary)).toMatchObject({ notifications_planned: 3 });
    expect(await planned(diary)).toMatchObject([
      { plan_time: '2026-11-17T12:00:00Z' },
      { plan_time: '2026-11-17T14:00:00Z' },
      { plan_time: '2026-11-17T16:00:00Z' },
    ]);
  });

  it('tells of an event that starts soon, too', async () => {
    await using diary = await withDentist({}, { start_ts: new Date(monday + hour / 3).toISOString() });
    expect(await plan(diary)).toMatchObject({ changes: [{ plan_time: '2026-11-16T08:05:00Z' }] });
    await diary.call('createEvent', {
      ...dentist,
      id: 'now',
      start_ts: new Date(monday + 60_000).toISOString(),
    });
    expect(await plan(diary, { event_id: 'now' })).toMatchObject({
      notifications_planned: 0,
      events_processed: 1,
    });
  });
});

describe('planning on PostgreSQL', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.close());

  it('plans once when several ask at the same moment, follows, calls off, and deletes', async () => {
    const file = await postgres.createDatabase('planning');
    const diaries = Array.from({ length: 5 }, () => openAssistant({ file }));
    const [diary] = diaries as [TestAssistant];
    await diary.call('createUser', ada);
    await diary.call('createEvent', { ...dentist, rrule: 'FREQ=DAILY;COUNT=4' });
    const results = await Promise.all(diaries.map((one) => plan(one, { force_replan: true })));
    expect(results.map(({ errors }) => errors)).toEqual(diaries.map(() => undefined));
    expect(await listed(diary)).toHaveLength(4);
    await diary.call('updateEvent', { event_id: 'dentist', start_ts: '2026-11-17T16:00' });
    const times = (await planned(diary)).map(({ plan_time }) => String(plan_time).slice(11));
    expect(times).toEqual(Array(4).fill('14:00:00Z'));
    const id = (await planned(diary))[0]!['id']!;
    expect(await diary.call('cancelNotification', { notification_id: id })).toMatchObject({
      status: 'cancelled',
    });
    await expect(diary.call('createUser', { name: 'x', email: ada.email })).rejects.toThrow(
      /already used by/,
    );
    await diary.call('deleteEvent', { event_id: 'dentist' });
    expect(await planned(diary)).toEqual([]);
    await diary.call('deleteUser', { user_id: 'ada' });
    expect(await listed(diary)).toEqual([]);
    for (const one of diaries) await one[Symbol.asyncDispose]();
  });
});

describe('a character that PostgreSQL cannot store', () => {
  let postgres: Postgres;
  let diary: TestAssistant;
  let model: ChatModel;
  beforeAll(async () => {
    postgres = await startPostgres();
    model = await startChatModel(() =>
      JSON.stringify({
        notify: true,
        reasoning: 'all\u0000 is \u001b[2Jwell',
        plan: [{ offset_minutes: -60, channel: 'email', subject: 'a\u0000b', email_text: '\u0000\ud800' }],
      }),
    );
    diary = openAssistant({
      file: await postgres.createDatabase('characters'),
      policy: { name: 'endpoint', url: model.url, model: 'tiny', timeoutMs: 5000 },
    });
    await diary.call('createUser', ada);
  });
  afterAll(async () => {
    await diary?.[Symbol.asyncDispose]();
    await model?.[Symbol.asyncDispose]();
    await postgres?.close();
  });

  it('in the answer of a model costs nobody a reminder', async () => {
    await diary.call('createEvent', dentist);
    expect(await plan(diary)).toMatchObject({
      notifications_planned: 1,
      policies: [{ policy: 'endpoint', reason: 'all is [2Jwell' }],
    });
  });

  it.each([
    ['createEvent', { user_id: 'ada', title: 'x', start_ts: '2026-11-17T14:00', description: 'a\u0000b' }],
    ['getUser', { user_id: 'a\u0000' }],
    ['planNotifications', { user_id: 'ada', event_id: '\u0000' }],
  ])('in what somebody asks of %s is told of', async (tool, args) => {
    await expect(diary.call(tool, args)).rejects.toThrow(/U\+0000/);
  });
});

describe('the record', () => {
  it('has a row for every decision and change, the newest first', async () => {
    await using diary = await withDentist();
    await plan(diary);
    diary.now += hour;
    await diary.call('updateEvent', { event_id: 'dentist', start_ts: '2026-11-18T14:00' });
    const [row] = await planned(diary);
    diary.now += hour;
    await diary.call('cancelNotification', { notification_id: row!['id']! });
    const record = async (more: JsonObject = {}) =>
      ((await diary.call('listAudit', more)) as { entries: JsonObject[] }).entries.map(
        ({ action }) => action,
      );
    expect(await record({ user_id: 'ada' })).toEqual(
      expect.arrayContaining(['user.created', 'event.created', 'plan.decided', 'event.updated']),
    );
    expect(await record({ notification_id: row!['id']! })).toEqual([
      'notification.cancelled',
      'notification.moved',
      'notification.planned',
    ]);
    expect(await record({ limit: 1 })).toEqual(['notification.cancelled']);
    expect(await record({ user_id: 'ada', days_back: 0 })).toEqual(['notification.cancelled']);
    await expect(record({ user_id: 'nobody' })).rejects.toThrow('User not found');
    await expect(record({ limit: 0 })).rejects.toThrow(/limit/);
  });
});

describe('acknowledging', () => {
  it('stops what would follow up on it and says by whom', async () => {
    await using diary = await withDentist();
    await plan(diary);
    const [row] = await planned(diary);
    await mark(diary, row!['id'], { status: 'sent', sent_ms: monday, escalate_ms: monday + hour });
    const done = await diary.call('acknowledgeNotification', { notification_id: row!['id']! });
    expect(done).toMatchObject({
      status: 'sent',
      acknowledged_at: '2026-11-16T08:00:00Z',
      acknowledged_by: 'mcp',
    });
    diary.now += hour;
    expect(await diary.call('acknowledgeNotification', { notification_id: row!['id']! })).toEqual(done);
  });

  it('is refused for what was cancelled, and cancelling for what was sent', async () => {
    await using diary = await withDentist();
    await plan(diary);
    const notification_id = (await planned(diary))[0]!['id']!;
    await mark(diary, notification_id, { status: 'sent' });
    await expect(diary.call('cancelNotification', { notification_id })).rejects.toThrow(/is sent/);
    await mark(diary, notification_id, { status: 'cancelled' });
    await expect(diary.call('acknowledgeNotification', { notification_id })).rejects.toThrow(/was cancelled/);
  });
});
