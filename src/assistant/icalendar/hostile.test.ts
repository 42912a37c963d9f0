import { expect, it } from 'vitest';
import { cpuMilliseconds, numberTo, repeatTo } from '../../../test/hostile-text.ts';
import { parseCalendar } from './parse.ts';

const length = 256 * 1024;
const repeated = (text: string, size = length) => repeatTo(size, text);
const numbered = (text: (number: number) => string, size = length) => numberTo(size, text);

const parse = (text: string) =>
  parseCalendar([{ pieces: [`BEGIN:VCALENDAR\n${text}\nEND:VCALENDAR\n`] }], { nowMs: Date.UTC(2026, 0) });
const event = (lines: string, number = 0) =>
  `BEGIN:VEVENT\nUID:u${number}\nDTSTART:20260601T080000Z\n${lines}\nEND:VEVENT\n`;
const zonedEvents = (size: number) =>
  numbered(
    (number) =>
      `BEGIN:VEVENT\nUID:${number}\nDTSTART;TZID=Ours:20260601T080000\nDTEND;TZID=Ours:20260601T090000\nEND:VEVENT\n`,
    size,
  );
const observance = (year: number, lines = '') =>
  `BEGIN:STANDARD\nDTSTART:${year}0101T000000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0200\n${lines}END:STANDARD\n`;
const zone = (lines: string) => `BEGIN:VTIMEZONE\nTZID:Ours\n${lines}END:VTIMEZONE\n`;

/** Quadratic code takes far longer on these calendars than twenty times the time for a harmless one of the same size. */
it.each([
  [
    'components that are never closed',
    repeated('BEGIN:VALARM\n', 4 * length) + repeated('END:VTODO\n', 4 * length),
  ],
  [
    'invalid lines in an event without a UID',
    `BEGIN:VEVENT\nDTSTART:20260601T080000Z\n${repeated('EXDATE:x\n', 4 * length)}END:VEVENT`,
  ],
  ['a time zone of thousands of parts', `BEGIN:VTIMEZONE\nTZID:${repeated('a/')}\nEND:VTIMEZONE`],
  ['a property in a time zone of thousands of parts', event(`EXDATE;TZID=${repeated('a/')}:20260601T080000`)],
  [
    'events in a time zone with thousands of changes',
    zone(numbered((number) => observance(1970 + (number % 60)))) + zonedEvents(length),
  ],
  [
    'events in a time zone with thousands of dates',
    zone(observance(1970, repeated('RDATE:19800101T000000\n'))) + zonedEvents(length),
  ],
  [
    'events in a time zone with slow rules',
    zone(
      numbered(
        (number) =>
          observance(1970, `RRULE:FREQ=YEARLY;BYYEARDAY=${(number % 300) + 1};BYHOUR=1,2,3;BYSETPOS=300\n`),
        50_000,
      ),
    ) + zonedEvents(50_000),
  ],
  [
    'slow recurrence rules',
    numbered((number) => event(`RRULE:FREQ=DAILY;COUNT=${number + 40_000};BYHOUR=1`, number), length / 16),
  ],
])('parses a calendar with %s in linear time', { timeout: 600_000 }, async (_, text) => {
  const harmless = numbered((number) => event('SUMMARY:x', number), text.length);
  const baseline = await cpuMilliseconds(() => parse(harmless));
  expect(await cpuMilliseconds(() => parse(text))).toBeLessThan(Math.max(5000, baseline * 20));
});

it('reports a time zone with too many changes', async () => {
  const { events, problems } = await parse(
    zone(observance(1970) + observance(1980, repeated('RDATE:19900101T000000\n', 20_000))) + zonedEvents(1),
  );
  expect(events).toHaveLength(1);
  expect(problems).toMatchObject([
    { message: 'This STANDARD was skipped: its time zone has more than 500 rules and dates.' },
  ]);
});

it('imports the first five thousand dates of a series and reports the others', async () => {
  const { events, problems } = await parse(
    event(`RRULE:FREQ=DAILY\nEXDATE;VALUE=DATE:${repeated('20260602,', 100_000)}20260603`),
  );
  expect(events[0]!.series.exceptions).toHaveLength(5_000);
  expect(problems).toMatchObject([
    { message: 'The event has more than 5000 dates. It was imported without the others.' },
  ]);
});

it('skips a line whose parameters never end', async () => {
  const { events, problems } = await parse(event(`SUMMARY;X-A="${repeated('a;b=')}`));
  expect(events).toMatchObject([{ details: { title: '(no title)' } }]);
  expect(problems).toMatchObject([{ message: expect.stringContaining('This line is invalid') }]);
});

it('serves other requests while runaway rules are checked', async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const { problems } = await parse(
    numbered((number) => event(`RRULE:FREQ=SECONDLY;INTERVAL=${number + 1}`, number), 2_000),
  );
  clearInterval(timer);
  expect(problems.length).toBeGreaterThan(5);
  expect(turns).toBeGreaterThanOrEqual(4);
});
