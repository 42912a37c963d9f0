import { Pace } from '../../awaitable.ts';
import type { Calendar, CalendarEvent } from '../../store/schema.ts';
import type { AssistantData } from '../entities/entity-access.ts';
import { sourceFields } from '../entities/occurrence.ts';
import type { CalendarProblem, ParsedCalendar } from '../icalendar/parse.ts';
import type { ParsedEvent } from '../icalendar/parsed-event.ts';
import type { EventDetails, Override, Series } from '../icalendar/series.ts';

const batchSize = 500;

/**
 * Merges an imported text with the stored events. Events older than the stored version are skipped. If the text contains
 * only single occurrences of a series, as an invitation to a moved meeting does, they are added to the stored series
 * instead of replacing it.
 */
export async function joinKnown(
  { store }: AssistantData,
  calendar: Calendar,
  { events, problems, ...parsed }: ParsedCalendar,
): Promise<ParsedCalendar> {
  const joined: ParsedEvent[] = [];
  const outdated: CalendarProblem[] = [];
  const pace = new Pace();
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
      else outdated.push(outdatedProblem(event));
    }
    await pace.pause;
  }
  return { ...parsed, events: joined, problems: [...problems, ...outdated] };
}

function outdatedProblem({ uid, sequence }: ParsedEvent): CalendarProblem {
  const message = `The event was skipped: a newer version than SEQUENCE:${sequence} was already imported.`;
  return { severity: 'warning', line: 0, uid, message };
}

function join(event: ParsedEvent, known: CalendarEvent, written: string): ParsedEvent {
  const before = JSON.parse(written) as Series;
  const zones = { ...before.zones, ...event.series.zones };
  const series: Series = {
    ...before,
    overrides: mergeOverrides(before.overrides ?? [], event.series.overrides ?? []),
    ...(Object.keys(zones).length > 0 && { zones }),
  };
  // If only single occurrences are known, the first one that is not cancelled provides the details of the series.
  if (before.detached && known.status === 'cancelled')
    return { ...event, series: { ...series, start: event.series.start, duration: event.series.duration } };
  return { ...event, details: toDetails(known), series, sequence: Number(known.etag ?? 0) };
}

/** Keeps the order of known overrides, so that importing the same text twice changes nothing. */
function mergeOverrides(known: readonly Override[], added: readonly Override[]): readonly Override[] {
  const all = new Map([...known, ...added].map((override) => [overrideKey(override), override]));
  return [...all.values()];
}

function overrideKey({ id, andFollowing }: Override): string {
  return JSON.stringify([id.wall, id.zone, andFollowing]);
}

function toDetails(event: CalendarEvent): EventDetails {
  const { title, status, description, location, conf_link: link, organizer, attendees } = event;
  return {
    title,
    status,
    ...(description !== null && { description }),
    ...(location !== null && { location }),
    ...(link !== null && { link }),
    ...(organizer !== null && { organizer }),
    ...(attendees !== null && { attendees: JSON.parse(attendees) as string[] }),
    ...sourceFields({ ...event, done: null }, event.start_ms),
  };
}
