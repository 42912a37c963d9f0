import type { CalendarEvent } from '../../store/schema.ts';
import type { CalendarTime, Duration, EventDetails, Series } from '../icalendar/series.ts';
import { escapeText, writeLines } from '../icalendar/text.ts';
import { timeLine } from '../icalendar/written-value.ts';

/** Writes a series that is only here as a calendar object, without its organizer and attendees, which can be names. */
export function storedText(event: CalendarEvent): string {
  const series = JSON.parse(event.series!) as Series;
  const { start, duration, rules = [], exceptions = [], overrides = [] } = series;
  const own: EventDetails = {
    title: event.title,
    status: event.status,
    ...(event.description !== null && { description: event.description }),
    ...(event.location !== null && { location: event.location }),
    ...(event.conf_link !== null && { link: event.conf_link }),
  };
  const components = [
    [
      ...timeLines(start, duration),
      ...rules.map((rule) => `RRULE:${rule}`),
      ...exceptions.map((time) => timeLine('EXDATE', time)),
      ...detailLines(own),
    ],
    ...overrides.map((one) => [
      timeLine('RECURRENCE-ID', one.id),
      ...timeLines(one.start, one.duration),
      ...detailLines(one.details),
    ]),
  ];
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    ...components.flatMap((own) => [
      'BEGIN:VEVENT',
      `UID:${escapeText(event.id)}`,
      'DTSTAMP:20000101T000000Z',
      ...own,
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ];
  return writeLines(lines);
}

function timeLines(start: CalendarTime, { days, seconds }: Duration): readonly string[] {
  const time = seconds === 0 ? '' : `T${seconds}S`;
  return [timeLine('DTSTART', start), `DURATION:P${days > 0 || time === '' ? `${days}D` : ''}${time}`];
}

function detailLines({ title, status, description, location, link }: EventDetails): readonly string[] {
  return [
    `SUMMARY:${escapeText(title)}`,
    `STATUS:${status.toUpperCase()}`,
    ...(description === undefined ? [] : [`DESCRIPTION:${escapeText(description)}`]),
    ...(location === undefined ? [] : [`LOCATION:${escapeText(location)}`]),
    ...(link === undefined ? [] : [`URL:${link}`]),
  ];
}
