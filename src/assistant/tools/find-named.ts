import { type Actor, isOwner, maySeePerson } from '../../context.ts';
import { Denied, Failure } from '../../failure.ts';
import type { JsonObject } from '../../json.ts';
import { inDigits, parseTime, shortTime } from '../../recurrence/written-time.ts';
import { localText } from '../../recurrence/zone.ts';
import { singleLine } from '../../single-line.ts';
import { type MeOptions, personOfActor } from '../editing/me.ts';
import { type AssistantData, rowOf } from '../entities/entity-access.ts';
import type { Window } from '../entities/occurrence.ts';
import { type Listed, listOccurrences } from '../entities/occurrence-list.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { isActive } from '../entities/reminders.ts';
import { matcher, plain } from './event-words.ts';

const dayMs = 86_400_000;
/** First from two days ago, so that the events of today and fresh tasks are found; if nothing matches, further back, and then far ahead. */
const [backMs, forwardMs, pastMs, farMs] = [2 * dayMs, 731 * dayMs, 366 * dayMs, 20 * 366 * dayMs];
/** A refusal names so many candidates. */
const maxNamed = 6;

/**
 * The id of the event that the caller means by an id or by words of its title. Among the events of the caller, or else of all
 * people whom the caller may see, exactly one must match, of those on the day that `occurrence` names. With `user_id`, only the
 * events of that person count. With `mayBeDeleted`, so does the id of a deleted event that the audit trail has.
 */
export async function eventNamed(
  data: AssistantData,
  options: MeOptions,
  { event_id, occurrence, user_id }: JsonObject,
  actor: Actor,
  mayBeDeleted = false,
): Promise<string> {
  const written = String(event_id);
  const own = await data.store.read((db) => rowOf(db, 'events', written));
  if (own !== undefined && maySeePerson(actor, own.user_id)) return written;
  if (mayBeDeleted && (await isInTrail(data, written, actor))) return written;
  const me = await personOfActor(data, options, actor);
  const people =
    user_id !== undefined ? [String(user_id)] : me === undefined ? [undefined] : [me.id, undefined];
  const found = await matching(data, written, actor, people);
  const day = typeof occurrence === 'string' ? await dayOf(data, occurrence, found) : undefined;
  const onDay = found.filter((one) => localDay(one) === day);
  // The day can be one from which an occurrence was moved.
  const named = onDay.length > 0 ? onDay : found;
  const events = [...Map.groupBy(named, ({ event }) => event.id).values()].map(([first]) => first!);
  const [only, ...others] = events;
  if (only !== undefined && others.length === 0) return only.event.id;
  // An event that the caller may not see is reported like one that does not exist.
  const Kind = isOwner(actor) ? Failure : Denied;
  throw new Kind(
    'resource-not-found',
    only === undefined
      ? `Event not found: "${singleLine(written, 100)}" is neither an id nor in the title of an event. list_events finds events.`
      : `Several events match "${singleLine(written, 100)}": ${candidates(events, me?.id, data.clock())}. Use an id.`,
    { data: { missing: 'event' } },
  );
}

async function isInTrail({ store }: AssistantData, eventId: string, actor: Actor): Promise<boolean> {
  const people = await store.read((db) =>
    db.selectFrom('audit').select('user_id').distinct().where('event_id', '=', eventId).execute(),
  );
  return people.some(({ user_id }) => user_id !== null && maySeePerson(actor, user_id));
}

/**
 * The best matches: those with exactly this title, or else with its words in the title, or else with them in other fields.
 * The first of the people who has a match counts; undefined stands for everybody.
 */
async function matching(
  data: AssistantData,
  written: string,
  actor: Actor,
  people: readonly (string | undefined)[],
): Promise<readonly Listed[]> {
  const matches = matcher(written);
  if (!/[\p{L}\p{N}]/u.test(written)) return [];
  const nowMs = data.clock();
  const windows = [
    { fromMs: nowMs - backMs, toMs: nowMs + forwardMs },
    { fromMs: nowMs - pastMs, toMs: nowMs - backMs },
    { fromMs: nowMs + forwardMs, toMs: nowMs + farMs },
  ];
  const find = async (window: Window, userId: string | undefined, isMeant: typeof isActive) => {
    const { listed } = await data.store.read((db) => listOccurrences(data, db, window, userId, matches));
    return listed.filter(
      ({ event, occurrence }) => maySeePerson(actor, event.user_id) && isMeant(occurrence),
    );
  };
  const isTitle = ({ occurrence }: Listed) => plain(occurrence.title).trim() === plain(written).trim();
  const inTitle = ({ event, occurrence }: Listed) =>
    matches({ organizer: null, attendees: event.attendees }, [occurrence.title]);
  for (const isMeant of [isActive, isDone])
    for (const userId of people)
      for (const window of windows) {
        const found = await find(window, userId, isMeant);
        const best = [found.filter(isTitle), found.filter(inTitle), found].find(({ length }) => length > 0);
        if (best !== undefined) return best;
      }
  return [];
}

/** A to-do that is done is meant if no other event is. */
function isDone({ status, task }: Parameters<typeof isActive>[0]): boolean {
  return status !== 'cancelled' && task === 'done';
}

function localDay({ occurrence, zone }: Listed): string {
  return localText(occurrence.startMs, zone).slice(0, 10);
}

/** The day that the caller names. A key of list_events is an instant. */
async function dayOf(
  data: AssistantData,
  written: string,
  [first]: readonly Listed[],
): Promise<string | undefined> {
  if (first === undefined) return undefined;
  const nowMs = data.clock();
  const user = await data.store.read((db) => rowOf(db, 'users', first.event.user_id));
  const locale = user === undefined ? 'en' : preferencesOf(user).locale;
  const digits = await inDigits(written, first.zone, nowMs, locale, 'occurrence').catch(() => undefined);
  if (digits === undefined) return undefined;
  const { ms } = parseTime(digits, first.zone, 'occurrence', nowMs);
  return localText(ms, first.zone).slice(0, 10);
}

function candidates(events: readonly Listed[], me: string | undefined, nowMs: number): string {
  const named = events
    .slice(0, maxNamed)
    .map(
      ({ event, occurrence, zone }) =>
        `${singleLine(occurrence.title, 60)}, ${shortTime(occurrence.startMs, zone, nowMs, event.all_day === 1)}${event.user_id === me ? '' : `, of ${event.user_id}`} (${event.id})`,
    );
  const more = events.length > maxNamed ? ` and ${events.length - maxNamed} more` : '';
  return `${named.join('; ')}${more}`;
}

/** A reminder can be answered as the last one for this long. */
const answerMs = dayMs;

/** The id of the reminder that was sent last to the caller and not confirmed yet. */
export async function lastSent(data: AssistantData, options: MeOptions, actor: Actor): Promise<string> {
  const me = await personOfActor(data, options, actor);
  if (me === undefined)
    throw new Failure(
      'invalid-params',
      'It is not known who the user is. Give the notification_id from list_notifications.',
    );
  const last = await data.store.read((db) =>
    db
      .selectFrom('notifications')
      .select('id')
      .where('user_id', '=', me.id)
      .where('event_id', '!=', '')
      .where('change', 'is', null)
      .where('status', 'in', ['sent', 'delivered'])
      .where('acknowledged_ms', 'is', null)
      .where('leader_id', 'is', null)
      .where('sent_ms', '>', data.clock() - answerMs)
      .orderBy('sent_ms', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst(),
  );
  if (last !== undefined) return last.id;
  throw new Failure(
    'resource-not-found',
    `No reminder was sent to ${singleLine(me.name)} in the last 24 hours that is not confirmed yet. list_notifications shows all.`,
    { data: { missing: 'notification' } },
  );
}
