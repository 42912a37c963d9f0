import { describe, expect, it } from 'vitest';
import { openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';
import type { JsonObject } from '../../json.ts';

interface Page extends JsonObject {
  readonly events: { readonly id: string; readonly occurrence?: string; readonly start_ts: string }[];
  readonly count: number;
  readonly next_cursor?: string;
}

async function open(...events: readonly JsonObject[]): Promise<TestAssistant> {
  const assistant = openAssistant();
  await assistant.call('create_user', {
    ...{ id: 'ada', name: 'Ada', email: 'ada@example.com', timezone: 'Europe/Berlin' },
  });
  for (const event of events) await assistant.call('create_event', { user_id: 'ada', ...event });
  return assistant;
}

const list = async (assistant: TestAssistant, args: JsonObject = {}) =>
  (await assistant.call('list_events', args)) as unknown as Page;
const ids = async (assistant: TestAssistant, args: JsonObject) =>
  (await list(assistant, args)).events.map(({ id }) => id);

describe('list_events › range', () => {
  const near = { id: 'near', title: 'Near', start_ts: '2026-11-20T22:30' };
  const far = { id: 'far', title: 'Far', start_ts: '2029-06-01T10:00' };

  it.each([
    [{}, ['near']],
    [{ from: '2026-11-20', to: '2026-11-20' }, ['near']],
    [{ from: 'friday', to: 'friday' }, ['near']],
    [{ from: 'wednesday', to: 'monday' }, ['near']],
    [{ from: 'monday', to: 'friday' }, ['near']],
    [{ from: 'yesterday', to: 'friday' }, ['near']],
    [{ from: '3 days ago', to: 'yesterday' }, []],
    [{ from: '2029-05-30', to: 'friday' }, ['far']],
    [{ from: '2026-11-21', to: '2026-11-30' }, []],
    [{ from: '2026-11-20T22:00', to: '2026-11-20T22:30' }, ['near']],
    [{ from: '2029-05-15' }, ['far']],
    [{ from: '2026-01-01', to: '2030-01-01' }, ['near', 'far']],
    [{ to: '2026-11-19' }, []],
  ])('%j', async (args, expected) => {
    await using assistant = await open(near, far);
    expect(await ids(assistant, args)).toEqual(expected);
  });

  it.each([
    [{ from: '2026-12-01', to: '2026-11-01' }, /is before from/],
    [{ from: '2000-01-01', to: '2026-11-01' }, /20 years/],
    [{ from: 'soonish' }, /from .*Now it is Mon 16 Nov/],
    [{ cursor: 'garbage' }, /cursor is not/],
  ])('%j is refused', async (args, message) => {
    await using assistant = await open();
    await expect(list(assistant, args)).rejects.toThrow(message);
  });

  it('lists a series over years, and the rest after a cursor', async () => {
    await using assistant = await open({
      id: 'bell',
      title: 'Bell',
      start_ts: '2026-01-01T09:00',
      rrule: 'FREQ=DAILY',
    });
    const range = { from: '2026-01-01', to: '2035-12-31', limit: 1500 };
    const first = await list(assistant, range);
    expect(first).toMatchObject({ count: 2000, truncated: true });
    const starts = new Set(first.events.map(({ start_ts }) => start_ts));
    let cursor = first.next_cursor;
    for (let pages = 0; cursor !== undefined && pages < 10; pages++) {
      const page = await list(assistant, { ...range, cursor });
      for (const { start_ts } of page.events) starts.add(start_ts);
      cursor = page.next_cursor;
    }
    expect(starts.size).toBe(3652);
  });
});

describe('list_events › tasks', () => {
  it('lists tasks, with open ones that were due before, in one call', async () => {
    await using assistant = await open(
      { id: 'old', title: 'Pay rent', start_ts: '2026-06-01', task: 'open' },
      { id: 'paid', title: 'Pay tax', start_ts: '2026-06-02', task: 'done' },
      { id: 'daily', title: 'Water', start_ts: '2026-10-01', task: 'open', rrule: 'FREQ=DAILY;COUNT=9' },
      { id: 'meeting', title: 'Meeting', start_ts: '2026-11-18T10:00' },
      { id: 'soon', title: 'Call Ben', start_ts: '2026-11-20', task: 'open' },
      { id: 'later', title: 'Order wood', start_ts: '2026-12-10', task: 'open' },
    );
    const due = await list(assistant, { tasks: true, to: '2026-11-30' });
    expect(due.events.map(({ id }) => id)).toEqual(['old', 'daily', 'soon']);
    expect(due.events[1]).toMatchObject({ start_date: '2026-10-09', task: 'open' });
    expect(await ids(assistant, { tasks: true })).toEqual(['old', 'daily', 'soon', 'later']);
    expect(await ids(assistant, { tasks: true, from: '2026-06-01', to: '2026-06-30' })).toEqual([
      'old',
      'paid',
    ]);
    expect(await ids(assistant, { tasks: true, query: 'wood' })).toEqual(['later']);
    expect(await ids(assistant, { tasks: false })).toEqual(['meeting']);
    const { next_cursor: cursor } = await list(assistant, { tasks: true, limit: 2 });
    expect(await ids(assistant, { tasks: true, cursor: cursor! })).toEqual(['soon', 'later']);
  });
});

describe('list_notifications › range', () => {
  it.each([
    [{ from: 'tomorrow', to: 'tomorrow' }, ['next']],
    [{ from: '2026-11-18T00:00', to: '2026-11-19' }, ['after']],
    [{ to: 'tomorrow' }, ['today', 'next']],
    [{ from: 'tomorrow' }, ['next', 'after']],
    [{}, ['today', 'next', 'after']],
  ])('%j', async (args, expected) => {
    await using assistant = await open(
      { id: 'today', title: 'Today', start_ts: '2026-11-16T18:00' },
      { id: 'next', title: 'Next', start_ts: '2026-11-17T18:00' },
      { id: 'after', title: 'After', start_ts: '2026-11-18T18:00' },
    );
    await assistant.call('plan_notifications', { user_id: 'ada' });
    const { notifications } = await assistant.call('list_notifications', args);
    expect((notifications as JsonObject[]).map(({ event_id }) => event_id)).toEqual(expected);
  });
});

describe('list_events › query', () => {
  const events = [
    { id: 'teeth', title: 'Dentist', start_ts: '2027-05-03T10:00', location: 'Praxis Müller' },
    { id: 'cafe', title: 'Café with Zoë', start_ts: '2026-11-18T15:00', attendees: ['zoe@example.com'] },
    { id: 'yoga', title: 'Yoga', start_ts: '2026-11-17T18:00', rrule: 'FREQ=WEEKLY;COUNT=3' },
    { id: 'old', title: 'Eye doctor', start_ts: '2026-03-02T10:00' },
  ];

  it.each([
    ['dentist', ['teeth']],
    ['MULLER dent', ['teeth']],
    ['the meeting with zoe', ['cafe']],
    ['zoe@example.com', ['cafe']],
    ['yoga', ['yoga', 'yoga', 'yoga']],
    ['eye doctor', ['old']],
    ['golf', []],
  ])('%s', async (query, expected) => {
    await using assistant = await open(...events);
    expect(await ids(assistant, { query })).toEqual(expected);
  });

  it('finds the new title of one occurrence only', async () => {
    await using assistant = await open(...events);
    await assistant.call('update_event', { event_id: 'yoga', occurrence: '2026-11-24', title: 'Pilates' });
    const { events: found } = await list(assistant, { query: 'pilates' });
    expect(found).toMatchObject([{ id: 'yoga', title: 'Pilates', start_ts: '2026-11-24T17:00:00Z' }]);
    expect(await ids(assistant, { query: 'yoga' })).toHaveLength(2);
  });
});

describe('list_events › cursor', () => {
  it('skips and repeats nothing if events are added and deleted between pages', async () => {
    const day = (number: number) => ({
      id: `day-${number}`,
      title: `Day ${number}`,
      start_ts: `2026-11-${17 + number}T09:00`,
    });
    await using assistant = await open(...[0, 1, 2, 3, 4].map(day));
    const first = await list(assistant, { limit: 2 });
    await assistant.call('delete_event', { event_id: 'day-0' });
    await assistant.call('delete_event', { event_id: 'day-1' });
    await assistant.call('create_event', { user_id: 'ada', title: 'Earlier', start_ts: '2026-11-17T08:00' });
    const second = await list(assistant, { limit: 2, cursor: first.next_cursor! });
    const third = await list(assistant, { limit: 2, cursor: second.next_cursor! });
    const seen = [first, second, third].map(({ events }) => events.map(({ id }) => id));
    expect(seen).toEqual([['day-0', 'day-1'], ['day-2', 'day-3'], ['day-4']]);
    expect([first.count, third.count, third.next_cursor]).toEqual([5, 5, undefined]);
  });
});

describe('one occurrence', () => {
  const weekly = { id: 'jour', title: 'Jour fixe', start_ts: '2026-10-05T09:00', rrule: 'FREQ=WEEKLY' };
  const clash = { id: 'clash', title: 'Clash', start_ts: '2027-06-07T09:00' };
  const lunch = { id: 'lunch', title: 'Lunch', start_ts: '2026-11-24T12:30' };

  it.each(['2026-11-23', '2026-11-23T09:00', '2026-11-23T08:00:00Z', 'in 7 days'])(
    'is named by %s, and the answer is that occurrence with its own conflicts',
    async (occurrence) => {
      await using assistant = await open(weekly, clash, lunch);
      const moved = await assistant.call('update_event', {
        ...{ event_id: 'jour', occurrence, start_ts: '2026-11-24T12:00' },
      });
      expect(moved).toMatchObject({
        ...{ id: 'jour', occurrence: '2026-11-23T08:00:00Z', start_ts: '2026-11-24T11:00:00Z' },
        conflicts: [{ event_id: 'lunch' }],
      });
      expect(moved['conflicts']).toHaveLength(1);
      // It is also known by its old and by its new date.
      await assistant.call('delete_event', { event_id: 'jour', occurrence: '2026-11-24' });
      expect(await ids(assistant, { from: '2026-11-17', to: '2026-11-29', query: 'jour' })).toEqual([]);
    },
  );

  it('of a day without one is refused with the nearest dates', async () => {
    await using assistant = await open(weekly);
    await expect(
      assistant.call('delete_event', { event_id: 'jour', occurrence: '2026-11-24' }),
    ).rejects.toThrow(/not found on 2026-11-24.*2026-11-23T09:00.*2026-11-30T09:00/);
  });
});

describe('show_as', () => {
  const slot = { people: ['ada'], duration_minutes: 60, from: '2026-11-18T09:00', to: '2026-11-18T10:00' };

  it.each([
    [{ start_ts: '2026-11-18' }, true],
    [{ start_ts: '2026-11-18', show_as: 'busy' }, false],
    [{ start_ts: '2026-11-18', show_as: 'away' }, false],
    [{ start_ts: '2026-11-18T09:00' }, false],
    [{ start_ts: '2026-11-18T09:00', show_as: 'free' }, true],
  ])('%j leaves the time open: %s', async (event, open_) => {
    await using assistant = await open({ id: 'it', title: 'Birthday', ...event });
    const { slots = [] } = (await assistant.call('find_time', slot)) as unknown as { slots?: unknown[] };
    expect(slots.length > 0).toBe(open_);
    const { events } = await list(assistant);
    expect(events[0]).toEqual(
      expect.objectContaining({ id: 'it', ...('show_as' in event && { show_as: event.show_as }) }),
    );
  });

  it('of one occurrence, and none again', async () => {
    await using assistant = await open({
      id: 'jour',
      title: 'Jour',
      start_ts: '2026-11-18T09:00',
      rrule: 'FREQ=DAILY',
    });
    const one = { event_id: 'jour', occurrence: '2026-11-18' };
    expect(await assistant.call('update_event', { ...one, show_as: 'free' })).toMatchObject({
      show_as: 'free',
    });
    expect((await assistant.call('find_time', slot))['slots']).toHaveLength(1);
    expect(await assistant.call('update_event', { ...one, unset: ['show_as'] })).not.toHaveProperty(
      'show_as',
    );
  });

  it.each([
    ['TRANSP:TRANSPARENT', 'free'],
    ['X-MICROSOFT-CDO-BUSYSTATUS:OOF', 'away'],
    ['X-MICROSOFT-CDO-BUSYSTATUS:TENTATIVE', 'tentative'],
    ['TRANSP:OPAQUE', 'busy'],
    ['CLASS:PUBLIC', undefined],
  ])('%s of a whole day is imported as %s', async (property, expected) => {
    await using assistant = await open();
    const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VEVENT', 'UID:x', 'DTSTART;VALUE=DATE:20261118'];
    const text = [...lines, 'SUMMARY:Day', property, 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');
    await assistant.call('import_calendar', { user_id: 'ada', content: text });
    const { events } = await list(assistant);
    expect((events[0] as { show_as?: string }).show_as).toBe(expected);
  });
});

it('the contract assistant lists the fields of its document, also for free events', async () => {
  await using assistant = openAssistant({ unpaged: true });
  await assistant.call('create_user', { id: 'ada', name: 'Ada' });
  const event = { id: 'it', title: 'Free', start_ts: '2026-11-18T09:00', show_as: 'free' };
  await assistant.call('create_event', { user_id: 'ada', ...event });
  const client = assistant.connect('assistant');
  const result = await client.request('tools/call', { name: 'listEvents', arguments: { query: 'x' } });
  expect(JSON.stringify(result)).toContain('Free');
  expect(JSON.stringify(result)).not.toContain('show_as');
});
