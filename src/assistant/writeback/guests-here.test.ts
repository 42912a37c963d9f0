import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type CalDavServer, startCalDav } from '../../../test/caldav/server.ts';
import { openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';
import type { JsonObject } from '../../json.ts';
import { Access } from '../../toolsets/access.ts';
import { actorWith } from '../../toolsets/scopes.ts';

let server: CalDavServer;
beforeAll(async () => {
  server = await startCalDav();
});
afterAll(() => server.close());
beforeEach(() => {
  server.objects.clear();
  server.schedules = false;
});

/** Ann's new events go to her calendar on a server. */
async function open(): Promise<TestAssistant & { readonly calendar: string }> {
  const calendars = {
    privateHosts: ['127.0.0.1'],
    passwordsFile: '/nonexistent',
    maxBytes: 1e7,
    intervalMs: 900_000,
  };
  const assistant = openAssistant({ plansOnWrite: true, calendars });
  for (const [id, name, email] of [
    ['ann', 'Ann', 'ann@example.com'],
    ['ben', 'Ben Miller', 'ben@example.com'],
    ['cleo', 'Cleo', undefined],
  ] as const)
    await assistant.call('create_user', { id, name, timezone: 'Europe/Berlin', ...(email && { email }) });
  const source = { user_id: 'ann', source: server.url, kind: 'caldav' };
  const added = (await assistant.call('add_calendar', source))['calendars'] as unknown as { id: string }[];
  await assistant.call('update_user', { user_id: 'ann', home_calendar: added[0]!.id });
  return Object.assign(assistant, { calendar: added[0]!.id });
}

const dinner = { user_id: 'ann', title: 'Dinner', start_ts: '2026-11-20T19:00', end_ts: '2026-11-20T21:00' };
const eventsOf = async (assistant: TestAssistant, user_id: string) =>
  (await assistant.call('list_events', { user_id }))['events'] as unknown as (JsonObject & { id: string })[];
const stored = () => [...server.objects.values()].join('').replaceAll('\r\n ', '');
const messagesTo = async (assistant: TestAssistant, user_id: string) => {
  const { notifications } = await assistant.call('list_notifications', { user_id });
  return (notifications as unknown as { event_id: string; subject: string }[])
    .filter(({ event_id }) => event_id === '')
    .map(({ subject }) => subject);
};

it('a guest who is named is invited to an event in the home calendar, on a server that sends nothing', async () => {
  await using assistant = await open();
  const made = await assistant.call('create_event', {
    ...dinner,
    attendees: ['Ben', 'Ann', 'eve@example.org'],
  });
  expect(made).toMatchObject({
    calendar_id: assistant.calendar,
    attendees: ['ben@example.com', 'eve@example.org'],
    invited: ['ben'],
  });
  expect(stored()).toContain(
    'ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:ben@example.com',
  );
  const [invited] = await eventsOf(assistant, 'ben');
  expect(invited).toMatchObject({
    title: 'Dinner',
    start_ts: '2026-11-20T18:00:00Z',
    answer: 'needs-action',
  });
  expect(await messagesTo(assistant, 'ben')).toEqual(['Ann invites you: Dinner, Fri, Nov 20, 7:00 PM']);

  const event_id = String(made['id']);
  await assistant.call('answer_invitation', { event_id: invited!.id, answer: 'accepted' });
  expect(await assistant.call('get_event', { event_id })).toMatchObject({
    answers: [{ attendee: 'ben@example.com', answer: 'accepted' }],
  });
  await assistant.call('update_event', { event_id, start_ts: '2026-11-20T20:00' });
  const moved = { id: invited!.id, start_ts: '2026-11-20T19:00:00Z', answer: 'accepted' };
  expect(await eventsOf(assistant, 'ben')).toMatchObject([moved]);
  // A change on the server reaches the guest as well.
  for (const [path, text] of server.objects)
    server.objects.set(path, text.replace('SUMMARY:Dinner', 'SUMMARY:Supper'));
  await assistant.call('sync_calendar', { calendar_id: assistant.calendar, force: true });
  expect(await eventsOf(assistant, 'ben')).toMatchObject([{ ...moved, title: 'Supper' }]);
  expect(await assistant.call('delete_event', { event_id })).toMatchObject({ told: ['ben@example.com'] });
  expect(await eventsOf(assistant, 'ben')).toEqual([]);
});

it('a guest who is added later is invited, and one who is removed is not any more', async () => {
  await using assistant = await open();
  const { id } = await assistant.call('create_event', { ...dinner });
  await assistant.call('update_event', { event_id: String(id), add_attendees: ['Ben Miller'] });
  expect(await eventsOf(assistant, 'ben')).toMatchObject([{ answer: 'needs-action' }]);
  await assistant.call('update_event', { event_id: String(id), unset: ['attendees'] });
  expect(await eventsOf(assistant, 'ben')).toEqual([]);
});

it('a guest who follows the same calendar gets no second event', async () => {
  await using assistant = await open();
  await assistant.call('add_calendar', { user_id: 'ben', source: server.url, kind: 'caldav' });
  const { id } = await assistant.call('create_event', { ...dinner });
  const { calendars } = (await assistant.call('list_calendars', { user_id: 'ben' })) as {
    calendars: JsonObject[];
  };
  await assistant.call('sync_calendar', { calendar_id: String(calendars[0]!['id']), force: true });
  await assistant.call('update_event', { event_id: String(id), attendees: ['ben@example.com'] });
  expect(await eventsOf(assistant, 'ben')).toHaveLength(1);
});

it('a server that sends invitations is left to do so', async () => {
  server.schedules = true;
  await using assistant = await open();
  const request = { ...dinner, attendees: ['Ben'] };
  const refusal = await assistant.call('create_event', request).catch((error: Error) => error.message);
  const [confirm] = /[\w-]{20,}/.exec(String(refusal)) ?? [''];
  const made = await assistant.call('create_event', { ...request, confirm });
  expect(made).toMatchObject({ attendees: ['ben@example.com'] });
  expect(made).not.toHaveProperty('invited');
  expect(await eventsOf(assistant, 'ben')).toEqual([]);
});

it.each([
  ['somebody who is unknown', 'Grandma'],
  ['a person without a mail address', 'Cleo'],
])('an event with %s is stored only here, with a warning', async (_, guest) => {
  await using assistant = await open();
  const made = await assistant.call('create_event', { ...dinner, attendees: ['Ben', guest] });
  expect(made).toMatchObject({
    provider: 'local',
    attendees: ['Ben', guest],
    warnings: expect.arrayContaining([
      `The event is stored only here and not in "Calendar", because no mail address is known of "${guest}".`,
    ]),
  });
  expect(server.objects.size).toBe(0);
  expect(await eventsOf(assistant, 'ben')).toHaveLength(1);
  const named = { ...dinner, calendar_id: assistant.calendar, attendees: [guest] };
  await expect(assistant.call('create_event', named)).rejects.toThrow(
    /neither a mail address nor somebody here/,
  );
});

it('a caller who may see one person does not learn the mail address of another', async () => {
  await using assistant = await open();
  const actor = actorWith('token ann', ['calendar:ann'], { kind: 'named', id: '1', createdAt: 0 });
  const client = assistant.connect('standard', { access: Access.full.heldBy(actor) });
  for (const guest of ['Ben', 'Nobody']) {
    const request = { ...dinner, attendees: [guest] };
    const { structuredContent } = await client.request('tools/call', {
      name: 'create_event',
      arguments: request,
    });
    expect(structuredContent).toMatchObject({
      attendees: [guest],
      warnings: expect.arrayContaining([expect.stringContaining(`no mail address is known of "${guest}"`)]),
    });
  }
});
