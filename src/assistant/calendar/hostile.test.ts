import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownZone } from '../../../test/recurrence/own-cases.ts';
import { Failure } from '../../failure.ts';
import { parseCalendar } from '../icalendar/parse.ts';
import { extent, occurrences } from '../icalendar/recurrence.ts';

const nowMs = Date.UTC(2026, 0);
const good = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  ...ownZone('Ours'),
  'BEGIN:VEVENT',
  'UID:series',
  'DTSTART;TZID=Ours:20260105T100000',
  'DTEND;TZID=Ours:20260105T110000',
  'RRULE:FREQ=WEEKLY;UNTIL=20261231T000000Z',
  'EXDATE;TZID="Ours":20260112T100000,20260119T100000',
  'RDATE;VALUE=PERIOD:20260401T100000Z/PT30M',
  'SUMMARY;LANGUAGE=en:Weekly\\, with commas',
  'END:VEVENT',
  'BEGIN:VEVENT',
  'UID:series',
  'RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Ours:20260202T100000',
  'DTSTART;TZID=Ours:20260202T120000',
  'DURATION:P1DT2H',
  'END:VEVENT',
  'BEGIN:VEVENT',
  'UID:day',
  'DTSTART;VALUE=DATE:20260105',
  'RRULE:FREQ=YEARLY;COUNT=3',
  'END:VEVENT',
  'END:VCALENDAR',
];

/** Damages the lines of a calendar in one way. */
type Damage = (lines: readonly string[]) => readonly string[];
const at = fc.nat({ max: good.length - 1 });
const cut = fc.nat({ max: 60 });
const garbage = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    ':',
    ';',
    '=',
    '"',
    ',',
    '\\',
    '-',
    '99999999',
    '00000000T000000Z',
    'FREQ=',
    'P',
    '/',
    'Z',
    '\u0000',
  ),
);
const damage: fc.Arbitrary<Damage> = fc.oneof(
  at.map(
    (line): Damage =>
      (lines) =>
        lines.toSpliced(line, 1),
  ),
  fc.tuple(at, at).map(
    ([from, to]): Damage =>
      (lines) =>
        lines.toSpliced(to, 0, lines[from] ?? ''),
  ),
  fc.tuple(at, at).map(
    ([a, b]): Damage =>
      (lines) =>
        lines.with(a % lines.length, lines[b % lines.length]!),
  ),
  fc.tuple(at, cut, garbage).map(
    ([line, place, text]): Damage =>
      (lines) => {
        const old = lines[line % lines.length]!;
        return lines.with(line % lines.length, old.slice(0, place) + text + old.slice(place + 1));
      },
  ),
  fc.tuple(at, cut).map(
    ([line, place]): Damage =>
      (lines) =>
        lines.with(line % lines.length, lines[line % lines.length]!.slice(0, place)),
  ),
);

describe('a damaged calendar', () => {
  it('is read as far as possible, or rejected with a Failure', async () => {
    const window = { fromMs: nowMs, toMs: nowMs + 60 * 86_400_000, zone: 'Europe/Berlin' };
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 6 }), async (damages) => {
        const lines = damages.reduce<readonly string[]>(
          (done, damaged) => (done.length > 0 ? damaged(done) : done),
          good,
        );
        try {
          const { events, problems } = await parseCalendar([{ pieces: [lines.join('\r\n')] }], { nowMs });
          for (const { series } of events) {
            const { firstMs, lastMs = Number.POSITIVE_INFINITY } = extent(JSON.parse(JSON.stringify(series)));
            for (const { startMs, endMs } of occurrences(series, window).occurrences) {
              expect(endMs).toBeGreaterThanOrEqual(startMs);
              expect(startMs).toBeGreaterThanOrEqual(firstMs);
              expect(startMs).toBeLessThanOrEqual(lastMs);
            }
          }
          for (const { message } of problems) expect(message).not.toMatch(/undefined|NaN|\[object/);
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
        }
      }),
      { numRuns: Number(process.env['ADJUTANT_TEST_RUNS'] ?? 300) },
    );
  });

  it('is read or rejected with a Failure if it is random text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'binary' })), async (pieces) => {
        await parseCalendar([{ pieces }], { nowMs }).catch((error: unknown) => {
          if (!(error instanceof Failure)) throw error;
        });
      }),
      { numRuns: 200 },
    );
  });
});
