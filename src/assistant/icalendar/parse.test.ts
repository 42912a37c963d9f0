import { describe, expect, it } from 'vitest';
import { parseCalendar } from './parse.ts';
import { extent, occurrences } from './recurrence.ts';

const nowMs = Date.UTC(2026, 0);
const calendar = (...lines: readonly string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n');
const event = (uid: string, ...lines: readonly string[]) => [
  'BEGIN:VEVENT',
  `UID:${uid}`,
  ...lines,
  'END:VEVENT',
];
const good = event('good', 'DTSTART:20260601T080000Z', 'SUMMARY:Good');
const read = (text: string) => parseCalendar([{ pieces: [text] }], { nowMs });

describe('bad events', () => {
  it.each([
    ['no start', ['SUMMARY:x'], 'it has no DTSTART'],
    ['a start that is no time', ['DTSTART:soon'], '"soon" is not a date or a time'],
    ['a day that does not exist', ['DTSTART:20260230T100000'], '"20260230T100000" is not a date or a time'],
    [
      'an hour that does not exist',
      ['DTSTART:20260601T250000Z'],
      '"20260601T250000Z" is not a date or a time',
    ],
  ])('with %s are left out and reported by their UID', async (_, lines, message) => {
    const { events, problems } = await read(calendar(...event('bad', ...lines), ...good));
    expect(events.map(({ uid }) => uid)).toEqual(['good']);
    expect(problems).toEqual([
      { severity: 'error', line: 3, uid: 'bad', message: `${message}; it is left out` },
    ]);
  });

  it.each([
    ['an end before its start', 'DTEND:20260601T090000Z', 'it ends before it starts', 'this end'],
    ['an end that is no time', 'DTEND:later', '"later" is not a date or a time', 'this end'],
    ['a stay of centuries', 'DTEND:29990101T000000Z', 'it lasts longer than a century', 'this end'],
    ['a negative duration', 'DURATION:-PT1H', 'it ends before it starts', 'this length'],
    ['a duration that is none', 'DURATION:long', '"long" is not a duration', 'this length'],
    ['an empty rule', 'RRULE:', 'the rule has no FREQ', 'recurrence'],
    ['a rule without frequency', 'RRULE:COUNT=3', 'the rule has no FREQ', 'recurrence'],
    ['a rule of nonsense', 'RRULE:FREQ=DAILY;BYHOUR=99', 'the rule has a bad part "BYHOUR=99"', 'recurrence'],
    [
      'a rule with a bad end',
      'RRULE:FREQ=DAILY;UNTIL=20261341',
      '"20261341" is not a date or a time',
      'recurrence',
    ],
    [
      'a rule that never steps',
      'RRULE:FREQ=DAILY;INTERVAL=0',
      'the rule has a bad part "INTERVAL=0"',
      'recurrence',
    ],
    ['an exception that is no time', 'EXDATE:never', '"never" is not a date or a time', 'this exception'],
    ['a date that does not exist', 'RDATE:20260230', '"20260230" is not a date or a time', 'this date'],
    [
      'an exception rule of nonsense',
      'EXRULE:FREQ=OFTEN',
      'the rule has a bad part "FREQ=OFTEN"',
      'these exceptions',
    ],
  ])('with %s are kept without that line, which is reported', async (_, line, reason, lost) => {
    const [name] = line.split(':');
    const { events, problems } = await read(
      calendar(...event('bad', 'DTSTART:20260601T100000Z', line, 'SUMMARY:Kept'), ...good),
    );
    expect(events).toMatchObject([{ uid: 'bad', details: { title: 'Kept' } }, { uid: 'good' }]);
    expect(Object.keys(events[0]!.series)).toEqual(['start', 'duration']);
    expect(problems).toEqual([
      {
        severity: 'warning',
        line: 6,
        uid: 'bad',
        message: `"${line}" is not a valid ${name}: ${reason}. The event was imported without ${lost}.`,
      },
    ]);
  });

  it('keep the good dates of a list that has a bad one', async () => {
    const { events, problems } = await read(
      calendar(
        ...event(
          'list',
          'DTSTART:20260601T100000Z',
          'RRULE:FREQ=DAILY',
          'EXDATE:20260602T100000Z,soon,later',
        ),
      ),
    );
    expect(events[0]!.series.exceptions).toEqual([{ wall: '2026-06-02T10:00:00', zone: 'UTC' }]);
    expect(problems).toMatchObject([{ line: 7, message: expect.stringContaining('"EXDATE:soon"') }]);
  });

  it('are all kept where every event of a file has the same bad line, as in a list of public holidays', async () => {
    const holidays = Array.from({ length: 34 }, (_, index) =>
      event(`day-${index}`, `DTSTART;VALUE=DATE:20260${1 + (index % 9)}01`, 'RRULE:', `SUMMARY:Day ${index}`),
    );
    const { events, problems } = await read(calendar(...holidays.flat()));
    expect(events).toHaveLength(34);
    expect(events.every(({ series }) => series.duration.days === 1)).toBe(true);
    expect(problems.map(({ severity, line }) => [severity, line])).toEqual(
      holidays.map((_, index) => ['warning', 3 + 6 * index + 3]),
    );
  });

  it('do not take along a series for one instance that makes no sense', async () => {
    const { events, problems } = await read(
      calendar(
        ...event('one', 'DTSTART:20260601T100000Z', 'RRULE:FREQ=DAILY'),
        ...event('one', 'RECURRENCE-ID:20260602T100000Z', 'DTSTART:whenever'),
      ),
    );
    expect(events).toMatchObject([{ uid: 'one', series: { rules: ['FREQ=DAILY'] } }]);
    expect(problems).toMatchObject([{ severity: 'error', uid: 'one' }]);
  });
});

describe('rules that run away', () => {
  const start = 'DTSTART;TZID=Europe/Berlin:20100228T090000';

  it.each([
    'FREQ=SECONDLY',
    'FREQ=MINUTELY;BYSECOND=0,10,20,30,40,50',
    'FREQ=DAILY;COUNT=1;BYHOUR=0,1,2,3,4,5,6,7,8,9,10,11,12;BYSETPOS=65,129',
    'FREQ=HOURLY;COUNT=1000000000;BYDAY=WE;BYMINUTE=59,33',
  ])('are not followed: %s', async (rule) => {
    const { events, problems } = await read(calendar(...event('r', start, `RRULE:${rule}`), ...good));
    expect(events).toHaveLength(2);
    expect(events[0]!.series.rules).toBeUndefined();
    expect(problems).toMatchObject([
      { severity: 'warning', uid: 'r', message: expect.stringContaining('its rule') },
    ]);
  });

  it('come to an end even in a calendar that has nothing else', async () => {
    const many = Array.from({ length: 2000 }, (_, index) =>
      event(`r${index}`, start, 'RRULE:FREQ=SECONDLY'),
    ).flat();
    const { events, problems } = await read(calendar(...many));
    expect(events).toHaveLength(2000);
    expect(problems).toHaveLength(2000);
  });

  it('are cut short where they got into the store by another way', () => {
    const series = {
      start: { wall: '2026-01-01T00:00:00', zone: 'Europe/Berlin' },
      duration: { days: 0, seconds: 1 },
      rules: ['FREQ=SECONDLY'],
    };
    const window = { fromMs: Date.UTC(2026, 0, 2), toMs: Date.UTC(2026, 3), zone: 'UTC' };
    const { occurrences: found, truncated } = occurrences(series, window);
    expect(truncated).toBe(true);
    expect(found.length).toBeLessThanOrEqual(10_000);
  });
});

describe('calendars that are not quite right', () => {
  it('are refused when they are something else', async () => {
    await expect(read('<!doctype html><title>Sign in</title>')).rejects.toMatchObject({
      kind: 'invalid-params',
      message: 'This is not a calendar: it does not contain BEGIN:VCALENDAR.',
    });
    await expect(read('')).rejects.toMatchObject({ kind: 'invalid-params' });
  });

  it('are read with a byte order mark, bare line feeds and folded lines, cut anywhere', async () => {
    const text = `\uFEFF${calendar(...event('f', 'DTSTART:20260601T100000Z', 'SUMMARY:A long', ' er', '\t title'))}`;
    const pieces = [...text.replaceAll('\r\n', '\n')];
    const { events, problems } = await parseCalendar([{ pieces }], { nowMs });
    expect(problems).toEqual([]);
    expect(events).toMatchObject([{ uid: 'f', details: { title: 'A longer title' } }]);
  });

  it('keep an event with a line that cannot be read, and say so', async () => {
    const { events, problems } = await read(
      calendar(...event('e', 'DTSTART:20260601T100000Z', 'SUMMARY', 'LOCATION;X:here')),
    );
    expect(events).toMatchObject([{ uid: 'e', details: { title: '(no title)' } }]);
    expect(problems).toMatchObject([
      { severity: 'warning', line: 6, uid: 'e' },
      { severity: 'warning', line: 7, uid: 'e' },
    ]);
  });

  it('may end in the middle of an event or forget to end one', async () => {
    const text = calendar(
      ...event('a', 'DTSTART:20260601T100000Z').slice(0, -1),
      ...event('b', 'DTSTART:20260602T100000Z'),
    );
    const { events, problems, complete } = await read(text.slice(0, text.lastIndexOf('END:VEVENT')));
    expect(events.map(({ uid }) => uid)).toEqual(['a', 'b']);
    expect(complete).toBe(false);
    expect(problems.map(({ uid, message }) => [uid, message])).toEqual([
      ['a', 'it has no END:VEVENT'],
      [undefined, 'the calendar is cut off: it has no END:VCALENDAR'],
      ['b', 'the calendar ends in the middle of it'],
    ]);
  });

  it('get a lasting UID for an event that has none', async () => {
    const text = calendar('BEGIN:VEVENT', 'DTSTART:20260601T100000Z', 'SUMMARY:x', 'END:VEVENT');
    const [first, again] = [await read(text), await read(text)];
    expect(first.events[0]!.uid).toMatch(/^no-uid-[0-9a-f]{32}$/);
    expect(again.events[0]!.uid).toBe(first.events[0]!.uid);
  });

  it('name a zone that nobody knows', async () => {
    const { problems } = await read(calendar(...event('z', 'DTSTART;TZID=Atlantis:20260601T100000')));
    expect(problems).toMatchObject([
      {
        severity: 'warning',
        uid: 'z',
        message: `the zone "Atlantis" is unknown; the user's zone is taken instead`,
      },
    ]);
  });

  it('may use names that JavaScript knows', async () => {
    const { events } = await read(
      calendar(...event('__proto__', 'DTSTART;TZID=__proto__:20260601T100000', 'RRULE:FREQ=DAILY;COUNT=2')),
    );
    expect(events[0]!.uid).toBe('__proto__');
    const window = { fromMs: 0, toMs: Date.UTC(2030, 0), zone: 'constructor' };
    expect(occurrences(events[0]!.series, window).occurrences).toHaveLength(2);
  });

  it('are read from several texts, each with its own zones, and one that is none spoils nothing', async () => {
    const zone = (offset: string) => [
      'BEGIN:VTIMEZONE',
      'TZID:Ours',
      'BEGIN:STANDARD',
      'DTSTART:20000101T000000',
      `TZOFFSETFROM:${offset}`,
      `TZOFFSETTO:${offset}`,
      'END:STANDARD',
      'END:VTIMEZONE',
    ];
    const text = (uid: string, offset: string) =>
      calendar(
        ...event(uid, 'DTSTART;TZID=Ours:20260601T100000', 'RRULE:FREQ=DAILY;COUNT=1'),
        ...zone(offset),
      );
    const { events, problems, complete } = await parseCalendar(
      [
        { name: 'a.ics', pieces: [text('a', '+0100')] },
        { name: 'notes.ics', pieces: ['my notes'] },
        { name: 'b.ics', pieces: [text('b', '+0200')] },
      ],
      { nowMs },
    );
    const window = { fromMs: 0, toMs: Date.UTC(2030, 0), zone: 'UTC' };
    const starts = events.map(({ series }) =>
      new Date(occurrences(series, window).occurrences[0]!.startMs).getUTCHours(),
    );
    expect(events.map(({ document }) => document)).toEqual(['a.ics', 'b.ics']);
    expect(starts).toEqual([9, 8]);
    expect(problems).toMatchObject([{ severity: 'error', document: 'notes.ics' }]);
    expect(complete).toBe(false);
  });

  it('take the newest of two events with one UID', async () => {
    const { events, problems } = await read(
      calendar(
        ...event('d', 'DTSTART:20260601T100000Z', 'SEQUENCE:2', 'SUMMARY:new'),
        ...event('d', 'DTSTART:20260601T100000Z', 'SEQUENCE:1', 'SUMMARY:old'),
      ),
    );
    expect(events).toMatchObject([{ uid: 'd', details: { title: 'new' } }]);
    expect(problems).toMatchObject([{ severity: 'warning', uid: 'd' }]);
  });
});

describe('what an event says', () => {
  it('is taken over without control characters and with addresses of people', async () => {
    const { events } = await read(
      calendar(
        ...event(
          'p',
          'DTSTART:20260601T100000Z',
          'SUMMARY:Plan\\nB\\, then\u0007 C',
          'DESCRIPTION:one\\ntwo\\;three\\\\',
          'LOCATION:Here',
          'STATUS:TENTATIVE',
          'TRANSP:TRANSPARENT',
          'URL:https://example.com/event',
          'X-GOOGLE-CONFERENCE:https://meet.example/abc',
          'ORGANIZER;CN="Doe, Jane":MAILTO:jane@example.com',
          'ATTENDEE;CN=Bob:mailto:bob@example.com',
          'ATTENDEE;CN=Room 5:urn:uuid:1',
        ),
      ),
    );
    expect(events[0]!.details).toEqual({
      title: 'Plan B, then C',
      status: 'tentative',
      description: 'one\ntwo;three\\',
      location: 'Here',
      link: 'https://meet.example/abc',
      organizer: 'jane@example.com',
      attendees: ['bob@example.com', 'Room 5'],
      free: true,
    });
  });

  it('is cancelled when the whole calendar is a cancellation', async () => {
    const { events } = await read(calendar('METHOD:CANCEL', ...good));
    expect(events).toMatchObject([{ details: { status: 'cancelled' } }]);
  });

  it('is not cancelled by another calendar in the same text', async () => {
    const { events } = await read(
      calendar('METHOD:CANCEL', ...event('a', 'DTSTART:20260601T080000Z')) + calendar(...good),
    );
    expect(events.map(({ uid, details }) => [uid, details.status])).toEqual([
      ['a', 'cancelled'],
      ['good', 'confirmed'],
    ]);
  });

  it('is cancelled for one time of a series without a word about when that would have been', async () => {
    const { events, problems } = await read(
      calendar('METHOD:CANCEL', ...event('a', 'RECURRENCE-ID:20260602T080000Z', 'SUMMARY:A')),
    );
    expect(problems).toEqual([]);
    expect(events).toMatchObject([
      { uid: 'a', series: { detached: true, overrides: [{ start: { wall: '2026-06-02T08:00:00' } }] } },
    ]);
  });

  it.each(['REPLY', 'counter', 'DECLINECOUNTER', 'REFRESH'])(
    'stays as it is when somebody who is invited answers with %s',
    async (method) => {
      const { events, problems } = await read(calendar(`METHOD:${method}`, ...good));
      expect(events).toEqual([]);
      expect(problems).toMatchObject([
        { severity: 'error', uid: 'good', message: expect.stringContaining('does not change') },
      ]);
    },
  );

  it('does not follow alarms, tasks or unknown parts', async () => {
    const { events, problems } = await read(
      calendar(
        'BEGIN:VTODO',
        'UID:todo',
        'DTSTART:nonsense',
        'END:VTODO',
        'X-WR-CALNAME:Mine',
        ...event(
          'a',
          'DTSTART:20260601T100000Z',
          'BEGIN:VALARM',
          'TRIGGER:-PT5M',
          'SUMMARY:alarm',
          'END:VALARM',
          'SUMMARY:event',
        ),
      ),
    );
    expect(events).toMatchObject([{ uid: 'a', details: { title: 'event' } }]);
    expect(problems).toEqual([]);
  });
});

describe('the extent of a series', () => {
  const extentOf = async (...lines: readonly string[]) => {
    const { events } = await read(
      calendar(...event('x', 'DTSTART:20260601T100000Z', 'DURATION:PT1H', ...lines)),
    );
    const { firstMs, lastMs } = extent(events[0]!.series);
    return [firstMs, lastMs].map((ms) => ms !== undefined && new Date(ms).toISOString().slice(0, 16));
  };

  it('encloses every occurrence with a day to spare, or has no end', async () => {
    expect(await extentOf()).toEqual(['2026-05-31T10:00', '2026-06-02T11:00']);
    expect(await extentOf('RRULE:FREQ=DAILY;COUNT=3')).toEqual(['2026-05-31T10:00', '2026-06-04T11:00']);
    expect(await extentOf('RRULE:FREQ=YEARLY;UNTIL=20300701')).toEqual([
      '2026-05-31T10:00',
      '2030-07-04T01:00',
    ]);
    expect(await extentOf('RRULE:FREQ=DAILY')).toEqual(['2026-05-31T10:00', false]);
    expect(await extentOf('RRULE:FREQ=DAILY;COUNT=99999999')).toEqual(['2026-05-31T10:00', false]);
    expect(await extentOf('RDATE:20200101T000000Z')).toEqual(['2019-12-31T00:00', '2026-06-02T11:00']);
  });
});
