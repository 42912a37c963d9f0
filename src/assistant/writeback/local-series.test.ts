import { describe, expect, it } from 'vitest';
import { runWorker, runWorkerUntil } from '../../../test/assistant-worker.ts';
import { openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';
import type { JsonObject } from '../../json.ts';

const now = Date.parse('2026-10-19T08:00:00Z');
const second = { event_id: 'jour', occurrence: '2026-10-28T08:00:00Z' };

/** A weekly series of five dates that spans the end of summer time. */
async function open(more: JsonObject = {}): Promise<TestAssistant> {
  const assistant = openAssistant();
  assistant.now = now;
  await assistant.call('create_user', {
    ...{ id: 'ada', name: 'Ada', email: 'ada@example.com', timezone: 'Europe/Berlin' },
  });
  await assistant.call('create_event', {
    ...{ user_id: 'ada', id: 'jour', title: 'Jour fixe', start_ts: '2026-10-21T09:00' },
    ...{ rrule: 'FREQ=WEEKLY;COUNT=5', attendees: ['Bob from next door'], location: 'Room 1' },
    ...more,
  });
  return assistant;
}

async function dates(assistant: TestAssistant): Promise<readonly string[]> {
  const { events } = await assistant.call('list_events', { days_forward: 90 });
  return (events as { start_ts: string; end_ts: string; title: string; location?: string }[]).map(
    ({ start_ts, end_ts, title, location = '-' }) =>
      `${start_ts.slice(5, 16)} ${(Date.parse(end_ts) - Date.parse(start_ts)) / 60_000} ${title} ${location}`,
  );
}

describe('a series that is only here', () => {
  it('is renamed with the dates that were only moved, but not with those that have a title of their own', async () => {
    await using assistant = await open();
    await assistant.call('update_event', { ...second, start_ts: '2026-10-29T14:00' });
    await assistant.call('update_event', {
      ...{ event_id: 'jour', occurrence: '2026-11-04', title: 'Party' },
    });
    await assistant.call('update_event', { event_id: 'jour', title: 'Weekly', location: 'Room 2' });
    expect(await dates(assistant)).toEqual([
      '10-21T07:00 60 Weekly Room 2',
      '10-29T13:00 60 Weekly Room 2',
      '11-04T08:00 60 Party Room 2',
      '11-11T08:00 60 Weekly Room 2',
      '11-18T08:00 60 Weekly Room 2',
    ]);
  });

  it('warns of the dates that are lost when all of it moves to a later first date', async () => {
    await using assistant = await open();
    const birthday = { id: 'birthday', title: 'Birthday', start_ts: '2020-03-09', rrule: 'FREQ=YEARLY' };
    await assistant.call('create_event', { user_id: 'ada', ...birthday });
    const move = async (event_id: string, start_ts: string) =>
      (await assistant.call('update_event', { event_id, start_ts }))['warnings'];
    expect(await move('birthday', '2027-03-09')).toEqual([
      expect.stringContaining('7 dates of the series before 2027-03-09 no longer exist'),
    ]);
    expect(await move('birthday', '2020-03-10')).toBeUndefined();
    expect(await move('jour', '2026-10-22T10:00')).toBeUndefined();
    expect(await move('jour', '2026-11-05T10:00')).toEqual([expect.stringContaining('2 dates')]);
  });

  it('can be changed on one date, twice, and deleted there', async () => {
    await using assistant = await open();
    await assistant.call('update_event', { ...second, start_ts: '2026-10-29T14:00', title: 'Late one' });
    await assistant.call('update_event', { ...second, end_ts: '2026-10-29T16:00', location: 'Café; "X"' });
    expect(await dates(assistant)).toEqual([
      '10-21T07:00 60 Jour fixe Room 1',
      '10-29T13:00 120 Late one Café; "X"',
      '11-04T08:00 60 Jour fixe Room 1',
      '11-11T08:00 60 Jour fixe Room 1',
      '11-18T08:00 60 Jour fixe Room 1',
    ]);
    await assistant.call('delete_event', second);
    expect((await dates(assistant)).map((date) => date.slice(0, 5))).toEqual([
      '10-21',
      '11-04',
      '11-11',
      '11-18',
    ]);
    await expect(assistant.call('update_event', { ...second, rrule: 'FREQ=DAILY' })).rejects.toThrow(
      'Occurrence not found',
    );
  });

  it('can be changed from a date on: the rest keeps its count, exceptions, people and reminders', async () => {
    await using assistant = await open({ reminders: ['2h'] });
    await assistant.call('delete_event', { event_id: 'jour', occurrence: '2026-11-11T08:00:00Z' });
    const changed = await assistant.call('update_event', {
      ...second,
      following: true,
      start_ts: '2026-10-28T10:30',
      title: 'New time',
    });
    expect(changed).toMatchObject({
      title: 'New time',
      attendees: ['Bob from next door'],
      reminders: ['2h'],
      recurring: true,
    });
    expect(changed['id']).not.toBe('jour');
    expect(await dates(assistant)).toEqual([
      '10-21T07:00 60 Jour fixe Room 1',
      '10-28T09:30 60 New time Room 1',
      '11-04T09:30 60 New time Room 1',
      '11-18T09:30 60 New time Room 1',
    ]);
    const later = '2026-11-04T09:30:00Z';
    await assistant.call('delete_event', {
      event_id: changed['id'] as string,
      occurrence: later,
      following: true,
    });
    expect((await dates(assistant)).map((date) => date.slice(0, 5))).toEqual(['10-21', '10-28']);
  });

  it('keeps deleted and changed dates when all of it moves', async () => {
    await using assistant = await open();
    await assistant.call('delete_event', { event_id: 'jour', occurrence: '2026-11-04T08:00:00Z' });
    await assistant.call('update_event', { ...second, title: 'Late one' });
    await assistant.call('update_event', { event_id: 'jour', start_ts: '2026-10-21T11:00' });
    expect(await dates(assistant)).toEqual([
      '10-21T09:00 60 Jour fixe Room 1',
      '10-28T10:00 60 Late one Room 1',
      '11-11T10:00 60 Jour fixe Room 1',
      '11-18T10:00 60 Jour fixe Room 1',
    ]);
  });

  it('of whole days can be moved on one date and ended before a date', async () => {
    await using assistant = await open({ start_ts: '2026-10-21' });
    const key = { event_id: 'jour', occurrence: '2026-10-28' };
    await assistant.call('update_event', { ...key, start_ts: '2026-10-30' });
    await assistant.call('delete_event', { event_id: 'jour', occurrence: '2026-11-11', following: true });
    const { events } = await assistant.call('list_events', { days_forward: 90 });
    expect((events as { start_date: string }[]).map(({ start_date }) => start_date)).toEqual([
      '2026-10-21',
      '2026-10-30',
      '2026-11-04',
    ]);
  });

  it('refuses a recurrence rule for one date and another date of a single event', async () => {
    await using assistant = await open();
    await expect(assistant.call('update_event', { ...second, rrule: 'FREQ=DAILY' })).rejects.toThrow(
      'One occurrence has no rrule of its own',
    );
    await assistant.call('create_event', {
      ...{ user_id: 'ada', id: 'one', title: 'One', start_ts: '2026-10-21T09:00' },
    });
    await expect(
      assistant.call('update_event', { event_id: 'one', occurrence: '2026-10-22T07:00:00Z', title: 'x' }),
    ).rejects.toThrow('Occurrence not found');
  });

  it('tells a person who was reminded that one date moved', async () => {
    await using assistant = await open({ reminders: ['1d'] });
    await assistant.call('plan_notifications', { user_id: 'ada' });
    await runWorkerUntil(assistant, Date.parse('2026-10-27T08:00:01Z'));
    await assistant.call('update_event', { ...second, start_ts: '2026-10-28T15:00' });
    const mails = await runWorker(assistant, Date.parse('2026-10-27T08:02:00Z'));
    expect(mails.map((mail) => mail.split('\n')[0])).toEqual(['Moved: Jour fixe, now Wed, Oct 28, 3:00 PM']);
  });
});
