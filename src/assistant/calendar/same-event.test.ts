import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runWorker, runWorkerUntil } from '../../../test/assistant-worker.ts';
import { openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';
import type { JsonObject } from '../../json.ts';

const at = (time: string) => Date.parse(`2026-11-16T${time}:00Z`);
const ada = { id: 'ada', name: 'Ada', email: 'ada@example.com', timezone: 'UTC' };

interface Feed extends AsyncDisposable {
  readonly url: string;
  /** Lines of each event, without its UID. */
  events: readonly (readonly string[])[];
  /** The UID of the n-th event in the n-th download. */
  uid: (event: number, download: number) => string;
  downloads: number;
}

const dinner = ['SUMMARY:Dinner', 'DTSTART:20261116T140000Z', 'DTEND:20261116T150000Z'];

/** Serves a calendar over HTTP whose UIDs change with every download. */
async function startFeed(...events: readonly (readonly string[])[]): Promise<Feed> {
  const server = createServer((_, response) => {
    feed.downloads += 1;
    const lines = feed.events.flatMap((event, index) => [
      ...['BEGIN:VEVENT', `UID:${feed.uid(index, feed.downloads)}`, ...event, 'END:VEVENT'],
    ]);
    response.writeHead(200, { 'content-type': 'text/calendar' });
    response.end(['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const feed: Feed = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed.ics`,
    events,
    uid: (event, download) => `${event}-${download}@feed`,
    downloads: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return feed;
}

async function open(...feeds: readonly Feed[]): Promise<TestAssistant> {
  const assistant: TestAssistant = openAssistant({
    calendars: {
      privateHosts: ['127.0.0.1'],
      passwordsFile: join(dirname(import.meta.dirname), 'no-passwords'),
      maxBytes: 1_000_000,
      intervalMs: 900_000,
    },
  });
  await assistant.call('create_user', ada);
  // The reminders belong to the copy that was added first, which needs another time to be the first.
  const { now } = assistant;
  for (const [index, { url }] of feeds.entries()) {
    assistant.now = now - feeds.length + index;
    await assistant.call('add_calendar', { user_id: 'ada', source: url });
  }
  assistant.now = now;
  await assistant.call('plan_notifications', { user_id: 'ada' });
  return assistant;
}

async function rows(assistant: TestAssistant, tool: 'events' | 'notifications'): Promise<JsonObject[]> {
  const listed = await assistant.call(`list_${tool}`, { user_id: 'ada', days_back: 1, days_forward: 30 });
  return listed[tool] as JsonObject[];
}

/** Syncs every quarter of an hour, as a running worker does. Returns the subjects of all mails. */
async function work(assistant: TestAssistant, untilMs: number): Promise<string[]> {
  const written: string[] = [];
  for (let now = assistant.now; now <= untilMs; now += 15 * 60_000)
    written.push(
      ...(await runWorker(assistant, now)),
      ...(await runWorkerUntil(assistant, now + 14 * 60_000)),
    );
  return written.map((text) => text.split(',')[0]!);
}

describe('a feed whose UIDs change with every download', () => {
  it('sends the reminder once and no cancellation', async () => {
    await using feed = await startFeed(dinner);
    await using assistant = await open(feed);
    const [before] = await rows(assistant, 'events');
    expect(await work(assistant, at('15:00'))).toEqual(['Dinner']);
    expect(feed.downloads).toBeGreaterThan(20);
    expect(await rows(assistant, 'events')).toMatchObject([{ id: before!['id'] }]);
    expect(await rows(assistant, 'notifications')).toHaveLength(1);
  });

  it('keeps what the user set and acknowledged', async () => {
    await using feed = await startFeed(dinner);
    await using assistant = await open(feed);
    const [event] = await rows(assistant, 'events');
    await assistant.call('update_event', { event_id: event!['id']!, reminders: ['2h', '30m'] });
    expect(await work(assistant, at('12:00'))).toEqual(['Dinner']);
    const [sent] = (await rows(assistant, 'notifications')).filter(({ status }) => status !== 'planned');
    await assistant.call('acknowledge_notification', { notification_id: sent!['id']! });
    expect(await work(assistant, at('15:00'))).toEqual([]);
    expect(await rows(assistant, 'events')).toMatchObject([{ reminders: ['2h', '30m'] }]);
  });

  it('does not mix up events with the same title and time, and reports a deleted event', async () => {
    await using feed = await startFeed(
      dinner,
      [...dinner, 'LOCATION:Kitchen'],
      ['SUMMARY:Tea', ...dinner.slice(1)],
    );
    await using assistant = await open(feed);
    const ids = (await rows(assistant, 'events')).map(({ id }) => id);
    // One message carries the reminders of the dinner without a place and of the tea.
    expect(await work(assistant, at('13:30'))).toHaveLength(2);
    expect((await rows(assistant, 'events')).map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    feed.events = feed.events.slice(0, 2);
    expect(await work(assistant, at('15:00'))).toEqual(['Cancelled: Tea']);
  });

  it('reports how many events are unchanged', async () => {
    await using feed = await startFeed(dinner, ['SUMMARY:Tea', 'DTSTART:20261120T140000Z']);
    await using assistant = await open(feed);
    const [calendar] = (await assistant.call('list_calendars', { user_id: 'ada' }))[
      'calendars'
    ] as JsonObject[];
    feed.events = [dinner, ['SUMMARY:Supper', 'DTSTART:20261120T140000Z']];
    expect(await assistant.call('sync_calendar', { calendar_id: calendar!['id']! })).toMatchObject({
      calendars: [{ added: 1, removed: 1, unchanged: 1 }],
    });
  });
});

describe('an event that is in two calendars of a person', () => {
  const sameUid = () => 'dinner@example.com';

  it('has one reminder, also when each calendar is synced and planned again', async () => {
    await using one = await startFeed(dinner);
    await using two = await startFeed([...dinner, 'DESCRIPTION:Shared']);
    one.uid = two.uid = sameUid;
    await using assistant = await open(one, two);
    const planned = (await rows(assistant, 'notifications')).map(({ event_id }) => event_id);
    expect(planned).toHaveLength(1);
    for (const { id } of await rows(assistant, 'events'))
      await assistant.call('plan_notifications', { user_id: 'ada', event_id: id!, force_replan: true });
    expect((await rows(assistant, 'notifications')).map(({ event_id }) => event_id)).toEqual(planned);
    expect(await work(assistant, at('15:00'))).toEqual(['Dinner']);
  });

  it('uses the reminders that the user set in either calendar', async () => {
    await using one = await startFeed(dinner);
    await using two = await startFeed(dinner);
    one.uid = two.uid = sameUid;
    await using assistant = await open(one, two);
    const [first, second] = (await rows(assistant, 'events')).map(({ id }) => id!);
    for (const [event_id, lead, time] of [
      [second!, '2h', '12:00'],
      [first!, '3h', '11:00'],
    ]) {
      await assistant.call('update_event', { event_id: event_id!, reminders: [lead!] });
      await assistant.call('plan_notifications', { user_id: 'ada' });
      const open = (await rows(assistant, 'notifications')).filter(({ status }) => status === 'planned');
      expect(open).toMatchObject([{ event_id, plan_time: `2026-11-16T${time}:00Z` }]);
      await assistant.call('update_event', { event_id: event_id!, unset: ['reminders'] });
    }
  });

  it('is not cancelled while the other calendar has it', async () => {
    await using one = await startFeed(dinner);
    await using two = await startFeed(dinner);
    one.uid = two.uid = sameUid;
    await using assistant = await open(one, two);
    expect(await work(assistant, at('13:00'))).toEqual(['Dinner']);
    one.events = [];
    expect(await work(assistant, at('13:30'))).toEqual([]);
    two.events = [];
    expect(await work(assistant, at('15:00'))).toEqual(['Cancelled: Dinner']);
  });

  it('has its reminder after the calendar that planned it has removed it', async () => {
    await using one = await startFeed(dinner);
    await using two = await startFeed(dinner);
    one.uid = two.uid = sameUid;
    await using assistant = await open(one, two);
    one.events = [];
    expect(await work(assistant, at('15:00'))).toEqual(['Dinner']);
  });

  it('moves with one notice if one calendar is synced before the other', async () => {
    await using one = await startFeed(dinner);
    await using two = await startFeed(dinner);
    one.uid = two.uid = sameUid;
    await using assistant = await open(one, two);
    const later = ['SUMMARY:Dinner', 'DTSTART:20261116T143000Z', 'DTEND:20261116T153000Z'];
    one.events = [later];
    expect(await work(assistant, at('08:30'))).toEqual(['Moved: Dinner']);
    two.events = [later];
    expect(await work(assistant, at('15:00'))).toEqual(['Dinner']);
  });

  it('is another event if it has another time and title', async () => {
    await using one = await startFeed(dinner);
    await using two = await startFeed(['SUMMARY:Yoga', 'DTSTART:20261116T160000Z']);
    one.uid = two.uid = () => '1';
    await using assistant = await open(one, two);
    expect(await work(assistant, at('17:00'))).toEqual(['Dinner', 'Yoga']);
  });
});
