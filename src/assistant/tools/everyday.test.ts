import { afterEach, beforeEach, expect, it } from 'vitest';
import { openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';
import type { JsonObject } from '../../json.ts';

// Requests of people, as a model that knows only the texts of the tools would pass them on. Now is Mon 16 Nov 2026 09:00 in Berlin.

let assistant: TestAssistant;
const call = (name: string, args: JsonObject = {}) => assistant.call(name, args) as Promise<JsonObject>;
const startOf = async (args: JsonObject) => (await call('update_event', args))['start_local'];

beforeEach(async () => {
  assistant = openAssistant();
  const berlin = { timezone: 'Europe/Berlin' };
  await call('create_user', { id: 'ada', name: 'Ada', email: 'ada@example.org', ...berlin });
  await call('create_user', { id: 'ben', name: 'Ben', email: 'ben@example.org', ...berlin });
  await call('create_event', { user_id: 'ada', title: 'Dentist', start_ts: '2026-11-26T14:00' });
  const gym = { title: 'Gym', start_ts: '2026-11-02T06:30', rrule: 'FREQ=WEEKLY;BYDAY=MO,TH' };
  await call('create_event', { user_id: 'ada', ...gym });
});
afterEach(() => assistant[Symbol.asyncDispose]());

it.each([
  ['16:30', 'Thu 26 Nov 2026 16:30'],
  ['at 4pm', 'Thu 26 Nov 2026 16:00'],
  ['friday', 'Fri 20 Nov 2026 14:00'],
  ['monday 10:00', 'Mon 23 Nov 2026 10:00'],
  ['wednesday 10:00', 'Wed 18 Nov 2026 10:00'],
  ['this friday 10:00', 'Fri 20 Nov 2026 10:00'],
  ['tomorrow', 'Tue 17 Nov 2026 14:00'],
  ['2026-12-01', 'Tue 1 Dec 2026 14:00'],
])('moves the dentist on Thursday 26 November to %s', async (start_ts, moved) => {
  expect(await startOf({ event_id: 'Dentist', start_ts })).toContain(`${moved} Europe/Berlin`);
});

it.each([
  ['thursday', 'Thu 11 Feb 2027 14:00'],
  ['wednesday 10:00', 'Wed 10 Feb 2027 10:00'],
  ['this friday', 'Fri 20 Nov 2026 14:00'],
])('moves an event in February to the %s nearest to it', async (start_ts, moved) => {
  const fields = { user_id: 'ada', title: 'Physio', start_ts: '2027-02-12T14:00' };
  await call('create_event', fields);
  expect(await startOf({ event_id: 'Physio', start_ts })).toContain(moved);
});

it.each([
  [{ start_ts: '07:00' }, 'Thu 19 Nov 2026 07:00', '19 Nov 2026 08:00'],
  [{ start_ts: 'friday' }, 'Fri 20 Nov 2026 06:30', '20 Nov 2026 07:30'],
  [{ end_ts: '08:00' }, 'Thu 19 Nov 2026 06:30', '19 Nov 2026 08:00'],
])('changes one date of a series by %j', async (fields, start, end) => {
  const changed = await call('update_event', { event_id: 'Gym', occurrence: '2026-11-19', ...fields });
  expect(changed['start_local']).toContain(start);
  expect(changed['end_local']).toBe(end);
});

it('keeps the day of a whole day that gets a time', async () => {
  await call('create_event', { user_id: 'ada', title: 'Party', start_ts: '2026-12-05' });
  expect(await startOf({ event_id: 'Party', start_ts: '15:00' })).toContain('Sat 5 Dec 2026 15:00');
});

it('changes the time of all later dates by a time of day', async () => {
  const args = { event_id: 'Gym', occurrence: '2026-11-23', following: true, start_ts: '07:00' };
  expect(await startOf(args)).toContain('Mon 23 Nov 2026 07:00');
});

it.each([
  [['7d', '1d'], { start_ts: '2026-12-12' }, ['Sat 5 Dec 2026 09:00', 'Fri 11 Dec 2026 09:00']],
  [['1 week before'], { start_ts: '2026-12-12' }, ['Sat 5 Dec 2026 09:00']],
  [['5d'], { start_ts: '2026-12-12', task: 'open' }, ['Mon 7 Dec 2026 09:00']],
  [['2 weeks'], { start_ts: '2026-12-12T10:00' }, ['Sat 28 Nov 2026 10:00']],
])('reminds %j of what is on %j', async (reminders, fields, times) => {
  await call('create_event', { user_id: 'ada', title: 'Fair', ...fields, reminders });
  await call('plan_notifications', { user_id: 'ada' });
  const { notifications } = (await call('list_notifications', { user_id: 'ada', to: '2026-12-31' })) as {
    notifications: { subject: string; plan_local: string }[];
  };
  const planned = notifications.filter(({ subject }) => subject.includes('Fair'));
  const before = planned.slice(0, times.length).map(({ plan_local }) => plan_local.split(' Europe')[0]);
  expect(before).toEqual(times);
});

it('says which guests have not answered yet', async () => {
  await call('create_event', {
    user_id: 'ada',
    id: 'dinner',
    title: 'Dinner',
    start_ts: '2026-11-21T19:00',
    attendees: ['Ben'],
  });
  const { answers } = await call('get_event', { event_id: 'dinner' });
  expect(answers).toEqual([{ attendee: 'Ben', answer: 'needs-action' }]);
});

it.each([
  [{ from: 'saturday', to: 'sunday' }, 'Sat 21 Nov 2026 09:00'],
  [{ from: '2026-11-21', to: '2026-11-22', hours: '10-18' }, 'Sat 21 Nov 2026 10:00'],
  [{ from: 'next week' }, 'Mon 23 Nov 2026 09:00'],
  [{ from: 'this weekend' }, 'Sat 21 Nov 2026 09:00'],
])('finds a time in %j', async (range, first) => {
  const people = ['ada', 'ben'];
  const { slots } = (await call('find_time', { people, duration_minutes: 60, ...range })) as {
    slots: { start_local: string }[];
  };
  expect(slots[0]?.start_local).toContain(first);
});

it.each([
  [{ from: 'this week' }, ['Thu 19', 'Mon 16'].toSorted()],
  [{ from: 'next week' }, ['Mon 23', 'Thu 26', 'Thu 26']],
  [{ from: 'this weekend' }, []],
  [{ from: 'tomorrow', to: 'next week' }, ['Mon 23', 'Thu 19', 'Thu 26', 'Thu 26']],
  [{ from: 'december' }, 9],
  [{ from: 'june 2027' }, 8],
  [{ from: '2027-06', to: '2027-06' }, 8],
  [{ from: 'next month' }, 9],
])('lists the events of %j', async (range, expected) => {
  const { events } = (await call('list_events', { ...range, limit: 100 })) as {
    events: { start_local: string }[];
  };
  const days = events.map(({ start_local }) => start_local.slice(0, 6)).toSorted();
  expect(typeof expected === 'number' ? days.length : days).toEqual(expected);
});

it.each([
  [{ pause_until: 'monday' }, 'Mon 23 Nov 2026 00:00 Europe/Berlin'],
  [{ pause_to: 'sunday' }, 'Mon 23 Nov 2026 00:00 Europe/Berlin'],
  [{ pause_to: 'this week' }, 'Mon 23 Nov 2026 00:00 Europe/Berlin'],
  [{ pause_from: '2026-12-01', pause_to: '2026-12-14' }, 'Tue 15 Dec 2026 00:00 Europe/Berlin'],
])('pauses by %j', async (fields, until) => {
  const paused = await call('update_user', { user_id: 'ada', ...fields });
  expect(paused['pause_until_local']).toContain(until);
});

it.each([
  ['every day at 20:30 for 10 days', 'FREQ=DAILY;COUNT=10'],
  ['every tuesday for 8 weeks', 'FREQ=WEEKLY;BYDAY=TU;COUNT=8'],
  ['daily, 10 times', 'FREQ=DAILY;COUNT=10'],
  ['every monday until 2026-12-24', 'FREQ=WEEKLY;BYDAY=MO;UNTIL=20261224T225959Z'],
])('repeats an event %s', async (rrule, rule) => {
  const made = await call('create_event', {
    user_id: 'ada',
    title: 'Pills',
    start_ts: '2026-11-17T20:30',
    rrule,
  });
  expect(made['rrule']).toBe(rule);
});

it('undoes the last change without an id, and none before one that cannot be undone', async () => {
  await call('update_event', { event_id: 'Dentist', start_ts: '16:30' });
  expect(await call('undo_change')).toEqual({ undone: ['Dentist'], already_sent: 0 });
  const { events } = (await call('list_events', { query: 'Dentist' })) as {
    events: { start_local: string }[];
  };
  expect(events.map(({ start_local }) => start_local.slice(0, 23))).toEqual(['Thu 26 Nov 2026 14:00 E']);
  await call('update_event', { event_id: 'Dentist', start_ts: '16:30' });
  await call('create_event', { user_id: 'ada', title: 'Party', start_ts: '2026-12-05' });
  await expect(call('undo_change')).rejects.toThrow(
    'made with create_event and cannot be undone here. Use delete_event',
  );
});

it('begins a series with the first date of its new rule', async () => {
  const fields = { event_id: 'Gym', occurrence: '2026-12-03', following: true, rrule: 'every monday' };
  expect(await startOf(fields)).toContain('Mon 7 Dec 2026 06:30');
});

it('finds and changes an event many years ahead', async () => {
  await call('create_event', { user_id: 'ada', title: 'Wedding', start_ts: '2030-06-15T15:00' });
  const { events } = (await call('list_events', { query: 'wedding' })) as {
    events: { start_local: string }[];
  };
  expect(events.map(({ start_local }) => start_local)[0]).toContain('Sat 15 Jun 2030');
  expect(await startOf({ event_id: 'wedding', start_ts: '16:00' })).toContain('Sat 15 Jun 2030 16:00');
});

it.each([
  [{ phone_e164: '+49 171 123-4567' }, { phone_e164: '+491711234567' }],
  [
    { quiet_start: '22:00', quiet_end: '6:00' },
    { quiet_start: '22:00', quiet_end: '06:00' },
  ],
])('stores %j as %j', async (fields, stored) => {
  expect(await call('update_user', { user_id: 'ada', ...fields })).toMatchObject(stored);
});

it.each([
  [{ kind_channels: { flight: 'call' } }, 'Ada has no address for call. Ada has email.'],
  [{ timezone: 'new york' }, 'Did you mean America/New_York?'],
])('refuses %j and says why', async (fields, why) => {
  await expect(call('update_user', { user_id: 'ada', ...fields })).rejects.toThrow(why);
});

it.each([
  [{}, 'call'],
  [{ weekend_policy: 'email' }, 'email'],
])('calls at a named time on a Saturday who prefers calls, with %j by %s', async (fields, channel) => {
  await call('update_user', { user_id: 'ada', phone_e164: '+4930123456', channel_pref: 'call', ...fields });
  await call('remind', { text: 'Leave', when: 'saturday 10:00', who: 'ada' });
  await call('plan_notifications', { user_id: 'ada' });
  const { notifications } = (await call('list_notifications', { user_id: 'ada' })) as {
    notifications: { subject: string; channel: string }[];
  };
  expect(notifications.find(({ subject }) => subject.includes('Leave'))?.channel).toBe(channel);
});

it.each([
  [{ reminders: { doctor: ['2h sms', '1d email'] } }],
  [{ kind_channels: { doctor: 'sms' } }],
  [{ channel_pref: 'sms' }],
])('texts the phone of who asks for SMS with %j', async (fields) => {
  await call('update_user', { user_id: 'ada', phone_e164: '+4930123456' });
  expect(await call('update_user', { user_id: 'ada', ...fields })).toMatchObject({
    channels: ['sms:+4930123456'],
  });
});

it('says how to add the address of a channel that a reminder names', async () => {
  const fields = { text: 'Leave', when: 'friday 10:00', who: 'ada', channel: 'sms' };
  await expect(call('remind', fields)).rejects.toThrow('With update_user: add sms:NUMBER to channels.');
});

it.each(['LH400', 'lh 400', 'doctor'])('finds events by %s', async (query) => {
  await call('create_event', { user_id: 'ada', title: 'Flight LH 400', start_ts: '2026-12-01T10:55' });
  const { events } = (await call('list_events', { query })) as { events: unknown[] };
  expect(events).toHaveLength(1);
});
