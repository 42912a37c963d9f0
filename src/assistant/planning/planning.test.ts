import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatModel, startChatModel } from '../../../test/model/chat-model.ts';
import { monday, openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';
import { type Postgres, startPostgres } from '../../../test/postgres.ts';
import type { JsonObject } from '../../json.ts';

const ada = { id: 'ada', name: 'Ada', email: 'ada@example.com', timezone: 'Europe/Berlin' };
const haircut = { user_id: 'ada', id: 'haircut', title: 'Haircut', start_ts: '2026-11-17T14:00' };
const hour = 3_600_000;

async function openWithHaircut(user: JsonObject = {}, event: JsonObject = {}): Promise<TestAssistant> {
  const assistant = openAssistant();
  await assistant.call('create_user', { ...ada, ...user });
  await assistant.call('create_event', { ...haircut, ...event });
  return assistant;
}

const plan = (assistant: TestAssistant, more: JsonObject = {}) =>
  assistant.call('plan_notifications', { user_id: 'ada', ...more });
const listed = async (assistant: TestAssistant, more: JsonObject = {}) =>
  (
    (await assistant.call('list_notifications', { days_forward: 30, days_back: 30, ...more })) as {
      notifications: JsonObject[];
    }
  ).notifications;
const planned = (assistant: TestAssistant) => listed(assistant, { status: 'planned' });

/** Changes a notification as a worker would. */
async function updateRow(assistant: TestAssistant, id: unknown, fields: JsonObject): Promise<void> {
  const { createStore } = await import('../../store/store.ts');
  const store = createStore(assistant.file);
  await store.write(({ db }) =>
    db.updateTable('notifications').set(fields).where('id', '=', String(id)).execute(),
  );
  await store.close();
}

describe('planning', () => {
  it('is refused for an unknown user, an unknown event and an event of another user', async () => {
    await using assistant = await openWithHaircut();
    await assistant.call('create_user', { id: 'bo', name: 'Bo' });
    await expect(plan(assistant, { user_id: 'nobody' })).rejects.toThrow('User not found');
    await expect(plan(assistant, { event_id: 'nothing' })).rejects.toThrow('Event not found');
    await expect(plan(assistant, { user_id: 'bo', event_id: 'haircut' })).rejects.toThrow('Event not found');
    await expect(plan(assistant, { force_replan: 'yes' })).rejects.toThrow(/force_replan/);
  });

  it('reports what fits on a page, unless all of it is requested', async () => {
    await using assistant = await openWithHaircut({}, { rrule: 'FREQ=HOURLY;COUNT=200' });
    const full = await plan(assistant, { dry_run: true, full: true });
    const { changes: all } = full as { changes: JsonObject[] };
    expect(JSON.stringify(full).length).toBeGreaterThan(10_000);
    expect(full).not.toHaveProperty('omitted');
    const short = await plan(assistant);
    expect(JSON.stringify(short).length).toBeLessThan(10_000);
    const { changes, omitted } = short as { changes: JsonObject[]; omitted: Record<string, number> };
    expect(changes.length).toBeGreaterThan(20);
    expect(changes.length + omitted['changes']!).toBe(all.length);
    expect(await planned(assistant)).not.toHaveLength(0);
  });

  it('stores the decisions of the rules, and reports which policy decided and why', async () => {
    await using assistant = await openWithHaircut();
    expect(await plan(assistant)).toEqual({
      notifications_planned: 1,
      events_processed: 1,
      plan_time: '2026-11-16T08:00:00Z',
      plan_local: 'Mon 16 Nov 2026 09:00 Europe/Berlin, now',
      dry_run: false,
      policies: [{ policy: 'rules', reason: 'built-in rules', events: 1 }],
      changes: [
        {
          action: 'add',
          event_id: 'haircut',
          channel: 'email',
          plan_time: '2026-11-17T12:00:00Z',
          plan_local: 'Tue 17 Nov 2026 13:00 Europe/Berlin, tomorrow',
          urgency: 'normal',
          reason: '1 hour before',
        },
      ],
    });
    expect(await planned(assistant)).toMatchObject([
      { event_id: 'haircut', channel: 'email', plan_time: '2026-11-17T12:00:00Z', status: 'planned' },
    ]);
  });

  it('reports the changes and stores nothing in a dry run', async () => {
    await using assistant = await openWithHaircut();
    const dry = await plan(assistant, { dry_run: true });
    expect(dry).toMatchObject({ dry_run: true, changes: [{ action: 'add' }], notifications_planned: 1 });
    expect(await planned(assistant)).toEqual([]);
    expect({ ...(await plan(assistant)), dry_run: true }).toEqual(dry);
    expect(await plan(assistant, { dry_run: true })).toMatchObject({
      changes: [{ action: 'keep' }],
      events_processed: 0,
    });
  });

  it('changes nothing the second time, forced or not', async () => {
    await using assistant = await openWithHaircut();
    await plan(assistant);
    const before = await planned(assistant);
    for (const force_replan of [false, true, true]) {
      const again = await plan(assistant, { force_replan });
      expect(again).toMatchObject({ notifications_planned: 0, changes: [{ action: 'keep' }] });
      expect(await listed(assistant)).toEqual(before);
    }
  });

  it('plans once for ten concurrent requests', async () => {
    await using assistant = await openWithHaircut();
    const others = Array.from({ length: 9 }, () => openAssistant({ file: assistant.file }));
    await Promise.all([assistant, ...others].map((one) => plan(one, { force_replan: true })));
    expect(await listed(assistant)).toHaveLength(1);
    for (const other of others) await other[Symbol.asyncDispose]();
  });

  it('moves planned notifications with their event', async () => {
    await using assistant = await openWithHaircut();
    await plan(assistant);
    const [before] = await planned(assistant);
    await assistant.call('update_event', { event_id: 'haircut', start_ts: '2026-11-18T16:00' });
    expect(await listed(assistant)).toMatchObject([
      {
        id: before!['id'],
        plan_time: '2026-11-18T14:00:00Z',
        status: 'planned',
        subject: expect.stringContaining('Nov 18'),
      },
    ]);
  });

  it.each([
    [
      (assistant: TestAssistant) =>
        assistant.call('update_event', { event_id: 'haircut', status: 'cancelled' }),
      'the event is cancelled',
    ],
    [
      (assistant: TestAssistant) => assistant.call('delete_event', { event_id: 'haircut' }),
      'the event was deleted',
    ],
    [
      (assistant: TestAssistant) =>
        assistant.call('update_event', { event_id: 'haircut', start_ts: '2026-11-10T10:00' }),
      'this occurrence no longer takes place',
    ],
  ])('cancels planned notifications with their event (%#)', async (end, reason) => {
    await using assistant = await openWithHaircut();
    await plan(assistant);
    await end(assistant);
    expect(await listed(assistant)).toMatchObject([{ status: 'cancelled', reason }]);
    await plan(assistant, { force_replan: true });
    expect(await planned(assistant)).toEqual([]);
  });

  it('plans again when a cancelled event is confirmed again', async () => {
    await using assistant = await openWithHaircut();
    await plan(assistant);
    await assistant.call('update_event', { event_id: 'haircut', status: 'cancelled' });
    await assistant.call('update_event', { event_id: 'haircut', status: 'confirmed' });
    await plan(assistant, { force_replan: true });
    expect(await planned(assistant)).toHaveLength(1);
  });

  it.each<
    [string, (assistant: TestAssistant) => Promise<unknown>, (assistant: TestAssistant) => Promise<unknown>]
  >([
    [
      'an event that was cancelled',
      (assistant) => assistant.call('update_event', { event_id: 'haircut', status: 'cancelled' }),
      (assistant) => assistant.call('update_event', { event_id: 'haircut', status: 'confirmed' }),
    ],
    [
      'an event that was moved to the past temporarily',
      (assistant) => assistant.call('update_event', { event_id: 'haircut', start_ts: '2026-11-10T14:00' }),
      (assistant) => assistant.call('update_event', { event_id: 'haircut', start_ts: '2026-11-17T14:00' }),
    ],
    [
      'a user without an address for a while',
      (assistant) => assistant.call('update_user', { user_id: 'ada', unset: ['email'] }),
      (assistant) => assistant.call('update_user', { user_id: 'ada', email: 'ada@example.com' }),
    ],
  ])('decides again for %s, after the change is reverted', async (_, change, revert) => {
    await using assistant = await openWithHaircut();
    await plan(assistant);
    await change(assistant);
    expect(await planned(assistant)).toEqual([]);
    await revert(assistant);
    await plan(assistant);
    expect(await planned(assistant)).toMatchObject([{ plan_time: '2026-11-17T12:00:00Z' }]);
  });

  it.each(['planned', 'sent'] as const)(
    'keeps a reminder that is %s when only the text of the event changes',
    async (status) => {
      await using assistant = await openWithHaircut({ channel_pref: 'call', phone_e164: '+4930123456' });
      await plan(assistant);
      const row = (await planned(assistant)).find(({ channel }) => channel === 'call')!;
      assistant.now = Date.parse('2026-11-17T12:50:00Z');
      await updateRow(assistant, row['id'], {
        status,
        urgency: 'urgent',
        escalate_ms: assistant.now + 60_000,
      });
      await assistant.call('update_event', { event_id: 'haircut', title: 'Haircut (Dr. Bloom)' });
      const { createStore } = await import('../../store/store.ts');
      const store = createStore(assistant.file);
      const [[now], [event]] = await store.read(async (db) => [
        await db.selectFrom('notifications').selectAll().where('id', '=', String(row['id'])).execute(),
        await db.selectFrom('events').selectAll().execute(),
      ]);
      await store.close();
      expect(now).toMatchObject({ status, revision: event!.revision, escalate_ms: assistant.now + 60_000 });
      expect(now!.payload.includes('Dr. Bloom')).toBe(status === 'planned');
    },
  );

  it('does not repeat a sent reminder when only the text of the event changes', async () => {
    await using assistant = await openWithHaircut();
    await plan(assistant);
    const [row] = await planned(assistant);
    await updateRow(assistant, row!['id'], { status: 'sent', sent_ms: monday });
    await assistant.call('update_event', { event_id: 'haircut', title: 'Haircut (Dr. Bloom)' });
    expect(await plan(assistant, { force_replan: true })).toMatchObject({
      notifications_planned: 0,
      changes: [],
      dropped: [{ offset_minutes: -60, reason: 'it was already sent or cancelled' }],
    });
  });

  it('plans a new reminder when the event moves after a reminder was sent', async () => {
    await using assistant = await openWithHaircut();
    await plan(assistant);
    const [row] = await planned(assistant);
    await updateRow(assistant, row!['id'], { status: 'sent', sent_ms: monday });
    await assistant.call('update_event', { event_id: 'haircut', start_ts: '2026-11-19T14:00' });
    expect(await plan(assistant)).toMatchObject({ notifications_planned: 1 });
  });

  it('does not touch notifications that are due or being sent', async () => {
    await using assistant = await openWithHaircut();
    await plan(assistant);
    const [row] = await planned(assistant);
    assistant.now = Date.parse('2026-11-17T12:01:00Z');
    expect(await plan(assistant, { force_replan: true })).toMatchObject({
      notifications_planned: 0,
      changes: [],
    });
    await updateRow(assistant, row!['id'], { status: 'sending' });
    await plan(assistant, { force_replan: true });
    expect(await listed(assistant)).toMatchObject([{ id: row!['id'], status: 'sending' }]);
  });

  it('keeps a notification cancelled by a person until a new plan is forced', async () => {
    await using assistant = await openWithHaircut();
    await plan(assistant);
    const [row] = await planned(assistant);
    const cancelled = await assistant.call('cancel_notification', { notification_id: row!['id']! });
    expect(cancelled).toMatchObject({ status: 'cancelled', reason: 'cancelled on request' });
    await assistant.call('update_event', { event_id: 'haircut', title: 'Haircut!' });
    await plan(assistant);
    expect(await planned(assistant)).toEqual([]);
    await plan(assistant, { force_replan: true });
    expect(await planned(assistant)).toHaveLength(1);
  });

  it('moves a reminder before the quiet hours', async () => {
    await using assistant = await openWithHaircut({}, { start_ts: '2026-11-18T07:30' });
    expect(await plan(assistant)).toMatchObject({
      changes: [
        {
          plan_time: '2026-11-17T19:59:00Z',
          reason: '1 hour before; moved before quiet hours; low instead of normal',
        },
      ],
    });
  });

  it('moves a reminder after the quiet hours when the evening before has passed', async () => {
    await using assistant = await openWithHaircut({}, { start_ts: '2026-11-17T07:30' });
    assistant.now = Date.parse('2026-11-17T02:00:00Z');
    expect(await plan(assistant)).toMatchObject({ changes: [{ plan_time: '2026-11-17T06:00:00Z' }] });
  });

  it('applies changed preferences to planned notifications', async () => {
    await using assistant = await openWithHaircut();
    await plan(assistant);
    await assistant.call('update_user', { user_id: 'ada', quiet_start: '12:00', quiet_end: '13:30' });
    expect(await planned(assistant)).toMatchObject([{ plan_time: '2026-11-17T10:59:00Z' }]);
    await assistant.call('update_user', { user_id: 'ada', ntfy_topic: 'ada', channel_pref: 'ntfy' });
    expect(await planned(assistant)).toMatchObject([{ channel: 'ntfy' }]);
    await assistant.call('update_user', { user_id: 'ada', unset: ['email', 'ntfy_topic'] });
    expect(await planned(assistant)).toEqual([]);
  });

  it('calls users who want calls about what deserves it, but not at the weekend', async () => {
    await using assistant = await openWithHaircut({ phone_e164: '+4930123456', channel_pref: 'both' });
    const dentist = { ...haircut, title: 'Dentist' };
    await assistant.call('create_event', { ...dentist, id: 'tooth', start_ts: '2026-11-18T14:00' });
    await assistant.call('create_event', { ...haircut, id: 'brunch', start_ts: '2026-11-21T11:00' });
    const { changes } = (await plan(assistant)) as { changes: JsonObject[] };
    expect(changes.map(({ event_id, channel, urgency }) => [event_id, channel, urgency])).toEqual([
      ['haircut', 'email', 'normal'],
      ['tooth', 'email', 'normal'],
      ['tooth', 'email', 'normal'],
      ['tooth', 'call', 'normal'],
      ['brunch', 'email', 'normal'],
    ]);
  });

  it('plans nothing on a weekend with the policy none', async () => {
    await using assistant = await openWithHaircut(
      { weekend_policy: 'none' },
      { start_ts: '2026-11-22T15:00' },
    );
    expect(await plan(assistant)).toMatchObject({ changes: [{ plan_time: '2026-11-20T19:59:00Z' }] });
  });

  it('applies the rules of the user', async () => {
    await using assistant = await openWithHaircut(
      {},
      { organizer: 'Boss <boss@example.com>', location: 'Main Street 1' },
    );
    const setRule = (rule_type: string, rule_json: JsonObject) =>
      assistant.call('set_rule', { user_id: 'ada', rule_type, rule_json });
    await setRule('travel_buffer', { minutes: 30 });
    expect(await plan(assistant)).toMatchObject({ changes: [{ plan_time: '2026-11-17T12:00:00Z' }] });
    await setRule('internal_meeting', { domains: ['example.com'] });
    expect(await plan(assistant)).toMatchObject({
      changes: [{ action: 'move', plan_time: '2026-11-17T12:20:00Z' }],
    });
    await setRule('vip_organizer', { organizers: ['@example.com'] });
    expect(await plan(assistant)).toMatchObject({
      policies: [
        { reason: 'built-in rules; a meeting at a place; organized by a VIP; 30 minutes of travel' },
      ],
      changes: [
        { plan_time: '2026-11-16T12:30:00Z' },
        { plan_time: '2026-11-17T12:00:00Z', urgency: 'high' },
      ],
    });
  });

  it('plans every occurrence of a series, and cancels only the deleted one', async () => {
    await using assistant = await openWithHaircut({}, { rrule: 'FREQ=WEEKLY;COUNT=3' });
    expect(await plan(assistant)).toMatchObject({ notifications_planned: 3, events_processed: 3 });
    await assistant.call('delete_event', { event_id: 'haircut', occurrence: '2026-11-24T13:00:00Z' });
    const rows = await listed(assistant);
    expect(rows.map(({ status }) => status)).toEqual(['planned', 'cancelled', 'planned']);
    expect(rows[1]).toMatchObject({ reason: 'this occurrence no longer takes place' });
  });

  it('plans an hourly series that ends at a local time', async () => {
    await using assistant = await openWithHaircut(
      {},
      { rrule: 'FREQ=HOURLY;INTERVAL=2;UNTIL=20261117T180000' },
    );
    expect(await plan(assistant)).toMatchObject({ notifications_planned: 3 });
    expect(await planned(assistant)).toMatchObject([
      { plan_time: '2026-11-17T12:00:00Z' },
      { plan_time: '2026-11-17T14:00:00Z' },
      { plan_time: '2026-11-17T16:00:00Z' },
    ]);
  });

  it('plans a reminder shortly before an event that starts soon', async () => {
    await using assistant = await openWithHaircut(
      {},
      { start_ts: new Date(monday + hour / 3).toISOString() },
    );
    expect(await plan(assistant)).toMatchObject({ changes: [{ plan_time: '2026-11-16T08:05:00Z' }] });
    await assistant.call('create_event', {
      ...haircut,
      id: 'now',
      start_ts: new Date(monday + 60_000).toISOString(),
    });
    expect(await plan(assistant, { event_id: 'now' })).toMatchObject({
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

  it('plans once for concurrent requests, and moves, cancels and deletes notifications', async () => {
    const file = await postgres.createDatabase('planning');
    const assistants = Array.from({ length: 5 }, () => openAssistant({ file }));
    const [assistant] = assistants as [TestAssistant];
    await assistant.call('create_user', ada);
    await assistant.call('create_event', { ...haircut, rrule: 'FREQ=DAILY;COUNT=4' });
    const results = await Promise.all(assistants.map((one) => plan(one, { force_replan: true })));
    expect(results.map(({ errors }) => errors)).toEqual(assistants.map(() => undefined));
    expect(await listed(assistant)).toHaveLength(4);
    await assistant.call('update_event', { event_id: 'haircut', start_ts: '2026-11-17T16:00' });
    const times = (await planned(assistant)).map(({ plan_time }) => String(plan_time).slice(11));
    expect(times).toEqual(Array(4).fill('14:00:00Z'));
    const id = (await planned(assistant))[0]!['id']!;
    expect(await assistant.call('cancel_notification', { notification_id: id })).toMatchObject({
      status: 'cancelled',
    });
    await expect(assistant.call('create_user', { name: 'x', email: ada.email })).rejects.toThrow(
      /already used by/,
    );
    await assistant.call('delete_event', { event_id: 'haircut' });
    expect(await planned(assistant)).toEqual([]);
    await assistant.call('delete_user', { user_id: 'ada' });
    expect(await listed(assistant)).toEqual([]);
    for (const one of assistants) await one[Symbol.asyncDispose]();
  });
});

describe('a character that PostgreSQL cannot store', () => {
  let postgres: Postgres;
  let assistant: TestAssistant;
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
    assistant = openAssistant({
      file: await postgres.createDatabase('characters'),
      policy: { name: 'endpoint', url: model.url, model: 'tiny', timeoutMs: 5000 },
    });
    await assistant.call('create_user', ada);
  });
  afterAll(async () => {
    await assistant?.[Symbol.asyncDispose]();
    await model?.[Symbol.asyncDispose]();
    await postgres?.close();
  });

  it('in the answer of a model does not prevent a reminder', async () => {
    await assistant.call('create_event', haircut);
    expect(await plan(assistant)).toMatchObject({
      notifications_planned: 1,
      policies: [{ policy: 'endpoint', reason: 'all is [2Jwell' }],
    });
  });

  it.each([
    ['create_event', { user_id: 'ada', title: 'x', start_ts: '2026-11-17T14:00', description: 'a\u0000b' }],
    ['get_user', { user_id: 'a\u0000' }],
    ['plan_notifications', { user_id: 'ada', event_id: '\u0000' }],
  ])('in the arguments of %s is reported', async (tool, args) => {
    await expect(assistant.call(tool, args)).rejects.toThrow(/U\+0000/);
  });
});

describe('the audit trail', () => {
  it('has an entry for every decision and change, newest first', async () => {
    await using assistant = await openWithHaircut();
    await plan(assistant);
    assistant.now += hour;
    await assistant.call('update_event', { event_id: 'haircut', start_ts: '2026-11-18T14:00' });
    const [row] = await planned(assistant);
    assistant.now += hour;
    await assistant.call('cancel_notification', { notification_id: row!['id']! });
    const actions = async (more: JsonObject = {}) =>
      ((await assistant.call('explain_notifications', more)) as { entries: JsonObject[] }).entries.map(
        ({ action }) => action,
      );
    expect(await actions({ user_id: 'ada' })).toEqual(
      expect.arrayContaining(['user.created', 'event.created', 'plan.decided', 'event.updated']),
    );
    expect(await actions({ notification_id: row!['id']! })).toEqual([
      'notification.cancelled',
      'notification.moved',
      'notification.planned',
    ]);
    expect(await actions({ limit: 1 })).toEqual(['notification.cancelled']);
    expect(await actions({ user_id: 'ada', days_back: 0 })).toEqual(['notification.cancelled']);
    await expect(actions({ user_id: 'nobody' })).rejects.toThrow('User not found');
    await expect(actions({ limit: 0 })).rejects.toThrow(/limit/);
  });
});

describe('acknowledging', () => {
  it('stops the escalation and stores who acknowledged', async () => {
    await using assistant = await openWithHaircut();
    await plan(assistant);
    const [row] = await planned(assistant);
    await updateRow(assistant, row!['id'], { status: 'sent', sent_ms: monday, escalate_ms: monday + hour });
    const done = await assistant.call('acknowledge_notification', { notification_id: row!['id']! });
    expect(done).toMatchObject({
      status: 'sent',
      acknowledged_at: '2026-11-16T08:00:00Z',
      acknowledged_by: 'mcp',
    });
    assistant.now += hour;
    expect(await assistant.call('acknowledge_notification', { notification_id: row!['id']! })).toMatchObject({
      acknowledged_at: done['acknowledged_at'],
    });
  });

  it('is refused for a cancelled notification, as is cancelling a sent one', async () => {
    await using assistant = await openWithHaircut();
    await plan(assistant);
    const notification_id = (await planned(assistant))[0]!['id']!;
    await updateRow(assistant, notification_id, { status: 'sent' });
    await expect(assistant.call('cancel_notification', { notification_id })).rejects.toThrow(/is sent/);
    await updateRow(assistant, notification_id, { status: 'cancelled' });
    await expect(assistant.call('acknowledge_notification', { notification_id })).rejects.toThrow(
      /was cancelled/,
    );
  });
});

describe('attention', () => {
  it('explains a merged reminder, and sends one message for both', async () => {
    await using assistant = await openWithHaircut();
    await assistant.call('create_event', { ...haircut, id: 'lunch', title: 'Lunch' });
    await plan(assistant);
    const merged = (await planned(assistant)).find(({ merged_into }) => merged_into !== undefined);
    expect(merged).toMatchObject({ attention: 'merged: another reminder is due at the same time' });
    const { entries } = (await assistant.call('explain_notifications', { user_id: 'ada' })) as {
      entries: JsonObject[];
    };
    expect(entries.find(({ action }) => action === 'notification.merged')).toMatchObject({
      notification_id: merged!['id'],
      detail: { into: merged!['merged_into'], reason: 'another reminder is due at the same time' },
    });
    // One of them moves, so each has a message of its own again.
    await assistant.call('update_event', { event_id: 'lunch', start_ts: '2026-11-17T18:00' });
    expect((await planned(assistant)).map(({ attention }) => attention)).toEqual([undefined, undefined]);
  });

  it.each([
    ['is deleted', (assistant: TestAssistant) => assistant.call('delete_event', { event_id: 'e0' })],
    [
      'moves to another day',
      (assistant: TestAssistant) =>
        assistant.call('update_event', { event_id: 'e0', start_ts: '2026-11-19T07:15' }),
    ],
  ])('sends the reminder over the limit of a day when another event of that day %s', async (_, change) => {
    await using assistant = openAssistant({ plansOnWrite: true });
    await assistant.call('create_user', ada);
    for (const index of [0, 1, 2, 3, 4, 5, 6]) {
      const hour = `2026-11-17T${String(9 + index).padStart(2, '0')}`;
      const times = { start_ts: `${hour}:15`, end_ts: `${hour}:45` };
      await assistant.call('create_event', { user_id: 'ada', id: `e${index}`, title: `E${index}`, ...times });
    }
    const over = async () => (await planned(assistant)).filter(({ attention }) => attention !== undefined);
    expect(await over()).toMatchObject([{ attention: expect.stringContaining('already has 6 messages') }]);
    await change(assistant);
    expect(await over()).toEqual([]);
  });

  it('merges the reminder of an event that moves with those of its new day', async () => {
    await using assistant = await openWithHaircut();
    await assistant.call('create_event', {
      ...haircut,
      id: 'lunch',
      title: 'Lunch',
      start_ts: '2026-11-18T11:00',
    });
    await plan(assistant);
    const { start_ts } = haircut;
    await assistant.call('update_event', { event_id: 'lunch', start_ts });
    expect((await planned(assistant)).filter(({ attention }) => attention !== undefined)).toHaveLength(1);
  });

  it('drops what a pause covers until it ends, but no important event', async () => {
    await using assistant = await openWithHaircut();
    await plan(assistant);
    await assistant.call('create_event', { ...haircut, id: 'boss', title: 'Boss', important: true });
    await plan(assistant);
    await assistant.call('update_user', { user_id: 'ada', pause_until: '2026-11-20' });
    const attention = async () =>
      Object.fromEntries((await planned(assistant)).map((row) => [row['event_id'], row['attention']]));
    expect(await attention()).toEqual({
      haircut: 'dropped: reminders are paused until 2026-11-19T23:00:00.000Z',
      boss: undefined,
    });
    await assistant.call('update_user', { user_id: 'ada', unset: ['pause_until'] });
    expect(await attention()).toEqual({ haircut: undefined, boss: undefined });
    await expect(
      assistant.call('update_user', { user_id: 'ada', pause_until: '2026-11-10' }),
    ).rejects.toThrow(/end of the pause is past/);
  });

  it('drops nothing before a pause that begins later, and nothing after the pause was cleared', async () => {
    await using assistant = await openWithHaircut();
    await assistant.call('create_event', { ...haircut, id: 'lunch', start_ts: '2026-11-19T12:00' });
    await plan(assistant);
    const update = (fields: JsonObject) => assistant.call('update_user', { user_id: 'ada', ...fields });
    const attention = async () =>
      Object.fromEntries((await planned(assistant)).map((row) => [row['event_id'], row['attention']]));
    const dropped = 'dropped: reminders are paused until 2026-11-19T23:00:00.000Z';
    expect(await update({ pause_from: '2026-11-18', pause_until: '2026-11-20' })).toMatchObject({
      pause_from: '2026-11-17T23:00:00Z',
      pause_until: '2026-11-19T23:00:00Z',
    });
    expect(await attention()).toEqual({ haircut: undefined, lunch: dropped });
    await update({ pause_from: 'tomorrow 12:00' });
    expect(await attention()).toEqual({ haircut: dropped, lunch: dropped });
    // A pause without a beginning begins now.
    expect(await update({ pause_until: '2026-11-20' })).not.toHaveProperty('pause_from');
    expect(await attention()).toEqual({ haircut: dropped, lunch: dropped });
    await update({ pause_from: '2026-11-18' });
    const cleared = await update({ unset: ['pause_until'] });
    expect(cleared).not.toHaveProperty('pause_from');
    expect(cleared).not.toHaveProperty('pause_until');
    expect(await attention()).toEqual({ haircut: undefined, lunch: undefined });
    await expect(update({ pause_from: '2026-11-18' })).rejects.toThrow('pause_from needs pause_to');
    await expect(update({ pause_from: '2026-11-21', pause_until: '2026-11-20' })).rejects.toThrow(
      /pause_from must be before the end of the pause/,
    );
  });

  it('uses the channel and the corrected kind of an event', async () => {
    await using assistant = await openWithHaircut({ phone_e164: '+4930123456' });
    await assistant.call('update_user', { user_id: 'ada', kind_channels: { flight: 'call' } });
    await assistant.call('update_event', { event_id: 'haircut', kind: 'flight' });
    await plan(assistant);
    expect((await planned(assistant)).map(({ channel }) => channel)).toEqual(['call', 'call']);
    await assistant.call('update_event', { event_id: 'haircut', kind: 'default' });
    await plan(assistant);
    expect((await planned(assistant)).map(({ channel }) => channel)).toEqual(['email']);
    await expect(
      assistant.call('update_user', { user_id: 'ada', kind_channels: { party: 'call' } }),
    ).rejects.toThrow(/no kind "party"/);
  });

  it('puts off a reminder without a meeting after its time', async () => {
    await using assistant = openAssistant();
    await assistant.call('create_user', ada);
    await assistant.call('remind', { who: 'ada', text: 'Call mum', when: '2026-11-16T10:00' });
    const [row] = await planned(assistant);
    assistant.now = Date.parse('2026-11-16T09:02:00Z');
    await updateRow(assistant, row!['id'], { status: 'sent', sent_ms: Date.parse('2026-11-16T09:00:00Z') });
    expect(
      await assistant.call('snooze_notification', { notification_id: row!['id']!, until: 'tomorrow 09:00' }),
    ).toMatchObject({ plan_time: '2026-11-17T08:00:00Z', status: 'planned' });
  });
});
