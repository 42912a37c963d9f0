import { type Case, calendarOf } from './case.ts';

interface Own {
  readonly name: string;
  readonly lines: readonly string[];
  readonly from: string;
  readonly to: string;
  readonly zone?: string;
  readonly expected: readonly string[];
}

const berlin = 'TZID=Europe/Berlin';
const event = (...lines: readonly string[]) => ['BEGIN:VEVENT', 'UID:one', ...lines, 'END:VEVENT'];

/** A custom time zone with the rules of Central Europe. */
export const ownZone = (id: string) => [
  'BEGIN:VTIMEZONE',
  `TZID:${id}`,
  'BEGIN:DAYLIGHT',
  'DTSTART:19810329T020000',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
  'END:DAYLIGHT',
  'BEGIN:STANDARD',
  'DTSTART:19961027T030000',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
  'END:STANDARD',
  'END:VTIMEZONE',
];

const cases: readonly Own[] = [
  // ── Time changes ─────────────────────────────────────────────────────────────────────────────────────────
  {
    name: 'a weekly meeting at the same local time when daylight saving time begins',
    lines: [`DTSTART;${berlin}:20260316T100000`, 'RRULE:FREQ=WEEKLY'],
    from: '2026-03-16',
    to: '2026-04-12',
    expected: [
      '2026-03-16T09:00:00Z',
      '2026-03-23T09:00:00Z',
      '2026-03-30T08:00:00Z',
      '2026-04-06T08:00:00Z',
    ],
  },
  {
    name: 'a weekly meeting at the same local time when daylight saving time ends',
    lines: [`DTSTART;${berlin}:20261012T100000`, 'RRULE:FREQ=WEEKLY;COUNT=4'],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: [
      '2026-10-12T08:00:00Z',
      '2026-10-19T08:00:00Z',
      '2026-10-26T09:00:00Z',
      '2026-11-02T09:00:00Z',
    ],
  },
  {
    name: 'a daily series whose local time is skipped once, an hour later on that day',
    lines: [`DTSTART;${berlin}:20260328T023000`, 'RRULE:FREQ=DAILY;COUNT=3'],
    from: '2026-03-01',
    to: '2026-04-30',
    expected: ['2026-03-28T01:30:00Z', '2026-03-29T01:30:00Z', '2026-03-30T00:30:00Z'],
  },
  {
    name: 'a daily series whose local time is repeated once, at the first of the two',
    lines: [`DTSTART;${berlin}:20261024T023000`, 'RRULE:FREQ=DAILY;COUNT=3'],
    from: '2026-10-01',
    to: '2026-11-30',
    expected: ['2026-10-24T00:30:00Z', '2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z'],
  },
  {
    name: 'a series across a clock change in the southern hemisphere',
    lines: ['DTSTART;TZID=Australia/Sydney:20260330T090000', 'RRULE:FREQ=WEEKLY;COUNT=2'],
    from: '2026-03-01',
    to: '2026-05-01',
    expected: ['2026-03-29T22:00:00Z', '2026-04-05T23:00:00Z'],
  },
  {
    name: 'a series across the half-hour clock change on Lord Howe Island',
    lines: ['DTSTART;TZID=Australia/Lord_Howe:20261003T020000', 'RRULE:FREQ=DAILY;COUNT=3'],
    from: '2026-10-01',
    to: '2026-10-10',
    expected: ['2026-10-02T15:30:00Z', '2026-10-03T15:30:00Z', '2026-10-04T15:00:00Z'],
  },
  {
    name: 'a series across a calendar day that Samoa skipped',
    lines: ['DTSTART;TZID=Pacific/Apia:20111229T120000', 'RRULE:FREQ=DAILY;COUNT=3'],
    from: '2011-12-01',
    to: '2012-02-01',
    expected: ['2011-12-29T22:00:00Z', '2011-12-30T22:00:00Z'],
  },
  {
    name: 'a six-hour interval as elapsed time across both clock changes',
    lines: [`DTSTART;${berlin}:20260328T180000`, 'RRULE:FREQ=HOURLY;INTERVAL=6;COUNT=4'],
    from: '2026-03-01',
    to: '2026-04-30',
    expected: [
      '2026-03-28T17:00:00Z',
      '2026-03-28T23:00:00Z',
      '2026-03-29T05:00:00Z',
      '2026-03-29T11:00:00Z',
    ],
  },
  {
    name: 'a half-hour interval, including both passes of a repeated hour',
    lines: [`DTSTART;${berlin}:20261025T013000`, 'RRULE:FREQ=MINUTELY;INTERVAL=30;COUNT=6'],
    from: '2026-10-01',
    to: '2026-11-30',
    expected: [
      '2026-10-24T23:30:00Z',
      '2026-10-25T00:00:00Z',
      '2026-10-25T00:30:00Z',
      '2026-10-25T01:00:00Z',
      '2026-10-25T01:30:00Z',
      '2026-10-25T02:00:00Z',
    ],
  },
  {
    name: 'an hourly interval, including both passes of a repeated hour and no skipped hour',
    lines: [
      ...event(`DTSTART;${berlin}:20261025T010000`, 'RRULE:FREQ=HOURLY;COUNT=4'),
      'BEGIN:VEVENT',
      'UID:spring',
      `DTSTART;${berlin}:20260329T010000`,
      'RRULE:FREQ=HOURLY;COUNT=3',
      'END:VEVENT',
    ],
    from: '2026-01-01',
    to: '2026-11-30',
    expected: [
      '2026-10-24T23:00:00Z',
      '2026-10-25T00:00:00Z',
      '2026-10-25T01:00:00Z',
      '2026-10-25T02:00:00Z',
      '2026-03-29T00:00:00Z',
      '2026-03-29T01:00:00Z',
      '2026-03-29T02:00:00Z',
    ],
  },
  // ── Exceptions and additions ─────────────────────────────────────────────────────────────────────────────
  {
    name: 'a series with an exception in its own time zone',
    lines: [
      `DTSTART;${berlin}:20260323T100000`,
      'RRULE:FREQ=WEEKLY;COUNT=3',
      `EXDATE;${berlin}:20260330T100000`,
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-03-23T09:00:00Z', '2026-04-06T08:00:00Z'],
  },
  {
    name: 'a series with an exception in UTC',
    lines: [`DTSTART;${berlin}:20260323T100000`, 'RRULE:FREQ=WEEKLY;COUNT=3', 'EXDATE:20260330T080000Z'],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-03-23T09:00:00Z', '2026-04-06T08:00:00Z'],
  },
  {
    name: 'a series with an exception in another time zone',
    lines: [
      `DTSTART;${berlin}:20260323T100000`,
      'RRULE:FREQ=WEEKLY;COUNT=3',
      'EXDATE;TZID=America/New_York:20260330T040000',
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-03-23T09:00:00Z', '2026-04-06T08:00:00Z'],
  },
  {
    name: 'a series with an exception that is a date, which removes all occurrences of that day',
    lines: [
      `DTSTART;${berlin}:20260323T100000`,
      'RRULE:FREQ=DAILY;BYHOUR=10,15;COUNT=6',
      'EXDATE;VALUE=DATE:20260324',
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: [
      '2026-03-23T09:00:00Z',
      '2026-03-23T14:00:00Z',
      '2026-03-25T09:00:00Z',
      '2026-03-25T14:00:00Z',
    ],
  },
  {
    name: 'a series with several exceptions on one line, one of which matches nothing',
    lines: [
      `DTSTART;${berlin}:20260601T100000`,
      'RRULE:FREQ=DAILY;COUNT=5',
      `EXDATE;${berlin}:20260602T100000,20260604T100000,20260605T110000`,
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-06-01T08:00:00Z', '2026-06-03T08:00:00Z', '2026-06-05T08:00:00Z'],
  },
  {
    name: 'a series with an exception for its first occurrence',
    lines: [
      `DTSTART;${berlin}:20260601T100000`,
      'RRULE:FREQ=DAILY;COUNT=2',
      `EXDATE;${berlin}:20260601T100000`,
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-06-02T08:00:00Z'],
  },
  {
    name: 'a series with exceptions defined by a rule',
    lines: [`DTSTART;${berlin}:20260601T100000`, 'RRULE:FREQ=DAILY;COUNT=7', 'EXRULE:FREQ=DAILY;INTERVAL=2'],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-06-02T08:00:00Z', '2026-06-04T08:00:00Z', '2026-06-06T08:00:00Z'],
  },
  {
    name: 'added dates in a time zone, in UTC and as periods, without duplicates',
    lines: [
      `DTSTART;${berlin}:20260601T100000`,
      'RRULE:FREQ=WEEKLY;COUNT=2',
      `RDATE;${berlin}:20260603T110000,20260608T100000`,
      'RDATE;VALUE=PERIOD:20260604T120000Z/PT30M',
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: [
      '2026-06-01T08:00:00Z',
      '2026-06-03T09:00:00Z',
      '2026-06-04T12:00:00Z',
      '2026-06-08T08:00:00Z',
    ],
  },
  {
    name: 'added dates without any rule',
    lines: [`DTSTART;${berlin}:20260601T100000`, `RDATE;${berlin}:20260701T100000`],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-06-01T08:00:00Z', '2026-07-01T08:00:00Z'],
  },
  {
    name: 'a series with two rules',
    lines: [
      `DTSTART;${berlin}:20260601T100000`,
      'RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2',
      'RRULE:FREQ=WEEKLY;BYDAY=WE;UNTIL=20260610',
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: [
      '2026-06-01T08:00:00Z',
      '2026-06-03T08:00:00Z',
      '2026-06-08T08:00:00Z',
      '2026-06-10T08:00:00Z',
    ],
  },
  // ── Overrides ────────────────────────────────────────────────────────────────────────────────────────────
  {
    name: 'an occurrence moved within its day',
    lines: [
      ...event(`DTSTART;${berlin}:20260323T100000`, 'RRULE:FREQ=WEEKLY;COUNT=3'),
      ...event(
        `RECURRENCE-ID;${berlin}:20260330T100000`,
        `DTSTART;${berlin}:20260330T150000`,
        'SUMMARY:later',
      ),
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-03-23T09:00:00Z', '2026-03-30T13:00:00Z later', '2026-04-06T08:00:00Z'],
  },
  {
    name: 'an occurrence identified in UTC',
    lines: [
      ...event(`DTSTART;${berlin}:20260323T100000`, 'RRULE:FREQ=WEEKLY;COUNT=3'),
      ...event('RECURRENCE-ID:20260330T080000Z', 'DTSTART:20260330T130000Z', 'SUMMARY:later'),
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-03-23T09:00:00Z', '2026-03-30T13:00:00Z later', '2026-04-06T08:00:00Z'],
  },
  {
    name: 'an occurrence identified by its date',
    lines: [
      ...event(`DTSTART;${berlin}:20260323T100000`, 'RRULE:FREQ=WEEKLY;COUNT=3'),
      ...event('RECURRENCE-ID;VALUE=DATE:20260330', 'DTSTART:20260330T130000Z', 'SUMMARY:later'),
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-03-23T09:00:00Z', '2026-03-30T13:00:00Z later', '2026-04-06T08:00:00Z'],
  },
  {
    name: 'an override that precedes its series in the file',
    lines: [
      ...event(
        `RECURRENCE-ID;${berlin}:20260330T100000`,
        `DTSTART;${berlin}:20260330T150000`,
        'SUMMARY:later',
      ),
      ...event(`DTSTART;${berlin}:20260323T100000`, 'RRULE:FREQ=WEEKLY;COUNT=3'),
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-03-23T09:00:00Z', '2026-03-30T13:00:00Z later', '2026-04-06T08:00:00Z'],
  },
  {
    name: 'an occurrence moved into the window from far away',
    lines: [
      ...event(`DTSTART;${berlin}:20260105T100000`, 'RRULE:FREQ=WEEKLY'),
      ...event(
        `RECURRENCE-ID;${berlin}:20261005T100000`,
        `DTSTART;${berlin}:20260204T150000`,
        'SUMMARY:early',
      ),
    ],
    from: '2026-02-01',
    to: '2026-02-08',
    expected: ['2026-02-02T09:00:00Z', '2026-02-04T14:00:00Z early'],
  },
  {
    name: 'an occurrence moved out of the window',
    lines: [
      ...event(`DTSTART;${berlin}:20260105T100000`, 'RRULE:FREQ=WEEKLY'),
      ...event(`RECURRENCE-ID;${berlin}:20260202T100000`, `DTSTART;${berlin}:20260301T150000`),
    ],
    from: '2026-02-01',
    to: '2026-02-08',
    expected: [],
  },
  {
    name: 'a series with a cancelled occurrence',
    lines: [
      ...event(`DTSTART;${berlin}:20260323T100000`, 'RRULE:FREQ=WEEKLY;COUNT=3'),
      ...event(
        `RECURRENCE-ID;${berlin}:20260330T100000`,
        `DTSTART;${berlin}:20260330T100000`,
        'STATUS:CANCELLED',
      ),
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-03-23T09:00:00Z', '2026-04-06T08:00:00Z'],
  },
  {
    name: 'two occurrences moved to the same day',
    lines: [
      ...event(`DTSTART;${berlin}:20260601T100000`, 'RRULE:FREQ=WEEKLY;COUNT=3'),
      ...event(
        `RECURRENCE-ID;${berlin}:20260608T100000`,
        `DTSTART;${berlin}:20260610T090000`,
        'SUMMARY:second',
      ),
      ...event(
        `RECURRENCE-ID;${berlin}:20260615T100000`,
        `DTSTART;${berlin}:20260610T140000`,
        'SUMMARY:third',
      ),
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-06-01T08:00:00Z', '2026-06-10T07:00:00Z second', '2026-06-10T12:00:00Z third'],
  },
  {
    name: 'a series with two versions of an override, using the newer one',
    lines: [
      ...event(`DTSTART;${berlin}:20260601T100000`, 'RRULE:FREQ=WEEKLY;COUNT=1'),
      ...event(
        `RECURRENCE-ID;${berlin}:20260601T100000`,
        `DTSTART;${berlin}:20260601T150000`,
        'SEQUENCE:2',
        'SUMMARY:new',
      ),
      ...event(
        `RECURRENCE-ID;${berlin}:20260601T100000`,
        `DTSTART;${berlin}:20260601T120000`,
        'SEQUENCE:1',
        'SUMMARY:old',
      ),
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-06-01T13:00:00Z new'],
  },
  {
    name: 'an occurrence with two overrides in different notations, only once',
    lines: [
      ...event(`DTSTART;${berlin}:20260601T100000`, 'RRULE:FREQ=WEEKLY;COUNT=1'),
      ...event(
        `RECURRENCE-ID;${berlin}:20260601T100000`,
        `DTSTART;${berlin}:20260601T120000`,
        'SUMMARY:first',
      ),
      ...event('RECURRENCE-ID:20260601T080000Z', `DTSTART;${berlin}:20260601T150000`, 'SUMMARY:second'),
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-06-01T13:00:00Z second'],
  },
  {
    name: 'overrides of a series without its master event',
    lines: [
      ...event(`RECURRENCE-ID;${berlin}:20260608T100000`, `DTSTART;${berlin}:20260608T110000`, 'SUMMARY:a'),
      ...event(`RECURRENCE-ID;${berlin}:20260615T100000`, `DTSTART;${berlin}:20260615T100000`, 'SUMMARY:b'),
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-06-08T09:00:00Z a', '2026-06-15T08:00:00Z b'],
  },
  // ── This and all later occurrences ─────────────────────────────────────────────────────────────────────────────
  {
    name: 'a series with this and all later occurrences moved',
    lines: [
      ...event(`DTSTART;${berlin}:20260601T100000`, 'RRULE:FREQ=WEEKLY;COUNT=4'),
      ...event(
        `RECURRENCE-ID;RANGE=THISANDFUTURE;${berlin}:20260615T100000`,
        `DTSTART;${berlin}:20260616T130000`,
        'SUMMARY:moved',
      ),
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: [
      '2026-06-01T08:00:00Z',
      '2026-06-08T08:00:00Z',
      '2026-06-16T11:00:00Z moved',
      '2026-06-23T11:00:00Z moved',
    ],
  },
  {
    name: 'a series with this and all later occurrences moved, across a clock change',
    lines: [
      ...event(`DTSTART;${berlin}:20260309T100000`, 'RRULE:FREQ=WEEKLY;COUNT=4'),
      ...event(
        `RECURRENCE-ID;RANGE=THISANDFUTURE;${berlin}:20260323T100000`,
        `DTSTART;${berlin}:20260323T120000`,
        'SUMMARY:noon',
      ),
    ],
    from: '2026-03-01',
    to: '2026-05-01',
    expected: [
      '2026-03-09T09:00:00Z',
      '2026-03-16T09:00:00Z',
      '2026-03-23T11:00:00Z noon',
      '2026-03-30T10:00:00Z noon',
    ],
  },
  {
    name: 'a series with two such overrides and a single override, which takes precedence',
    lines: [
      ...event(`DTSTART;${berlin}:20260601T100000`, 'RRULE:FREQ=DAILY;COUNT=5'),
      ...event(
        `RECURRENCE-ID;RANGE=THISANDFUTURE;${berlin}:20260602T100000`,
        `DTSTART;${berlin}:20260602T110000`,
        'SUMMARY:eleven',
      ),
      ...event(
        `RECURRENCE-ID;RANGE=THISANDFUTURE;${berlin}:20260604T100000`,
        `DTSTART;${berlin}:20260604T120000`,
        'SUMMARY:twelve',
      ),
      ...event(
        `RECURRENCE-ID;${berlin}:20260605T100000`,
        `DTSTART;${berlin}:20260605T080000`,
        'SUMMARY:eight',
      ),
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: [
      '2026-06-01T08:00:00Z',
      '2026-06-02T09:00:00Z eleven',
      '2026-06-03T09:00:00Z eleven',
      '2026-06-04T10:00:00Z twelve',
      '2026-06-05T06:00:00Z eight',
    ],
  },
  {
    name: 'an occurrence with its own override and one for all later occurrences',
    lines: [
      ...event(`DTSTART;${berlin}:20260601T100000`, 'RRULE:FREQ=DAILY;COUNT=2'),
      ...event(
        `RECURRENCE-ID;RANGE=THISANDFUTURE;${berlin}:20260601T100000`,
        `DTSTART;${berlin}:20260601T110000`,
        'SUMMARY:all',
      ),
      ...event(`RECURRENCE-ID:20260601T080000Z`, `DTSTART;${berlin}:20260601T120000`, 'SUMMARY:one'),
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-06-01T10:00:00Z one', '2026-06-02T09:00:00Z all'],
  },
  {
    name: 'a series with this and all later occurrences cancelled',
    lines: [
      ...event(`DTSTART;${berlin}:20260601T100000`, 'RRULE:FREQ=DAILY'),
      ...event(
        `RECURRENCE-ID;RANGE=THISANDFUTURE;${berlin}:20260603T100000`,
        `DTSTART;${berlin}:20260603T100000`,
        'STATUS:CANCELLED',
      ),
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-06-01T08:00:00Z', '2026-06-02T08:00:00Z'],
  },
  {
    name: 'a series with all later occurrences moved by half a year',
    lines: [
      ...event(`DTSTART;${berlin}:20260105T100000`, 'RRULE:FREQ=WEEKLY'),
      ...event(
        `RECURRENCE-ID;RANGE=THISANDFUTURE;${berlin}:20260112T100000`,
        `DTSTART;${berlin}:20260713T100000`,
        'SUMMARY:half a year later',
      ),
    ],
    from: '2026-08-02',
    to: '2026-08-15',
    expected: ['2026-08-03T08:00:00Z half a year later', '2026-08-10T08:00:00Z half a year later'],
  },
  {
    name: 'a series with all later occurrences moved to another time zone',
    lines: [
      ...event(`DTSTART;${berlin}:20260302T150000`, 'RRULE:FREQ=WEEKLY;COUNT=3'),
      ...event(
        `RECURRENCE-ID;RANGE=THISANDFUTURE;${berlin}:20260309T150000`,
        'DTSTART;TZID=America/New_York:20260309T110000',
        'SUMMARY:over there',
      ),
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    // New York is already on daylight saving time: 15:00 in Berlin is 10:00 there, so 11:00 is an hour later.
    expected: ['2026-03-02T14:00:00Z', '2026-03-09T15:00:00Z over there', '2026-03-16T15:00:00Z over there'],
  },
  // ── All-day events and floating times ────────────────────────────────────────────────────────────────────────
  {
    name: "an all-day series, starting at midnight in the owner's time zone",
    lines: ['DTSTART;VALUE=DATE:20260329', 'RRULE:FREQ=DAILY;COUNT=3'],
    from: '2026-03-01',
    to: '2026-05-01',
    zone: 'Europe/Berlin',
    expected: ['2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z', '2026-03-30T22:00:00Z'],
  },
  {
    name: 'the same all-day series for a user in Auckland',
    lines: ['DTSTART;VALUE=DATE:20260329', 'RRULE:FREQ=DAILY;COUNT=2'],
    from: '2026-03-01',
    to: '2026-05-01',
    zone: 'Pacific/Auckland',
    expected: ['2026-03-28T11:00:00Z', '2026-03-29T11:00:00Z'],
  },
  {
    name: 'a date without VALUE=DATE as an all-day event',
    lines: ['DTSTART:20260601', 'DTEND:20260603'],
    from: '2026-06-02T12:00',
    to: '2026-06-30',
    expected: ['2026-06-01T00:00:00Z'],
  },
  {
    name: 'an all-day series with an exception, a moved occurrence and an end',
    lines: [
      ...event(
        'DTSTART;VALUE=DATE:20260601',
        'RRULE:FREQ=DAILY;UNTIL=20260605',
        'EXDATE;VALUE=DATE:20260602',
      ),
      ...event('RECURRENCE-ID;VALUE=DATE:20260604', 'DTSTART;VALUE=DATE:20260610', 'SUMMARY:moved'),
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: [
      '2026-06-01T00:00:00Z',
      '2026-06-03T00:00:00Z',
      '2026-06-05T00:00:00Z',
      '2026-06-10T00:00:00Z moved',
    ],
  },
  {
    name: 'an all-day series whose exception and end are written as times',
    lines: [
      'DTSTART;VALUE=DATE:20260601',
      'RRULE:FREQ=DAILY;UNTIL=20260604T000000Z',
      'EXDATE:20260602T000000Z',
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-06-01T00:00:00Z', '2026-06-03T00:00:00Z', '2026-06-04T00:00:00Z'],
  },
  {
    name: 'a series with one occurrence changed to all-day',
    lines: [
      ...event(`DTSTART;${berlin}:20260601T100000`, 'RRULE:FREQ=DAILY;COUNT=2'),
      ...event(`RECURRENCE-ID;${berlin}:20260602T100000`, 'DTSTART;VALUE=DATE:20260602', 'SUMMARY:all day'),
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    zone: 'Europe/Berlin',
    expected: ['2026-06-01T08:00:00Z', '2026-06-01T22:00:00Z all day'],
  },
  {
    name: 'a birthday on February 29 every fourth year',
    lines: ['DTSTART;VALUE=DATE:20200229', 'RRULE:FREQ=YEARLY'],
    from: '2021-01-01',
    to: '2030-01-01',
    expected: ['2024-02-29T00:00:00Z', '2028-02-29T00:00:00Z'],
  },
  {
    name: "a series with a floating time, in the owner's time zone",
    lines: ['DTSTART:20260328T073000', 'RRULE:FREQ=DAILY;COUNT=3'],
    from: '2026-03-01',
    to: '2026-05-01',
    zone: 'Europe/Berlin',
    expected: ['2026-03-28T06:30:00Z', '2026-03-29T05:30:00Z', '2026-03-30T05:30:00Z'],
  },
  {
    name: 'the same floating series for a user in Tokyo',
    lines: ['DTSTART:20260328T073000', 'RRULE:FREQ=DAILY;COUNT=2', 'EXDATE:20260329T073000'],
    from: '2026-03-01',
    to: '2026-05-01',
    zone: 'Asia/Tokyo',
    expected: ['2026-03-27T22:30:00Z'],
  },
  {
    name: 'a floating series with an override',
    lines: [
      ...event('DTSTART:20260601T073000', 'RRULE:FREQ=DAILY;COUNT=2'),
      ...event('RECURRENCE-ID:20260602T073000', 'DTSTART:20260602T090000', 'SUMMARY:nine'),
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    zone: 'America/New_York',
    expected: ['2026-06-01T11:30:00Z', '2026-06-02T13:00:00Z nine'],
  },
  // ── Time zones ────────────────────────────────────────────────────────────────────────────────────────────────
  {
    name: 'a series in a custom time zone when daylight saving time begins',
    lines: [
      ...ownZone('Customized Time Zone'),
      ...event('DTSTART;TZID=Customized Time Zone:20260327T023000', 'RRULE:FREQ=DAILY;COUNT=4'),
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: [
      '2026-03-27T01:30:00Z',
      '2026-03-28T01:30:00Z',
      '2026-03-29T01:30:00Z',
      '2026-03-30T00:30:00Z',
    ],
  },
  {
    name: 'a series in a custom time zone when daylight saving time ends',
    lines: [
      ...ownZone('Our Zone'),
      ...event(
        'DTSTART;TZID=Our Zone:20261024T023000',
        'RRULE:FREQ=DAILY;COUNT=3',
        'EXDATE:20261024T003000Z',
      ),
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z'],
  },
  {
    name: 'an event in a custom time zone that is defined after the event',
    lines: [...event('DTSTART;TZID="Late":20260701T100000'), ...ownZone('Late')],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-07-01T08:00:00Z'],
  },
  {
    name: 'a series in a custom time zone without clock changes, before and after its onset',
    lines: [
      'BEGIN:VTIMEZONE',
      'TZID:Fixed',
      'BEGIN:STANDARD',
      'DTSTART:20000101T000000',
      'TZOFFSETFROM:+0530',
      'TZOFFSETTO:+0545',
      'END:STANDARD',
      'END:VTIMEZONE',
      ...event('DTSTART;TZID=Fixed:19991231T120000', 'RRULE:FREQ=DAILY;INTERVAL=2;COUNT=2'),
    ],
    from: '1990-01-01',
    to: '2027-01-01',
    expected: ['1999-12-31T06:30:00Z', '2000-01-02T06:15:00Z'],
  },
  {
    name: 'a series in a custom time zone whose rule has ended and whose changes are listed',
    lines: [
      'BEGIN:VTIMEZONE',
      'TZID:Listed',
      'BEGIN:DAYLIGHT',
      'DTSTART:20100328T020000',
      'TZOFFSETFROM:+0100',
      'TZOFFSETTO:+0200',
      'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;UNTIL=20120325T010000Z',
      'END:DAYLIGHT',
      'BEGIN:STANDARD',
      'DTSTART:20101031T030000',
      'TZOFFSETFROM:+0200',
      'TZOFFSETTO:+0100',
      'RDATE:20111030T030000,20121028T030000',
      'END:STANDARD',
      'END:VTIMEZONE',
      ...event('DTSTART;TZID=Listed:20110701T120000', 'RRULE:FREQ=YEARLY;COUNT=3'),
    ],
    from: '2000-01-01',
    to: '2027-01-01',
    expected: ['2011-07-01T10:00:00Z', '2012-07-01T10:00:00Z', '2013-07-01T11:00:00Z'],
  },
  {
    name: 'a series in a time zone with a Windows name',
    lines: ['DTSTART;TZID=W. Europe Standard Time:20260323T100000', 'RRULE:FREQ=WEEKLY;COUNT=2'],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-03-23T09:00:00Z', '2026-03-30T08:00:00Z'],
  },
  {
    name: 'an event in a time zone with a vendor prefix',
    lines: ['DTSTART;TZID=/freeassociation.sourceforge.net/Europe/Berlin:20260701T100000'],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-07-01T08:00:00Z'],
  },
  {
    name: "an event in an unknown time zone, using the owner's",
    lines: ['DTSTART;TZID=Atlantis/Capital:20260701T100000'],
    from: '2026-01-01',
    to: '2027-01-01',
    zone: 'Asia/Tokyo',
    expected: ['2026-07-01T01:00:00Z'],
  },
  // ── Ends and windows ─────────────────────────────────────────────────────────────────────────────────────
  {
    name: 'a rule whose UNTIL is in UTC',
    lines: [`DTSTART;${berlin}:20260324T003000`, 'RRULE:FREQ=DAILY;UNTIL=20260326T233000Z'],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: [
      '2026-03-23T23:30:00Z',
      '2026-03-24T23:30:00Z',
      '2026-03-25T23:30:00Z',
      '2026-03-26T23:30:00Z',
    ],
  },
  {
    name: 'a rule whose UNTIL is a date, including that day',
    lines: [`DTSTART;${berlin}:20260601T230000`, 'RRULE:FREQ=DAILY;UNTIL=20260602'],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-06-01T21:00:00Z', '2026-06-02T21:00:00Z'],
  },
  {
    name: 'a first occurrence that does not match its rule and counts towards COUNT',
    lines: [`DTSTART;${berlin}:20260603T100000`, 'RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3'],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-06-03T08:00:00Z', '2026-06-08T08:00:00Z', '2026-06-15T08:00:00Z'],
  },
  {
    name: 'the last day of each month',
    lines: [`DTSTART;${berlin}:20260131T100000`, 'RRULE:FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=4'],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: [
      '2026-01-31T09:00:00Z',
      '2026-02-28T09:00:00Z',
      '2026-03-31T08:00:00Z',
      '2026-04-30T08:00:00Z',
    ],
  },
  {
    name: 'the 31st of each month, skipping short months',
    lines: [`DTSTART;${berlin}:20260131T100000`, 'RRULE:FREQ=MONTHLY;COUNT=3'],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['2026-01-31T09:00:00Z', '2026-03-31T08:00:00Z', '2026-05-31T08:00:00Z'],
  },
  {
    name: 'events in progress at the start of the window, but not those that just ended',
    lines: [
      `DTSTART;${berlin}:20260601T220000`,
      `DTEND;${berlin}:20260602T060000`,
      'RRULE:FREQ=DAILY;COUNT=5',
    ],
    from: '2026-06-03T04:00',
    to: '2026-06-05T00:00',
    expected: ['2026-06-03T20:00:00Z', '2026-06-04T20:00:00Z'],
  },
  {
    name: 'an event of several weeks that started long before the window',
    lines: ['DTSTART;VALUE=DATE:20260501', 'DURATION:P6W', 'RRULE:FREQ=YEARLY'],
    from: '2027-06-01',
    to: '2027-06-02',
    expected: ['2027-05-01T00:00:00Z'],
  },
  {
    name: 'events that start at the start of the window, but not at its end',
    lines: ['DTSTART:20260601T000000Z', 'RRULE:FREQ=DAILY'],
    from: '2026-06-10',
    to: '2026-06-12',
    expected: ['2026-06-10T00:00:00Z', '2026-06-11T00:00:00Z'],
  },
  {
    name: 'an hourly rule whose UNTIL is a local time',
    lines: [`DTSTART;${berlin}:20260601T090000`, 'RRULE:FREQ=HOURLY;UNTIL=20260601T110000'],
    from: '2026-06-01',
    to: '2026-06-03',
    expected: ['2026-06-01T07:00:00Z', '2026-06-01T08:00:00Z', '2026-06-01T09:00:00Z'],
  },
  {
    name: 'a floating rule in minutes whose UNTIL is a local time',
    lines: ['DTSTART:20260601T090000', 'RRULE:FREQ=MINUTELY;INTERVAL=30;UNTIL=20260601T100000'],
    from: '2026-06-01',
    to: '2026-06-03',
    zone: 'America/New_York',
    expected: ['2026-06-01T13:00:00Z', '2026-06-01T13:30:00Z', '2026-06-01T14:00:00Z'],
  },
  {
    name: 'an hourly rule with BYHOUR whose UNTIL is a local time',
    lines: [`DTSTART;${berlin}:20260601T090000`, 'RRULE:FREQ=HOURLY;BYHOUR=9,10;UNTIL=20260602T093000'],
    from: '2026-06-01',
    to: '2026-06-05',
    expected: ['2026-06-01T07:00:00Z', '2026-06-01T08:00:00Z', '2026-06-02T07:00:00Z'],
  },
  {
    name: 'an hourly rule whose UNTIL is a date in its time zone',
    lines: ['DTSTART;TZID=America/New_York:20260601T210000', 'RRULE:FREQ=HOURLY;UNTIL=20260601'],
    from: '2026-06-01',
    to: '2026-06-05',
    expected: ['2026-06-02T01:00:00Z', '2026-06-02T02:00:00Z', '2026-06-02T03:00:00Z'],
  },
  {
    name: 'an old series without an end',
    lines: [`DTSTART;${berlin}:19700105T080000`, 'RRULE:FREQ=WEEKLY;BYDAY=MO,FR;INTERVAL=2'],
    from: '2026-06-01',
    to: '2026-06-20',
    expected: ['2026-06-08T06:00:00Z', '2026-06-12T06:00:00Z'],
  },
  {
    name: 'the last day of each month with SKIP=BACKWARD',
    lines: ['DTSTART:20260131T100000Z', 'RRULE:RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=BACKWARD;BYMONTHDAY=31'],
    from: '2026-01-01',
    to: '2026-05-02',
    expected: ['01-31', '02-28', '03-31', '04-30'].map((day) => `2026-${day}T10:00:00Z`),
  },
  {
    name: 'days that a month lacks, on the first of the next month with SKIP=FORWARD',
    lines: [
      'DTSTART:20260131T100000Z',
      'RRULE:RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=FORWARD;BYMONTHDAY=31;COUNT=4',
    ],
    from: '2026-01-01',
    to: '2027-01-01',
    expected: ['01-31', '03-01', '03-31', '05-01'].map((day) => `2026-${day}T10:00:00Z`),
  },
  {
    name: 'day 366 of every year with SKIP=BACKWARD, far from its start',
    lines: ['DTSTART:19961231T100000Z', 'RRULE:RSCALE=GREGORIAN;FREQ=YEARLY;SKIP=BACKWARD;BYYEARDAY=366'],
    from: '2027-01-01',
    to: '2029-01-01',
    expected: ['2027-12-31T10:00:00Z', '2028-12-31T10:00:00Z'],
  },
  {
    name: 'a single event',
    lines: [`DTSTART;${berlin}:20260601T100000`, 'DURATION:PT1H'],
    from: '2026-06-01T08:30',
    to: '2026-06-02',
    expected: ['2026-06-01T08:00:00Z'],
  },
];

const instant = (written: string) =>
  Date.parse(written.length === 10 ? `${written}T00:00:00Z` : `${written}:00Z`);

export const ownCases: readonly Case[] = cases.map(({ name, lines, from, to, zone = 'UTC', expected }) => ({
  name,
  calendar: calendarOf(...lines),
  fromMs: instant(from),
  toMs: instant(to),
  zone,
  expected,
}));
