import { type Actor, maySeePerson } from '../../context.ts';
import { present } from '../../json.ts';
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

/** The occurrences whose start or end is in a range, among the events of the people whom the actor may see. */
export async function matchingEvents(data: AssistantData, match: EventMatch, range: Range, actor: Actor) {
  const { edge, fromMs, toMs } = range;
  return data.store.read(async (db) => {
    const window = { fromMs: edge === 'end' ? fromMs - longestMs : fromMs, toMs };
    const { listed } = await listOccurrences(data, db, window, undefined);
    const calendars = new Map(
      (await db.selectFrom('calendars').select(['id', 'name']).execute()).map(({ id, name }) => [id, name]),
    );
    const people = await db.selectFrom('users').selectAll().execute();
    const personOf = new Map(people.map((person) => [person.id, person]));
    return listed
      .filter(({ event, occurrence }) => {
        const ms = edge === 'start' ? occurrence.startMs : occurrence.endMs;
        const person = personOf.get(event.user_id);
        return (
          ms > fromMs &&
          ms <= toMs &&
          event.all_day !== 1 &&
          person !== undefined &&
          maySeePerson(actor, person.id) &&
          isActive(occurrence) &&
          !isDeclined(person, occurrence)
        );
      })
      .filter((one) => matches(one, match, calendars))
      .map((one) => ({
        ...{ id: one.event.id, occurrence: one.occurrence.key },
        ...{ startMs: one.occurrence.startMs, endMs: one.occurrence.endMs, facts: factsOf(one) },
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

/** What the texts of a prompt can name. Others wrote it. */
function factsOf({ event, occurrence, zone }: Listed): Readonly<Record<string, string>> {
  const attendees = event.attendees === null ? [] : (JSON.parse(event.attendees) as string[]);
  const people = [...new Set([...(event.organizer === null ? [] : [event.organizer]), ...attendees])];
  const at = (ms: number) => `${localText(ms, zone).replace('T', ' ').slice(0, 16)} ${zone}`;
  return present({
    title: occurrence.title,
    start: at(occurrence.startMs),
    end: at(occurrence.endMs),
    place: occurrence.location,
    people: people.length === 0 ? null : people.join(', '),
    link: event.conf_link,
    description: occurrence.description?.slice(0, 8000),
  }) as Readonly<Record<string, string>>;
}
