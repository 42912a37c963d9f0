import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import ICAL from 'ical.js';
import { expect, it, onTestFinished } from 'vitest';
import { openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';
import { createStore } from '../../store/store.ts';
import { expandEvent } from './expand-event.ts';
import { feedPath, serveFeed } from './feed.ts';

const ada = { id: 'ada', name: 'Ada', email: 'ada@example.com', timezone: 'Europe/Berlin' };

async function open(): Promise<TestAssistant> {
  const assistant = openAssistant();
  await assistant.call('create_user', ada);
  await assistant.call('create_user', { id: 'bo', name: 'Bo', timezone: 'Europe/Berlin' });
  const own = { user_id: 'ada' };
  await assistant.call('create_event', {
    ...own,
    id: 'lunch',
    title: 'Lunch; with "Eve", Bo',
    start_ts: '2026-11-17T12:00',
    location: 'Café, 1',
  });
  await assistant.call('create_event', {
    ...own,
    id: 'gym',
    title: 'Gym',
    start_ts: '2026-10-20T18:00',
    rrule: 'FREQ=WEEKLY;COUNT=6',
  });
  await assistant.call('delete_event', { event_id: 'gym', occurrence: '2026-11-03' });
  await assistant.call('update_event', {
    event_id: 'gym',
    occurrence: '2026-11-10',
    start_ts: '2026-11-11T19:00',
  });
  await assistant.call('create_event', {
    ...own,
    id: 'trip',
    title: 'Trip',
    start_ts: '2026-11-20',
    end_ts: '2026-11-23',
  });
  await assistant.call('create_event', {
    ...own,
    id: 'tax',
    title: 'Tax',
    start_ts: '2026-11-30T12:00',
    task: 'open',
  });
  await assistant.call('create_event', {
    user_id: 'bo',
    id: 'secret',
    title: 'Secret',
    start_ts: '2026-11-18T12:00',
  });
  return assistant;
}

/** What a person sees in the two months around now. */
async function seen(assistant: TestAssistant, user_id: string) {
  const { events } = await assistant.call('list_events', { user_id, from: '2026-10-01', to: '2026-12-31' });
  return (events as Record<string, unknown>[]).map((event) =>
    ['title', 'start_ts', 'end_ts', 'all_day', 'location', 'task'].map((name) => event[name]),
  );
}

it('exports events that are the same when they are imported again, across a clock change', async () => {
  await using assistant = await open();
  const { calendar, events } = await assistant.call('export_calendar', { user_id: 'ada' });
  expect(events).toBe(4);
  expect(calendar).not.toContain('Secret');
  await assistant.call('create_user', { id: 'copy', name: 'Copy', timezone: 'Europe/Berlin' });
  const imported = await assistant.call('import_calendar', { user_id: 'copy', content: String(calendar) });
  expect(imported).toMatchObject({ calendars: [{ problems: [] }] });
  expect(await seen(assistant, 'copy')).toEqual(await seen(assistant, 'ada'));
});

it('defines the time zones that it names, so that other programs compute the same times', async () => {
  await using assistant = await open();
  const { calendar } = await assistant.call('export_calendar', { user_id: 'ada' });
  const root = new ICAL.Component(
    ICAL.parse(String(calendar)) as unknown[] as [string, unknown[], unknown[]],
  );
  const zones = new Map(
    root.getAllSubcomponents('vtimezone').map((component) => {
      const zone = new ICAL.Timezone(component);
      return [zone.tzid, zone];
    }),
  );
  expect([...zones.keys()]).toEqual(['Europe/Berlin']);
  const gym = root
    .getAllSubcomponents('vevent')
    .find((component) => component.getFirstPropertyValue('uid') === 'gym');
  const start = gym!.getFirstPropertyValue('dtstart') as ICAL.Time;
  const named = gym!.getFirstProperty('dtstart')!.getParameter('tzid') as string;
  const expanded = gym!.getFirstPropertyValue('rrule') as ICAL.Recur;
  const dates = expanded.iterator(start);
  const times = Array.from({ length: 2 }, () => {
    const date = dates.next();
    date.zone = zones.get(named)!;
    return date.convertToZone(ICAL.Timezone.utcTimezone).toString();
  });
  expect(times).toEqual(['2026-10-20T16:00:00Z', '2026-10-27T17:00:00Z']);
});

it('exports whether an event is free, tentative or away', async () => {
  await using assistant = await open();
  for (const show_as of ['free', 'tentative', 'away', 'busy'])
    await assistant.call('create_event', {
      user_id: 'bo',
      title: show_as,
      start_ts: '2026-11-19T09:00',
      show_as,
    });
  await assistant.call('create_event', { user_id: 'bo', title: 'whole day', start_ts: '2026-11-19' });
  const { calendar } = await assistant.call('export_calendar', { user_id: 'bo' });
  const root = new ICAL.Component(
    ICAL.parse(String(calendar)) as unknown[] as [string, unknown[], unknown[]],
  );
  const shown = root
    .getAllSubcomponents('vevent')
    .map((one) =>
      ['summary', 'transp', 'x-microsoft-cdo-busystatus'].map((name) => one.getFirstPropertyValue(name)),
    );
  expect(shown).toEqual(
    expect.arrayContaining([
      ['free', 'TRANSPARENT', 'FREE'],
      ['tentative', 'OPAQUE', 'TENTATIVE'],
      ['away', 'OPAQUE', 'OOF'],
      ['busy', 'OPAQUE', 'BUSY'],
      ['whole day', 'TRANSPARENT', 'FREE'],
      ['Secret', 'OPAQUE', null],
    ]),
  );
  await assistant.call('create_user', { id: 'copy', name: 'Copy', timezone: 'Europe/Berlin' });
  await assistant.call('import_calendar', { user_id: 'copy', content: String(calendar) });
  const { events } = await assistant.call('list_events', { user_id: 'copy' });
  const away = (events as { id: string; title: string }[]).find(({ title }) => title === 'away');
  expect(await assistant.call('get_event', { event_id: away!.id })).toMatchObject({ show_as: 'away' });
});

it('exports only the dates of a range, and no end of what has no length', async () => {
  await using assistant = await open();
  await assistant.call('create_user', { id: 'mo', name: 'Mo', timezone: 'Europe/Berlin' });
  const create = (title: string, start_ts: string, more: Record<string, string> = {}) =>
    assistant.call('create_event', { user_id: 'mo', title, start_ts, ...more });
  await create('Standup', '2026-11-16T09:00', { rrule: 'FREQ=DAILY', end_ts: '2026-11-16T09:15' });
  await create('Holiday', '2026-11-28', { end_ts: '2026-12-03' });
  await create('Birthday', '2025-12-02', { rrule: 'FREQ=YEARLY' });
  await create('Later', '2026-12-04T09:00');
  await assistant.call('remind', { who: 'mo', text: 'Vitamin D', when: 'every day at 08:00' });
  await assistant.call('remind', { who: 'mo', text: 'Once', when: '2026-12-02T10:00' });
  const range = { user_id: 'mo', from: '2026-12-01', to: '2026-12-03' };
  const { calendar, events } = await assistant.call('export_calendar', range);
  expect(events).toBe(5);
  const text = String(calendar);
  expect(text.match(/SUMMARY:[^\r]*/g)).toEqual(
    expect.arrayContaining(['SUMMARY:Holiday', 'SUMMARY:Birthday', 'SUMMARY:Once']),
  );
  expect([text.match(/SUMMARY:Standup/g)?.length, text.match(/SUMMARY:Vitamin/g)?.length]).toEqual([3, 3]);
  expect(text).not.toMatch(/Later|RRULE/);
  expect(text).toContain('DTSTART;VALUE=DATE:20261128\r\nDTEND;VALUE=DATE:20261203');
  expect(text).toContain('DTSTART;VALUE=DATE:20261202\r\nDTEND;VALUE=DATE:20261203');
  expect(text).toContain('DTSTART:20261202T090000Z\r\nSUMMARY:Once');
  // The reminders of the whole calendar have no length either.
  const whole = String((await assistant.call('export_calendar', { user_id: 'mo' }))['calendar']);
  expect(whole.match(/DTEND|DURATION/g)).toHaveLength(4);
  await assistant.call('create_user', { id: 'copy', name: 'Copy', timezone: 'Europe/Berlin' });
  await assistant.call('import_calendar', { user_id: 'copy', content: text });
  const listed = async (user_id: string) =>
    ((await assistant.call('list_events', { ...range, user_id }))['events'] as Record<string, unknown>[]).map(
      ({ title, start_ts, end_ts, all_day }) => ({ title, start_ts, end_ts, all_day }),
    );
  expect(await listed('copy')).toEqual(await listed('mo'));
});

it('serves a feed to whoever has its address, until it is revoked', async () => {
  await using assistant = await open();
  const store = createStore(assistant.file);
  const data = { store, clock: () => assistant.now, occurrences: expandEvent };
  const server = createServer((request, response) => {
    if (feedPath.test(request.url!)) void serveFeed(data, request.url!, request, response);
    else response.writeHead(400).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await store.close();
  });
  const address = (path: unknown) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const { url } = await assistant.call('share_calendar', { user_id: 'ada' });
  const first = await fetch(address(url));
  expect([first.status, first.headers.get('content-type')]).toEqual([200, 'text/calendar; charset=utf-8']);
  const text = await first.text();
  expect(text).toContain('SUMMARY:Gym');
  expect(text).not.toContain('Secret');
  const unchanged = await fetch(address(url), { headers: { 'if-none-match': first.headers.get('etag')! } });
  expect(unchanged.status).toBe(304);
  expect((await fetch(address(url), { method: 'PUT', body: 'x' })).status).toBe(405);
  expect((await fetch(address(`/feeds/${'A'.repeat(43)}.ics`))).status).toBe(404);
  // The database holds no address.
  const links = await store.read((db) => db.selectFrom('answer_links').selectAll().execute());
  expect(JSON.stringify(links)).not.toContain(feedPath.exec(String(url))![1]);
  expect(await assistant.call('share_calendar', { user_id: 'ada', revoke: true })).toEqual({ revoked: 1 });
  expect((await fetch(address(url))).status).toBe(404);
});

it('refuses the calendar of somebody else as if there was none', async () => {
  await using assistant = await open();
  const content =
    'BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:Own\nDTSTART:20261118T120000Z\nEND:VEVENT\nEND:VCALENDAR\n';
  const { calendars } = await assistant.call('import_calendar', { user_id: 'bo', content });
  const { id } = (calendars as { id: string }[])[0]!;
  for (const tool of ['export_calendar', 'share_calendar'])
    await expect(assistant.call(tool, { user_id: 'ada', calendar_id: id })).rejects.toThrow(
      'Calendar not found',
    );
});
