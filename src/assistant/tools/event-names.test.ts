import { describe, expect, it } from 'vitest';
import { runWorker } from '../../../test/assistant-worker.ts';
import { monday, openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';
import type { JsonObject } from '../../json.ts';
import { Access } from '../../toolsets/access.ts';
import { actorWith } from '../../toolsets/scopes.ts';

const dayMs = 86_400_000;

/** Ada is the user; Ben is another person. */
async function open(): Promise<TestAssistant> {
  const assistant = openAssistant({ me: { id: 'ada', file: '' } });
  for (const name of ['Ada', 'Ben'])
    await assistant.call('create_user', {
      ...{ id: name.toLowerCase(), name, email: `${name}@example.com`, timezone: 'Europe/Berlin' },
    });
  const add = (event: JsonObject) => assistant.call('create_event', event);
  await add({ id: 'teeth', title: 'Dentist', start_ts: '2026-11-24T09:30' });
  await add({ id: 'lunch', title: 'Lunch with Sabine', start_ts: '2026-11-18T12:30' });
  await add({ id: 'canteen', title: 'Lunch', start_ts: '2026-11-19T12:00', rrule: 'FREQ=WEEKLY;COUNT=8' });
  await add({ id: 'yoga', title: 'Yoga', start_ts: '2026-11-17T18:00', rrule: 'FREQ=WEEKLY;COUNT=8' });
  await add({ id: 'run1', title: 'Running', start_ts: '2026-11-20T07:30' });
  await add({ id: 'run2', title: 'Running', start_ts: '2026-11-21T07:30' });
  await add({ id: 'gone', title: 'Eye doctor', start_ts: '2026-10-01T10:00' });
  await add({ user_id: 'ben', id: 'ben-teeth', title: 'Dentist', start_ts: '2026-11-25T09:30' });
  await add({ user_id: 'ben', id: 'secret', title: 'Interview', start_ts: '2026-11-25T11:30' });
  return assistant;
}

describe('an event', () => {
  it.each([
    ['teeth', 'teeth'],
    ['dentist', 'teeth'],
    ['the dentist', 'teeth'],
    ['Lunch', 'canteen'],
    ['lunch with sabine', 'lunch'],
    ['sabine', 'lunch'],
    ['eye doctor', 'gone'],
    ['interview', 'secret'],
  ])('is named %s', async (event_id, id) => {
    await using assistant = await open();
    expect(await assistant.call('get_event', { event_id })).toMatchObject({ id });
  });

  it('is a to-do that is done, if nothing that is open is called so', async () => {
    await using assistant = await open();
    const todo = { title: 'Call the landlord', task: 'open' };
    await assistant.call('create_event', { ...todo, id: 'call1', start_ts: '2026-11-17' });
    await assistant.call('create_event', { ...todo, id: 'call2', start_ts: '2026-11-18' });
    await assistant.call('update_event', { event_id: 'call1', task: 'done' });
    const event_id = 'call the landlord';
    expect(await assistant.call('get_event', { event_id })).toMatchObject({ id: 'call2' });
    await assistant.call('update_event', { event_id, task: 'done' });
    await expect(assistant.call('get_event', { event_id })).rejects.toThrow(/Several events match/);
    await assistant.call('delete_event', { event_id: 'call1' });
    expect(await assistant.call('get_event', { event_id })).toMatchObject({ id: 'call2' });
    expect(await assistant.call('update_event', { event_id, task: 'open' })).toMatchObject({ id: 'call2' });
  });

  it('is one of several with its title, on the named day', async () => {
    await using assistant = await open();
    await expect(assistant.call('get_event', { event_id: 'running' })).rejects.toThrow(
      'Several events match "running": Running, Fri 20 Nov 07:30 (run1); Running, Sat 21 Nov 07:30 (run2). Use an id.',
    );
    const saturday = { event_id: 'running', occurrence: 'saturday' };
    expect(await assistant.call('update_event', { ...saturday, location: 'Lake' })).toMatchObject({
      ...{ id: 'run2', location: 'Lake' },
    });
  });

  it.each([
    [
      { event_id: 'yoga', occurrence: '2026-11-24' },
      { deleted: 'yoga 2026-11-24T17:00:00Z', title: 'Yoga' },
    ],
    [{ event_id: 'dentist' }, { deleted: 'teeth', start_ts: '2026-11-24T08:30:00Z' }],
  ])('is deleted with %j', async (args, deleted) => {
    await using assistant = await open();
    expect(await assistant.call('delete_event', args)).toMatchObject(deleted);
  });

  it('that is no series is not found on another day', async () => {
    await using assistant = await open();
    const other = { event_id: 'teeth', occurrence: '2026-11-30', title: 'Surgeon' };
    await expect(assistant.call('update_event', other)).rejects.toThrow(
      'Occurrence not found on 2026-11-30. Name one of 2026-11-24T09:30.',
    );
  });

  it.each(['surgeon', '???', ''])('is not found by "%s"', async (event_id) => {
    await using assistant = await open();
    await expect(assistant.call('delete_event', { event_id })).rejects.toThrow(
      `Event not found: "${event_id}" is neither an id nor in the title of an event. list_events finds events.`,
    );
  });

  it('of another person is like no event for the token of one person', async () => {
    await using assistant = await open();
    const actor = actorWith('token ada', ['calendar:ada'], { kind: 'named', id: '1', createdAt: 0 });
    const ada = assistant.connect('standard', { access: Access.full.heldBy(actor) });
    const get = async (event_id: string) => {
      const result = await ada.request('tools/call', { name: 'get_event', arguments: { event_id } });
      return (result['content'] as { text: string }[])[0]!.text.replaceAll(event_id, 'X');
    };
    expect(await get('secret')).toBe(await get('nothing'));
    expect(await get('interview')).toBe(await get('nothing'));
    expect(await get('dentist')).toContain('teeth');
  });
});

describe('the explanation of the reminders of an event', () => {
  const explain = async (assistant: TestAssistant, args: JsonObject) => {
    const { entries } = await assistant.call('explain_notifications', args);
    return [...new Set((entries as JsonObject[]).map(({ event_id }) => event_id))];
  };

  it('names the event by its title, and one that was deleted by its id', async () => {
    await using assistant = await open();
    expect(await explain(assistant, { event_id: 'yoga' })).toEqual(['yoga']);
    expect(await explain(assistant, { event_id: 'the dentist' })).toEqual(['teeth']);
    expect(await explain(assistant, { event_id: 'dentist', user_id: 'Ben' })).toEqual(['ben-teeth']);
    await assistant.call('delete_event', { event_id: 'lunch' });
    expect(await explain(assistant, { event_id: 'lunch' })).toEqual(['lunch']);
    for (const args of [{ event_id: 'surgeon' }, { event_id: 'sabine', user_id: 'ben' }])
      await expect(explain(assistant, args)).rejects.toThrow(
        `Event not found: "${args.event_id}" is neither an id nor in the title of an event. list_events finds events.`,
      );
  });

  it('does not tell the token of one person about the events of others', async () => {
    await using assistant = await open();
    await assistant.call('create_event', {
      ...{ user_id: 'ben', id: 'erased', title: 'Erased', start_ts: '2026-11-25T12:30' },
    });
    await assistant.call('delete_event', { event_id: 'erased' });
    const actor = actorWith('token ada', ['calendar:ada'], { kind: 'named', id: '1', createdAt: 0 });
    const ada = assistant.connect('standard', { access: Access.full.heldBy(actor) });
    const textFor = async (event_id: string) => {
      const result = await ada.request('tools/call', {
        name: 'explain_notifications',
        arguments: { event_id },
      });
      return (result['content'] as { text: string }[])[0]!.text.replaceAll(event_id, 'X');
    };
    const unknown = await textFor('nothing');
    expect(unknown).toContain('Event not found');
    for (const one of ['secret', 'interview', 'erased']) expect(await textFor(one)).toBe(unknown);
    expect(await textFor('dentist')).toContain('teeth');
  });
});

describe('the last reminder', () => {
  it('is confirmed or put off without its id', async () => {
    await using assistant = await open();
    await expect(assistant.call('snooze_notification')).rejects.toThrow(/No reminder was sent to Ada/);
    await assistant.call('plan_notifications', { user_id: 'ada' });
    expect(await runWorker(assistant, monday + dayMs + 8 * 3_600_000)).toHaveLength(1);
    assistant.now += 60_000;
    expect(await assistant.call('snooze_notification', { minutes: 20 })).toMatchObject({
      ...{ event_id: 'yoga', plan_time: '2026-11-17T16:21:00Z' },
    });
    expect(await assistant.call('acknowledge_notification')).toMatchObject({ event_id: 'yoga' });
    await expect(assistant.call('acknowledge_notification')).rejects.toThrow(/not confirmed yet/);
  });

  it('is meant by "less like this"', async () => {
    await using assistant = await open();
    await assistant.call('plan_notifications', { user_id: 'ada' });
    expect(await runWorker(assistant, monday + dayMs + 8 * 3_600_000)).toHaveLength(1);
    await assistant.call('cancel_notification', { less_like_this: true });
    await assistant.call('cancel_notification', { notification_id: 'last', less_like_this: true });
    const { rules } = await assistant.call('list_rules', { user_id: 'ada' });
    expect(rules).toMatchObject([{ rule_type: 'fewer_reminders', rule_json: { max: 0 } }]);
    await expect(assistant.call('cancel_notification')).rejects.toThrow(/notification_id is required/);
  });

  it('is nobody’s if it is not known who asks', async () => {
    await using assistant = openAssistant();
    await expect(assistant.call('acknowledge_notification')).rejects.toThrow(/notification_id/);
  });
});

describe('an event that moves', () => {
  it.each([
    [{ event_id: 'lunch with sabine', start_ts: 'friday' }, '2026-11-20T11:30:00Z', '2026-11-20T12:30:00Z'],
    [{ event_id: 'canteen', start_ts: '2026-11-23', occurrence: '2026-11-26' }, '2026-11-23T11:00:00Z'],
    [{ event_id: 'dentist', start_ts: 'friday', end_ts: '12:00' }, '2026-11-20T08:30:00Z'],
    [{ event_id: 'dentist', start_ts: '2026-11-20', end_ts: '2026-11-21' }, '2026-11-19T23:00:00Z'],
  ])('%j', async (change, start_ts, end_ts = expect.anything()) => {
    await using assistant = await open();
    expect(await assistant.call('update_event', change)).toMatchObject({ start_ts, end_ts });
  });
});

describe('an event in words', () => {
  it('takes reminders and recurrences in words, and further guests', async () => {
    await using assistant = await open();
    const made = await assistant.call('create_event', {
      ...{ title: 'Choir', start_ts: 'monday 19:00', rrule: 'every 2 weeks on monday' },
      ...{ reminders: ['1 day before', '2 hours', '15 min!'], attendees: ['Ben'] },
    });
    expect(made).toMatchObject({ rrule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO', reminders: ['1d', '2h', '15m!'] });
    const more = { event_id: 'choir', add_attendees: ['Cleo', 'ben'] };
    expect(await assistant.call('update_event', more)).toMatchObject({ attendees: ['Ben', 'Cleo'] });
    const never = { title: 'Choir', start_ts: 'monday 19:00', rrule: 'sometimes' };
    await expect(assistant.call('create_event', never)).rejects.toThrow(/"sometimes" .*every weekday/);
    await expect(
      assistant.call('answer_invitation', { event_id: 'choir', answer: 'accepted' }),
    ).rejects.toThrow(
      /^"Choir" is an event of Ada, not an invitation from somebody else, so there is nothing to answer\. update_event .*delete_event .*get_event/,
    );
    const written = { title: 'Gala', start_ts: 'monday 19:00', organizer: 'Zoe <zoe@example.com>' };
    await assistant.call('create_event', written);
    await expect(
      assistant.call('answer_invitation', { event_id: 'gala', answer: 'declined' }),
    ).rejects.toThrow(/^"Gala" was entered here, .*Tell Zoe <zoe@example\.com> yourself/);
  });
});
