import { localText } from '../../recurrence/zone.ts';
import { isMailAddress } from '../../single-line.ts';
import type { CalendarEvent, ShowAs } from '../../store/schema.ts';
import type { AssistantData, Reader } from '../entities/entity-access.ts';
import { findUser } from '../entities/entity-access.ts';
import { isFree, taskState, type Window } from '../entities/occurrence.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { mailAddressIn } from '../entities/reminders.ts';
import type { Duration, EventDetails, Series } from '../icalendar/series.ts';
import { escapeText, writeLines } from '../icalendar/text.ts';
import { showAsText, timeLine, utcText } from '../icalendar/written-value.ts';
import { zoneLines } from '../icalendar/zone-text.ts';
import { expandEvent } from './expand-event.ts';

const dayMs = 86_400_000;
/** A series that only its own calendar can expand is written as single events in this time. */
const pastMs = 365 * dayMs;
const aheadMs = 2 * 365 * dayMs;
/** Events that began up to this long before a range are written if they go on in it. */
const reachMs = 31 * dayMs;

/**
 * The events of a person as one iCalendar text: all, or those of one calendar; `local` has the events created here. With a range,
 * only the dates in it, so that nobody gets more than they were given.
 */
export async function exportCalendar(
  data: AssistantData,
  userId: string,
  calendarId: string | undefined,
  range?: Window,
): Promise<{ readonly text: string; readonly events: number }> {
  const nowMs = data.clock();
  const { user, events } = await data.store.read(async (db) => ({
    user: await findUser(db, userId),
    events: await eventsOf(db, userId, calendarId),
  }));
  const zone = preferencesOf(user).timezone;
  const components: string[] = [];
  /** The first start in each zone that the text names. */
  const zones = new Map<string, number>();
  let written = 0;
  for (const event of events) {
    const lines = await (range === undefined
      ? writeEvent(event, zone, nowMs)
      : writeDates(event, zone, range));
    components.push(...lines);
    for (const [, name = ''] of lines.join('\n').matchAll(namedZone))
      zones.set(name, Math.min(zones.get(name) ?? Number.POSITIVE_INFINITY, event.first_ms));
    if (lines.length > 0) written += 1;
  }
  const lines = [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Adjutant//Adjutant//EN', 'METHOD:PUBLISH'],
    ...[`X-WR-CALNAME:${escapeText(user.name)}`, `X-WR-TIMEZONE:${zone}`],
    ...[...zones].flatMap(([name, firstMs]) => zoneLines(name, Math.max(firstMs, nowMs - pastMs))),
    ...components,
    'END:VCALENDAR',
  ];
  return { text: writeLines(lines), events: written };
}

const namedZone = /^[A-Z-]+;TZID="?([^":;]+)"?:/gm;

function eventsOf(db: Reader, userId: string, calendarId: string | undefined): Promise<CalendarEvent[]> {
  const all = db.selectFrom('events').selectAll().where('user_id', '=', userId);
  const some =
    calendarId === undefined
      ? all
      : calendarId === 'local'
        ? all.where('provider', '=', 'local')
        : all.where('calendar_id', '=', calendarId);
  return some.orderBy('first_ms').orderBy('id').execute();
}

async function writeEvent(event: CalendarEvent, zone: string, nowMs: number): Promise<string[]> {
  const series = event.series === null ? undefined : (JSON.parse(event.series) as Series);
  if (series === undefined) {
    return component(
      event,
      event,
      timesOf(event, event.start_ms, event.end_ms, zone),
      uidOf(event),
      event.start_ms,
    );
  }
  const { zones, detached, overrides = [] } = series;
  if (zones === undefined && detached === undefined && overrides.every((one) => !one.andFollowing))
    return writeSeries(event, series);
  // Zones and changes that programs understand differently are written as what they mean.
  return writeDates(event, zone, { fromMs: nowMs - pastMs, toMs: nowMs + aheadMs });
}

/** Writes each date by itself that begins in the range, or goes on in it. */
async function writeDates(event: CalendarEvent, zone: string, { fromMs, toMs }: Window): Promise<string[]> {
  const dates = await expandEvent(event, { fromMs: fromMs - reachMs, toMs }, zone);
  return dates
    .filter(({ startMs, endMs }) => startMs >= fromMs || endMs > fromMs)
    .flatMap((one) => {
      const uid = one.key === '' ? uidOf(event) : `${uidOf(event)}/${one.key}`;
      return component(event, one, timesOf(event, one.startMs, one.endMs, zone), uid, one.startMs);
    });
}

/** An end must be after the start (RFC 5545). A reminder has no length, and so no end. */
function timesOf(event: CalendarEvent, startMs: number, endMs: number, zone: string): readonly string[] {
  const write = (name: string, ms: number) =>
    event.all_day === 1
      ? timeLine(name, { wall: localText(ms, zone).slice(0, 10) })
      : `${name}:${utcText(ms)}`;
  return [write('DTSTART', startMs), ...(endMs > startMs ? [write('DTEND', endMs)] : [])];
}

function writeSeries(event: CalendarEvent, series: Series): string[] {
  const { start, duration, rules = [], exceptionRules = [], dates = [], exceptions = [] } = series;
  const times = [
    timeLine('DTSTART', start),
    ...durationLines(duration),
    ...rules.map((rule) => `RRULE:${rule}`),
    ...exceptionRules.map((rule) => `EXRULE:${rule}`),
    ...dates.map((date) => timeLine('RDATE', date.start)),
    ...exceptions.map((time) => timeLine('EXDATE', time)),
  ];
  return [
    ...component(event, event, times, uidOf(event), event.start_ms),
    ...(series.overrides ?? []).flatMap(({ id, start: moved, duration: length, details }) =>
      component(
        event,
        textsOf(details),
        [timeLine('RECURRENCE-ID', id), timeLine('DTSTART', moved), ...durationLines(length)],
        uidOf(event),
        event.start_ms,
      ),
    ),
  ];
}

interface Texts {
  readonly title: string;
  readonly location: string | null;
  readonly description: string | null;
  readonly status: string;
  readonly showAs?: ShowAs | undefined;
}

function textsOf({ title, location, description, status, showAs }: EventDetails): Texts {
  return { title, location: location ?? null, description: description ?? null, status, showAs };
}

function component(
  event: CalendarEvent,
  { title, location, description, status, showAs = event.show_as ?? undefined }: Texts,
  times: readonly string[],
  uid: string,
  startMs: number,
): string[] {
  const { task, conf_link: link, organizer, updated_ms } = event;
  const name = task === null ? 'VEVENT' : 'VTODO';
  const isDone = task !== null && taskState(task, event, startMs) === 'done';
  const free = isFree(event, { ...(showAs && { showAs }) });
  const organizedBy = mailAddressIn(organizer ?? '');
  return [
    `BEGIN:${name}`,
    `UID:${escapeText(uid)}`,
    `DTSTAMP:${utcText(updated_ms)}`,
    // A task is due when it starts, and has no length.
    ...(task === null
      ? times
      : times
          .filter((line) => !/^(DTEND|DURATION)/.test(line))
          .map((line) => line.replace(/^DTSTART/, 'DUE'))),
    `SUMMARY:${escapeText(title)}`,
    ...(task === null
      ? [`STATUS:${status.toUpperCase()}`, ...showAsLines(showAs ?? (free ? 'free' : undefined))]
      : [`STATUS:${isDone ? 'COMPLETED' : 'NEEDS-ACTION'}`]),
    ...(description ? [`DESCRIPTION:${escapeText(description)}`] : []),
    ...(location ? [`LOCATION:${escapeText(location)}`] : []),
    ...(link && URL.canParse(link) ? [`URL:${new URL(link).href}`] : []),
    ...(organizedBy && isMailAddress(organizedBy) ? [`ORGANIZER:mailto:${organizedBy}`] : []),
    `END:${name}`,
  ];
}

function uidOf(event: CalendarEvent): string {
  return event.provider === 'local' ? event.id : event.provider_event_id;
}

function durationLines({ days, seconds }: Duration): readonly string[] {
  if (days === 0 && seconds === 0) return [];
  const time = seconds > 0 || days === 0 ? `T${seconds}S` : '';
  return [`DURATION:P${days > 0 ? `${days}D` : ''}${time}`];
}

/** Programs that do not know the status of Outlook see `tentative` and `away` as busy. */
function showAsLines(showAs: ShowAs | undefined): readonly string[] {
  const lines = Object.entries(showAsText(showAs ?? 'busy')).map(([name, value]) => `${name}:${value}`);
  return showAs === undefined ? lines.filter((line) => line.startsWith('TRANSP:')) : lines;
}
