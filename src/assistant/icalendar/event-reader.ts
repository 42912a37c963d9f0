import { createHash } from 'node:crypto';
import { singleLine } from '../../single-line.ts';
import { type Property, parameterOf, textOf } from './content-line.ts';
import { offsetsOfObservances } from './observance.ts';
import {
  type AddedDate,
  type CalendarTime,
  type Duration,
  type EventDetails,
  isWholeDay,
  type Series,
  statuses,
} from './series.ts';
import { readDuration, readRule, shorten, Unreadable } from './written-value.ts';
import { instantOf, offsetsOf } from './zone.ts';
import type { ZoneReader } from './zone-reader.ts';

/** One VEVENT: an event, a series, or what differs about one instance of it. */
export interface Instance {
  readonly uid: string;
  readonly sequence: number;
  readonly stamp: string;
  readonly id?: CalendarTime;
  readonly andFollowing: boolean;
  readonly start: CalendarTime;
  readonly duration: Duration;
  readonly details: EventDetails;
  readonly rules: readonly string[];
  readonly exceptionRules: readonly string[];
  readonly dates: readonly AddedDate[];
  readonly exceptions: readonly CalendarTime[];
  readonly zones: Series['zones'];
  readonly document: string | undefined;
}

/** Reports what was left out of an event; the line is that of the property, where one is to blame. */
export type Note = (message: string, line?: number) => void;

/**
 * Reads a VEVENT. Throws `Unreadable` when it cannot be told when or which event it is; any other property that cannot be
 * read is reported and left out.
 */
export function readInstance(
  properties: readonly Property[],
  zones: ZoneReader,
  note: Note,
  usable: (rule: string, start: CalendarTime) => boolean,
  document: string | undefined,
): Instance {
  const all = (name: string) => properties.filter((property) => property.name === name);
  const one = (name: string): Property | undefined => all(name)[0];
  const unknown = new Set<string>();
  const missing = (zone: string) => {
    if (!unknown.has(zone)) note(`the zone "${zone}" is unknown; the user's zone is taken instead`);
    unknown.add(zone);
  };
  const times = (name: string) => all(name).flatMap((property) => zones.times(property, missing));
  const reported = new Set<Property>();
  /** What a property says; nothing, with a note, if it cannot be read. A line is reported once, however long its list is. */
  const lenient = <Value>(
    property: Property,
    read: () => Value,
    lost: string,
    line = property,
  ): readonly Value[] => {
    try {
      return [read()];
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      if (!reported.has(line))
        note(`${invalid(property)}: ${error.message}. The event was imported without ${lost}.`, line.line);
      reported.add(line);
      return [];
    }
  };
  /** One bad value of a list leaves the others as they are. */
  const list = <Value>(name: string, read: (property: Property) => readonly Value[], lost: string): Value[] =>
    all(name).flatMap((line) =>
      line.value.split(',').flatMap((value) => {
        const property = { ...line, value };
        return lenient(property, () => read(property), lost, line).flat() as Value[];
      }),
    );

  const [id] = times('recurrence-id');
  // A cancellation need not say when that would have been.
  const [start = id] = times('dtstart');
  if (start === undefined) throw new Unreadable('it has no DTSTART');
  const [duration = unspecified(start)] = [
    ...all('dtend').flatMap((property) =>
      lenient(property, () => lengthUntil(zones.times(property, missing), start, zones), 'this end').flat(),
    ),
    ...all('duration').flatMap((property) =>
      lenient(property, () => readDuration(property.value), 'this length'),
    ),
  ];
  const rules = (name: string, lost: string) =>
    all(name).flatMap((property) => {
      const read = () => {
        const rule = readRule(property.value);
        return { rule, kept: usable(rule, start) };
      };
      const [{ rule, kept } = { rule: '', kept: true }] = lenient(property, read, lost);
      if (kept) return rule === '' ? [] : [rule];
      note(runaway, property.line);
      return [];
    });
  const dates = list('rdate', (property) => addedDates(property, zones, missing), 'this date');
  const exceptions = list('exdate', (property) => zones.times(property, missing), 'this exception');
  const named = [start, id, ...dates.map((date) => date.start), ...exceptions].map((time) => time?.zone);
  return {
    uid: nameOf(one('uid')?.value ?? ''),
    sequence: Number.parseInt(one('sequence')?.value ?? '0', 10) || 0,
    stamp: (one('last-modified') ?? one('dtstamp'))?.value ?? '',
    ...(id !== undefined && { id }),
    andFollowing: /^THISANDFUTURE$/i.test(parameterOf(one('recurrence-id') ?? none, 'range') ?? ''),
    start,
    duration,
    details: readDetails(all),
    rules: rules('rrule', 'recurrence'),
    exceptionRules: rules('exrule', 'these exceptions'),
    dates,
    exceptions,
    zones: zones.describe(named),
    document,
  };
}

const runaway =
  'its rule yields too many occurrences or takes too long to work out; it is taken without the rule';

function invalid({ name, value }: Property): string {
  const written = name.toUpperCase();
  return `"${shorten(`${written}:${value}`)}" is not a valid ${written}`;
}

/** An index has no room for more. */
const longestUid = 500;

/** A UID as it can be kept; the whole of one that is too long still decides which event it is. */
function nameOf(written: string): string {
  const uid = written
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
    .toWellFormed();
  if (uid.length <= longestUid) return uid;
  return `${uid.slice(0, 100)}-${createHash('sha256').update(uid).digest('hex')}`;
}

const none: Property = { name: '', parameters: {}, value: '' };
const dayMs = 86_400_000;

function unspecified(start: CalendarTime): Duration {
  return { days: isWholeDay(start) ? 1 : 0, seconds: 0 };
}

function lengthUntil(
  [end]: readonly CalendarTime[],
  start: CalendarTime,
  zones: ZoneReader,
): readonly Duration[] {
  return end === undefined ? [] : [between(start, end, zones)];
}

/** An end makes the length exact; between whole days it is a number of days. */
function between(start: CalendarTime, end: CalendarTime, zones: ZoneReader): Duration {
  const days = (Date.parse(end.wall.slice(0, 10)) - Date.parse(start.wall.slice(0, 10))) / dayMs;
  if (days < 0) throw new Unreadable('it ends before it starts');
  if (days > 36_600) throw new Unreadable('it lasts longer than a century');
  // Many programs write the same day as the end of a day.
  if (isWholeDay(start)) return { days: Math.max(1, days), seconds: 0 };
  const own = zones.describe([start.zone, end.zone]) ?? {};
  const instant = ({ wall, zone = 'UTC' }: CalendarTime) => {
    const offsets = own[zone] ? offsetsOfObservances(own[zone]) : offsetsOf(zone)!;
    return instantOf(Date.parse(wall.length === 10 ? wall : `${wall}Z`), offsets);
  };
  const until = isWholeDay(end) ? { ...end, ...(start.zone !== undefined && { zone: start.zone }) } : end;
  const seconds = (instant(until) - instant(start)) / 1000;
  if (seconds < 0) throw new Unreadable('it ends before it starts');
  return { days: 0, seconds };
}

/** One value of an RDATE. */
function addedDates(
  property: Property,
  zones: ZoneReader,
  missing: (zone: string) => void,
): readonly AddedDate[] {
  const [first = '', length] = property.value.split('/');
  const at = (written: string) => zones.times({ ...property, value: written }, missing)[0];
  const start = at(first);
  if (start === undefined) return [];
  if (length === undefined) return [{ start }];
  const duration = /^[+-]?P/i.test(length.trim())
    ? readDuration(length)
    : between(start, at(length) ?? start, zones);
  return [{ start, duration }];
}

/** Names that calendars give to the address of a video conference, the most telling first. */
const links = ['conference', 'x-google-conference', 'x-microsoft-skypeteamsmeetingurl', 'url'];
const longestText = 20_000;
const mostAttendees = 1000;

function readDetails(all: (name: string) => readonly Property[]): EventDetails {
  const text = (name: string) => {
    const [property] = all(name);
    return property && textOf(property).slice(0, longestText).trim();
  };
  const line = (name: string, longest = 500) => {
    const [property] = all(name);
    return property && singleLine(textOf(property), longest);
  };
  const link = links
    .map((name) => line(name, 2000))
    .find((address) => address !== undefined && /^https?:\/\/\S+$/i.test(address));
  const written = line('status')?.toLowerCase();
  const optional = {
    description: text('description')?.replaceAll(/(?![\n\t])\p{Cc}/gu, ''),
    location: line('location'),
    link,
    organizer: all('organizer').map(personOf)[0],
  };
  const attendees = all('attendee')
    .slice(0, mostAttendees)
    .map(personOf)
    .filter((person) => person !== '');
  return {
    title: line('summary') || '(no title)',
    status: statuses.find((known) => known === written) ?? 'confirmed',
    ...(Object.fromEntries(Object.entries(optional).filter(([, value]) => value)) as Partial<EventDetails>),
    ...(attendees.length > 0 && { attendees }),
    ...(line('transp')?.toUpperCase() === 'TRANSPARENT' && { free: true as const }),
  };
}

/** The mail address of a person, or else the name. */
function personOf(property: Property): string {
  const address = property.value.trim().replace(/^mailto:/i, '');
  const person = address.includes('@') ? address : (parameterOf(property, 'cn') ?? address);
  return singleLine(person, 320);
}
