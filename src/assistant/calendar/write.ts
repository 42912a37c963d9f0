import type { CalendarEvent } from '../../store/schema.ts';
import type { Occurrence } from '../entities/occurrence.ts';
import { dateIn } from '../entities/view.ts';
import { escapeText, writeLines } from '../icalendar/text.ts';
import { timeLine, utcText } from '../icalendar/written-value.ts';
import { expandEvent } from './expand-event.ts';

/**
 * Returns an occurrence as iCalendar text for an email attachment, or undefined if it no longer takes place at that time.
 * `key` is empty for a single event. `zone` is the user's time zone.
 */
export async function calendarText(
  event: CalendarEvent,
  key: string,
  startMs: number,
  zone: string,
  nowMs: number,
): Promise<string | undefined> {
  const found = await expandEvent(event, { fromMs: startMs, toMs: startMs }, zone);
  const occurrence = found.find((one) => one.key === key);
  return occurrence && writeOccurrence(event, occurrence, zone, nowMs);
}

function writeOccurrence(event: CalendarEvent, occurrence: Occurrence, zone: string, nowMs: number): string {
  const { key, startMs, endMs, title, description, location, status } = occurrence;
  const allDay = event.all_day === 1;
  const time = (name: string, ms: number) =>
    allDay
      ? timeLine(name, {
          wall: dateIn(zone, ms),
        })
      : `${name}:${utcText(ms)}`;
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Adjutant//Adjutant//EN',
    'METHOD:PUBLISH',
    'BEGIN:VEVENT',
    `UID:${escapeText(event.provider === 'local' ? event.id : event.provider_event_id)}`,
    `DTSTAMP:${utcText(nowMs)}`,
    ...(key === '' ? [] : [timeLine('RECURRENCE-ID', { wall: key })]),
    time('DTSTART', startMs),
    time('DTEND', endMs),
    `SUMMARY:${escapeText(title)}`,
    `STATUS:${status.toUpperCase()}`,
    ...(description ? [`DESCRIPTION:${escapeText(description)}`] : []),
    ...(location ? [`LOCATION:${escapeText(location)}`] : []),
    ...(event.conf_link && URL.canParse(event.conf_link) ? [`URL:${new URL(event.conf_link).href}`] : []),
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  return writeLines(lines);
}
