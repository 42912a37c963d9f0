import { wallTime } from '../icalendar/series-clock.ts';
import { type Property, parameterText, type TextLine } from '../icalendar/text.ts';
import { readTime, timeText, Unreadable } from '../icalendar/written-value.ts';
import { instantOf, offsetsOf, resolveZone, wallOf } from '../icalendar/zone.ts';

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
  const wall = new Date(wallOf(ms, offsetsOf(zone) ?? (() => 0))).toISOString();
  if (kind === 'date') return timeText({ wall: wall.slice(0, 10) });
  return timeText({ wall: wall.slice(0, 19), ...(kind === 'utc' && { zone: 'UTC' }) });
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
    return instantOf(wallTime(readTime(value.split('/')[0]!)), offsetsOf(form.zone) ?? (() => 0));
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
