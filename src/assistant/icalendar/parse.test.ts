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

describe('an invalid event', () => {
  it.each([
    ['no start', ['SUMMARY:x'], 'it has no DTSTART'],
    ['a start that is not a time', ['DTSTART:soon'], '"soon" is not a date or a time'],
    ['a day that does not exist', ['DTSTART:20260230T100000'], '"20260230T100000" is not a date or a time'],
    [
      'an hour that does not exist',
      ['DTSTART:20260601T250000Z'],
      '"20260601T250000Z" is not a date or a time',
    ],
  ])('with %s is skipped and reported with its UID', async (_, lines, message) => {
    const { events, problems } = await read(calendar(...event('bad', ...lines), ...good));
    expect(events.map(({ uid }) => uid)).toEqual(['good']);
    expect(problems).toEqual([
      { severity: 'error', line: 3, uid: 'bad', message: `This VEVENT was skipped: ${message}.` },
    ]);
  });

  it.each([
    ['an end before its start', 'DTEND:20260601T090000Z', 'it ends before it starts', 'this end'],
    ['an end that is not a time', 'DTEND:later', '"later" is not a date or a time', 'this end'],
    ['a duration of centuries', 'DTEND:29990101T000000Z', 'it lasts longer than a century', 'this end'],
    ['a negative duration', 'DURATION:-PT1H', 'it ends before it starts', 'this length'],
    ['an invalid duration', 'DURATION:long', '"long" is not a duration', 'this length'],
    ['an empty rule', 'RRULE:', 'the recurrence rule has no FREQ', 'recurrence'],
    ['a rule without frequency', 'RRULE:COUNT=3', 'the recurrence rule has no FREQ', 'recurrence'],
    [
      'an invalid rule',
      'RRULE:FREQ=DAILY;BYHOUR=99',
      'the recurrence rule has an invalid part "BYHOUR=99"',
      'recurrence',
    ],
    [
      'a rule with an invalid end',
      'RRULE:FREQ=DAILY;UNTIL=20261341',
      '"20261341" is not a date or a time',
      'recurrence',
    ],
    [
      'a rule with interval 0',
      'RRULE:FREQ=DAILY;INTERVAL=0',
      'the recurrence rule has an invalid part "INTERVAL=0"',
      'recurrence',
    ],
    ['an exception that is not a time', 'EXDATE:never', '"never" is not a date or a time', 'this exception'],
    ['a date that does not exist', 'RDATE:20260230', '"20260230" is not a date or a time', 'this date'],
    [
      'an invalid exception rule',
      'EXRULE:FREQ=OFTEN',
      'the recurrence rule has an invalid part "FREQ=OFTEN"',
      'these exceptions',
    ],
  ])('with %s is imported without that line, which is reported', async (_, line, reason, lost) => {
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

  it('keeps the valid dates in a list with an invalid one', async () => {
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

  it('is imported even if all events of a file have the same invalid line', async () => {
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

  it('does not affect the series if only one of its occurrences is invalid', async () => {
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

describe('a runaway rule', () => {
  const start = 'DTSTART;TZID=Europe/Berlin:20100228T090000';

  it.each([
    'FREQ=SECONDLY',
    'FREQ=MINUTELY;BYSECOND=0,10,20,30,40,50',
    'FREQ=DAILY;COUNT=1;BYHOUR=0,1,2,3,4,5,6,7,8,9,10,11,12;BYSETPOS=65,129',
    'FREQ=HOURLY;COUNT=1000000000;BYDAY=WE;BYMINUTE=59,33',
  ])('is ignored: %s', async (rule) => {
    const { events, problems } = await read(calendar(...event('r', start, `RRULE:${rule}`), ...good));
    expect(events).toHaveLength(2);
    expect(events[0]!.series.rules).toBeUndefined();
    expect(problems).toMatchObject([
      { severity: 'warning', uid: 'r', message: expect.stringContaining('too many occurrences') },
    ]);
  });

  it('does not block the import of a calendar full of such rules', async () => {
    const many = Array.from({ length: 2000 }, (_, index) =>
      event(`r${index}`, start, 'RRULE:FREQ=SECONDLY'),
    ).flat();
    const { events, problems } = await read(calendar(...many));
    expect(events).toHaveLength(2000);
    expect(problems).toHaveLength(2000);
  });

  it('is truncated if it is already in the store', () => {
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

describe('a malformed calendar', () => {
  it('is rejected if it is not a calendar at all', async () => {
    await expect(read('<!doctype html><title>Sign in</title>')).rejects.toMatchObject({
      kind: 'invalid-params',
      message: 'This is not a calendar: BEGIN:VCALENDAR is missing.',
    });
    await expect(read('')).rejects.toMatchObject({ kind: 'invalid-params' });
  });

  it('is read with a byte order mark, bare line feeds, and folded lines split anywhere', async () => {
    const text = `\uFEFF${calendar(...event('f', 'DTSTART:20260601T100000Z', 'SUMMARY:A long', ' er', '\t title'))}`;
    const pieces = [...text.replaceAll('\r\n', '\n')];
    const { events, problems } = await parseCalendar([{ pieces }], { nowMs });
    expect(problems).toEqual([]);
    expect(events).toMatchObject([{ uid: 'f', details: { title: 'A longer title' } }]);
  });

  it('keeps an event with an unreadable line and reports the line', async () => {
    const { events, problems } = await read(
      calendar(...event('e', 'DTSTART:20260601T100000Z', 'SUMMARY', 'LOCATION;X:here')),
    );
    expect(events).toMatchObject([{ uid: 'e', details: { title: '(no title)' } }]);
    expect(problems).toMatchObject([
      { severity: 'warning', line: 6, uid: 'e' },
      { severity: 'warning', line: 7, uid: 'e' },
    ]);
  });

  it('may end in the middle of an event or omit END:VEVENT', async () => {
    const text = calendar(
      ...event('a', 'DTSTART:20260601T100000Z').slice(0, -1),
      ...event('b', 'DTSTART:20260602T100000Z'),
    );
    const { events, problems, complete } = await read(text.slice(0, text.lastIndexOf('END:VEVENT')));
    expect(events.map(({ uid }) => uid)).toEqual(['a', 'b']);
    expect(complete).toBe(false);
    expect(problems.map(({ uid, message }) => [uid, message])).toEqual([
      ['a', 'END:VEVENT is missing.'],
      [undefined, 'The calendar is cut off: END:VCALENDAR is missing.'],
      ['b', 'The calendar ends in the middle of this event.'],
    ]);
  });

  it('gets a stable UID for an event without one', async () => {
    const text = calendar('BEGIN:VEVENT', 'DTSTART:20260601T100000Z', 'SUMMARY:x', 'END:VEVENT');
    const [first, again] = [await read(text), await read(text)];
    expect(first.events[0]!.uid).toMatch(/^no-uid-[0-9a-f]{32}$/);
    expect(again.events[0]!.uid).toBe(first.events[0]!.uid);
  });

  it('is reported if it names an unknown time zone', async () => {
    const { problems } = await read(calendar(...event('z', 'DTSTART;TZID=Atlantis:20260601T100000')));
    expect(problems).toMatchObject([
      {
        severity: 'warning',
        uid: 'z',
        message: `The time zone "Atlantis" is unknown; the user's time zone is used instead.`,
      },
    ]);
  });

  it('may use names of JavaScript properties', async () => {
    const { events } = await read(
      calendar(...event('__proto__', 'DTSTART;TZID=__proto__:20260601T100000', 'RRULE:FREQ=DAILY;COUNT=2')),
    );
    expect(events[0]!.uid).toBe('__proto__');
    const window = { fromMs: 0, toMs: Date.UTC(2030, 0), zone: 'constructor' };
    expect(occurrences(events[0]!.series, window).occurrences).toHaveLength(2);
  });

  it('can consist of several documents with their own time zones, even if one is not a calendar', async () => {
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

  it('uses the newest of two events with the same UID', async () => {
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

describe('a parsed event', () => {
  it('has text without control characters and the addresses of people', async () => {
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
      showAs: 'free',
    });
  });

  it('is cancelled if the calendar has METHOD:CANCEL', async () => {
    const { events } = await read(calendar('METHOD:CANCEL', ...good));
    expect(events).toMatchObject([{ details: { status: 'cancelled' } }]);
  });

  it('is not cancelled by another calendar in the same document', async () => {
    const { events } = await read(
      calendar('METHOD:CANCEL', ...event('a', 'DTSTART:20260601T080000Z')) + calendar(...good),
    );
    expect(events.map(({ uid, details }) => [uid, details.status])).toEqual([
      ['a', 'cancelled'],
      ['good', 'confirmed'],
    ]);
  });

  it('can be cancelled for one occurrence without DTSTART', async () => {
    const { events, problems } = await read(
      calendar('METHOD:CANCEL', ...event('a', 'RECURRENCE-ID:20260602T080000Z', 'SUMMARY:A')),
    );
    expect(problems).toEqual([]);
    expect(events).toMatchObject([
      { uid: 'a', series: { detached: true, overrides: [{ start: { wall: '2026-06-02T08:00:00' } }] } },
    ]);
  });

  it.each(['REPLY', 'counter', 'DECLINECOUNTER', 'REFRESH'])(
    'is not changed by an attendee who replies with %s',
    async (method) => {
      const { events, problems } = await read(calendar(`METHOD:${method}`, ...good));
      expect(events).toEqual([]);
      expect(problems).toMatchObject([
        { severity: 'error', uid: 'good', message: expect.stringContaining('does not change') },
      ]);
    },
  );

  it('ignores unknown components', async () => {
    const { events, problems } = await read(
      calendar(
        'BEGIN:VJOURNAL',
        'UID:journal',
        'DTSTART:nonsense',
        'END:VJOURNAL',
        ...event('a', 'DTSTART:20260601T100000Z', 'SUMMARY:event'),
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

  it('encloses all occurrences with a margin of one day, or has no end', async () => {
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
