import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseCalendar } from '../../src/assistant/icalendar/parse.ts';
import { readRule } from '../../src/assistant/icalendar/written-value.ts';
import { expandRule } from '../../src/recurrence/rule.ts';
import { calendarOf } from './case.ts';

const dayMs = 86_400_000;

/** Rules whose results differ from those of libical, by the reason why ours are kept. */
const accepted: Readonly<Record<string, readonly string[]>> = {
  'COUNT includes a DTSTART that does not match the rule; libical leaves it out': [
    '19970512T090000 FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO;WKST=FR;COUNT=3',
    '19970902T090000 FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13;COUNT=5',
    '20100212T000000 FREQ=MONTHLY;INTERVAL=13;BYMONTH=5;COUNT=3',
    '20190101T100000 FREQ=WEEKLY;BYDAY=WE,FR;INTERVAL=2;COUNT=4',
    '20230101T000000Z FREQ=YEARLY;BYWEEKNO=53;COUNT=1',
    '20270103T000000Z FREQ=YEARLY;BYWEEKNO=53;BYDAY=TH;COUNT=1',
    '20270103T000000Z FREQ=YEARLY;BYWEEKNO=53;INTERVAL=5;BYDAY=TH;COUNT=1',
    '20270103T000000Z FREQ=YEARLY;BYWEEKNO=53;INTERVAL=6;BYDAY=TH;COUNT=1',
  ],
  'BYMONTHDAY without BYMONTH in a yearly rule means every month; libical takes the month of DTSTART': [
    '20240201 FREQ=YEARLY;BYMONTHDAY=-29,-1;COUNT=4',
    '20240229 FREQ=YEARLY;BYMONTHDAY=29;COUNT=3',
  ],
};

/** Each case is a line with the start and the rule, and a line with the expected starts; a hyphen joins a run of days. */
const cases = readFileSync(new URL('libical-rules.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .reduce<{ start: string; rule: string; expected: string }[]>((read, line) => {
    const [start = '', rule = ''] = line.split(' ');
    if (line.startsWith('  ')) read.at(-1)!.expected = line.trim();
    else read.push({ start, rule, expected: '' });
    return read;
  }, []);

function instant(written: string): number {
  return Date.parse(
    `${written.replace('Z', '')}T000000`.replace(/^(....)(..)(..)T(..)(..)(..).*$/, '$1-$2-$3T$4:$5:$6Z'),
  );
}

function startsOf(expected: string, start: string): readonly number[] {
  const time = start.slice(8);
  return expected.split(' ').flatMap((written) => {
    const [from = '', to] = written.split('-');
    const first = instant(from.length > 8 ? from : `${from}${time}`);
    if (to === undefined) return [first];
    const days = (instant(to) - instant(from)) / dayMs;
    return Array.from({ length: days + 1 }, (_, day) => first + day * dayMs);
  });
}

function expand(rule: string, start: string): readonly number[] {
  const allDay = start.length === 8;
  const place = { wallMs: instant(start), allDay, offsets: () => 0, zone: 'UTC' };
  return expandRule(readRule(rule), place, place.wallMs, Date.UTC(2100, 0)).starts.map(
    ({ wallMs }) => wallMs,
  );
}

async function isReported(rule: string, start: string): Promise<boolean> {
  const calendar = calendarOf(`DTSTART;VALUE=DATE:${start}`, `RRULE:${rule}`);
  const { problems } = await parseCalendar([{ pieces: [calendar] }], { nowMs: Date.UTC(2026, 0) });
  return problems.some(({ line }) => line === 7);
}

const different: string[] = [];
for (const { rule, start, expected } of cases) {
  const same =
    expected === 'invalid'
      ? await isReported(rule, start)
      : JSON.stringify(expand(rule, start)) === JSON.stringify(startsOf(expected, start));
  if (!same) different.push(`${start} ${rule}`);
}

describe('rules published with libical', () => {
  it('expand to the same starts, except for the accepted differences', () => {
    expect(different.sort()).toEqual(Object.values(accepted).flat().sort());
  });

  it('are equal in at least 129 of 139 cases', () => {
    expect(cases).toHaveLength(139);
    expect(cases.length - different.length).toBeGreaterThanOrEqual(129);
  });
});
