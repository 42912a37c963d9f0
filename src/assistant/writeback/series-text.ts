import { Failure } from '../../failure.ts';
import { Pace } from '../../pace.ts';
import { instantOf, localText, offsetsIn, resolveZone } from '../../recurrence/zone.ts';
import { wallTime } from '../icalendar/recurrence.ts';
import { expandStored } from '../icalendar/rule-thread.ts';
import {
  type CalendarObject,
  componentsOf,
  linesOf,
  type Property,
  parameterText,
  type TextComponent,
  type TextLine,
} from '../icalendar/text.ts';
import { readRule, readTime, timeText, Unreadable } from '../icalendar/written-value.ts';

/** How a time is written: as a date, in UTC, floating, or with the TZID of the object. */
export interface TimeForm {
  readonly kind: 'date' | 'utc' | 'floating' | 'zoned';
  /** The written name, for `zoned`. */
  readonly tzid?: string;
  /** Time zone in which the local time applies; for dates and floating times, the user's. */
  readonly zone: string;
}

/**
 * Returns the form of a written time or of one value of a list, or undefined if the line is invalid or its time zone is
 * known only to the calendar itself.
 */
export function formOf(line: TextLine, userZone: string, values = line.value): TimeForm | undefined {
  if (line.property === undefined) return undefined;
  const [first = ''] = values.split(/[,/]/, 1);
  const tzid = line.parameter('TZID');
  if (/^\d{8}$/.test(first)) return { kind: 'date', zone: userZone };
  if (/Z$/i.test(first)) return { kind: 'utc', zone: 'UTC' };
  if (tzid === undefined) return { kind: 'floating', zone: userZone };
  const zone = resolveZone(tzid);
  return zone === undefined ? undefined : { kind: 'zoned', tzid, zone };
}

/** Writes an instant in a form, as a value without parameters. */
export function timeValue(ms: number, { kind, zone }: TimeForm): string {
  const wall = localText(ms, zone);
  if (kind === 'date') return timeText({ wall: wall.slice(0, 10) });
  return timeText({ wall: wall, ...(kind === 'utc' && { zone: 'UTC' }) });
}

export function timeLineAt(name: string, ms: number, form: TimeForm): string {
  const { kind, tzid } = form;
  const parameter = kind === 'date' ? ';VALUE=DATE' : kind === 'zoned' ? `;TZID=${parameterText(tzid!)}` : '';
  return `${name}${parameter}:${timeValue(ms, form)}`;
}

/** Reads the values of a DTSTART, EXDATE, RDATE or RECURRENCE-ID line as instants. Periods keep their start. */
export function instantsOf(line: TextLine, userZone: string): readonly number[] {
  return line.value.split(',').flatMap((value) => instantIn(line, value, userZone) ?? []);
}

/** Reads one value of such a line, or returns undefined if it is invalid. */
export function instantIn(line: TextLine, value: string, userZone: string): number | undefined {
  const form = formOf(line, userZone, value);
  if (form === undefined) return undefined;
  try {
    return instantOf(wallTime(readTime(value.split('/')[0]!)), offsetsIn(form.zone));
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

/** Rewrites the values of a line. A period keeps its length if that is a duration. */
export function mapValues(
  { property }: TextLine,
  change: (value: string) => string | undefined,
): Property | undefined {
  if (property === undefined) return undefined;
  const values = property.value.split(',').flatMap((value) => change(value) ?? []);
  return values.length === 0 ? undefined : { ...property, value: values.join(',') };
}

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
  const wall = localText(startMs, zone);
  const start = kind === 'date' ? { wall: wall.slice(0, 10) } : { wall: wall, zone };
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
