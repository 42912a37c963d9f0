import { expect, it } from 'vitest';
import { openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';
import type { JsonObject } from '../../json.ts';
import { Access } from '../../toolsets/access.ts';
import { actorWith } from '../../toolsets/scopes.ts';

const dinner = {
  ...{ user_id: 'ada', id: 'dinner', title: 'Dinner', location: 'Main Street 1' },
  ...{ start_ts: '2026-11-20T19:00', end_ts: '2026-11-20T21:00' },
};

async function open(): Promise<TestAssistant> {
  const assistant = openAssistant({ plansOnWrite: true });
  for (const [id, name] of [
    ['ada', 'Ada'],
    ['ben', 'Ben Miller'],
    ['cleo', 'Cleo'],
  ])
    await assistant.call('create_user', {
      ...{ id: id!, name: name!, timezone: 'Europe/Berlin', email: `${id}@example.com` },
    });
  return assistant;
}

const eventsOf = async (assistant: TestAssistant, user_id: string) =>
  (await assistant.call('list_events', { user_id }))['events'] as unknown as (JsonObject & { id: string })[];
const remindersOf = async (assistant: TestAssistant, user_id: string) => {
  await assistant.call('plan_notifications', { user_id });
  const { notifications } = await assistant.call('list_notifications', {
    ...{ user_id, status: 'planned', days_forward: 30 },
  });
  return (notifications as unknown as { event_id: string; subject: string; plan_time: string }[]).filter(
    ({ event_id }) => event_id !== undefined && event_id !== '',
  );
};
const messagesTo = async (assistant: TestAssistant, user_id: string) => {
  const { notifications } = await assistant.call('list_notifications', { user_id });
  return (notifications as unknown as { event_id: string; subject: string; status: string }[])
    .filter(({ event_id }) => event_id === '')
    .map(({ subject }) => subject)
    .sort();
};

it('an event with people of this server reaches each of them as an invitation', async () => {
  await using assistant = await open();
  const attendees = ['ben', 'Cleo', 'grandma@example.org', 'Ada'];
  const made = await assistant.call('create_event', { ...dinner, attendees });
  expect(made).toMatchObject({ attendees, invited: ['ben', 'cleo'] });
  for (const person of ['ben', 'cleo']) {
    expect(await eventsOf(assistant, person)).toMatchObject([
      {
        title: 'Dinner',
        location: 'Main Street 1',
        start_ts: '2026-11-20T18:00:00Z',
        answer: 'needs-action',
      },
    ]);
    expect(await messagesTo(assistant, person)).toEqual(['Ada invites you: Dinner, Fri, Nov 20, 7:00 PM']);
    expect(await remindersOf(assistant, person)).toEqual([]);
  }
  expect(await eventsOf(assistant, 'ada')).toHaveLength(1);
});

it('a guest who accepts gets reminders of their own, and one who declines gets none', async () => {
  await using assistant = await open();
  await assistant.call('create_event', { ...dinner, attendees: ['ben@example.com', 'Cleo'] });
  await assistant.call('update_user', { user_id: 'ben', reminders: { place: ['3h'] } });
  const [forBen] = await eventsOf(assistant, 'ben');
  const [forCleo] = await eventsOf(assistant, 'cleo');
  const answered = await assistant.call('answer_invitation', { event_id: forBen!.id, answer: 'accepted' });
  expect(answered).toMatchObject({ organizer: 'Ada <ada@example.com>', organizer_notified: true });
  await assistant.call('answer_invitation', { event_id: forCleo!.id, answer: 'declined' });
  expect(await remindersOf(assistant, 'ben')).toMatchObject([{ plan_time: '2026-11-20T15:00:00Z' }]);
  expect(await remindersOf(assistant, 'cleo')).toEqual([]);
  expect(await assistant.call('get_event', { event_id: 'dinner' })).toMatchObject({
    answers: [
      { attendee: 'ben@example.com', answer: 'accepted' },
      { attendee: 'Cleo', answer: 'declined' },
    ],
  });
  expect(await messagesTo(assistant, 'ada')).toEqual([
    'Ben Miller is coming: Dinner, Fri, Nov 20, 7:00 PM',
    'Cleo is not coming: Dinner, Fri, Nov 20, 7:00 PM',
  ]);
});

it('an invitation follows the event, and keeps the answer and the reminders of the guest', async () => {
  await using assistant = await open();
  await assistant.call('create_event', { ...dinner, attendees: ['ben'] });
  const [{ id: event_id }] = (await eventsOf(assistant, 'ben')) as [{ id: string }];
  await assistant.call('answer_invitation', { event_id, answer: 'accepted' });
  await assistant.call('update_event', { event_id, reminders: ['2h'] });
  await assistant.call('update_event', { event_id: 'dinner', start_ts: '2026-11-20T20:00', title: 'Supper' });
  expect(await eventsOf(assistant, 'ben')).toMatchObject([
    {
      id: event_id,
      title: 'Supper',
      start_ts: '2026-11-20T19:00:00Z',
      answer: 'accepted',
      reminders: ['2h'],
    },
  ]);
  expect(await remindersOf(assistant, 'ben')).toMatchObject([{ plan_time: '2026-11-20T17:00:00Z' }]);
  await expect(assistant.call('update_event', { event_id, title: 'Mine' })).rejects.toThrow(
    'Ada <ada@example.com> organizes this event',
  );
  await assistant.call('update_event', { event_id: 'dinner', attendees: ['cleo'] });
  expect(await eventsOf(assistant, 'ben')).toEqual([]);
  expect(await eventsOf(assistant, 'cleo')).toHaveLength(1);
  await assistant.call('delete_event', { event_id: 'dinner' });
  expect(await eventsOf(assistant, 'cleo')).toEqual([]);
});

it('a guest who deletes an invitation declines it for good', async () => {
  await using assistant = await open();
  await assistant.call('create_event', { ...dinner, attendees: ['ben'] });
  const [{ id: event_id }] = (await eventsOf(assistant, 'ben')) as [{ id: string }];
  await assistant.call('delete_event', { event_id });
  await assistant.call('update_event', { event_id: 'dinner', location: 'Other Street 2' });
  expect(await eventsOf(assistant, 'ben')).toMatchObject([{ answer: 'declined' }]);
  expect(await remindersOf(assistant, 'ben')).toEqual([]);
});

it('a series with a changed date is one invitation', async () => {
  await using assistant = await open();
  await assistant.call('create_event', { ...dinner, attendees: ['ben'], rrule: 'FREQ=WEEKLY;COUNT=3' });
  await assistant.call('update_event', {
    ...{ event_id: 'dinner', occurrence: '2026-11-27', start_ts: '2026-11-28T18:00' },
  });
  const forBen = await eventsOf(assistant, 'ben');
  expect(forBen.map(({ start_ts, answer }) => [start_ts, answer])).toEqual([
    ['2026-11-20T18:00:00Z', 'needs-action'],
    ['2026-11-28T17:00:00Z', 'needs-action'],
    ['2026-12-04T18:00:00Z', 'needs-action'],
  ]);
  expect(await remindersOf(assistant, 'ben')).toEqual([]);
  await assistant.call('answer_invitation', { event_id: forBen[0]!.id, answer: 'accepted' });
  expect(await remindersOf(assistant, 'ben')).toHaveLength(3);
});

it('a caller who may see one person learns of nobody else', async () => {
  await using assistant = await open();
  const actor = actorWith('token ada', ['calendar:ada'], { kind: 'named', id: '1', createdAt: 0 });
  const client = assistant.connect('standard', { access: Access.full.heldBy(actor) });
  const create = async (id: string, attendee: string) => {
    const args = { ...dinner, id, attendees: [attendee] };
    const { structuredContent } = await client.request('tools/call', {
      name: 'create_event',
      arguments: args,
    });
    const { conflicts: _, ...rest } = structuredContent as JsonObject;
    // The reminders of these events, which are at the same time, share a message.
    const isShared = (name: string) => name === 'merged_into' || name === 'in_message';
    const text = JSON.stringify(rest, (name, value: unknown) => (isShared(name) ? undefined : value));
    return text.replaceAll(id, 'ID').replaceAll(attendee, 'SOMEBODY');
  };
  // Somebody who exists is invited, and the answers do not differ.
  expect(await create('first-id', 'ben@example.com')).toBe(await create('second-id', 'nobody@example.com'));
  expect(await create('third-id', 'Ben Miller')).toBe(await create('fourth-id', 'Nobody Here'));
  expect(await eventsOf(assistant, 'ben')).toHaveLength(2);
});

it.each([
  ['a date', { occurrence: '2027-01-07' }, 'Ada has cancelled: Dinner, Thu, Jan 7, 7:00 PM'],
  [
    'later dates',
    { occurrence: '2027-01-07', following: true },
    'Ada has cancelled: Dinner, from Thu, Jan 7, 7:00 PM on',
  ],
  ['all dates', {}, 'Ada has cancelled: Dinner, from Thu, Dec 3, 7:00 PM on'],
])('who accepted is told that %s will not take place, however far ahead', async (_, scope, subject) => {
  await using assistant = await open();
  const [start_ts, end_ts] = ['2026-12-03T19:00', '2026-12-03T21:00'];
  const attendees = ['Ben', 'Cleo', 'grandma@example.org'];
  await assistant.call('create_event', { ...dinner, start_ts, end_ts, rrule: 'FREQ=WEEKLY', attendees });
  const [forBen] = await eventsOf(assistant, 'ben');
  await assistant.call('answer_invitation', { event_id: forBen!.id, answer: 'accepted' });
  const deleted = await assistant.call('delete_event', { event_id: 'dinner', ...scope });
  expect(deleted).toMatchObject({ told: ['Ben'] });
  expect(await messagesTo(assistant, 'ben')).toContain(subject);
  expect((await messagesTo(assistant, 'cleo')).join()).not.toContain('cancelled');
});

it('who accepted is told once of a cancelled event that is soon, and of one that is marked as cancelled', async () => {
  await using assistant = await open();
  await assistant.call('create_event', { ...dinner, attendees: ['Ben'] });
  await assistant.call('create_event', { ...dinner, id: 'gala', title: 'Gala', attendees: ['Ben'] });
  for (const { id } of await eventsOf(assistant, 'ben'))
    await assistant.call('answer_invitation', { event_id: id, answer: 'accepted' });
  await remindersOf(assistant, 'ben');
  assistant.now = Date.parse('2026-11-20T08:00:00Z');
  expect(await assistant.call('delete_event', { event_id: 'dinner' })).toMatchObject({ told: ['Ben'] });
  await assistant.call('update_event', { event_id: 'gala', status: 'cancelled' });
  const { notifications } = await assistant.call('list_notifications', { user_id: 'ben', status: 'planned' });
  const subjects = (notifications as unknown as { subject: string }[]).map((one) => one.subject);
  expect(subjects.filter((one) => one.includes('ancelled') && one.includes('Dinner'))).toHaveLength(1);
  expect(subjects.filter((one) => one.includes('ancelled') && one.includes('Gala'))).toHaveLength(1);
  await assistant.call('create_event', { ...dinner, id: 'alone' });
  expect(await assistant.call('delete_event', { event_id: 'alone' })).not.toHaveProperty('told');
});
