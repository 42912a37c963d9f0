import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRadicale, password, type Radicale, startRadicale } from '../../../test/caldav/radicale.ts';
import { createStore } from '../../store/store.ts';
import { createUser } from '../editing/users.ts';
import type { AssistantData } from '../entities/entity-access.ts';
import { addCalendar, listCalendars } from './calendars.ts';
import { expandEvent } from './expand-event.ts';
import { type Calendars, countChanges, type SyncResult, syncCalendar } from './sync.ts';

const object = (uid: string, ...lines: readonly string[]) =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//t//t//EN',
    ...vevent(uid, ...lines),
    'END:VCALENDAR',
    '',
  ].join('\r\n');
const vevent = (uid: string, ...lines: readonly string[]) => [
  'BEGIN:VEVENT',
  `UID:${uid}`,
  'DTSTAMP:20260101T000000Z',
  `SUMMARY:${uid}`,
  ...lines,
  'END:VEVENT',
];

const folder = mkdtempSync(join(tmpdir(), 'adjutant-caldav-'));
const passwordsFile = join(folder, 'passwords');
writeFileSync(passwordsFile, `machine 127.0.0.1 login ann password "${password}"\n`);
let files = 0;
const open: Calendars[] = [];

async function newCalendars(passwords = passwordsFile): Promise<Calendars> {
  const store = createStore(join(folder, `${++files}.db`));
  const data: AssistantData = {
    store,
    clock: () => Date.parse('2026-06-01T00:00:00Z'),
    occurrences: expandEvent,
  };
  const options = {
    privateHosts: ['127.0.0.1'],
    passwordsFile: passwords,
    maxBytes: 10_000_000,
    intervalMs: 900_000,
  };
  await createUser(data, { id: 'ann', name: 'Ann' });
  open.push({ data, options });
  return { data, options };
}

const account = (url: string) => ({ userId: 'ann', source: url, kind: 'caldav', username: 'ann' }) as const;
const uids = async ({ data }: Calendars) =>
  (await data.store.read((db) => db.selectFrom('events').select('provider_event_id').execute()))
    .map(({ provider_event_id }) => provider_event_id)
    .sort();

afterAll(async () => {
  for (const { data } of open) await data.store.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(!hasRadicale)('a CalDAV account on Radicale', () => {
  let radicale: Radicale;
  const put = async (path: string, text: string) => {
    const { status } = await radicale.send('PUT', path, text);
    expect(status).toBe(201);
  };

  beforeAll(async () => {
    radicale = await startRadicale();
    const home =
      '<mkcalendar xmlns="urn:ietf:params:xml:ns:caldav" xmlns:d="DAV:"><d:set><d:prop><d:displayname>Home &amp; Garden</d:displayname></d:prop></d:set></mkcalendar>';
    expect((await radicale.send('MKCALENDAR', '/ann/home/', home)).status).toBe(201);
    // Uploading a whole calendar creates a collection.
    const many = Array.from({ length: 60 }, (_, index) => vevent(`w${index}`, 'DTSTART:20260610T080000Z'));
    await put(
      '/ann/work/',
      [
        'BEGIN:VCALENDAR',
        'VERSION:2.0',
        'PRODID:-//t//t//EN',
        'X-WR-CALNAME:Work',
        ...many.flat(),
        'END:VCALENDAR',
        '',
      ].join('\r\n'),
    );
    await put('/ann/home/day.ics', object('day', 'DTSTART;VALUE=DATE:20260610'));
  });
  afterAll(() => radicale?.close());

  it('rejects a wrong password', async () => {
    const wrong = join(folder, 'wrong');
    writeFileSync(wrong, 'machine 127.0.0.1 login ann password wrong\n');
    const calendars = await newCalendars(wrong);
    await expect(addCalendar(calendars, account(radicale.url), true)).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('rejects the user name or password'),
    });
    expect(await listCalendars(calendars)).toEqual([]);
  });

  it('adds all its calendars with their names', async () => {
    const calendars = await newCalendars();
    const results = await addCalendar(calendars, account(radicale.url), true);
    expect(results.map(({ calendar, changes }) => [calendar.name, changes.length]).sort()).toEqual([
      ['Home & Garden', 1],
      ['Work', 60],
    ]);
    const again = await addCalendar(calendars, account(radicale.url), true);
    expect(again.flatMap(({ changes }) => changes)).toEqual([]);
    expect(await listCalendars(calendars)).toHaveLength(2);
  });

  it('sends only the changes since the last sync', async () => {
    const calendars = await newCalendars();
    const collection = `${radicale.url}/ann/home/`;
    const [{ calendar }] = (await addCalendar(calendars, account(collection), true)) as [SyncResult];
    expect(calendar).toMatchObject({ kind: 'caldav', location: collection, sync_token: expect.any(String) });
    const same = await syncCalendar(calendars, calendar);
    expect([same.changes, same.unchanged]).toEqual([[], 0]);

    await put('/ann/home/new.ics', object('new', 'DTSTART:20260611T080000Z', 'RRULE:FREQ=DAILY;COUNT=3'));
    await radicale.send('PUT', '/ann/home/day.ics', object('day', 'DTSTART;VALUE=DATE:20260615'));
    const second = await syncCalendar(calendars, same.calendar);
    expect(countChanges(second.changes)).toMatchObject({ added: 1, moved: 1, removed: 0 });

    await radicale.send('DELETE', '/ann/home/new.ics');
    const third = await syncCalendar(calendars, second.calendar);
    expect(third.changes).toMatchObject([{ kind: 'removed', uid: 'new' }]);
    expect(await uids(calendars)).toEqual(['day']);
  });

  it('is read completely if the server no longer knows the sync token', async () => {
    const calendars = await newCalendars();
    const [{ calendar }] = (await addCalendar(calendars, account(`${radicale.url}/ann/home/`), true)) as [
      SyncResult,
    ];
    const stale = { ...calendar, sync_token: 'http://radicale.org/ns/sync/0123456789' };
    const { changes, unchanged } = await syncCalendar(calendars, stale);
    expect([changes, unchanged]).toEqual([[], 1]);
  });

  it('imports the overrides of a series', async () => {
    const calendars = await newCalendars();
    const text = [
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//t//t//EN',
      ...vevent('series', 'DTSTART:20260601T080000Z', 'RRULE:FREQ=DAILY;COUNT=3'),
      ...vevent('series', 'RECURRENCE-ID:20260602T080000Z', 'DTSTART:20260602T100000Z'),
      'END:VCALENDAR',
      '',
    ].join('\r\n');
    await put('/ann/home/series.ics', text);
    await addCalendar(calendars, account(`${radicale.url}/ann/home/`), true);
    const event = await calendars.data.store.read((db) =>
      db.selectFrom('events').selectAll().where('provider_event_id', '=', 'series').executeTakeFirstOrThrow(),
    );
    const window = { fromMs: Date.UTC(2026, 5, 1), toMs: Date.UTC(2026, 6, 1) };
    const starts = (await expandEvent(event, window, 'UTC')).map(({ startMs }) =>
      new Date(startMs).getUTCHours(),
    );
    expect(starts).toEqual([8, 10, 8]);
    await radicale.send('DELETE', '/ann/home/series.ics');
  });
});

describe('a CalDAV server without sync tokens', () => {
  const objects = new Map<string, { text: string; tag: number }>();
  let server: Server;
  let url: string;
  let gets = 0;
  let override: (href: string) => string | undefined = () => undefined;

  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (piece) => {
        body += piece;
      });
      request.on('end', () => {
        const answer = (parts: readonly string[]) =>
          response
            .writeHead(207, { 'content-type': 'application/xml' })
            .end(
              `<multistatus xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">${parts.join('')}</multistatus>`,
            );
        const item = (href: string, prop: string) =>
          `<response><href>${href}</href><propstat><prop>${prop}</prop><status>HTTP/1.1 200 OK</status></propstat></response>`;
        if (request.method === 'PROPFIND')
          return answer([item('/cal/', '<resourcetype><collection/><c:calendar/></resourcetype>')]);
        if (body.includes('sync-collection')) return response.writeHead(501).end();
        if (body.includes('calendar-query'))
          return answer([...objects].map(([href, { tag }]) => item(href, `<getetag>"${tag}"</getetag>`)));
        gets += 1;
        const requested = [...body.matchAll(/<d:href>([^<]*)</g)].map(([, href]) => href!);
        return answer(
          requested.map(
            (href) =>
              override(href) ??
              item(href, `<c:calendar-data><![CDATA[${objects.get(href)?.text}]]></c:calendar-data>`),
          ),
        );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/cal/`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('is read completely, but only if its list of entity tags changed', async () => {
    const calendars = await newCalendars();
    objects.set('/cal/a.ics', { text: object('a', 'DTSTART:20260610T080000Z'), tag: 1 });
    objects.set('/cal/b.ics', { text: object('b', 'DTSTART:20260610T080000Z'), tag: 1 });
    const [{ calendar }] = (await addCalendar(calendars, account(url), true)) as [SyncResult];
    expect(await uids(calendars)).toEqual(['a', 'b']);
    const same = await syncCalendar(calendars, calendar);
    expect([same.changes, gets]).toEqual([[], 1]);
    objects.delete('/cal/a.ics');
    objects.set('/cal/c.ics', { text: object('c', 'DTSTART:20260610T080000Z'), tag: 1 });
    const { changes } = await syncCalendar(calendars, same.calendar);
    expect(countChanges(changes)).toMatchObject({ added: 1, removed: 1 });
    expect(await uids(calendars)).toEqual(['b', 'c']);
  });

  it.each([
    ['omits from the response', () => ''],
    [
      'reports as temporarily unavailable',
      (href: string) => `<response><href>${href}</href><status>HTTP/1.1 503 Busy</status></response>`,
    ],
  ])('does not lose an event that the server %s, and syncs it later', async (_, replacement) => {
    const calendars = await newCalendars();
    objects.clear();
    for (const uid of ['a', 'b'])
      objects.set(`/cal/${uid}.ics`, { text: object(uid, 'DTSTART:20260610T080000Z'), tag: 1 });
    const [{ calendar }] = (await addCalendar(calendars, account(url), true)) as [SyncResult];
    for (const uid of ['a', 'b'])
      objects.set(`/cal/${uid}.ics`, { text: object(uid, 'DTSTART:20260611T080000Z'), tag: 2 });
    override = (href) => (href.endsWith('a.ics') ? replacement(href) : undefined);
    await expect(syncCalendar(calendars, calendar)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await uids(calendars)).toEqual(['a', 'b']);
    override = () => undefined;
    const { changes } = await syncCalendar(calendars, calendar);
    expect(countChanges(changes)).toMatchObject({ removed: 0 });
  });

  it('keeps an event whose new version is invalid', async () => {
    const calendars = await newCalendars();
    objects.clear();
    objects.set('/cal/a.ics', { text: object('a', 'DTSTART:20260610T080000Z'), tag: 1 });
    const [{ calendar }] = (await addCalendar(calendars, account(url), true)) as [SyncResult];
    objects.set('/cal/a.ics', { text: object('a', 'DTSTART:soon'), tag: 2 });
    const { problems } = await syncCalendar(calendars, calendar);
    expect(problems).toMatchObject([{ severity: 'error', uid: 'a', document: '/cal/a.ics' }]);
    expect(await uids(calendars)).toEqual(['a']);
  });
});
