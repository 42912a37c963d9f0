import { expect, it } from 'vitest';
import { Failure } from '../../failure.ts';
import { componentsOf, linesOf, parseObject, writeObject } from '../icalendar/text.ts';
import { editAll, tailOf } from './series-edit.ts';

const context = { nowMs: Date.UTC(2026, 10, 1), userZone: 'UTC', organizer: undefined };
const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 10, 18, 9);
const written = (ms: number) => new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '');

/** A series with a changed occurrence on each of its first days. */
function seriesOf(days: number, rule = 'FREQ=DAILY'): string {
  const event = (lines: string) =>
    `BEGIN:VEVENT\r\nUID:a\r\nDTSTAMP:20261101T000000Z\r\n${lines}END:VEVENT\r\n`;
  const changed = Array.from({ length: days }, (_, day) => written(startMs + day * dayMs)).map((time) =>
    event(`RECURRENCE-ID:${time}\r\nDTSTART:${time}\r\nDURATION:PT30M\r\nSUMMARY:Changed\r\n`),
  );
  const master = event(`DTSTART:${written(startMs)}\r\nDURATION:PT1H\r\nRRULE:${rule}\r\nSUMMARY:A\r\n`);
  return `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${master}${changed.join('')}END:VCALENDAR\r\n`;
}

const changedDays = (text: string) =>
  componentsOf(parseObject(text).calendar, 'VEVENT')
    .flatMap((event) => linesOf(event, 'RECURRENCE-ID'))
    .map((line) => line.text.trim().slice('RECURRENCE-ID:'.length));

it('keeps the changed occurrences of dates that a new rule has, and serves other requests meanwhile', async () => {
  const days = 1_500;
  const object = parseObject(seriesOf(days));
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await editAll(object, { rrule: 'FREQ=DAILY;BYMONTHDAY=1,2,3,4,5,6,7;BYDAY=MO,WE' }, context);
  clearInterval(timer);
  const expected = Array.from({ length: days }, (_, day) => new Date(startMs + day * dayMs)).filter(
    (date, day) => day === 0 || (date.getUTCDate() <= 7 && [1, 3].includes(date.getUTCDay())),
  );
  expect(changedDays(writeObject(object))).toEqual(expected.map((date) => written(date.getTime())));
  expect(turns).toBeGreaterThan(2);
});

it('refuses a rule that takes too long instead of removing changed occurrences', async () => {
  const text = seriesOf(3);
  const object = parseObject(text);
  const edit = editAll(object, { rrule: 'FREQ=SECONDLY' }, context);
  await expect(edit).rejects.toThrow(Failure);
  await expect(edit).rejects.toThrow('takes too long');
});

it('counts the dates before a split, also those of an unusual rule', async () => {
  const counted = async (rule: string, day: number) => {
    const tail = await tailOf(seriesOf(0, rule), startMs + day * dayMs, 'b', context);
    return /COUNT=(\d+)/.exec(writeObject(tail))?.[1];
  };
  expect(await counted('FREQ=DAILY;COUNT=30', 10)).toBe('20');
  // Two dates a day.
  expect(await counted('FREQ=DAILY;BYHOUR=9,15;COUNT=30', 10)).toBe('10');
});

it('moves added periods along with a series, in the form in which they are written', async () => {
  const text = seriesOf(0).replace('SUMMARY:A', 'RDATE;VALUE=PERIOD:20261220T090000Z/PT2H\r\nSUMMARY:A');
  const object = parseObject(text);
  await editAll(
    object,
    { startMs: startMs + 3_600_000, endMs: startMs + 7_200_000 },
    { ...context, userZone: 'Europe/Berlin' },
  );
  expect(writeObject(object)).toContain('RDATE;VALUE=PERIOD:20261220T100000Z/PT2H\r\n');
});
