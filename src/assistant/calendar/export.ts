import { isMailAddress } from '../../single-line.ts';
import type { CalendarEvent } from '../../store/schema.ts';
import type { AssistantData, Reader } from '../entities/entity-access.ts';
import { findUser } from '../entities/entity-access.ts';
import { isFree, taskState } from '../entities/occurrence.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { mailAddressIn } from '../entities/reminders.ts';
import type { Duration, EventDetails, Series } from '../icalendar/series.ts';
import { escapeText, writeLines } from '../icalendar/text.ts';
import { timeLine, utcText } from '../icalendar/written-value.ts';
import { expandEvent } from './expand-event.ts';

const dayMs = 86_400_000;
/** A series that only its own calendar can expand is written as single events in this time. */
const pastMs = 365 * dayMs;
const aheadMs = 2 * 365 * dayMs;

/** The events of a person as one iCalendar text: all, or those of one calendar; `local` has the events created here. */
export async function exportCalendar(
  data: AssistantData,
  userId: string,
  calendarId: string | undefined,
): Promise<{ readonly text: string; readonly events: number }> {
  const nowMs = data.clock();
  const { user, events } = await data.store.read(async (db) => ({
    user: await findUser(db, userId),
    events: await eventsOf(db, userId, calendarId),
  }));
  const zone = preferencesOf(user).timezone;
  const components: string[] = [];
  for (const event of events) components.push(...(await writeEvent(event, zone, nowMs)));
  const lines = [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Adjutant//Adjutant//EN', 'METHOD:PUBLISH'],
    ...[`X-WR-CALNAME:${escapeText(user.name)}`, `X-WR-TIMEZONE:${zone}`],
    ...components,
    'END:VCALENDAR',
  ];
  return { text: writeLines(lines), events: events.length };
}

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
    const times = [`DTSTART:${utcText(event.start_ms)}`, `DTEND:${utcText(event.end_ms)}`];
    return component(event, event, times, uidOf(event), event.start_ms);
  }
  const { zones, detached, overrides = [] } = series;
  if (zones === undefined && detached === undefined && overrides.every((one) => !one.andFollowing))
    return writeSeries(event, series);
  // Zones and changes that programs understand differently are written as what they mean.
  const window = { fromMs: nowMs - pastMs, toMs: nowMs + aheadMs };
  return (await expandEvent(event, window, zone)).flatMap((one) => {
    const times = [`DTSTART:${utcText(one.startMs)}`, `DTEND:${utcText(one.endMs)}`];
    return component(event, one, times, `${uidOf(event)}/${one.key}`, one.startMs);
  });
}

function writeSeries(event: CalendarEvent, series: Series): string[] {
  const { start, duration, rules = [], exceptionRules = [], dates = [], exceptions = [] } = series;
  const times = [
    timeLine('DTSTART', start),
    durationLine(duration),
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
        [timeLine('RECURRENCE-ID', id), timeLine('DTSTART', moved), durationLine(length)],
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
}

function textsOf({ title, location, description, status }: EventDetails): Texts {
  return { title, location: location ?? null, description: description ?? null, status };
}

function component(
  event: CalendarEvent,
  { title, location, description, status }: Texts,
  times: readonly string[],
  uid: string,
  startMs: number,
): string[] {
  const { task, conf_link: link, organizer, updated_ms } = event;
  const name = task === null ? 'VEVENT' : 'VTODO';
  const isDone = task !== null && taskState(task, event, startMs) === 'done';
  const showAs = event.show_as ?? undefined;
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
      ? [`STATUS:${status.toUpperCase()}`, `TRANSP:${free ? 'TRANSPARENT' : 'OPAQUE'}`]
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

function durationLine({ days, seconds }: Duration): string {
  const time = seconds > 0 || days === 0 ? `T${seconds}S` : '';
  return `DURATION:P${days > 0 ? `${days}D` : ''}${time}`;
}
