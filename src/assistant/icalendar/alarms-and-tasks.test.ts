import { describe, expect, it } from 'vitest';
import { calendarOf } from '../../../test/recurrence/case.ts';
import { parseCalendar } from './parse.ts';
import { occurrences } from './recurrence.ts';

const read = (...lines: readonly string[]) =>
  parseCalendar([{ pieces: [calendarOf(...lines)] }], { nowMs: Date.UTC(2026, 0) });
const event = (...lines: readonly string[]) => [
  'BEGIN:VEVENT',
  'UID:one',
  'DTSTART:20260601T100000Z',
  ...lines,
  'END:VEVENT',
];
const task = (...lines: readonly string[]) => ['BEGIN:VTODO', 'UID:one', ...lines, 'END:VTODO'];
const alarm = (...lines: readonly string[]) => ['BEGIN:VALARM', ...lines, 'END:VALARM'];
const alarmsOf = async (...lines: readonly string[]) =>
  (await read(...event(...lines))).events[0]?.details.alarms;

describe('alarms', () => {
  it('are read relative to start and end, with repetitions, and at fixed times', async () => {
    expect(
      await alarmsOf(
        ...alarm('ACTION:DISPLAY', 'TRIGGER:-PT15M', 'SUMMARY:not the title'),
        ...alarm('ACTION:EMAIL', 'TRIGGER;RELATED=END:PT5M'),
        ...alarm('ACTION:AUDIO', 'TRIGGER:-P1D', 'REPEAT:2', 'DURATION:PT1H'),
        ...alarm('ACTION:DISPLAY', 'TRIGGER;VALUE=DATE-TIME:20260531T160000Z'),
      ),
    ).toEqual([
      { offset: { days: 0, seconds: -900 } },
      { offset: { days: 0, seconds: 300 }, fromEnd: true },
      { offset: { days: -1, seconds: 0 } },
      { offset: { days: -1, seconds: 3600 } },
      { offset: { days: -1, seconds: 7200 } },
      { atMs: Date.UTC(2026, 4, 31, 16) },
    ]);
  });

  it('carry the acknowledgement and the snooze of other programs', async () => {
    const acknowledgedMs = Date.UTC(2026, 5, 1, 9, 45);
    expect(
      await alarmsOf(...alarm('ACTION:DISPLAY', 'TRIGGER:-PT15M', 'ACKNOWLEDGED:20260601T094500Z')),
    ).toEqual([{ offset: { days: 0, seconds: -900 }, acknowledgedMs }]);
    expect(
      await alarmsOf(
        'X-MOZ-LASTACK:20260601T094500Z',
        'X-MOZ-SNOOZE-TIME:20260601T095500Z',
        ...alarm('ACTION:DISPLAY', 'TRIGGER:-PT15M'),
      ),
    ).toEqual([
      { acknowledgedMs, offset: { days: 0, seconds: -900 } },
      { atMs: Date.UTC(2026, 5, 1, 9, 55) },
    ]);
  });

  it('do not include the placeholders of Apple and programs to run', async () => {
    expect(
      await alarmsOf(
        ...alarm('ACTION:NONE', 'TRIGGER;VALUE=DATE-TIME:19760401T005545Z', 'X-APPLE-DEFAULT-ALARM:TRUE'),
        ...alarm('ACTION:PROCEDURE', 'TRIGGER:-PT5M'),
      ),
    ).toBeUndefined();
  });

  it('are reported and left out if they are invalid, without losing the event', async () => {
    const { events, problems } = await read(
      ...event(...alarm('ACTION:DISPLAY', 'TRIGGER:soon'), 'SUMMARY:Kept'),
    );
    expect(events).toMatchObject([{ details: { title: 'Kept' } }]);
    expect(problems).toEqual([
      {
        severity: 'warning',
        line: 9,
        uid: 'one',
        message:
          'An alarm is invalid: TRIGGER "soon" is neither a duration nor a time in UTC. The event was imported without this alarm.',
      },
    ]);
  });
});

describe('answers of attendees', () => {
  it('are read by address, never by display name', async () => {
    const { events } = await read(
      ...event(
        'ATTENDEE;PARTSTAT=DECLINED:mailto:ADA@example.com',
        'ATTENDEE;PARTSTAT=TENTATIVE;EMAIL=ben@example.com:urn:uuid:1',
        'ATTENDEE;PARTSTAT=ACCEPTED:mailto:cat@example.com',
        'ATTENDEE;PARTSTAT=DECLINED;CN=dan@example.com:urn:uuid:2',
      ),
    );
    expect(events[0]?.details.answers).toEqual({
      'ada@example.com': 'declined',
      'ben@example.com': 'tentative',
    });
  });
});

describe('tasks', () => {
  it('take place when they are due', async () => {
    const { events, problems } = await read(
      ...task('SUMMARY:Taxes', 'DTSTART:20260501T080000Z', 'DUE:20260601T100000Z'),
    );
    expect(problems).toEqual([]);
    expect(events).toMatchObject([
      {
        details: { title: 'Taxes', task: 'open' },
        series: { start: { wall: '2026-06-01T10:00:00' }, duration: { days: 0, seconds: 0 } },
      },
    ]);
  });

  it.each(['STATUS:COMPLETED', 'STATUS:CANCELLED', 'COMPLETED:20260501T100000Z', 'PERCENT-COMPLETE:100'])(
    'are done with %s',
    async (line) => {
      const { events } = await read(...task('DUE:20260601T100000Z', line));
      expect(events[0]?.details.task).toBe('done');
    },
  );

  it('without a date are reported', async () => {
    const { events, problems } = await read(...task('SUMMARY:Some day'));
    expect(events).toEqual([]);
    expect(problems).toMatchObject([
      { severity: 'warning', uid: 'one', message: expect.stringContaining('no date') },
    ]);
  });
});

describe('X-WR-TIMEZONE', () => {
  const starts = async (zone: string, ...lines: readonly string[]) => {
    const { events, problems } = await read(
      `X-WR-TIMEZONE:${zone}`,
      'BEGIN:VEVENT',
      'UID:one',
      ...lines,
      'END:VEVENT',
    );
    const window = { fromMs: Date.UTC(2026, 2, 1), toMs: Date.UTC(2026, 3, 6), zone: 'Europe/Berlin' };
    const found = events.flatMap(({ series }) => occurrences(series, window).occurrences);
    return { problems, starts: found.map(({ startMs }) => new Date(startMs).toISOString().slice(0, 16)) };
  };

  it('is the zone of times without one, but not of times in UTC', async () => {
    expect((await starts('America/New_York', 'DTSTART:20260401T100000')).starts).toEqual([
      '2026-04-01T14:00',
    ]);
    expect((await starts('America/New_York', 'DTSTART:20260401T100000Z')).starts).toEqual([
      '2026-04-01T10:00',
    ]);
  });

  it('is the clock of a series in UTC, so that it keeps its local time across a clock change', async () => {
    const { starts: found } = await starts(
      'Europe/Berlin',
      'DTSTART:20260323T090000Z',
      'RRULE:FREQ=WEEKLY;COUNT=2',
    );
    expect(found).toEqual(['2026-03-23T09:00', '2026-03-30T08:00']);
  });

  it('is reported if it is unknown', async () => {
    const { problems, starts: found } = await starts('Moon/Base', 'DTSTART:20260401T100000');
    expect(found).toEqual(['2026-04-01T08:00']);
    expect(problems).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('"Moon/Base"') },
    ]);
  });
});
