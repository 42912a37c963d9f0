import { type Actor, maySeePerson } from '../../context.ts';
import { localText } from '../../recurrence/zone.ts';
import type { AssistantData } from './entity-access.ts';
import { type Listed, listOccurrences } from './occurrence-list.ts';
import { isActive, isDeclined, kindOf } from './reminders.ts';

/** Which events are meant. Every field that is given must match. */
interface EventMatch {
  readonly calendar?: string;
  readonly kind?: string;
  readonly text?: string;
  readonly attendee?: string;
}

interface Range {
  readonly edge: 'start' | 'end';
  readonly fromMs: number;
  readonly toMs: number;
}

/** Events that ended in a range can have begun this long before it. */
const longestMs = 31 * 86_400_000;

/**
 * The occurrences whose start or end is in a range, among the events of one person or of all whom the actor may see. An event that a
 * person has in several calendars is one.
 */
export async function matchingEvents(
  data: AssistantData,
  match: EventMatch,
  range: Range,
  actor: Actor,
  only?: string,
) {
  const { edge, fromMs, toMs } = range;
  return data.store.read(async (db) => {
    const window = { fromMs: edge === 'end' ? fromMs - longestMs : fromMs, toMs };
    const { listed } = await listOccurrences(data, db, window, undefined);
    const calendars = new Map(
      (await db.selectFrom('calendars').select(['id', 'name']).execute()).map(({ id, name }) => [id, name]),
    );
    const people = await db.selectFrom('users').selectAll().execute();
    const personOf = new Map(people.map((person) => [person.id, person]));
    const found = listed
      .filter(({ event, occurrence }) => {
        const ms = edge === 'start' ? occurrence.startMs : occurrence.endMs;
        const person = personOf.get(event.user_id);
        return (
          ms > fromMs &&
          ms <= toMs &&
          event.all_day !== 1 &&
          person !== undefined &&
          maySeePerson(actor, person.id) &&
          (only === undefined || person.id === only) &&
          isActive(occurrence) &&
          !isDeclined(person, occurrence)
        );
      })
      .filter((one) => matches(one, match, calendars))
      .toSorted((a, b) => (a.event.id < b.event.id ? -1 : 1));
    const copies = Map.groupBy(found, ({ event, occurrence: { startMs } }) =>
      JSON.stringify([event.user_id, event.provider_event_id, startMs]),
    );
    return [...copies.values()].map(([one]) => ({
      ...{ id: one!.event.id, occurrence: one!.occurrence.key },
      ...{ startMs: one!.occurrence.startMs, endMs: one!.occurrence.endMs, facts: eventFacts(one!) },
    }));
  });
}

function matches(
  { event, occurrence }: Listed,
  { calendar, kind, text, attendee }: EventMatch,
  calendars: ReadonlyMap<string, string>,
): boolean {
  const has = (where: readonly (string | null | undefined)[], wanted: string) =>
    where.join('\n').toLowerCase().includes(wanted.trim().toLowerCase());
  const isIn = (wanted: string) =>
    event.calendar_id === wanted ||
    (event.calendar_id !== null &&
      calendars.get(event.calendar_id)?.toLowerCase() === wanted.trim().toLowerCase());
  return (
    (calendar === undefined || isIn(calendar)) &&
    (kind === undefined || kindOf(event, occurrence) === kind) &&
    (text === undefined || has([occurrence.title, occurrence.location, occurrence.description], text)) &&
    (attendee === undefined || has([event.organizer, event.attendees], attendee))
  );
}

/** What the texts of a prompt can name; empty if the event does not say. Others wrote it. */
export function eventFacts({ event, occurrence, zone }: Listed): Readonly<Record<string, string>> {
  const attendees = event.attendees === null ? [] : (JSON.parse(event.attendees) as string[]);
  const people = [...new Set([...(event.organizer === null ? [] : [event.organizer]), ...attendees])];
  const at = (ms: number) => `${localText(ms, zone).replace('T', ' ').slice(0, 16)} ${zone}`;
  const facts = {
    title: occurrence.title,
    start: at(occurrence.startMs),
    end: at(occurrence.endMs),
    place: occurrence.location,
    people: people.join(', '),
    link: event.conf_link,
    description: occurrence.description?.slice(0, 8000),
  };
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, value ?? '']));
}
