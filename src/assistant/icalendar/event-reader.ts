import { createHash } from 'node:crypto';
import { instantOf, offsetsOf } from '../../recurrence/zone.ts';
import { readAlarms, readDetails } from './details-reader.ts';
import {
  type AddedDate,
  type CalendarTime,
  type Duration,
  type EventDetails,
  isAllDay,
  type Observance,
  type Override,
  type Series,
} from './series.ts';
import { linesOf, type TextComponent, type TextLine } from './text.ts';
import { readDuration, readRule, shorten, Unreadable } from './written-value.ts';
import { offsetsOfObservances, type ZoneReader } from './zone-reader.ts';

/** One VEVENT: a single event, a series, or an override of one occurrence. */
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
  readonly birthday: boolean;
  readonly document: string | undefined;
}

/** Reports what was left out of an event; `line` is that of the property, if one property is the cause. */
export type Note = (message: string, line?: number) => void;

/** More dates of one series would block other requests, each time that it is expanded. */
const maxDates = 5_000;

/**
 * Reads a VEVENT or VTODO. Throws `Unreadable` if its start cannot be determined; a task without a date is reported and
 * left out. So are other unreadable properties.
 */
export function readInstance(
  component: TextComponent,
  zones: ZoneReader,
  note: Note,
  usable: (rule: string, start: CalendarTime) => boolean,
  document: string | undefined,
): Instance | undefined {
  const all = (name: string) => linesOf(component, name);
  const one = (name: string) => all(name)[0];
  const unknown = new Set<string>();
  const missing = (zone: string) => {
    if (!unknown.has(zone)) note(`The time zone "${zone}" is unknown; the user's time zone is used instead.`);
    unknown.add(zone);
  };
  const times = (name: string) => all(name).flatMap((line) => zones.times(line, missing));
  const reported = new Set<TextLine>();
  /** Reads a property. If it is invalid, reports that once per line and returns nothing. */
  const lenient = <Value>(
    line: TextLine,
    read: () => Value,
    lost: string,
    value = line.value,
  ): readonly Value[] => {
    try {
      return [read()];
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      if (!reported.has(line))
        note(
          `${describeInvalid(line.name, value)}: ${error.message}. The event was imported without ${lost}.`,
          line.number,
        );
      reported.add(line);
      return [];
    }
  };
  /** An invalid value in a list does not affect the others. */
  const list = <Value>(
    name: string,
    read: (line: TextLine, value: string) => readonly Value[],
    lost: string,
  ): Value[] =>
    all(name)
      .flatMap((line) => line.value.split(',', maxDates + 1).map((value) => ({ line, value })))
      .flatMap(({ line, value }, index) => {
        if (index === maxDates)
          note(`The event has more than ${maxDates} dates. It was imported without the others.`, line.number);
        if (index >= maxDates) return [];
        return lenient(line, () => read(line, value), lost, value).flat() as Value[];
      });

  const task = component.name === 'VTODO';
  const [id] = times('RECURRENCE-ID');
  // The cancellation of an occurrence may omit DTSTART. A task takes place when it is due.
  const [written = id] = task ? [...times('DUE'), ...times('DTSTART')] : times('DTSTART');
  if (written === undefined) {
    if (!task) throw new Unreadable('it has no DTSTART');
    note('This task has no date, so there is nothing to remind of. It was not imported.');
    return undefined;
  }
  // A series in UTC follows the clock of the calendar's own time zone.
  const start = all('RRULE').length > 0 ? zones.inDefaultZone(written) : written;
  const [duration = defaultDuration(start)] = [
    ...(task ? [{ days: 0, seconds: 0 }] : []),
    ...all('DTEND').flatMap((line) =>
      lenient(line, () => lengthUntil(zones.times(line, missing), start, zones), 'this end').flat(),
    ),
    ...all('DURATION').flatMap((line) => lenient(line, () => readDuration(line.value), 'this length')),
  ];
  const rules = (name: string, lost: string) =>
    all(name).flatMap((line) => {
      const read = () => {
        const rule = readRule(line.value);
        if (/BYWEEKNO=/.test(rule) && /BYMONTHDAY=/.test(rule))
          note('The rule has BYWEEKNO and BYMONTHDAY; some programs reject such rules.', line.number);
        return { rule, kept: usable(rule, start) };
      };
      const [{ rule, kept } = { rule: '', kept: true }] = lenient(line, read, lost);
      if (kept) return rule === '' ? [] : [rule];
      note(runaway, line.number);
      return [];
    });
  const dates = list('RDATE', (line, value) => addedDates(line, value, zones, missing), 'this date');
  const exceptions = list('EXDATE', (line, value) => zones.times(line, missing, value), 'this exception');
  const named = [start, id, ...dates.map((date) => date.start), ...exceptions].map((time) => time?.zone);
  return {
    uid: storableUid(one('UID')?.value ?? ''),
    sequence: Number.parseInt(one('SEQUENCE')?.value ?? '0', 10) || 0,
    stamp: (one('LAST-MODIFIED') ?? one('DTSTAMP'))?.value ?? '',
    ...(id !== undefined && { id }),
    andFollowing: /^THISANDFUTURE$/i.test(one('RECURRENCE-ID')?.parameter('RANGE') ?? ''),
    start,
    duration,
    details: readDetails(all, readAlarms(component, note), task),
    rules: rules('RRULE', 'recurrence'),
    exceptionRules: rules('EXRULE', 'these exceptions'),
    dates,
    exceptions,
    zones: zones.describe(named),
    birthday: /^(bday|birthday)$/i.test(
      (one('X-NEXTCLOUD-BC-FIELD-TYPE') ?? one('CATEGORIES'))?.value.trim() ?? '',
    ),
    document,
  };
}

const runaway =
  'Its recurrence rule yields too many occurrences or takes too long to compute. The event was imported without it.';

function describeInvalid(name: string, value: string): string {
  return `"${shorten(`${name}:${value}`)}" is not a valid ${name}`;
}

/** The unique index limits the length. */
const maxUidLength = 500;

/** Returns a UID that can be stored. A longer one is shortened and stays unique through its hash. */
function storableUid(written: string): string {
  const uid = written
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
    .toWellFormed();
  if (uid.length <= maxUidLength) return uid;
  return `${uid.slice(0, 100)}-${createHash('sha256').update(uid).digest('hex')}`;
}

const dayMs = 86_400_000;

function defaultDuration(start: CalendarTime): Duration {
  return { days: isAllDay(start) ? 1 : 0, seconds: 0 };
}

function lengthUntil(
  [end]: readonly CalendarTime[],
  start: CalendarTime,
  zones: ZoneReader,
): readonly Duration[] {
  return end === undefined ? [] : [durationBetween(start, end, zones)];
}

/** Length from start to end: in days for all-day events, otherwise exact. */
function durationBetween(start: CalendarTime, end: CalendarTime, zones: ZoneReader): Duration {
  const days = (Date.parse(end.wall.slice(0, 10)) - Date.parse(start.wall.slice(0, 10))) / dayMs;
  if (days < 0) throw new Unreadable('it ends before it starts');
  if (days > 36_600) throw new Unreadable('it lasts longer than a century');
  // Many programs set the end of a one-day event to the same day.
  if (isAllDay(start)) return { days: Math.max(1, days), seconds: 0 };
  const own = zones.describe([start.zone, end.zone]) ?? {};
  const instant = ({ wall, zone = 'UTC' }: CalendarTime) => {
    const offsets = own[zone] ? offsetsOfObservances(own[zone]) : offsetsOf(zone)!;
    return instantOf(Date.parse(wall.length === 10 ? wall : `${wall}Z`), offsets);
  };
  const until = isAllDay(end) ? { ...end, ...(start.zone !== undefined && { zone: start.zone }) } : end;
  const seconds = (instant(until) - instant(start)) / 1000;
  if (seconds < 0) throw new Unreadable('it ends before it starts');
  return { days: 0, seconds };
}

/** Reads one value of an RDATE. */
function addedDates(
  line: TextLine,
  value: string,
  zones: ZoneReader,
  missing: (zone: string) => void,
): readonly AddedDate[] {
  const [first = '', length] = value.split('/');
  const at = (written: string) => zones.times(line, missing, written)[0];
  const start = at(first);
  if (start === undefined) return [];
  if (length === undefined) return [{ start }];
  const duration = /^[+-]?P/i.test(length.trim())
    ? readDuration(length)
    : durationBetween(start, at(length) ?? start, zones);
  return [{ start, duration }];
}

/** One UID of a calendar: a single event, or a series with its overrides. */
export interface ParsedEvent {
  readonly uid: string;
  readonly details: EventDetails;
  readonly series: Series;
  /** Version number of the event (SEQUENCE). */
  readonly sequence: number;
  /** Name of the document that contained the event, if the calendar has several. */
  readonly document?: string;
}

/** Combines all instances of one UID. Calls `replaced` with the number of instances dropped for newer ones. */
export function assembleEvent(
  uid: string,
  instances: readonly Instance[],
  replaced: (count: number) => void,
): ParsedEvent {
  const masters = instances.filter(({ id }) => id === undefined);
  const byId = Map.groupBy(
    instances.filter(({ id }) => id !== undefined),
    ({ id }) => `${id!.wall} ${id!.zone ?? ''}`,
  );
  const changed = [...byId.values()].map(newest);
  if (masters.length > 1) replaced(masters.length - 1);
  const master = masters.length > 0 ? newest(masters) : undefined;
  const base = master ?? changed.find(({ details }) => details.status !== 'cancelled') ?? changed[0]!;
  const own: Record<string, readonly Observance[]> = {};
  for (const { zones } of [...changed, base]) Object.assign(own, zones);
  const lists = {
    rules: master?.rules,
    exceptionRules: master?.exceptionRules,
    dates: master?.dates,
    exceptions: master?.exceptions,
    overrides: changed.map(toOverride),
  };
  const filled = Object.entries(lists).filter(([, list]) => list !== undefined && list.length > 0);
  return {
    uid,
    details: base.details,
    sequence: base.sequence,
    ...(base.document !== undefined && { document: base.document }),
    series: {
      start: base.start,
      duration: base.duration,
      ...(Object.fromEntries(filled) as Partial<Series>),
      ...(master === undefined && { detached: true }),
      ...(master?.birthday && master.rules.length > 0 && { birthday: true }),
      ...(Object.keys(own).length > 0 && { zones: own }),
    },
  };
}

function toOverride({ id, andFollowing, start, duration, details }: Instance): Override {
  return { id: id!, ...(andFollowing && { andFollowing }), start, duration, details };
}

function newest(versions: readonly Instance[]): Instance {
  return versions.reduce((best, next) =>
    next.sequence > best.sequence || (next.sequence === best.sequence && next.stamp >= best.stamp)
      ? next
      : best,
  );
}
