import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { runWorker } from '../../../test/assistant-worker.ts';
import { openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';
import type { JsonObject } from '../../json.ts';

const ada = { id: 'ada', name: 'Ada', email: 'ada@example.com', timezone: 'UTC' };

/** Makes a change and returns what undoes it. */
async function change(assistant: TestAssistant, name: string, args: JsonObject): Promise<string | undefined> {
  const params = { name, arguments: args, _meta: { 'adjutant/undo': true } };
  const { _meta, isError, content } = await assistant.client.request('tools/call', params);
  if (isError) throw new Error(JSON.stringify(content));
  return (_meta as JsonObject | undefined)?.['adjutant/undo'] as string | undefined;
}

const rows = (assistant: TestAssistant, query: string) => {
  using database = new DatabaseSync(assistant.file, { readOnly: true });
  return database.prepare(query).all();
};

/** Everything that a change below can touch, without times of writing. */
const stored = (assistant: TestAssistant) => ({
  users: rows(assistant, 'select id, name, channels, channel_pref, reminders from users'),
  events: rows(assistant, 'select id, title, start_ms, series, location, status from events order by id'),
  planned: rows(
    assistant,
    "select event_id, occurrence, plan_ms, channel from notifications where status = 'planned' order by plan_ms",
  ),
});

async function opened(fields: JsonObject = {}): Promise<TestAssistant> {
  const assistant = openAssistant();
  await assistant.call('create_user', { ...ada, ...fields });
  return assistant;
}

const plan = (assistant: TestAssistant) => assistant.call('plan_notifications', { user_id: 'ada' });
const undo = (assistant: TestAssistant, id: string | undefined) =>
  assistant.call('undo_change', { undo: id! });

it('restores addresses with their secrets, and how the person is reached', async () => {
  await using assistant = await opened({ channels: ['slack://secret/a/b', 'tgram://1'] });
  await assistant.call('create_event', { user_id: 'ada', title: 'Dentist', start_ts: '2026-11-18T12:00' });
  await plan(assistant);
  const before = stored(assistant);
  const fields = { channels: ['tgram://2'], channel_pref: 'telegram', reminders: { default: ['5m'] } };
  const id = await change(assistant, 'update_user', { user_id: 'ada', ...fields });
  expect(stored(assistant)).not.toEqual(before);
  await undo(assistant, id);
  await plan(assistant);
  expect(stored(assistant)).toEqual(before);
  await expect(undo(assistant, id)).rejects.toThrow('can no longer be undone');
});

it('joins a series again that a change of later dates has split, with its exceptions', async () => {
  await using assistant = await opened();
  const series = { id: 'choir', title: 'Choir', start_ts: '2026-11-17T12:00', rrule: 'FREQ=DAILY;COUNT=6' };
  await assistant.call('create_event', { user_id: 'ada', ...series });
  const last = { event_id: 'choir', occurrence: '2026-11-22T12:00:00Z' };
  await assistant.call('update_event', { ...last, location: 'Church' });
  await plan(assistant);
  const before = stored(assistant);
  const later = { event_id: 'choir', occurrence: '2026-11-19T12:00:00Z', following: true };
  const id = await change(assistant, 'update_event', {
    ...later,
    start_ts: '2026-11-19T15:00',
    title: 'Band',
  });
  await plan(assistant);
  expect(stored(assistant).events).toHaveLength(2);
  await undo(assistant, id);
  await plan(assistant);
  expect(stored(assistant)).toEqual(before);
});

it('plans the reminders of a series again at once where writes do', async () => {
  await using assistant = openAssistant({ plansOnWrite: true });
  await assistant.call('create_user', ada);
  const series = { id: 'yoga', title: 'Yoga', start_ts: '2026-11-17T12:00', rrule: 'FREQ=DAILY;COUNT=6' };
  await assistant.call('create_event', { user_id: 'ada', ...series });
  const before = stored(assistant);
  expect(before.planned.length).toBeGreaterThan(3);
  const later = { event_id: 'yoga', occurrence: '2026-11-19T12:00:00Z', following: true };
  await assistant.call('update_event', { ...later, rrule: 'FREQ=WEEKLY' });
  await assistant.call('undo_change', {});
  expect(stored(assistant)).toEqual(before);
});

it('restores the events of a calendar that was imported again, and reports nothing', async () => {
  await using assistant = await opened();
  const entry = (uid: string, hour: number) =>
    `BEGIN:VEVENT\r\nUID:${uid}\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20261116T${hour}0000Z\r\nSUMMARY:${uid}\r\nEND:VEVENT\r\n`;
  const file = (...entries: readonly string[]) => ({
    ...{ user_id: 'ada', name: 'moon.ics' },
    content: `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//t//EN\r\n${entries.join('')}END:VCALENDAR\r\n`,
  });
  await assistant.call('import_calendar', file(entry('ebb', 12), entry('flood', 18)));
  await plan(assistant);
  const before = stored(assistant);
  const id = await change(assistant, 'import_calendar', file(entry('ebb', 13), entry('tide', 15)));
  expect(stored(assistant).events).toHaveLength(3);
  await undo(assistant, id);
  await plan(assistant);
  expect(stored(assistant)).toEqual(before);
  expect(
    await change(assistant, 'import_calendar', file(entry('ebb', 12), entry('flood', 18))),
  ).toBeUndefined();
});

it('takes back a plan: what was added is not planned again, and the rest is as before', async () => {
  await using assistant = await opened();
  const event = { user_id: 'ada', title: 'Dentist' };
  await assistant.call('create_event', { ...event, id: 'old', start_ts: '2026-11-18T12:00' });
  await plan(assistant);
  await assistant.call('create_event', { ...event, id: 'new', start_ts: '2026-11-19T12:00' });
  const before = stored(assistant);
  const id = await change(assistant, 'plan_notifications', { user_id: 'ada' });
  expect(stored(assistant).planned.length).toBeGreaterThan(before.planned.length);
  expect(await undo(assistant, id)).toMatchObject({ already_sent: 0 });
  expect(stored(assistant)).toEqual(before);
  await plan(assistant);
  expect(stored(assistant)).toEqual(before);
});

it('does not take back what was sent since', async () => {
  await using assistant = await opened();
  const event = { user_id: 'ada', title: 'Dentist', start_ts: '2026-11-16T14:00', reminders: ['1h', '10m'] };
  await assistant.call('create_event', event);
  const id = await change(assistant, 'plan_notifications', { user_id: 'ada' });
  expect(await runWorker(assistant, Date.parse('2026-11-16T13:00:00Z'))).toHaveLength(1);
  assistant.now = Date.parse('2026-11-16T08:30:00Z');
  expect(await undo(assistant, id)).toMatchObject({ already_sent: 1 });
  const statuses = rows(assistant, 'select status from notifications order by plan_ms');
  expect(statuses).toMatchObject([{ status: 'sent' }, { status: 'cancelled' }]);
});

it('takes back an acknowledgement: the other reminders come again', async () => {
  await using assistant = await opened();
  const event = { user_id: 'ada', title: 'Dentist', start_ts: '2026-11-17T14:00', reminders: ['1h', '10m'] };
  await assistant.call('create_event', event);
  await plan(assistant);
  await runWorker(assistant, Date.parse('2026-11-17T13:00:00Z'));
  assistant.now = Date.parse('2026-11-17T13:01:00Z');
  const before = stored(assistant);
  const list = () =>
    rows(assistant, 'select status, acknowledged_ms, escalate_ms from notifications order by id');
  const listed = list();
  const { id: sent } = rows(assistant, "select id from notifications where status = 'sent'")[0] as {
    id: string;
  };
  const id = await change(assistant, 'acknowledge_notification', { notification_id: sent });
  expect(stored(assistant).planned).toEqual([]);
  await undo(assistant, id);
  expect(stored(assistant)).toEqual(before);
  expect(list()).toEqual(listed);
});

const decisions = (assistant: TestAssistant) =>
  rows(assistant, 'select event_id, occurrence, policy, reason from plans order by event_id, occurrence');

it('brings back a deleted event with its reminders, and nobody hears of the deletion', async () => {
  await using assistant = await opened();
  const event = { user_id: 'ada', id: 'old', title: 'Dentist', start_ts: '2026-11-16T18:00' };
  await assistant.call('create_event', { ...event, reminders: ['2h', '10m'] });
  await plan(assistant);
  assistant.now += 20 * 60_000;
  const cancelled = rows(assistant, 'select id from notifications order by plan_ms')[0] as { id: string };
  await assistant.call('cancel_notification', { notification_id: cancelled.id });
  const before = [stored(assistant), decisions(assistant)];
  for (const _ of ['first', 'second']) {
    const id = await change(assistant, 'delete_event', { event_id: 'old' });
    expect(stored(assistant).events).toEqual([]);
    // The person was about to be reminded, so the deletion is reported unless it is undone.
    const planned =
      "select subject from (select payload ->> 'subject' as subject, status from notifications)";
    expect(rows(assistant, `${planned} where status = 'planned'`)).toEqual([
      { subject: expect.stringMatching(/^Cancelled: Dentist/) },
    ]);
    expect(await undo(assistant, id)).toMatchObject({ already_sent: 0 });
    expect([stored(assistant), decisions(assistant)]).toEqual(before);
    await plan(assistant);
    expect([stored(assistant), decisions(assistant)]).toEqual(before);
    assistant.now += 1000;
  }
});

it.each([false, true])('brings back deleted dates of a series (following: %s)', async (following) => {
  await using assistant = await opened();
  const series = { id: 'choir', title: 'Choir', start_ts: '2026-11-17T12:00', rrule: 'FREQ=DAILY;COUNT=6' };
  await assistant.call('create_event', { user_id: 'ada', ...series });
  await plan(assistant);
  const before = [stored(assistant), decisions(assistant)];
  const dates = { event_id: 'choir', occurrence: '2026-11-19T12:00:00Z', following };
  const id = await change(assistant, 'delete_event', dates);
  await plan(assistant);
  expect(stored(assistant).planned.length).toBeLessThan(before[0]!['planned' as never]['length']);
  await undo(assistant, id);
  await plan(assistant);
  expect([stored(assistant), decisions(assistant)]).toEqual(before);
});

it.each([false, true])('plans a cancelled reminder again (less like this: %s)', async (less_like_this) => {
  await using assistant = await opened();
  const event = { user_id: 'ada', title: 'Dentist', start_ts: '2026-11-18T14:00', reminders: ['1h', '10m'] };
  await assistant.call('create_event', event);
  await assistant.call('create_event', { ...event, title: 'Dentist 2', start_ts: '2026-11-19T14:00' });
  await plan(assistant);
  const rules = () => rows(assistant, 'select rule_type, config, enabled from rules');
  const before = [stored(assistant), rules()];
  const { id: notification_id } = rows(assistant, 'select id from notifications order by plan_ms')[0] as {
    id: string;
  };
  for (const _ of ['a new rule', 'a rule that is changed']) {
    const id = await change(assistant, 'cancel_notification', { notification_id, less_like_this });
    await plan(assistant);
    expect([stored(assistant), rules()]).not.toEqual(before);
    await undo(assistant, id);
    await plan(assistant);
    expect([stored(assistant), rules()]).toEqual(before);
    if (!less_like_this) continue;
    await assistant.call('set_rule', {
      ...{ user_id: 'ada', rule_type: 'fewer_reminders', rule_json: { title: 'Dentist', max: 4 } },
    });
    before[1] = rules();
    assistant.now += 1000;
  }
});

it('refuses to undo what was changed again, and what is too old', async () => {
  await using assistant = await opened();
  const first = await change(assistant, 'update_user', { user_id: 'ada', name: 'Ada L.' });
  assistant.now += 1000;
  const second = await change(assistant, 'update_user', { user_id: 'ada', name: 'A. L.' });
  await expect(undo(assistant, first)).rejects.toThrow('“A. L.” was changed again since');
  assistant.now += 1000;
  const mail = await change(assistant, 'update_user', { user_id: 'ada', email: 'new@example.com' });
  await assistant.call('create_user', { id: 'bo', name: 'Bo', email: 'ada@example.com' });
  await expect(undo(assistant, mail)).rejects.toThrow('Bo uses the address ada@example.com now.');
  assistant.now += 2 * 3_600_000;
  await expect(undo(assistant, second)).rejects.toThrow('can no longer be undone');
  expect(stored(assistant).users).toMatchObject([{ name: 'A. L.' }, { name: 'Bo' }]);
});

/** Starts another server on the database, as a restart does. */
async function restarted(assistant: TestAssistant): Promise<(id: string | undefined) => Promise<JsonObject>> {
  const client = assistant.connect('standard');
  return (id) => client.request('tools/call', { name: 'undo_change', arguments: { undo: id! } });
}

it('undoes several changes after a restart, the last one first, and each of them once', async () => {
  await using assistant = await opened({ channels: ['slack://secret/a/b'] });
  const before = stored(assistant);
  const ids: (string | undefined)[] = [];
  for (const name of ['Ada L.', 'A. L.', 'A.']) {
    assistant.now += 1000;
    ids.unshift(await change(assistant, 'update_user', { user_id: 'ada', name, channels: [] }));
  }
  const undoAgain = await restarted(assistant);
  for (const id of ids) {
    const both = await Promise.all([undoAgain(id), undoAgain(id)]);
    expect(both.filter(({ isError }) => isError)).toHaveLength(1);
  }
  expect(stored(assistant)).toEqual(before);
  await expect(undo(assistant, ids[0])).rejects.toThrow('can no longer be undone');
});

it('keeps a limited number of changes for a limited time, and none of a deleted person', async () => {
  await using assistant = await opened();
  const kept = () => rows(assistant, "select key, value from records where kind = 'undo'");
  const rename = (name: string) => change(assistant, 'update_user', { user_id: 'ada', name });
  const first = await rename('0');
  for (let number = 1; number <= 55; number++) {
    assistant.now += 1000;
    await rename(String(number));
  }
  expect(kept()).toHaveLength(50);
  await expect(undo(assistant, first)).rejects.toThrow('can no longer be undone');
  assistant.now += 3_600_001;
  await rename('later');
  expect(kept()).toHaveLength(1);
  await assistant.call('create_user', { id: 'bo', name: 'Bo' });
  await change(assistant, 'update_user', { user_id: 'bo', name: 'Bob' });
  await assistant.call('delete_user', { user_id: 'ada' });
  expect(kept()).toMatchObject([{ value: expect.stringContaining('Bob') }]);
});

it('costs nothing for clients that do not ask for it', async () => {
  await using assistant = await opened();
  const params = { name: 'update_user', arguments: { user_id: 'ada', name: 'Ada L.' } };
  expect(await assistant.client.request('tools/call', params)).not.toHaveProperty('_meta.adjutant/undo');
});
