import { messageOf } from '../../json.ts';
import { Pace } from '../../pace.ts';
import type { Calendar, CalendarEvent, User } from '../../store/schema.ts';
import { configOf } from '../calendar/source.ts';
import { type AssistantData, findUser, type Reader } from '../entities/entity-access.ts';
import { isFree, type Occurrence, RuleBudget } from '../entities/occurrence.ts';
import { readEvents } from '../entities/occurrence-list.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { answerOf, isActive, isDeclined } from '../entities/reminders.ts';
import { timestamp } from '../entities/view.ts';
import type { Series } from '../icalendar/series.ts';
import { mergeSpans, overlaps, type Span } from './spans.ts';

const [hourMs, dayMs] = [3_600_000, 86_400_000];
/** After this time without a new import, a calendar counts as out of date. */
const importedOnceMs = dayMs;

/** Longer single events are ignored. The limit lets the search use the index on the start. */
const longestSingleMs = 366 * dayMs;

/** An occurrence that takes up a person's time. */
export interface BusyTime extends Span {
  readonly event: CalendarEvent;
  readonly occurrence: Occurrence;
  /** The event or the user's answer is tentative, or the invitation is not answered yet. */
  readonly tentative: boolean;
}

export interface BusyList {
  readonly busy: readonly BusyTime[];
  /** Why the person may have other events at the time. Empty if all calendars are up to date. */
  readonly unknown: readonly string[];
}

/** Lists what keeps a user busy in a time range. Free, declined and cancelled events and tasks do not. */
export async function busyTimes(
  data: AssistantData,
  db: Reader,
  user: User,
  window: Span,
  intervalMs: number,
): Promise<BusyList> {
  const calendars = await db.selectFrom('calendars').selectAll().where('user_id', '=', user.id).execute();
  const unknown = calendars.flatMap((calendar) => doubt(calendar, data.clock(), intervalMs));
  const own = db.selectFrom('events').select('id').where('user_id', '=', user.id).where('task', 'is', null);
  const singles = own
    .where('series', 'is', null)
    .where('start_ms', '>=', window.startMs - longestSingleMs)
    .where('start_ms', '<', window.endMs)
    .where('end_ms', '>', window.startMs);
  const series = own
    .where('series', 'is not', null)
    .where('first_ms', '<', window.endMs)
    .where((row) => row(row('last_ms', '+', row('end_ms', '-', row.ref('start_ms'))), '>=', window.startMs));
  const events = [...(await singles.execute()), ...(await series.execute())];
  const zone = preferencesOf(user).timezone;
  const busy: BusyTime[] = [];
  const pace = new Pace();
  const budget = new RuleBudget();
  for await (const event of readEvents(db, events)) {
    const { pause } = pace;
    if (pause !== undefined) await pause;
    try {
      const fromMs = window.startMs - longestMs(event);
      for (const occurrence of await data.occurrences(event, { fromMs, toMs: window.endMs }, zone, budget)) {
        const { startMs, endMs } = occurrence;
        if (endMs <= window.startMs || startMs >= window.endMs || endMs <= startMs) continue;
        if (!isActive(occurrence) || isFree(event, occurrence) || isDeclined(user, occurrence)) continue;
        const tentative =
          occurrence.status === 'tentative' ||
          occurrence.showAs === 'tentative' ||
          answerOf(user, occurrence) !== undefined;
        busy.push({ startMs, endMs, event, occurrence, tentative });
      }
    } catch (error) {
      unknown.push(`The event ${event.id} could not be expanded: ${messageOf(error)}`);
    }
  }
  const [first] = budget.slow;
  if (first !== undefined)
    unknown.push(
      `The recurrence rules of ${budget.slow.length} events take too long to compute, such as those of event ${first.id}.`,
    );
  if (calendars.length === 0 && events.length === 0 && !(await hasEvents(db, user)))
    unknown.push('No calendar and no event of this person is known.');
  busy.sort((a, b) => a.startMs - b.startMs || (a.event.id < b.event.id ? -1 : 1));
  return { busy, unknown };
}

async function hasEvents(db: Reader, { id }: User): Promise<boolean> {
  const query = db.selectFrom('events').select('id').where('user_id', '=', id).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Says why the stored events of a calendar may not be the current ones. */
function doubt(calendar: Calendar, nowMs: number, intervalMs: number): readonly string[] {
  const { name, enabled, kind, error, last_sync_ms: lastMs } = calendar;
  if (configOf(calendar).handed_over) return [];
  if (error !== null) return [`The calendar "${name}" could not be read: ${error}`];
  if (enabled === 0 && (kind === 'file' || kind === 'folder')) return [];
  const limitMs = enabled === 0 ? importedOnceMs : Math.max(hourMs, 3 * intervalMs);
  if (lastMs !== null && nowMs - lastMs <= limitMs) return [];
  const age = lastMs === null ? 'was never read' : `was last read ${hoursAgo(nowMs - lastMs)} ago`;
  return [`The calendar "${name}" ${age}; sync_calendar reads it again.`];
}

function hoursAgo(ms: number): string {
  return ms < 48 * hourMs ? `${Math.round(ms / hourMs)} hours` : `${Math.round(ms / dayMs)} days`;
}

/** The longest occurrence; one that began before the window can still be in progress. */
function longestMs({ start_ms, end_ms, series }: CalendarEvent): number {
  const { overrides = [], dates = [] } = series === null ? {} : (JSON.parse(series) as Series);
  const lengths = [...overrides, ...dates].map(({ duration }) =>
    duration === undefined ? 0 : duration.days * dayMs + duration.seconds * 1000,
  );
  return dayMs + lengths.reduce((longest, length) => Math.max(longest, length), end_ms - start_ms);
}

/** Occurrences of a series are checked this far ahead. */
const aheadMs = 366 * dayMs;
const maxConflicts = 10;

/** Lists the first events of the same user that overlap an event, or one occurrence of it: for a series, those within a year. */
export async function findConflicts(
  data: AssistantData,
  event: CalendarEvent,
  intervalMs: number,
  key?: string,
) {
  const none = { conflicts: [], omitted: 0 };
  if (event.status === 'cancelled' || event.task !== null) return none;
  return data.store.read(async (db) => {
    const user = await findUser(db, event.user_id);
    const zone = preferencesOf(user).timezone;
    const fromMs = Math.max(event.first_ms, data.clock()) - dayMs;
    const toMs = Math.min(event.last_ms + dayMs, fromMs + aheadMs);
    if (toMs <= fromMs) return none;
    const own = (await data.occurrences(event, { fromMs, toMs }, zone)).filter(
      (one) => one.endMs > data.clock() && !isFree(event, one) && (key === undefined || one.key === key),
    );
    if (own.length === 0) return none;
    const window = { startMs: own[0]!.startMs, endMs: Math.max(...own.map(({ endMs }) => endMs)) };
    const taken = mergeSpans(own);
    const { busy } = await busyTimes(data, db, user, window, intervalMs);
    const all = busy.filter((other) => other.event.id !== event.id && overlaps(taken, other));
    const conflicts = all.slice(0, maxConflicts).map(({ event: other, occurrence, tentative }) => ({
      event_id: other.id,
      ...(occurrence.key !== '' && { occurrence: occurrence.key }),
      title: occurrence.title,
      start_ts: timestamp(occurrence.startMs),
      end_ts: timestamp(occurrence.endMs),
      ...(tentative && { tentative: true as const }),
    }));
    return { conflicts, omitted: all.length - conflicts.length };
  });
}
