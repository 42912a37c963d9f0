import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Postgres, startPostgres } from '../../../test/postgres.ts';
import { createUser } from '../editing/users.ts';
import type { AssistantData } from '../entities/entity-access.ts';
import { newId } from '../store/id.ts';
import { createStore } from '../store/store.ts';
import { addCalendar, importText, listCalendars, removeCalendar } from './calendars.ts';
import { expandEvent } from './expand-event.ts';
import { type Calendars, countsOf, type SyncResult, syncCalendar } from './sync.ts';
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
  calendars = calendarsAt(join(folder, 'diary.db'));
  await createUser(calendars.diary, {
    id: 'ann',
    name: 'Ann',
    email: 'ann@example.com',
    timezone: 'Europe/Berlin',
  });
});
afterEach(async () => {
  await calendars.diary.store.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(folder, { recursive: true, force: true });
});

function calendarsAt(url: string): Calendars {
  const diary: AssistantData = { store: createStore(url), clock: () => now, occurrences: expandEvent };
  return {
    diary,
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
  calendars.diary.store.read((db) =>
    db.selectFrom('events').selectAll().orderBy('provider_event_id').execute(),
  );
const titles = async () => (await events()).map(({ title }) => title);
const source = (place: string) => ({ userId: 'ann', source: place });
const counts = ({ changes, unchanged }: SyncResult) => ({ ...countsOf(changes), unchanged });
const nothing = { added: 0, moved: 0, changed: 0, cancelled: 0, removed: 0, unchanged: 0 };

/** A notification that is planned for an event. */
async function plan(eventId: string): Promise<string> {
  const [event] = (await events()).filter(({ id }) => id === eventId);
  const id = newId(now);
  await calendars.diary.store.write(({ db }) =>
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

const planned = () =>
  calendars.diary.store.read((db) =>
    db.selectFrom('notifications').select(['status', 'plan_ms']).orderBy('plan_ms').execute(),
  );

describe('sources that are no good', () => {
  it.each([
    [
      'a path that is not full',
      'calendar.ics',
      'invalid-params',
      '"calendar.ics" is neither an address nor a full path.',
    ],
    ['a file that is not there', '/nowhere/x.ics', 'unavailable', '/nowhere/x.ics is not there.'],
    ['a device', '/dev/zero', 'invalid-params', '/dev/zero is neither a file nor a folder.'],
    [
      'a password in the address',
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
  ])('are refused: %s', async (_, place, kind, message) => {
    await expect(addCalendar(calendars, source(place), true)).rejects.toMatchObject({ kind, message });
    expect(await listCalendars(calendars)).toEqual([]);
  });

  it('are refused for a user who does not exist', async () => {
    const place = { userId: 'nobody', source: file('a.ics', calendarText(once('a'))) };
    await expect(addCalendar(calendars, place, true)).rejects.toMatchObject({ kind: 'resource-not-found' });
    await expect(listCalendars(calendars, 'nobody')).rejects.toMatchObject({ kind: 'resource-not-found' });
  });

  it('leave nothing behind when they are no calendar', async () => {
    const place = file('page.ics', '<html>');
    await expect(addCalendar(calendars, source(place), true)).rejects.toMatchObject({
      message: 'This is not a calendar: it does not contain BEGIN:VCALENDAR.',
    });
    expect(await listCalendars(calendars)).toEqual([]);
  });

  it('are refused when they are too large, with what to do about it', async () => {
    const place = file('large.ics', 'x'.repeat(1_000_001));
    await expect(addCalendar(calendars, source(place), true)).rejects.toMatchObject({
      kind: 'refused',
      message: `${place} is larger than 1 MB; raise calendars.max_bytes to take it.`,
    });
  });
});

describe('a file', () => {
  it('is taken in once, and again without a change', async () => {
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

  it('changes, moves, cancels and removes what it says differently, and what is planned follows', async () => {
    const place = file('a.ics', calendarText(once('a'), once('b'), once('c'), once('d')));
    const [{ calendar }] = (await addCalendar(calendars, source(place), true)) as [SyncResult];
    for (const event of await events()) await plan(event.id);
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
    const still = (await planned())
      .filter(({ status }) => status === 'planned')
      .map(({ plan_ms }) => plan_ms);
    expect(still).toEqual([start - 3_600_000, start + 2 * 86_400_000 - 3_600_000]);
  });

  it('keeps an event whose new version cannot be read, and says so', async () => {
    const place = file('a.ics', calendarText(once('a'), once('b')));
    const [{ calendar }] = (await addCalendar(calendars, source(place), true)) as [SyncResult];
    writeFileSync(place, calendarText(['a', 'DTSTART:soon'], once('b')));
    const { problems } = await syncCalendar(calendars, calendar);
    expect(problems).toMatchObject([{ severity: 'error', uid: 'a' }]);
    expect(await titles()).toEqual(['a', 'b']);
    const [listed] = await listCalendars(calendars);
    expect(JSON.parse(listed!.calendar.problems!)).toMatchObject({ count: 1, list: [{ uid: 'a' }] });
  });

  it('takes nothing away while it is cut off', async () => {
    const text = calendarText(once('a'), once('b'));
    const place = file('a.ics', text);
    const [{ calendar }] = (await addCalendar(calendars, source(place), true)) as [SyncResult];
    writeFileSync(place, text.slice(0, text.indexOf('UID:b')));
    await syncCalendar(calendars, calendar);
    expect(await titles()).toEqual(['a', 'b']);
  });

  it('that goes away is noted, and its events stay', async () => {
    const place = file('a.ics', calendarText(once('a')));
    const [{ calendar }] = (await addCalendar(calendars, source(place), true)) as [SyncResult];
    rmSync(place);
    await expect(syncCalendar(calendars, calendar)).rejects.toMatchObject({ kind: 'unavailable' });
    const [listed] = await listCalendars(calendars);
    expect(listed).toMatchObject({ events: 1, calendar: { failures: 1, error: `${place} is not there.` } });
  });

  it('of the same events for two people is two calendars', async () => {
    await createUser(calendars.diary, { id: 'bob', name: 'Bob' });
    const place = file('a.ics', calendarText(once('a')));
    await addCalendar(calendars, source(place), true);
    await addCalendar(calendars, { userId: 'bob', source: place }, true);
    expect((await events()).map(({ user_id }) => user_id).sort()).toEqual(['ann', 'bob']);
    expect(await listCalendars(calendars, 'bob')).toHaveLength(1);
  });
});

describe('a stored event', () => {
  it('knows when it happens, where, and to whom', async () => {
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

describe('a text that is handed over', () => {
  it('adds and changes, and takes nothing away', async () => {
    const text = (...all: readonly (readonly string[])[]) => ({
      userId: 'ann',
      name: 'mail',
      text: calendarText(...all),
    });
    await importText(calendars, text(once('a'), once('b')));
    const { changes, calendar } = await importText(calendars, text(once('b', 12)));
    expect(countsOf(changes)).toMatchObject({ moved: 1, removed: 0 });
    expect(await titles()).toEqual(['a', 'b']);
    await expect(syncCalendar(calendars, calendar)).rejects.toMatchObject({ kind: 'refused' });
  });
});

describe('what is said about one meeting of a series, as invitations by mail do', () => {
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
  const hand = (text: string) => importText(calendars, { userId: 'ann', name: 'mail', text });
  const times = async () => {
    const [event] = await events();
    const window = { fromMs: Date.UTC(2026, 5, 1), toMs: Date.UTC(2026, 6, 1) };
    const found = await expandEvent(event!, window, 'UTC');
    return [event!.status, ...found.map(({ startMs }) => new Date(startMs).toISOString().slice(8, 13))];
  };

  it('leaves the others as they are', async () => {
    await hand(calendarText(daily));
    const { changes } = await hand(calendarText(instance(11, 15)));
    expect(countsOf(changes)).toMatchObject({ moved: 1 });
    expect(await titles()).toEqual(['Daily']);
    expect(await times()).toEqual(['confirmed', '10T08', '11T15', '12T08', '13T08']);
    const cancel = calendarText(instance(12, 8)).replace('VERSION:2.0', 'VERSION:2.0\r\nMETHOD:CANCEL');
    await hand(cancel);
    expect(await times()).toEqual(['confirmed', '10T08', '11T15', '13T08']);
    expect(countsOf((await hand(cancel)).changes)).toMatchObject({ moved: 0, changed: 0, cancelled: 0 });
    await hand(calendarText(instance(11, 16)));
    expect(await times()).toEqual(['confirmed', '10T08', '11T16', '13T08']);
  });

  it('is left out when it comes after a newer version', async () => {
    const version = (sequence: number, day: number) => [...once('a', day), `SEQUENCE:${sequence}`];
    await hand(calendarText(version(2, 12), once('b')));
    const { problems } = await hand(calendarText(version(1, 10), once('b', 11)));
    expect(problems).toMatchObject([
      { severity: 'warning', uid: 'a', message: expect.stringContaining('newer') },
    ]);
    const days = (await events()).map(({ start_ms }) => new Date(start_ms).getUTCDate());
    expect(days).toEqual([12, 11]);
    await hand(calendarText(version(2, 13)));
    await hand(calendarText(version(3, 14)));
    expect(new Date((await events())[0]!.start_ms).getUTCDate()).toBe(14);
  });

  it('adds up where the series itself is not known', async () => {
    await hand(calendarText(instance(12, 8, 'STATUS:CANCELLED')));
    await hand(calendarText(instance(11, 15)));
    await hand(calendarText(instance(13, 16)));
    expect(await times()).toEqual(['confirmed', '11T15', '13T16']);
    await hand(calendarText(daily));
    expect((await times())[1]).toBe('10T08');
  });
});

describe('a folder', () => {
  it('is all the calendars in it, and its files come and go', async () => {
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

describe('an address', () => {
  it('is asked only for what has changed', async () => {
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

  it('without tags is asked by date', async () => {
    const date = 'Mon, 01 Jun 2026 00:00:00 GMT';
    const address = await serve((request, response) => {
      if (request.headers['if-modified-since'] === date) response.writeHead(304).end();
      else response.writeHead(200, { 'last-modified': date }).end(calendarText(once('a')));
    });
    const [{ calendar }] = (await addCalendar(calendars, source(address), true)) as [SyncResult];
    const result = await syncCalendar(calendars, calendar);
    expect([result.changes, result.unchanged]).toEqual([[], 0]);
  });

  it('that fails is asked later and later, or when it says', async () => {
    let status = 200;
    const address = await serve((_, response) => {
      if (status === 429) response.setHeader('retry-after', '7200');
      response.writeHead(status).end(calendarText(once('a')));
    });
    let [{ calendar }] = (await addCalendar(calendars, source(address), true)) as [SyncResult];
    const waits: number[] = [];
    const fail = async (with_: number) => {
      status = with_;
      await syncCalendar(calendars, calendar).catch(() => {});
      calendar = (await listCalendars(calendars))[0]!.calendar;
      waits.push((calendar.next_sync_ms! - now) / 60_000);
    };
    for (const code of [500, 503, 404, 429]) await fail(code);
    expect(waits).toEqual([15, 30, 60, 120]);
    expect(calendar).toMatchObject({
      failures: 4,
      error: expect.stringContaining('asks for fewer requests'),
    });
    for (let more = 0; more < 8; more++) await fail(500);
    expect(waits.at(-1)).toBe(1440);
    status = 200;
    const { calendar: well } = await syncCalendar(calendars, calendar);
    expect(well).toMatchObject({ failures: 0, error: null, next_sync_ms: now + 900_000 });
    expect(await titles()).toEqual(['a']);
  });

  it('may need a user name and a password, which stays in its file', async () => {
    const address = await serve((request, response) => {
      const good = request.headers.authorization === `Basic ${Buffer.from('ann:s3cret').toString('base64')}`;
      response.writeHead(good ? 200 : 401).end(calendarText(once('a')));
    });
    await expect(addCalendar(calendars, source(address), true)).rejects.toMatchObject({
      message: expect.stringContaining('asks for a user name and a password'),
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

  it('of a calendar that breaks off loses nothing', async () => {
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

describe('removing', () => {
  it('takes the events along and calls off what was planned', async () => {
    const place = file(
      'a.ics',
      calendarText(...Array.from({ length: 450 }, (_, index) => once(`e${index}`))),
    );
    const [{ calendar }] = (await addCalendar(calendars, source(place), true)) as [SyncResult];
    await plan((await events())[0]!.id);
    expect(await removeCalendar(calendars, calendar.id)).toBe(450);
    expect(await events()).toEqual([]);
    expect(await planned()).toMatchObject([{ status: 'cancelled' }]);
    await expect(removeCalendar(calendars, calendar.id)).rejects.toMatchObject({
      kind: 'resource-not-found',
    });
  });
});

describe('watching', () => {
  const until = async (condition: () => Promise<boolean>) => {
    const deadline = Date.now() + 20_000;
    while (!(await condition())) {
      if (Date.now() > deadline) throw new Error('it never happened');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  it('follows files and folders as they change', async () => {
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

  it('looks at an address when its time has come, in one process of several', async () => {
    let asked = 0;
    const address = await serve((_, response) => {
      asked += 1;
      response.end(calendarText(once('a'), once(`e${asked}`)));
    });
    await addCalendar(calendars, source(address), true);
    const others = [calendarsAt(join(folder, 'diary.db')), calendarsAt(join(folder, 'diary.db'))];
    const watches = [calendars, ...others].map(watchCalendars);
    try {
      await Promise.all(watches.map((watch) => watch.check()));
      expect(asked).toBe(1);
      now += 900_000;
      await Promise.all(watches.map((watch) => watch.check()));
      expect(asked).toBe(2);
      expect(await titles()).toEqual(['a', 'e2']);
    } finally {
      await Promise.all(watches.map((watch) => watch.close()));
      for (const { diary } of others) await diary.store.close();
    }
  });

  it('does not wait for a calendar that comes drop by drop', async () => {
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
      // What changes while it is waited for is found as well.
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

  it('does not stop at a calendar that fails', async () => {
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

describe('on PostgreSQL', () => {
  it('one event of an impossible name does not stop the others', async () => {
    const postgres: Postgres = await startPostgres();
    const other = calendarsAt(await postgres.createDatabase('names'));
    try {
      await createUser(other.diary, { id: 'ann', name: 'Ann' });
      const long = Array.from({ length: 400 }, (_, index) => `${index * 7919}-long-`).join('');
      const text = calendarText(once('a'), once('b\u0000c'), once(long), once(`${long}2`));
      const place = file('names.ics', text);
      const [{ calendar, changes }] = (await addCalendar(other, source(place), true)) as [SyncResult];
      expect(countsOf(changes)).toMatchObject({ added: 4 });
      expect(counts(await syncCalendar(other, calendar, { force: true }))).toEqual({
        ...nothing,
        unchanged: 4,
      });
    } finally {
      await other.diary.store.close();
      await postgres.close();
    }
  });

  it('a calendar is taken in, changed and removed all the same', async () => {
    const postgres: Postgres = await startPostgres();
    const other = calendarsAt(await postgres.createDatabase('calendars'));
    try {
      await createUser(other.diary, { id: 'ann', name: 'Ann' });
      const place = file(
        'a.ics',
        calendarText(once('a'), ['s', 'DTSTART:20260610T080000Z', 'RRULE:FREQ=DAILY']),
      );
      const [{ calendar }] = (await addCalendar(other, source(place), true)) as [SyncResult];
      writeFileSync(place, calendarText(once('a', 11)));
      expect(counts(await syncCalendar(other, calendar))).toEqual({ ...nothing, moved: 1, removed: 1 });
      expect(await listCalendars(other)).toMatchObject([{ events: 1 }]);
      expect(await removeCalendar(other, calendar.id)).toBe(1);
    } finally {
      await other.diary.store.close();
      await postgres.close();
    }
  });
});
