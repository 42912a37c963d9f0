import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Postgres, startPostgres } from '../../../test/postgres.ts';
import { newId } from '../../store/id.ts';
import { createStore } from '../../store/store.ts';
import { createUser } from '../editing/users.ts';
import type { AssistantData } from '../entities/entity-access.ts';
import { addCalendar, importText, listCalendars, removeCalendar } from './calendars.ts';
import { expandEvent } from './expand-event.ts';
import { type Calendars, countChanges, type SyncResult, syncCalendar } from './sync.ts';
import { watchCalendars } from './watch.ts';

const calendarText = (...events: readonly (readonly string[])[]) =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    ...events.flatMap(([uid, ...lines]) => ['BEGIN:VEVENT', `UID:${uid}`, ...lines, 'END:VEVENT']),
    'END:VCALENDAR',
    '',
  ].join('\r\n');
const once = (uid: string, day = 10, title = uid) => [
  uid,
  `DTSTART:202606${day}T080000Z`,
  'DURATION:PT1H',
  `SUMMARY:${title}`,
];

let folder: string;
let calendars: Calendars;
let now: number;
const servers: Server[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-calendars-'));
  now = Date.parse('2026-06-01T00:00:00Z');
  calendars = calendarsAt(join(folder, 'assistant.db'));
  await createUser(calendars.data, {
    id: 'ann',
    name: 'Ann',
    email: 'ann@example.com',
    timezone: 'Europe/Berlin',
  });
});
afterEach(async () => {
  await calendars.data.store.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(folder, { recursive: true, force: true });
});

function calendarsAt(url: string): Calendars {
  const data: AssistantData = { store: createStore(url), clock: () => now, occurrences: expandEvent };
  return {
    data,
    options: {
      privateHosts: ['127.0.0.1'],
      passwordsFile: join(folder, 'passwords'),
      maxBytes: 1_000_000,
      intervalMs: 900_000,
    },
  };
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const events = () =>
  calendars.data.store.read((db) =>
    db.selectFrom('events').selectAll().orderBy('provider_event_id').execute(),
  );
const titles = async () => (await events()).map(({ title }) => title);
const source = (place: string) => ({ userId: 'ann', source: place });
const counts = ({ changes, unchanged }: SyncResult) => ({ ...countChanges(changes), unchanged });
const nothing = { added: 0, moved: 0, changed: 0, cancelled: 0, removed: 0, unchanged: 0 };

/** Adds a planned notification for an event and returns its id. */
async function addNotification(eventId: string): Promise<string> {
  const [event] = (await events()).filter(({ id }) => id === eventId);
  const id = newId(now);
  await calendars.data.store.write(({ db }) =>
    db
      .insertInto('notifications')
      .values({
        id,
        key: id,
        user_id: 'ann',
        event_id: eventId,
        event_start_ms: event!.start_ms,
        occurrence: '',
        revision: event!.revision,
        slot: -60,
        channel: 'email',
        urgency: 'normal',
        plan_ms: event!.start_ms - 3_600_000,
        next_ms: event!.start_ms - 3_600_000,
        status: 'planned',
        payload: JSON.stringify({ subject: 'x', text: 'x' }),
        created_ms: now,
        updated_ms: now,
      })
      .execute(),
  );
  return id;
}

const notifications = () =>
  calendars.data.store.read((db) =>
    db.selectFrom('notifications').select(['status', 'plan_ms']).orderBy('plan_ms').execute(),
  );

describe('adding an invalid source', () => {
  it.each([
    [
      'a relative path',
      'calendar.ics',
      'invalid-params',
      '"calendar.ics" is neither a URL nor an absolute path.',
    ],
    ['a missing file', '/nowhere/x.ics', 'unavailable', '/nowhere/x.ics does not exist.'],
    ['a device', '/dev/zero', 'invalid-params', '/dev/zero is neither a file nor a folder.'],
    [
      'a URL with a password',
      'https://me:secret@example.com/x.ics',
      'invalid-params',
      expect.stringContaining('calendars.passwords_file'),
    ],
    [
      'a private address',
      'http://10.0.0.1/x.ics',
      'refused',
      expect.stringContaining('calendars.private_hosts'),
    ],
  ])('rejects %s', async (_, place, kind, message) => {
    await expect(addCalendar(calendars, source(place), true)).rejects.toMatchObject({ kind, message });
    expect(await listCalendars(calendars)).toEqual([]);
  });

  it('rejects a user who does not exist', async () => {
    const place = { userId: 'nobody', source: file('a.ics', calendarText(once('a'))) };
    await expect(addCalendar(calendars, place, true)).rejects.toMatchObject({ kind: 'resource-not-found' });
    await expect(listCalendars(calendars, 'nobody')).rejects.toMatchObject({ kind: 'resource-not-found' });
  });

  it('does not keep a source that is not a calendar', async () => {
    const place = file('page.ics', '<html>');
    await expect(addCalendar(calendars, source(place), true)).rejects.toMatchObject({
      message: 'This is not a calendar: BEGIN:VCALENDAR is missing.',
    });
    expect(await listCalendars(calendars)).toEqual([]);
  });

  it('rejects a calendar that is too large and names the setting for the limit', async () => {
    const place = file('large.ics', 'x'.repeat(1_000_001));
    await expect(addCalendar(calendars, source(place), true)).rejects.toMatchObject({
      kind: 'refused',
      message: `${place} is larger than 1 MB; raise calendars.max_bytes to import it.`,
    });
  });
});

describe('a file', () => {
  it('is imported, and importing it again changes nothing', async () => {
    const place = file('a.ics', calendarText(once('a'), once('b', 11)));
    const [first] = await addCalendar(calendars, source(place), false);
    expect(counts(first!)).toEqual({ ...nothing, added: 2 });
    const before = await events();
    const [second] = await addCalendar(calendars, source(place), false);
    expect(counts(second!)).toEqual({ ...nothing, unchanged: 2 });
    expect(await events()).toEqual(before);
    expect(await listCalendars(calendars)).toMatchObject([
      { calendar: { kind: 'file', name: 'a.ics', enabled: 0 }, events: 2 },
    ]);
  });

  it('changes, moves, cancels and removes events, and replans their notifications', async () => {
    const place = file('a.ics', calendarText(once('a'), once('b'), once('c'), once('d')));
    const [{ calendar }] = (await addCalendar(calendars, source(place), true)) as [SyncResult];
    for (const event of await events()) await addNotification(event.id);
    const start = Date.parse('2026-06-10T08:00:00Z');
    writeFileSync(
      place,
      calendarText(once('a', 10, 'renamed'), once('b', 12), [...once('c'), 'STATUS:CANCELLED']),
    );
    const result = await syncCalendar(calendars, calendar);
    expect(counts(result)).toEqual({
      added: 0,
      moved: 1,
      changed: 1,
      cancelled: 1,
      removed: 1,
      unchanged: 0,
    });
    expect((await events()).map(({ title, status }) => [title, status])).toEqual([
      ['renamed', 'confirmed'],
      ['b', 'confirmed'],
      ['c', 'cancelled'],
    ]);
    const stillPlanned = (await notifications())
      .filter(({ status }) => status === 'planned')
      .map(({ plan_ms }) => plan_ms);
    expect(stillPlanned).toEqual([start - 3_600_000, start + 2 * 86_400_000 - 3_600_000]);
  });

  it('keeps an event whose new version is invalid, and reports the problem', async () => {
    const place = file('a.ics', calendarText(once('a'), once('b')));
    const [{ calendar }] = (await addCalendar(calendars, source(place), true)) as [SyncResult];
    writeFileSync(place, calendarText(['a', 'DTSTART:soon'], once('b')));
    const { problems } = await syncCalendar(calendars, calendar);
    expect(problems).toMatchObject([{ severity: 'error', uid: 'a' }]);
    expect(await titles()).toEqual(['a', 'b']);
    const [listed] = await listCalendars(calendars);
    expect(JSON.parse(listed!.calendar.problems!)).toMatchObject({ count: 1, list: [{ uid: 'a' }] });
  });

  it('deletes no events if the file is cut off', async () => {
    const text = calendarText(once('a'), once('b'));
    const place = file('a.ics', text);
    const [{ calendar }] = (await addCalendar(calendars, source(place), true)) as [SyncResult];
    writeFileSync(place, text.slice(0, text.indexOf('UID:b')));
    await syncCalendar(calendars, calendar);
    expect(await titles()).toEqual(['a', 'b']);
  });

  it('keeps its events and records the error if the file is deleted', async () => {
    const place = file('a.ics', calendarText(once('a')));
    const [{ calendar }] = (await addCalendar(calendars, source(place), true)) as [SyncResult];
    rmSync(place);
    await expect(syncCalendar(calendars, calendar)).rejects.toMatchObject({ kind: 'unavailable' });
    const [listed] = await listCalendars(calendars);
    expect(listed).toMatchObject({ events: 1, calendar: { failures: 1, error: `${place} does not exist.` } });
  });

  it('can be added separately for two users', async () => {
    await createUser(calendars.data, { id: 'bob', name: 'Bob' });
    const place = file('a.ics', calendarText(once('a')));
    await addCalendar(calendars, source(place), true);
    await addCalendar(calendars, { userId: 'bob', source: place }, true);
    expect((await events()).map(({ user_id }) => user_id).sort()).toEqual(['ann', 'bob']);
    expect(await listCalendars(calendars, 'bob')).toHaveLength(1);
  });
});

describe('a stored event', () => {
  it('has the times, place and attendees from the calendar', async () => {
    const place = file(
      'a.ics',
      calendarText(
        ['day', 'DTSTART;VALUE=DATE:20260610', 'SUMMARY:Day'],
        [
          'series',
          'DTSTART;TZID=America/New_York:20260610T090000',
          'DURATION:PT30M',
          'RRULE:FREQ=WEEKLY;COUNT=2',
          'LOCATION:There',
        ],
        [
          'single',
          'DTSTART;TZID=America/New_York:20260610T090000',
          'DURATION:PT30M',
          'URL:https://meet.example/1',
          'ATTENDEE:mailto:x@example.com',
        ],
      ),
    );
    await addCalendar(calendars, source(place), false);
    const iso = (text: string) => Date.parse(text);
    expect(await events()).toMatchObject([
      { start_ms: iso('2026-06-09T22:00Z'), end_ms: iso('2026-06-10T22:00Z'), all_day: 1, timezone: null },
      {
        start_ms: iso('2026-06-10T13:00Z'),
        end_ms: iso('2026-06-10T13:30Z'),
        all_day: 0,
        timezone: 'America/New_York',
        location: 'There',
        first_ms: expect.any(Number),
        last_ms: iso('2026-06-18T13:30Z'),
      },
      {
        series: null,
        conf_link: 'https://meet.example/1',
        attendees: '["x@example.com"]',
        first_ms: iso('2026-06-10T13:00Z'),
      },
    ]);
    const window = { fromMs: iso('2026-06-01T00:00Z'), toMs: iso('2026-07-01T00:00Z') };
    const [day, series, single] = await events();
    const starts = async (event: typeof day) =>
      (await expandEvent(event!, window, 'Europe/Berlin')).map(({ key, startMs }) => [
        key,
        new Date(startMs).toISOString(),
      ]);
    expect(await starts(day)).toEqual([['', '2026-06-09T22:00:00.000Z']]);
    expect(await starts(single)).toEqual([['', '2026-06-10T13:00:00.000Z']]);
    expect(await starts(series)).toEqual([
      ['2026-06-10T13:00:00Z', '2026-06-10T13:00:00.000Z'],
      ['2026-06-17T13:00:00Z', '2026-06-17T13:00:00.000Z'],
    ]);
  });
});

describe('an imported text', () => {
  it('adds and changes events but deletes none', async () => {
    const text = (...all: readonly (readonly string[])[]) => ({
      userId: 'ann',
      name: 'mail',
      text: calendarText(...all),
    });
    await importText(calendars, text(once('a'), once('b')));
    const { changes, calendar } = await importText(calendars, text(once('b', 12)));
    expect(countChanges(changes)).toMatchObject({ moved: 1, removed: 0 });
    expect(await titles()).toEqual(['a', 'b']);
    await expect(syncCalendar(calendars, calendar)).rejects.toMatchObject({ kind: 'refused' });
  });
});

describe('an imported invitation to one occurrence of a series', () => {
  const daily = [
    's',
    'SUMMARY:Daily',
    'DTSTART:20260610T080000Z',
    'DURATION:PT1H',
    'RRULE:FREQ=DAILY;COUNT=4',
  ];
  const instance = (day: number, hour: number, ...more: readonly string[]) => [
    's',
    `RECURRENCE-ID:202606${day}T080000Z`,
    `DTSTART:202606${day}T${String(hour).padStart(2, '0')}0000Z`,
    'DURATION:PT1H',
    'SUMMARY:This one',
    ...more,
  ];
  const importInvitation = (text: string) => importText(calendars, { userId: 'ann', name: 'mail', text });
  const times = async () => {
    const [event] = await events();
    const window = { fromMs: Date.UTC(2026, 5, 1), toMs: Date.UTC(2026, 6, 1) };
    const found = await expandEvent(event!, window, 'UTC');
    return [event!.status, ...found.map(({ startMs }) => new Date(startMs).toISOString().slice(8, 13))];
  };

  it('does not change the other occurrences', async () => {
    await importInvitation(calendarText(daily));
    const { changes } = await importInvitation(calendarText(instance(11, 15)));
    expect(countChanges(changes)).toMatchObject({ moved: 1 });
    expect(await titles()).toEqual(['Daily']);
    expect(await times()).toEqual(['confirmed', '10T08', '11T15', '12T08', '13T08']);
    const cancel = calendarText(instance(12, 8)).replace('VERSION:2.0', 'VERSION:2.0\r\nMETHOD:CANCEL');
    await importInvitation(cancel);
    expect(await times()).toEqual(['confirmed', '10T08', '11T15', '13T08']);
    expect(countChanges((await importInvitation(cancel)).changes)).toMatchObject({
      moved: 0,
      changed: 0,
      cancelled: 0,
    });
    await importInvitation(calendarText(instance(11, 16)));
    expect(await times()).toEqual(['confirmed', '10T08', '11T16', '13T08']);
  });

  it('is skipped if a newer version was already imported', async () => {
    const version = (sequence: number, day: number) => [...once('a', day), `SEQUENCE:${sequence}`];
    await importInvitation(calendarText(version(2, 12), once('b')));
    const { problems } = await importInvitation(calendarText(version(1, 10), once('b', 11)));
    expect(problems).toMatchObject([
      { severity: 'warning', uid: 'a', message: expect.stringContaining('newer') },
    ]);
    const days = (await events()).map(({ start_ms }) => new Date(start_ms).getUTCDate());
    expect(days).toEqual([12, 11]);
    await importInvitation(calendarText(version(2, 13)));
    await importInvitation(calendarText(version(3, 14)));
    expect(new Date((await events())[0]!.start_ms).getUTCDate()).toBe(14);
  });

  it('creates an event if the series itself is unknown', async () => {
    await importInvitation(calendarText(instance(12, 8, 'STATUS:CANCELLED')));
    await importInvitation(calendarText(instance(11, 15)));
    await importInvitation(calendarText(instance(13, 16)));
    expect(await times()).toEqual(['confirmed', '11T15', '13T16']);
    await importInvitation(calendarText(daily));
    expect((await times())[1]).toBe('10T08');
  });
});

describe('a folder', () => {
  it('contains all calendars in it, and follows added and deleted files', async () => {
    const place = join(folder, 'calendars');
    mkdirSync(join(place, 'work'), { recursive: true });
    writeFileSync(join(place, 'a.ics'), calendarText(once('a')));
    writeFileSync(join(place, 'work', 'b.ICS'), calendarText(once('b')));
    writeFileSync(join(place, 'notes.txt'), 'not a calendar');
    writeFileSync(join(place, 'bad.ics'), 'not a calendar');
    const [{ calendar, problems }] = (await addCalendar(calendars, source(place), true)) as [SyncResult];
    expect(calendar).toMatchObject({ kind: 'folder', name: 'calendars' });
    expect(problems).toMatchObject([{ document: 'bad.ics' }]);
    expect(await titles()).toEqual(['a', 'b']);
    rmSync(join(place, 'bad.ics'));
    rmSync(join(place, 'a.ics'));
    writeFileSync(join(place, 'c.ics'), calendarText(once('c')));
    expect(counts(await syncCalendar(calendars, calendar))).toEqual({
      ...nothing,
      added: 1,
      removed: 1,
      unchanged: 1,
    });
    expect(await titles()).toEqual(['b', 'c']);
  });
});

describe('a URL', () => {
  it('is downloaded only if its entity tag changed', async () => {
    const seen: (string | undefined)[] = [];
    let [text, tag] = [calendarText(once('a')), '"one"'];
    const address = await serve((request, response) => {
      seen.push(request.headers['if-none-match']);
      if (request.headers['if-none-match'] === tag) response.writeHead(304).end();
      else response.writeHead(200, { etag: tag, 'content-type': 'text/calendar' }).end(text);
    });
    const [{ calendar }] = (await addCalendar(calendars, source(`${address}/a.ics`), true)) as [SyncResult];
    const same = await syncCalendar(calendars, calendar);
    expect(same.changes).toEqual([]);
    [text, tag] = [calendarText(once('a'), once('b')), '"two"'];
    expect(counts(await syncCalendar(calendars, same.calendar))).toEqual({
      ...nothing,
      added: 1,
      unchanged: 1,
    });
    expect(seen).toEqual([undefined, '"one"', '"one"']);
  });

  it('is downloaded by date if the server sends no entity tags', async () => {
    const date = 'Mon, 01 Jun 2026 00:00:00 GMT';
    const address = await serve((request, response) => {
      if (request.headers['if-modified-since'] === date) response.writeHead(304).end();
      else response.writeHead(200, { 'last-modified': date }).end(calendarText(once('a')));
    });
    const [{ calendar }] = (await addCalendar(calendars, source(address), true)) as [SyncResult];
    const result = await syncCalendar(calendars, calendar);
    expect([result.changes, result.unchanged]).toEqual([[], 0]);
  });

  it('is retried with exponential backoff, or after the time that the server requests', async () => {
    let status = 200;
    const address = await serve((_, response) => {
      if (status === 429) response.setHeader('retry-after', '7200');
      response.writeHead(status).end(calendarText(once('a')));
    });
    let [{ calendar }] = (await addCalendar(calendars, source(address), true)) as [SyncResult];
    const waits: number[] = [];
    const fail = async (code: number) => {
      status = code;
      await syncCalendar(calendars, calendar).catch(() => {});
      calendar = (await listCalendars(calendars))[0]!.calendar;
      waits.push((calendar.next_sync_ms! - now) / 60_000);
    };
    for (const code of [500, 503, 404, 429]) await fail(code);
    expect(waits).toEqual([15, 30, 60, 120]);
    expect(calendar).toMatchObject({
      failures: 4,
      error: expect.stringContaining('limits the number of requests'),
    });
    for (let more = 0; more < 8; more++) await fail(500);
    expect(waits.at(-1)).toBe(1440);
    status = 200;
    const { calendar: recovered } = await syncCalendar(calendars, calendar);
    expect(recovered).toMatchObject({ failures: 0, error: null, next_sync_ms: now + 900_000 });
    expect(await titles()).toEqual(['a']);
  });

  it('can require a user name and password, and the password is not stored', async () => {
    const address = await serve((request, response) => {
      const good = request.headers.authorization === `Basic ${Buffer.from('ann:s3cret').toString('base64')}`;
      response.writeHead(good ? 200 : 401).end(calendarText(once('a')));
    });
    await expect(addCalendar(calendars, source(address), true)).rejects.toMatchObject({
      message: expect.stringContaining('requires a user name and password'),
    });
    file(
      'passwords',
      'machine example.com login ann password wrong\nmachine 127.0.0.1 login ann password s3cret\n',
    );
    const [{ calendar }] = (await addCalendar(calendars, { ...source(address), username: 'ann' }, true)) as [
      SyncResult,
    ];
    expect(JSON.stringify(calendar)).not.toContain('s3cret');
    expect(await titles()).toEqual(['a']);
  });

  it('deletes no events if the download is interrupted', async () => {
    let broken = false;
    const text = calendarText(once('a'), once('b'));
    const address = await serve((_, response) => {
      response.writeHead(200, { 'content-length': text.length });
      if (!broken) return void response.end(text);
      response.write(text.slice(0, 60), () => response.destroy());
    });
    const [{ calendar }] = (await addCalendar(calendars, source(address), true)) as [SyncResult];
    broken = true;
    await expect(syncCalendar(calendars, calendar)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await titles()).toEqual(['a', 'b']);
  });
});

describe('removing a calendar', () => {
  it('deletes its events and cancels their notifications', async () => {
    const place = file(
      'a.ics',
      calendarText(...Array.from({ length: 450 }, (_, index) => once(`e${index}`))),
    );
    const [{ calendar }] = (await addCalendar(calendars, source(place), true)) as [SyncResult];
    await addNotification((await events())[0]!.id);
    expect(await removeCalendar(calendars, calendar.id)).toBe(450);
    expect(await events()).toEqual([]);
    expect(await notifications()).toMatchObject([{ status: 'cancelled' }]);
    await expect(removeCalendar(calendars, calendar.id)).rejects.toMatchObject({
      kind: 'resource-not-found',
    });
  });
});

describe('the calendar watcher', () => {
  const until = async (condition: () => Promise<boolean>) => {
    const deadline = Date.now() + 20_000;
    while (!(await condition())) {
      if (Date.now() > deadline) throw new Error('the condition was not met in time');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  it('syncs files and folders when they change', async () => {
    const place = file('a.ics', calendarText(once('a')));
    const many = join(folder, 'many');
    mkdirSync(many);
    const watch = watchCalendars(calendars);
    try {
      await addCalendar(calendars, source(place), true);
      await addCalendar(calendars, source(many), true);
      await watch.check();
      writeFileSync(join(many, 'b.ics'), calendarText(once('b')));
      renameSync(file('new.tmp', calendarText(once('a'), once('c'))), place);
      await until(async () => (await titles()).join() === 'a,b,c');
    } finally {
      await watch.close();
    }
  });

  it('syncs a due URL in only one of several processes', async () => {
    let requests = 0;
    const address = await serve((_, response) => {
      requests += 1;
      response.end(calendarText(once('a'), once(`e${requests}`)));
    });
    await addCalendar(calendars, source(address), true);
    const others = [calendarsAt(join(folder, 'assistant.db')), calendarsAt(join(folder, 'assistant.db'))];
    const watches = [calendars, ...others].map(watchCalendars);
    try {
      await Promise.all(watches.map((watch) => watch.check()));
      expect(requests).toBe(1);
      now += 900_000;
      await Promise.all(watches.map((watch) => watch.check()));
      expect(requests).toBe(2);
      expect(await titles()).toEqual(['a', 'e2']);
    } finally {
      await Promise.all(watches.map((watch) => watch.close()));
      for (const { data } of others) await data.store.close();
    }
  });

  it('syncs other calendars while a slow one is in progress', async () => {
    let hanging = false;
    const open: ServerResponse[] = [];
    const slow = await serve((_, response) => {
      if (hanging) open.push(response);
      else response.end(calendarText(once('a')));
    });
    const good = file('good.ics', calendarText(once('b')));
    await addCalendar(calendars, source(slow), true);
    await addCalendar(calendars, source(good), true);
    hanging = true;
    now += 900_000;
    const watch = watchCalendars(calendars);
    try {
      await until(async () => open.length > 0);
      // A file that changes during the slow sync is synced as well.
      writeFileSync(good, calendarText(once('b'), once('c')));
      await until(async () => (await titles()).join() === 'a,b,c');
      const all = watch.check();
      hanging = false;
      for (const response of open) response.end(calendarText(once('a'), once('d')));
      await all;
      expect(await titles()).toEqual(['a', 'b', 'c', 'd']);
    } finally {
      await watch.close();
    }
  });

  it('continues after a calendar that fails', async () => {
    const good = file('good.ics', calendarText(once('a')));
    const bad = file('bad.ics', calendarText(once('b')));
    await addCalendar(calendars, source(bad), true);
    await addCalendar(calendars, source(good), true);
    writeFileSync(good, calendarText(once('a'), once('c')));
    rmSync(bad);
    now += 900_000;
    const watch = watchCalendars(calendars);
    await watch.check();
    await watch.close();
    expect(await titles()).toEqual(['a', 'b', 'c']);
  });
});

describe('calendars on PostgreSQL', () => {
  it('imports events with very long UIDs and UIDs with control characters', async () => {
    const postgres: Postgres = await startPostgres();
    const other = calendarsAt(await postgres.createDatabase('names'));
    try {
      await createUser(other.data, { id: 'ann', name: 'Ann' });
      const long = Array.from({ length: 400 }, (_, index) => `${index * 7919}-long-`).join('');
      const text = calendarText(once('a'), once('b\u0000c'), once(long), once(`${long}2`));
      const place = file('names.ics', text);
      const [{ calendar, changes }] = (await addCalendar(other, source(place), true)) as [SyncResult];
      expect(countChanges(changes)).toMatchObject({ added: 4 });
      expect(counts(await syncCalendar(other, calendar, { force: true }))).toEqual({
        ...nothing,
        unchanged: 4,
      });
    } finally {
      await other.data.store.close();
      await postgres.close();
    }
  });

  it('can be imported, changed and removed', async () => {
    const postgres: Postgres = await startPostgres();
    const other = calendarsAt(await postgres.createDatabase('calendars'));
    try {
      await createUser(other.data, { id: 'ann', name: 'Ann' });
      const place = file(
        'a.ics',
        calendarText(once('a'), ['s', 'DTSTART:20260610T080000Z', 'RRULE:FREQ=DAILY']),
      );
      const [{ calendar }] = (await addCalendar(other, source(place), true)) as [SyncResult];
      writeFileSync(place, calendarText(once('a', 11)));
      expect(counts(await syncCalendar(other, calendar))).toEqual({ ...nothing, moved: 1, removed: 1 });
      writeFileSync(place, calendarText(once('new-uid', 11, 'a')));
      expect(counts(await syncCalendar(other, calendar, { force: true }))).toEqual({
        ...nothing,
        unchanged: 1,
      });
      expect(await listCalendars(other)).toMatchObject([{ events: 1 }]);
      expect(await removeCalendar(other, calendar.id)).toBe(1);
    } finally {
      await other.data.store.close();
      await postgres.close();
    }
  });
});
