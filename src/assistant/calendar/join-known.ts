import type { AssistantData } from '../entities/entity-access.ts';
import type { CalendarProblem, ParsedCalendar } from '../icalendar/parse.ts';
import type { ParsedEvent } from '../icalendar/parsed-event.ts';
import type { EventDetails, Override, Series } from '../icalendar/series.ts';
import type { Calendar, CalendarEvent } from '../store/schema.ts';

const batchSize = 500;

/**
 * What a text that was handed over amounts to, beside what is known. It may be older than that. And it may tell about
 * single meetings of a series only, as an invitation does when one of them is moved: they join what is known about the
 * series instead of taking its place.
 */
export async function joinKnown(
  { store }: AssistantData,
  calendar: Calendar,
  { events, problems, ...parsed }: ParsedCalendar,
): Promise<ParsedCalendar> {
  const joined: ParsedEvent[] = [];
  const old: CalendarProblem[] = [];
  for (let from = 0; from < events.length; from += batchSize) {
    const batch = events.slice(from, from + batchSize);
    const rows = await store.read((db) =>
      db
        .selectFrom('events')
        .selectAll()
        .where('calendar_id', '=', calendar.id)
        .where(
          'provider_event_id',
          'in',
          batch.map(({ uid }) => uid),
        )
        .execute(),
    );
    const known = new Map(rows.map((row) => [row.provider_event_id, row]));
    for (const event of batch) {
      const before = known.get(event.uid);
      if (event.series.detached) joined.push(before?.series ? join(event, before, before.series) : event);
      else if (event.sequence >= Number(before?.etag ?? 0)) joined.push(event);
      else old.push(outdated(event));
    }
  }
  return { ...parsed, events: joined, problems: [...problems, ...old] };
}

function outdated({ uid, sequence }: ParsedEvent): CalendarProblem {
  const message = `a newer version than this (SEQUENCE:${sequence}) is known; it is left out`;
  return { severity: 'warning', line: 0, uid, message };
}

function join(event: ParsedEvent, known: CalendarEvent, written: string): ParsedEvent {
  const before = JSON.parse(written) as Series;
  const zones = { ...before.zones, ...event.series.zones };
  const series: Series = {
    ...before,
    overrides: merged(before.overrides ?? [], event.series.overrides ?? []),
    ...(Object.keys(zones).length > 0 && { zones }),
  };
  // Of a series that nobody has told about, the first meeting that takes place speaks for it.
  if (before.detached && known.status === 'cancelled')
    return { ...event, series: { ...series, start: event.series.start, duration: event.series.duration } };
  return { ...event, details: detailsOf(known), series, sequence: Number(known.etag ?? 0) };
}

/** In their place where they are known, so that the same text twice changes nothing. */
function merged(known: readonly Override[], told: readonly Override[]): readonly Override[] {
  const all = new Map([...known, ...told].map((override) => [nameOf(override), override]));
  return [...all.values()];
}

function nameOf({ id, andFollowing }: Override): string {
  return JSON.stringify([id.wall, id.zone, andFollowing]);
}

function detailsOf(event: CalendarEvent): EventDetails {
  const { title, status, description, location, conf_link: link, organizer, attendees } = event;
  return {
    title,
    status,
    ...(description !== null && { description }),
    ...(location !== null && { location }),
    ...(link !== null && { link }),
    ...(organizer !== null && { organizer }),
    ...(attendees !== null && { attendees: JSON.parse(attendees) as string[] }),
  };
}
