import { instantOf, offsetsOf, resolveZone, wallOf } from '../icalendar/zone.ts';
import { type LineParts, parameterOf, splitLine, type TextLine } from './object-text.ts';

/** How a time is written: as a date, in UTC, floating, or with the TZID of the object. */
export interface TimeForm {
  readonly kind: 'date' | 'utc' | 'floating' | 'zoned';
  /** The written name, for `zoned`. */
  readonly tzid?: string;
  /** Time zone in which the local time applies; for dates and floating times, the user's. */
  readonly zone: string;
}

/** Returns the form of a written time, or undefined if its time zone is known only to the calendar itself. */
export function formOf(line: TextLine, userZone: string): TimeForm | undefined {
  const parts = splitLine(line.text);
  const [first = ''] = parts.value.split(',');
  const tzid = parameterOf(parts, 'TZID');
  if (/^\d{8}$/.test(first)) return { kind: 'date', zone: userZone };
  if (/Z$/i.test(first)) return { kind: 'utc', zone: 'UTC' };
  if (tzid === undefined) return { kind: 'floating', zone: userZone };
  const zone = resolveZone(tzid);
  return zone === undefined ? undefined : { kind: 'zoned', tzid, zone };
}

/** Writes an instant in a form, as a value without parameters. */
export function timeValue(ms: number, { kind, zone }: TimeForm): string {
  const wall = new Date(wallOf(ms, offsetsOf(zone) ?? (() => 0)))
    .toISOString()
    .replaceAll(/[-:]|\.\d+Z/g, '');
  return kind === 'date' ? wall.slice(0, 8) : kind === 'utc' ? `${wall}Z` : wall;
}

export function timeLine(name: string, ms: number, form: TimeForm): string {
  const { kind, tzid } = form;
  const parameter = kind === 'date' ? ';VALUE=DATE' : kind === 'zoned' ? `;TZID=${quoted(tzid!)}` : '';
  return `${name}${parameter}:${timeValue(ms, form)}`;
}

function quoted(text: string): string {
  return /[:;,]/.test(text) ? `"${text}"` : text;
}

/** Reads the values of a DTSTART, EXDATE, RDATE or RECURRENCE-ID line as instants. Periods keep their start. */
export function instantsOf(line: TextLine, userZone: string): readonly number[] {
  const form = formOf(line, userZone);
  if (form === undefined) return [];
  return splitLine(line.text)
    .value.split(',')
    .flatMap((value) => {
      const ms = wallIn(value);
      return Number.isNaN(ms) ? [] : [instantOf(ms, offsetsOf(form.zone) ?? (() => 0))];
    });
}

/** Rewrites the values of a line. A period keeps its length if that is a duration. */
export function mapValues(
  line: TextLine,
  change: (value: string) => string | undefined,
): LineParts | undefined {
  const parts = splitLine(line.text);
  const values = parts.value.split(',').flatMap((value) => change(value) ?? []);
  return values.length === 0 ? undefined : { ...parts, value: values.join(',') };
}

/** Local time of a value as if it were UTC. */
function wallIn(value: string): number {
  const [, year, month, day, hour = '00', minute = '00', second = '00'] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?)?/.exec(value.trim()) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}
