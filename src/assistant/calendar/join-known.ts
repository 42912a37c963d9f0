import type { Diary } from '../diary.ts';
import type { Calendar, CalendarEvent } from '../store/schema.ts';
import type { ParsedEvent } from './parsed-event.ts';
import type { EventDetails, Override, Series } from './series.ts';

/**
 * A text may tell about single meetings of a series only, as an invitation does when one of them is moved. They join
 * what is known about the series instead of taking its place.
 */
export async function joinKnown(
  { store }: Diary,
  calendar: Calendar,
  events: readonly ParsedEvent[],
): Promise<readonly ParsedEvent[]> {
  const joined: ParsedEvent[] = [];
  for (const event of events) {
    const known = event.series.detached
      ? await store.read((db) =>
          db
            .selectFrom('events')
            .selectAll()
            .where('calendar_id', '=', calendar.id)
            .where('provider_event_id', '=', event.uid)
            .executeTakeFirst(),
        )
      : undefined;
    joined.push(known === undefined || known.series === null ? event : join(event, known, known.series));
  }
  return joined;
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
  return { ...event, details: detailsOf(known), series };
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
