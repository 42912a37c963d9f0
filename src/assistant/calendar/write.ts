import type { CalendarEvent } from '../../store/schema.ts';
import type { Occurrence } from '../entities/occurrence.ts';
import { offsetsOf, wallOf } from '../icalendar/zone.ts';
import { expandEvent } from './expand-event.ts';

/** Identifies one occurrence of an event. */
export interface OccurrenceReference {
  /** Empty for a single event. */
  readonly key: string;
  readonly startMs: number;
}

/**
 * Returns an occurrence as iCalendar text for an email attachment, or undefined if it no longer takes place at that time.
 * `zone` is the user's time zone.
 */
export async function calendarText(
  event: CalendarEvent,
  { key, startMs }: OccurrenceReference,
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
    allDay ? `${name};VALUE=DATE:${formatDate(ms, zone)}` : `${name}:${formatUtc(ms)}`;
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Adjutant//Adjutant//EN',
    'METHOD:PUBLISH',
    'BEGIN:VEVENT',
    `UID:${escapeText(event.provider === 'local' ? event.id : event.provider_event_id)}`,
    `DTSTAMP:${formatUtc(nowMs)}`,
    ...(key === '' ? [] : [recurrenceId(key)]),
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
  return lines.map((line) => `${fold(line)}\r\n`).join('');
}

function formatUtc(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

function formatDate(ms: number, zone: string): string {
  return formatUtc(wallOf(ms, offsetsOf(zone) ?? (() => 0))).slice(0, 8);
}

function recurrenceId(key: string): string {
  const value = key.replaceAll(/[-:]/g, '');
  return value.length === 8 ? `RECURRENCE-ID;VALUE=DATE:${value}` : `RECURRENCE-ID:${value}`;
}

/** Escapes line breaks, so that text cannot add lines to the calendar. */
export function escapeText(text: string): string {
  return text
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll(/\r\n|[\r\n\u2028\u2029]/g, '\\n')
    .replaceAll(/(?!\t)\p{Cc}/gu, '');
}

/** Folds lines at 75 bytes without splitting a character. */
export function fold(line: string): string {
  const parts: string[] = [];
  let part = '';
  let bytes = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > 75) {
      parts.push(part);
      [part, bytes] = ['', 1];
    }
    part += character;
    bytes += size;
  }
  return [...parts, part].join('\r\n ');
}
