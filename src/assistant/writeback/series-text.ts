import { Pace } from '../../awaitable.ts';
import { Failure } from '../../failure.ts';
import { expandStored } from '../icalendar/rule-thread.ts';
import {
  type CalendarObject,
  componentsOf,
  linesOf,
  type TextComponent,
  type TextLine,
} from '../icalendar/text.ts';
import { readRule } from '../icalendar/written-value.ts';
import { offsetsOf, wallOf } from '../icalendar/zone.ts';
import { formOf, instantsOf, type TimeForm } from './time-text.ts';

/** A rule is expanded for at most this long at a time, so that other requests are served in between. */
const rangeMs = 366 * 86_400_000;

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

/** Returns the given times at which the rule has a date. Exceptions of the series are ignored. */
export async function startsAmong(
  master: TextComponent,
  rule: string,
  moments: readonly number[],
  userZone: string,
): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  const pace = new Pace();
  let left = moments.toSorted((one, other) => one - other);
  while (left.length > 0) {
    const fromMs = left[0]!;
    const end = left.findIndex((moment) => moment >= fromMs + rangeMs);
    const within = left.slice(0, end < 0 ? left.length : end);
    const starts = new Set(await startsBetween(master, rule, fromMs, within.at(-1)!, userZone));
    for (const moment of within) if (starts.has(moment)) found.add(moment);
    left = left.slice(within.length);
    await pace.pause;
  }
  return found;
}

/** Returns the dates of a rule up to and including `toMs`. Exceptions are ignored. Unusual rules are expanded in a thread. */
export async function startsBetween(
  master: TextComponent,
  rule: string,
  fromMs: number,
  toMs: number,
  userZone: string,
): Promise<readonly number[]> {
  const { kind, zone } = startForm(master, userZone);
  const [startMs] = instantsOf(linesOf(master, 'DTSTART')[0]!, userZone) as [number];
  const wall = new Date(wallOf(startMs, offsetsOf(zone) ?? (() => 0))).toISOString();
  const start = kind === 'date' ? { wall: wall.slice(0, 10) } : { wall: wall.slice(0, 19), zone };
  const series = { start, duration: { days: 0, seconds: 0 }, rules: [readRule(rule)] };
  const window = { fromMs: Math.max(fromMs, startMs), toMs, zone };
  const { occurrences, slow, truncated } = await expandStored(JSON.stringify(series), window);
  if (slow || truncated)
    throw new Failure(
      'refused',
      'The recurrence rule takes too long to compute, so this change could damage the series. Use a simpler rule.',
    );
  return occurrences.map((occurrence) => occurrence.startMs);
}
