import { Failure } from '../../failure.ts';
import { occurrences } from '../icalendar/recurrence.ts';
import { readRule } from '../icalendar/written-value.ts';
import { offsetsOf, wallOf } from '../icalendar/zone.ts';
import {
  type CalendarObject,
  componentsOf,
  joinLine,
  linesOf,
  splitLine,
  type TextComponent,
  type TextLine,
} from './object-text.ts';
import { formOf, instantsOf, type TimeForm } from './time-text.ts';

/** A task without a start takes place when it is due. */
export function startLine(master: TextComponent): TextLine | undefined {
  return linesOf(master, 'DTSTART')[0] ?? linesOf(master, 'DUE')[0];
}

export function startForm(master: TextComponent, userZone: string): TimeForm {
  const line = startLine(master);
  const form = line && formOf(line, userZone);
  if (form !== undefined) return form;
  throw new Failure(
    'refused',
    'The time zone of this series is defined only in its own calendar, so single occurrences cannot be changed here. Change them in the program that created the series.',
  );
}

/** Refuses series with "this and all later" overrides, which programs interpret differently. */
export function refuseRanges({ calendar }: CalendarObject): void {
  const ranged = componentsOf(calendar, 'VEVENT').some((event) =>
    linesOf(event, 'RECURRENCE-ID').some(({ text }) => /;RANGE=/i.test(text)),
  );
  if (ranged)
    throw new Failure(
      'refused',
      'This series has changes for "this and all later" occurrences (RANGE=THISANDFUTURE), which programs interpret differently. Change its times in the program that created it.',
    );
}

/** Counts the dates of a rule in a time range, before exceptions. */
export function countStarts(
  master: TextComponent,
  rule: string,
  fromMs: number,
  toMs: number,
  userZone: string,
): number {
  const { kind, zone } = startForm(master, userZone);
  const [startMs] = instantsOf(linesOf(master, 'DTSTART')[0]!, userZone) as [number];
  const wall = new Date(wallOf(startMs, offsetsOf(zone) ?? (() => 0))).toISOString();
  const start = kind === 'date' ? { wall: wall.slice(0, 10) } : { wall: wall.slice(0, 19), zone };
  const series = { start, duration: { days: 0, seconds: 0 }, rules: [readRule(rule)] };
  const window = { fromMs: Math.max(fromMs, startMs), toMs, zone };
  const { occurrences: found } = occurrences(series, window);
  return found.filter((one) => one.startMs >= fromMs).length;
}

export function withValue({ text }: TextLine, value: string): string {
  return joinLine({ ...splitLine(text), value });
}
