import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CalDavServer, startCalDav } from '../../../test/caldav/server.ts';
import { openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';
import type { JsonObject } from '../../json.ts';
import type { MemoryOptions } from '../../transports/memory.ts';

const now = Date.parse('2026-06-01T08:00:00Z');
const person = { id: 'ann', name: 'Ann', email: 'ann@example.com', timezone: 'Europe/Berlin' };

function object(...lines: readonly string[]): string {
  return `${['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//t//t//EN', ...lines, 'END:VCALENDAR'].join('\r\n')}\r\n`;
}
const vevent = (...lines: readonly string[]) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'];
const single = object(
  ...vevent(
    'UID:one',
    'DTSTAMP:20260101T000000Z',
    'DTSTART;TZID=Europe/Berlin:20260610T090000',
    'DTEND;TZID=Europe/Berlin:20260610T100000',
    'SUMMARY:Review',
    'X-FOREIGN;X-P="a;b":keep\\, this',
  ),
);
const weekly = object(
  ...vevent(
    'UID:week',
    'DTSTAMP:20260101T000000Z',
    'DTSTART;TZID=Europe/Berlin:20260603T090000',
    'DURATION:PT1H',
    'RRULE:FREQ=WEEKLY;COUNT=8',
    'EXDATE;TZID=Europe/Berlin:20260617T090000,20260708T090000',
    'SUMMARY:Jour fixe',
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'TRIGGER:-PT5M',
    'END:VALARM',
  ),
  ...vevent(
    'UID:week',
    'DTSTAMP:20260101T000000Z',
    'RECURRENCE-ID;TZID=Europe/Berlin:20260701T090000',
    'DTSTART;TZID=Europe/Berlin:20260702T150000',
    'DURATION:PT2H',
    'SUMMARY:Jour fixe (moved)',
  ),
);

let server: CalDavServer;
beforeAll(async () => {
  server = await startCalDav();
});
afterAll(() => server.close());
beforeEach(() => {
  server.objects.clear();
  server.requests.length = 0;
  Object.assign(server, { schedules: false, readOnly: false, afterWrite: undefined });
});

interface Opened extends AsyncDisposable {
  readonly assistant: TestAssistant;
  readonly calendar: string;
  id(title: string): Promise<string>;
  starts(): Promise<readonly string[]>;
}

/** Opens an assistant that follows the calendar with the given objects. */
async function open(objects: Readonly<Record<string, string>>, memory: MemoryOptions = {}): Promise<Opened> {
  for (const [name, text] of Object.entries(objects)) server.objects.set(`/cal/${name}.ics`, text);
  const assistant = openAssistant({
    memory,
    calendars: {
      privateHosts: ['127.0.0.1'],
      passwordsFile: '/nonexistent',
      maxBytes: 1e7,
      intervalMs: 900_000,
    },
  });
  assistant.now = now;
  await assistant.call('create_user', person);
  const source = { user_id: 'ann', source: server.url, kind: 'caldav' };
  const { calendars } = (await assistant.call('add_calendar', source)) as unknown as {
    calendars: { id: string }[];
  };
  const list = async () =>
    (await assistant.call('list_events', { days_forward: 90 }))['events'] as unknown as {
      id: string;
      title: string;
      start_ts: string;
    }[];
  return {
    assistant,
    calendar: calendars[0]!.id,
    id: async (title) => (await list()).find((event) => event.title === title)!.id,
    starts: async () => (await list()).map(({ title, start_ts }) => `${start_ts} ${title}`),
    [Symbol.asyncDispose]: () => assistant[Symbol.asyncDispose](),
  };
}

const text = (name: string) => server.objects.get(`/cal/${name}.ics`)!;
const unfold = (value: string) => value.replaceAll('\r\n ', '');
const without = (value: string) => value.replaceAll(/^(DTSTAMP|LAST-MODIFIED|SEQUENCE):.*\r\n/gm, '');

describe('an event on a CalDAV server', () => {
  it('is created there, with its time zone, and is the same after the next sync', async () => {
    await using opened = await open({});
    const { assistant, calendar } = opened;
    const made = await assistant.call('create_event', {
      user_id: 'ann',
      calendar_id: calendar,
      title: 'Déjeuner, "chez" Bob; \\o/',
      start_ts: '2026-06-12T12:30',
      end_ts: '2026-06-12T13:30',
      description: 'Line 1\nLine 2',
      rrule: 'FREQ=WEEKLY;COUNT=3',
      reminders: ['2h'],
    });
    expect(made).toMatchObject({
      calendar_id: calendar,
      start_ts: '2026-06-12T10:30:00Z',
      reminders: ['2h'],
    });
    const [stored] = [...server.objects.values()];
    expect(stored).toContain('DTSTART;TZID=Europe/Berlin:20260612T123000\r\n');
    expect(stored).toContain('BEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\n');
    expect(stored).toContain('RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\r\n');
    expect(stored).toContain('SUMMARY:Déjeuner\\, "chez" Bob\\; \\\\o/\r\n');
    const synced = (await assistant.call('sync_calendar', { calendar_id: calendar })) as unknown as {
      calendars: { unchanged: number; changes: unknown[] }[];
    };
    expect(synced.calendars[0]).toMatchObject({ unchanged: 1, changes: [] });
    expect(await opened.starts()).toHaveLength(3);
  });

  it('is changed without touching anything else', async () => {
    await using opened = await open({ one: single });
    const { assistant } = opened;
    const event_id = await opened.id('Review');
    const moved = await assistant.call('update_event', {
      event_id,
      title: 'Big review',
      start_ts: '2026-06-11T14:00',
    });
    expect(moved).toMatchObject({
      title: 'Big review',
      start_ts: '2026-06-11T12:00:00Z',
      end_ts: '2026-06-11T13:00:00Z',
    });
    const expected = single
      .replace('SUMMARY:Review', 'SUMMARY:Big review')
      .replace('20260610T090000', '20260611T140000')
      .replace('20260610T100000', '20260611T150000');
    expect(without(text('one'))).toBe(without(expected));
    expect(text('one')).toContain('SEQUENCE:1\r\n');
    await assistant.call('delete_event', { event_id });
    expect(server.objects.size).toBe(0);
    expect(await opened.starts()).toEqual([]);
  });

  it('that is deleted there cannot be brought back by undo_change', async () => {
    await using opened = await open({ one: single });
    await opened.assistant.call('plan_notifications', { user_id: 'ann' });
    const result = await opened.assistant.client.request('tools/call', {
      name: 'delete_event',
      arguments: { event_id: await opened.id('Review') },
      _meta: { 'adjutant/undo': true },
    });
    expect(result).not.toHaveProperty('_meta.adjutant/undo');
    expect(server.objects.size).toBe(0);
  });

  it('reports other events of the same person at that time', async () => {
    await using opened = await open({ one: single });
    const { assistant } = opened;
    const lunch = {
      user_id: 'ann',
      title: 'Lunch',
      start_ts: '2026-06-12T12:00',
      end_ts: '2026-06-12T13:00',
    };
    await assistant.call('create_event', lunch);
    const event_id = await opened.id('Review');
    expect(await assistant.call('update_event', { event_id, start_ts: '2026-06-12T12:30' })).toMatchObject({
      conflicts: [{ title: 'Lunch', start_ts: '2026-06-12T10:00:00Z' }],
    });
  });

  it('keeps the changes of others, and refuses to overwrite what the user has not seen', async () => {
    await using opened = await open({ one: single });
    const { assistant } = opened;
    const event_id = await opened.id('Review');
    server.objects.set('/cal/one.ics', single.replace('SUMMARY:Review', 'SUMMARY:Theirs\r\nLOCATION:Room 1'));
    await assistant.call('update_event', { event_id, description: 'Ours' });
    expect(text('one')).toMatch(/SUMMARY:Theirs[\s\S]*DESCRIPTION:Ours/);
    server.objects.set('/cal/one.ics', text('one').replace('Room 1', 'Room 2'));
    await expect(assistant.call('update_event', { event_id, location: 'Room 3' })).rejects.toThrow(
      /changed location of "Theirs" since the last sync/,
    );
    expect(text('one')).toContain('LOCATION:Room 2');
    expect(await assistant.call('get_event', { event_id })).toMatchObject({ location: 'Room 2' });
    expect(await assistant.call('update_event', { event_id, location: 'Room 3' })).toMatchObject({
      location: 'Room 3',
    });
  });

  it('is merged if it changes between reading and writing', async () => {
    await using opened = await open({ one: single });
    const event_id = await opened.id('Review');
    let raced = false;
    const race = (change: (value: string) => string) => {
      raced = false;
      const { set } = Map.prototype;
      // Another program writes right after our read.
      server.objects.get = (key: string) => {
        const value = Map.prototype.get.call(server.objects, key) as string | undefined;
        if (!raced && value !== undefined && server.requests.at(-1)?.startsWith('GET')) {
          raced = true;
          setImmediate(() => set.call(server.objects, key, change(value)));
        }
        return value;
      };
    };
    try {
      race((value) => value.replace('SUMMARY:Review', 'SUMMARY:Theirs'));
      await opened.assistant.call('update_event', { event_id, location: 'Here' });
      expect(raced).toBe(true);
      expect(text('one')).toMatch(/SUMMARY:Theirs[\s\S]*LOCATION:Here/);
      race((value) => value.replace('LOCATION:Here', 'LOCATION:There'));
      await expect(opened.assistant.call('update_event', { event_id, location: 'Else' })).rejects.toThrow(
        /changed LOCATION of this event at the same time.*There: LOCATION:There\. Here: LOCATION:Else/,
      );
      expect(text('one')).toContain('LOCATION:There');
    } finally {
      server.objects.get = Map.prototype.get;
    }
  });

  it('is written although the connection breaks after the server stored it', async () => {
    await using opened = await open({ one: single });
    const event_id = await opened.id('Review');
    server.afterWrite = (_, response) => void response.destroy();
    expect(await opened.assistant.call('update_event', { event_id, title: 'Kept' })).toMatchObject({
      title: 'Kept',
    });
  });

  it('is written again if the server accepts a second write of the same version', async () => {
    await using opened = await open({ one: single });
    const event_id = await opened.id('Review');
    server.afterWrite = () => {
      server.afterWrite = undefined;
      server.objects.set('/cal/one.ics', single.replace('SUMMARY:Review', 'SUMMARY:Theirs'));
    };
    await opened.assistant.call('update_event', { event_id, location: 'Ours' });
    expect(text('one')).toMatch(/SUMMARY:Theirs[\s\S]*LOCATION:Ours/);
  });

  it('stays as it was, here too, if the server refuses or fails', async () => {
    await using opened = await open({ one: single });
    const { assistant } = opened;
    const event_id = await opened.id('Review');
    server.readOnly = true;
    await expect(assistant.call('update_event', { event_id, title: 'x' })).rejects.toThrow(
      /may read the calendar "Calendar", but not change it.*Ask its owner/,
    );
    server.readOnly = false;
    await expect(assistant.call('update_event', { event_id, organizer: 'x@example.com' })).rejects.toThrow(
      /Leave organizer out/,
    );
    await expect(assistant.call('delete_event', { event_id, occurrence: 'x' })).rejects.toThrow(
      /Occurrence not found/,
    );
    server.objects.delete('/cal/one.ics');
    await expect(assistant.call('update_event', { event_id, title: 'x' })).rejects.toThrow(
      /was deleted in its calendar/,
    );
    expect(await opened.starts()).toEqual([]);
  });

  it('is refused with a reason if its calendar cannot be written', async () => {
    await using opened = await open({});
    const { assistant } = opened;
    await assistant.call('import_calendar', { user_id: 'ann', content: single, name: 'Mail' });
    const event_id = await opened.id('Review');
    for (const [tool, args] of [
      ['update_event', { title: 'x' }],
      ['delete_event', {}],
      ['answer_invitation', { answer: 'accepted' }],
    ] as const)
      await expect(assistant.call(tool, { event_id, ...args })).rejects.toThrow(
        /"Mail" is a file that was imported, so its events cannot be changed here/,
      );
    await expect(
      assistant.call('create_event', {
        user_id: 'ann',
        calendar_id: 'x',
        title: 't',
        start_ts: '2026-06-12',
      }),
    ).rejects.toThrow('Calendar not found');
  });
});

describe('a series on a CalDAV server', () => {
  const all = [
    '2026-06-03T07:00:00Z Jour fixe',
    '2026-06-10T07:00:00Z Jour fixe',
    '2026-06-24T07:00:00Z Jour fixe',
    '2026-07-02T13:00:00Z Jour fixe (moved)',
    '2026-07-15T07:00:00Z Jour fixe',
    '2026-07-22T07:00:00Z Jour fixe',
  ];

  it('is changed and deleted in one occurrence', async () => {
    await using opened = await open({ week: weekly });
    const { assistant } = opened;
    expect(await opened.starts()).toEqual(all);
    const event_id = await opened.id('Jour fixe');
    await assistant.call('update_event', {
      event_id,
      occurrence: '2026-06-10T07:00:00Z',
      start_ts: '2026-06-10T11:00',
      title: 'Later',
    });
    expect(text('week')).toContain('RECURRENCE-ID;TZID=Europe/Berlin:20260610T090000\r\n');
    expect(text('week').match(/BEGIN:VALARM/g)).toHaveLength(2);
    await assistant.call('delete_event', { event_id, occurrence: '2026-07-01T07:00:00Z' });
    await assistant.call('delete_event', { event_id, occurrence: '2026-07-15T07:00:00Z' });
    const expected = [all[0], '2026-06-10T09:00:00Z Later', all[2], all[5]];
    expect(await opened.starts()).toEqual(expected);
    await assistant.call('sync_calendar', { calendar_id: opened.calendar, force: true });
    expect(await opened.starts()).toEqual(expected);
  });

  it('is split for an occurrence and all later ones', async () => {
    await using opened = await open({ week: weekly });
    const { assistant } = opened;
    const event_id = await opened.id('Jour fixe');
    const tail = await assistant.call('update_event', {
      event_id,
      occurrence: '2026-06-24T07:00:00Z',
      following: true,
      start_ts: '2026-06-24T10:00',
      title: 'New series',
    });
    expect(tail['id']).not.toBe(event_id);
    const expected = [
      all[0],
      all[1],
      '2026-06-24T08:00:00Z New series',
      '2026-07-02T13:00:00Z Jour fixe (moved)',
      '2026-07-15T08:00:00Z New series',
      '2026-07-22T08:00:00Z New series',
    ];
    expect(await opened.starts()).toEqual(expected);
    await assistant.call('sync_calendar', { calendar_id: opened.calendar, force: true });
    expect(await opened.starts()).toEqual(expected);
    expect(text('week')).toContain('RRULE:FREQ=WEEKLY;UNTIL=20260624T065959Z');
    const [other] = [...server.objects]
      .filter(([path]) => path !== '/cal/week.ics')
      .map(([, value]) => value);
    expect(other).toContain('RRULE:FREQ=WEEKLY;COUNT=5\r\n');
    expect(other).toContain('RELATED-TO:week\r\n');
    await assistant.call('delete_event', {
      event_id: String(tail['id']),
      occurrence: '2026-07-15T08:00:00Z',
      following: true,
    });
    expect(await opened.starts()).toEqual(expected.slice(0, 4));
  });

  it('keeps the reminders, the kind and the importance of the person when it is split', async () => {
    await using opened = await open({ week: weekly });
    const { assistant } = opened;
    const event_id = await opened.id('Jour fixe');
    const settings = { reminders: ['2h'], kind: 'doctor', important: true };
    await assistant.call('update_event', { event_id, ...settings });
    const later = { event_id, occurrence: '2026-06-24T07:00:00Z', following: true };
    const tail = await assistant.call('update_event', { ...later, start_ts: '2026-06-24T10:00' });
    expect(tail['id']).not.toBe(event_id);
    expect(tail).toMatchObject(settings);
    expect(await assistant.call('get_event', { event_id })).toMatchObject(settings);
  });

  it('loses nothing if only the first of the two writes of a split succeeds', async () => {
    await using opened = await open({ week: weekly });
    const event_id = await opened.id('Jour fixe');
    server.afterWrite = ({ method }) => {
      if (method === 'PUT' && server.objects.size === 2) {
        server.afterWrite = undefined;
        server.objects.set('/cal/week.ics', weekly.replace('COUNT=8', 'COUNT=9'));
      }
    };
    await expect(
      opened.assistant.call('update_event', {
        event_id,
        occurrence: '2026-06-24T07:00:00Z',
        following: true,
        title: 'x',
      }),
    ).rejects.toThrow(/changed RRULE of this event at the same time/);
    expect([...server.objects.keys()]).toEqual(['/cal/week.ics']);
  });

  it('moves with its exceptions and overrides', async () => {
    await using opened = await open({ week: weekly });
    const { assistant } = opened;
    const event_id = await opened.id('Jour fixe');
    await assistant.call('update_event', { event_id, start_ts: '2026-06-04T10:00' });
    expect(await opened.starts()).toEqual([
      '2026-06-04T08:00:00Z Jour fixe',
      '2026-06-11T08:00:00Z Jour fixe',
      '2026-06-25T08:00:00Z Jour fixe',
      '2026-07-02T13:00:00Z Jour fixe (moved)',
      '2026-07-16T08:00:00Z Jour fixe',
      '2026-07-23T08:00:00Z Jour fixe',
    ]);
    await assistant.call('update_event', { event_id, rrule: 'FREQ=WEEKLY;COUNT=2' });
    expect(await opened.starts()).toEqual([
      '2026-06-04T08:00:00Z Jour fixe',
      '2026-06-11T08:00:00Z Jour fixe',
    ]);
    const ruled = { event_id, start_ts: '2026-06-05T10:00' };
    await assistant.call('update_event', { event_id, rrule: 'FREQ=WEEKLY;BYDAY=TH;COUNT=2' });
    await expect(assistant.call('update_event', ruled)).rejects.toThrow(
      /needs a new rule. Pass rrule as well/,
    );
    await assistant.call('update_event', { ...ruled, rrule: 'FREQ=WEEKLY;BYDAY=FR;COUNT=2' });
    expect(await opened.starts()).toEqual([
      '2026-06-05T08:00:00Z Jour fixe',
      '2026-06-12T08:00:00Z Jour fixe',
    ]);
  });
});

describe('people in an event on a server that sends invitations', () => {
  const meeting = (attendee: string, organizer = 'ann@example.com') =>
    object(
      ...vevent(
        'UID:meet',
        'DTSTAMP:20260101T000000Z',
        'DTSTART:20260610T070000Z',
        'DTEND:20260610T080000Z',
        'RRULE:FREQ=DAILY;COUNT=3',
        'SEQUENCE:4',
        'SUMMARY:Meeting',
        `ORGANIZER;CN="Boss; Big":mailto:${organizer}`,
        'ATTENDEE;CN=Eve;PARTSTAT=ACCEPTED:mailto:eve@example.com',
        attendee,
      ),
    );
  const bob = 'ATTENDEE;CN=Bob;RSVP=TRUE:mailto:Bob@Example.com';
  const confirmToken = async (work: Promise<unknown>, message: RegExp) => {
    const error = await work.then(
      () => new Error('was not refused'),
      (reason: Error) => reason,
    );
    expect(error.message).toMatch(message);
    return /confirm "([^"]+)"/.exec(error.message)![1]!;
  };

  it('receive nothing before the user has confirmed the preview', async () => {
    await using opened = await open({ meet: meeting(bob) });
    const { assistant, calendar } = opened;
    server.schedules = true;
    const before = text('meet');
    const event_id = await opened.id('Meeting');
    const change = { event_id, start_ts: '2026-06-10T12:00' };
    const update = await confirmToken(
      assistant.call('update_event', change),
      /will send updates to 2 people \(bob@example\.com, eve@example\.com\) for "Meeting" \(Wed 10 Jun 2026 12:00 Europe\/Berlin\)\. Nothing was changed/,
    );
    expect(text('meet')).toBe(before);
    await confirmToken(
      assistant.call('update_event', { ...change, title: 'Other', confirm: update }),
      /changed since the last preview/,
    );
    expect(text('meet')).toBe(before);
    await assistant.call('update_event', { ...change, confirm: update });
    expect(text('meet')).toContain('SEQUENCE:5');
    expect(text('meet')).toContain(bob);
    const added = { event_id, attendees: ['Bob@Example.com', 'Carol <Carol@Example.com>'] };
    const invite = await confirmToken(
      assistant.call('update_event', added),
      /3 people \(bob@example\.com, carol@example\.com, eve@example\.com\)/,
    );
    await assistant.call('update_event', { ...added, confirm: invite });
    expect(text('meet')).toContain(bob);
    expect(unfold(text('meet'))).toContain(':mailto:carol@example.com');
    expect(text('meet')).not.toContain('eve@example.com');
    const created = {
      user_id: 'ann',
      calendar_id: calendar,
      title: 'Kick-off',
      start_ts: '2026-06-20T09:00',
      attendees: ['bob@example.com'],
    };
    const size = server.objects.size;
    const first = await confirmToken(assistant.call('create_event', created), /send invitations to 1 person/);
    expect(server.objects.size).toBe(size);
    await assistant.call('create_event', { ...created, confirm: first });
    expect([...server.objects.values()].at(-1)).toContain('ORGANIZER:mailto:ann@example.com\r\n');
    const cancel = await confirmToken(
      assistant.call('delete_event', { event_id }),
      /send cancellations to 2 people/,
    );
    await assistant.call('delete_event', { event_id, confirm: cancel });
    expect(server.objects.has('/cal/meet.ics')).toBe(false);
  });

  it.each([
    ['accept', {}, true],
    ['accept', { send: false }, false],
    ['decline', {}, false],
  ] as const)('are asked for in the client: %s %j', async (action, content, sent) => {
    const asked: string[] = [];
    const memory = {
      onRequest: async (_: string, params: JsonObject) => {
        asked.push(String(params['message']));
        return { action, content };
      },
    };
    await using opened = await open({ meet: meeting(bob) }, memory);
    server.schedules = true;
    await opened.assistant.client.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: { elicitation: {} },
      clientInfo: { name: 't', version: '1' },
    });
    const event_id = await opened.id('Meeting');
    const work = opened.assistant.call('update_event', { event_id, location: 'Room 9' });
    if (sent) await work;
    else
      await expect(work).rejects.toThrow('The user did not agree. Nothing was changed and nothing was sent.');
    expect(asked).toEqual([expect.stringContaining('will send updates to 2 people')]);
    expect(text('meet').includes('Room 9')).toBe(sent);
  });

  it('are answered byte for byte, for all dates or one', async () => {
    const own = 'ATTENDEE;CN="Ann, A.";PARTSTAT=NEEDS-ACTION;X-NUM=1;RSVP=TRUE:MAILTO:ANN@Example.com';
    await using opened = await open({ meet: meeting(own, 'boss@example.com') });
    server.schedules = true;
    const { assistant } = opened;
    const event_id = await opened.id('Meeting');
    await expect(assistant.call('update_event', { event_id, title: 'x' })).rejects.toThrow(
      /boss@example\.com organizes this event.*answer_invitation/,
    );
    expect(await assistant.call('answer_invitation', { event_id, answer: 'accepted' })).toEqual({
      event_id,
      answer: 'accepted',
      organizer: 'boss@example.com',
      organizer_notified: true,
    });
    const accepted = own.replace('NEEDS-ACTION', 'ACCEPTED');
    expect(unfold(text('meet'))).toBe(meeting(accepted, 'boss@example.com'));
    await assistant.call('answer_invitation', {
      event_id,
      answer: 'declined',
      occurrence: '2026-06-11T07:00:00Z',
    });
    expect(unfold(text('meet')).split('BEGIN:VEVENT')).toEqual([
      expect.any(String),
      expect.stringContaining(accepted),
      expect.stringMatching(/PARTSTAT=DECLINED;X-NUM=1[\s\S]*RECURRENCE-ID:20260611T070000Z/),
    ]);
    await assistant.call('answer_invitation', { event_id, answer: 'tentative' });
    expect(unfold(text('meet')).match(/PARTSTAT=(TENTATIVE|DECLINED)/g)).toEqual([
      'PARTSTAT=TENTATIVE',
      'PARTSTAT=DECLINED',
    ]);
    server.schedules = false;
    expect(await assistant.call('answer_invitation', { event_id, answer: 'accepted' })).toMatchObject({
      organizer_notified: false,
    });
  });

  it('are not answered for somebody else', async () => {
    await using opened = await open({
      meet: meeting(bob, 'boss@example.com'),
      mine: meeting(bob).replaceAll('UID:meet', 'UID:mine').replace('SUMMARY:Meeting', 'SUMMARY:Mine'),
    });
    const { assistant } = opened;
    const answer = (event_id: string) =>
      assistant.call('answer_invitation', { event_id, answer: 'accepted' });
    await expect(answer(await opened.id('Meeting'))).rejects.toThrow(
      /not in the list of attendees.*ann@example\.com/,
    );
    await expect(answer(await opened.id('Mine'))).rejects.toThrow(
      /^"Mine" is an event of .*, not an invitation from somebody else.* update_event/,
    );
  });
});
