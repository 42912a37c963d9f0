import { Failure } from '../../failure.ts';
import type { CalendarEvent, Notification, Rule, User } from '../../store/schema.ts';
import { reachableBy } from '../entities/channels.ts';
import { type AssistantData, findEvent, findUser, type Reader } from '../entities/entity-access.ts';
import type { Window } from '../entities/occurrence.ts';
import { type Listed, listOccurrences } from '../entities/occurrence-list.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { fingerprint } from '../entities/revision.ts';
import { rulesOf } from '../entities/rules.ts';
import type { Model } from '../policy/policy.ts';
import { isActive } from '../reminders/participation.ts';
import type { EventCalendar } from '../reminders/personal-reminders.ts';
import { copiesOf, mutedCopies } from './copies.ts';
import { calendarsOf } from './personal-decision.ts';

const dayMs = 86_400_000;
const horizonDays = 30;

export interface PlanRequest {
  readonly userId: string;
  readonly eventId?: string | undefined;
  /** Decide again, even if the facts have not changed. */
  readonly force: boolean;
  /** Report the changes without storing them. */
  readonly dryRun: boolean;
}

/** An occurrence to plan for, with everything that the decision depends on. */
export interface Subject {
  readonly user: User;
  readonly rules: readonly Rule[];
  readonly calendars: ReadonlyMap<string, EventCalendar>;
  readonly listed: Listed;
  readonly rows: readonly Notification[];
  readonly fingerprint: string;
  readonly decided: boolean;
  /** The name of another calendar, if the event is also there and the reminders belong to that copy. */
  readonly copyIn?: string;
}

/** Loads the coming occurrences of a user. Those decided from the same facts are marked. */
export async function loadSubjects(
  data: AssistantData,
  model: Model | undefined,
  { userId, eventId }: PlanRequest,
  nowMs: number,
): Promise<{ readonly subjects: readonly Subject[]; readonly truncated: boolean }> {
  return data.store.read(async (db) => {
    const user = await findUser(db, userId);
    const event = eventId === undefined ? undefined : await findEvent(db, eventId);
    if (event !== undefined && event.user_id !== userId)
      throw new Failure('resource-not-found', 'Event not found', { data: { missing: 'event' } });
    // A task that is due on a date starts at midnight, and is due until the end of that day.
    const window = { fromMs: nowMs - dayMs + 1, toMs: nowMs + horizonDays * dayMs };
    const { timezone } = preferencesOf(user);
    const { listed: all, truncated } =
      event === undefined
        ? await listOccurrences(data, db, window, userId)
        : { listed: await expandCopies(data, db, event, window, timezone), truncated: false };
    const isAhead = ({ event: { all_day }, occurrence: { startMs, task } }: Listed) =>
      startMs > nowMs || (all_day === 1 && task !== undefined);
    const listed = all.filter(
      (one) => one.event.status !== 'cancelled' && isActive(one.occurrence) && isAhead(one),
    );
    const rules = await rulesOf(db, userId);
    const calendars = await calendarsOf(db, userId);
    const events = [...new Set(listed.map((one) => one.event.id))];
    const plans =
      events.length === 0
        ? []
        : await db.selectFrom('plans').selectAll().where('event_id', 'in', events).execute();
    const decidedBy = new Map(plans.map((plan) => [`${plan.event_id} ${plan.occurrence}`, plan.fingerprint]));
    const rows =
      events.length === 0
        ? []
        : await db.selectFrom('notifications').selectAll().where('event_id', 'in', events).execute();
    const known = Map.groupBy(rows, (row) => `${row.event_id} ${row.occurrence}`);
    const userFacts = [
      preferencesOf(user),
      reachableBy(user),
      rules.map(({ id, updated_ms }) => [id, updated_ms]),
      // Absent without settings, so that an update of the program does not plan everything again.
      ...(user.reminders === null ? [] : [user.reminders]),
    ];
    const rowsFor = ({ event: { id }, occurrence: { key } }: Listed) => known.get(`${id} ${key}`) ?? [];
    const muted = mutedCopies(
      listed.map((one) => ({ listed: one, rows: rowsFor(one) })),
      calendars,
    );
    const requested = listed.filter((one) => eventId === undefined || one.event.id === eventId);
    const subjects = requested.map((one) => {
      const key = `${one.event.id} ${one.occurrence.key}`;
      const { startMs } = one.occurrence;
      const { revision, reminders } = one.event;
      const own = reminders === null ? [] : [reminders];
      const copyIn = muted.get(one);
      const facts = [revision, startMs, userFacts, model?.name, model?.identity, ...own];
      const print = fingerprint(copyIn === undefined ? facts : [...facts, { copyIn }]);
      const decided = decidedBy.get(key) === print;
      return {
        ...{ user, rules, calendars, listed: one, rows: rowsFor(one), fingerprint: print, decided },
        ...(copyIn !== undefined && { copyIn }),
      };
    });
    return { subjects, truncated };
  });
}

/** The occurrences of an event and of its copies in other calendars. */
async function expandCopies(
  { occurrences }: AssistantData,
  db: Reader,
  event: CalendarEvent,
  window: Window,
  zone: string,
): Promise<readonly Listed[]> {
  const listed: Listed[] = [];
  for (const each of [event, ...(await copiesOf(db, event))])
    for (const occurrence of await occurrences(each, window, zone))
      listed.push({ event: each, occurrence, zone });
  return listed;
}
