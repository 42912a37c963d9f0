import type { CalendarEvent, Notification, Rule, User } from '../../store/schema.ts';
import type { Writer } from '../../store/store.ts';
import { reachableBy } from '../entities/channels.ts';
import {
  type AssistantData,
  findEvent,
  findUser,
  fingerprint,
  notFound,
  type Reader,
  updateRow,
} from '../entities/entity-access.ts';
import type { Occurrence, Window } from '../entities/occurrence.ts';
import { type Listed, listOccurrences } from '../entities/occurrence-list.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { type EventCalendar, isActive, personalReminders } from '../entities/reminders.ts';
import { fewerReminders, rulesOf } from '../entities/rules.ts';
import type { Proposal } from '../policy/guards.ts';
import type { Decision, Model } from '../policy/policy.ts';
import { horizonDays } from './horizon.ts';
import { rowsOf } from './plan-rows.ts';

const dayMs = 86_400_000;

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
    if (event !== undefined && event.user_id !== userId) return notFound('event');
    // A task that is due on a date starts at midnight, and is due until the end of that day.
    const horizonMs = nowMs + horizonDays * dayMs;
    // A single event that was just written is planned at once, however far ahead its first date is.
    const window = { fromMs: nowMs - dayMs + 1, toMs: Math.max(horizonMs, event?.start_ms ?? 0) };
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
      ...(user.kind_channels === null ? [] : [{ kinds: user.kind_channels }]),
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
      const { kind, important } = one.event;
      const own = [
        ...(reminders === null ? [] : [reminders]),
        ...(kind === null && important === 0 ? [] : [{ kind, important }]),
      ];
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

/**
 * An event can be in several calendars of a user, for instance in an own one and in one that a team shares. The copies
 * have the same UID, and the same start or title: some sources number their events, so that the UID alone says little, and
 * a copy that was not synced yet has the old time. Only one of them has reminders.
 */

/** What decides which copy has the reminders. */
interface Copy {
  readonly listed: Listed;
  readonly rows: readonly Notification[];
}

/** The occurrences that have no reminders of their own, each with the name of the calendar whose copy has them. */
function mutedCopies(
  copies: readonly Copy[],
  calendars: ReadonlyMap<string, EventCalendar>,
): ReadonlyMap<Listed, string> {
  const groups = new Map<string, Copy[]>();
  for (const copy of copies)
    for (const key of groupsOf(copy.listed)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [copy]);
      else group.push(copy);
    }
  const muted = new Map<Listed, string>();
  for (const group of groups.values()) {
    if (group.length === 1) continue;
    const [best, ...others] = group
      .map((copy) => ({ copy, rank: rankOf(copy, calendars) }))
      .toSorted((a, b) => compare(a.rank, b.rank))
      .map(({ copy: { listed } }) => listed);
    const name = calendars.get(best!.event.calendar_id ?? '')?.name ?? best!.event.title;
    for (const other of others) if (other.event.id !== best!.event.id) muted.set(other, name);
  }
  return muted;
}

function groupsOf({ event, occurrence: { key, startMs, title } }: Listed): readonly string[] {
  const { provider_event_id: uid } = event;
  return [JSON.stringify([uid, startMs]), JSON.stringify([uid, key, title])];
}

/** Lower is better: reminders that the user set, then notifications that exist, then calendars that the user writes. */
function rankOf(
  { listed: { event, occurrence }, rows }: Copy,
  calendars: ReadonlyMap<string, EventCalendar>,
): readonly (number | string)[] {
  const subscribed = calendars.get(event.calendar_id ?? '')?.subscribed ?? false;
  // Planning releases the key of a notification that it cancels.
  const isPlanned = rows.some(
    ({ status, key, id, event_start_ms }) =>
      event_start_ms === occurrence.startMs && (status !== 'cancelled' || !key.endsWith(`#${id}`)),
  );
  return [
    Number(event.reminders === null),
    Number(!isPlanned),
    Number(subscribed),
    event.created_ms,
    event.id,
  ];
}

function compare(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  const index = a.findIndex((value, at) => value !== b[at]);
  return index === -1 ? 0 : a[index]! < b[index]! ? -1 : 1;
}

/** The decision about a copy without reminders of its own. */
export function copyDecision(calendar: string): Decision {
  const reason = `the reminders belong to its copy in "${calendar}"`;
  return { policy: 'preference', reason, proposals: [], provisional: false };
}

/** Other events of the same user with this UID. */
async function copiesOf(db: Reader, event: CalendarEvent): Promise<readonly CalendarEvent[]> {
  return db
    .selectFrom('events')
    .selectAll()
    .where('user_id', '=', event.user_id)
    .where('provider_event_id', '=', event.provider_event_id)
    .where('id', '!=', event.id)
    .execute();
}

/**
 * Gives the notifications of an event that is deleted to its copy in another calendar, so that the user is neither told
 * that the event is cancelled nor reminded twice. Returns false if there is nothing to give, or no copy.
 */
export async function handOver(
  { db, changed }: Writer,
  event: CalendarEvent,
  rows: readonly Notification[],
  now: number,
): Promise<boolean> {
  if (rows.length === 0) return false;
  const copy = (await copiesOf(db, event)).find(
    ({ status, start_ms, title }) =>
      status !== 'cancelled' && (start_ms === event.start_ms || title === event.title),
  );
  if (copy === undefined) return false;
  const known = new Set((await rowsOf(db, copy.id)).map(({ key }) => key));
  const [from, to] = [event.id, copy.id].map((id) => JSON.stringify([id]).slice(0, -1)) as [string, string];
  for (const { id, key } of rows) {
    const moved = key.startsWith(from) ? to + key.slice(from.length) : key;
    const fields = { event_id: copy.id, revision: copy.revision, updated_ms: now };
    await updateRow(db, 'notifications', id, { ...fields, ...(!known.has(moved) && { key: moved }) });
    changed({ kind: 'notification', id, userId: event.user_id });
  }
  return true;
}

/** The calendars of a user by id. */
export async function calendarsOf(db: Reader, userId: string): Promise<ReadonlyMap<string, EventCalendar>> {
  const rows = await db
    .selectFrom('calendars')
    .select(['id', 'name', 'kind'])
    .where('user_id', '=', userId)
    .execute();
  return new Map(rows.map(({ id, name, kind }) => [id, { id, name, subscribed: kind === 'url' }]));
}

export interface DecisionInput {
  readonly user: User;
  readonly event: CalendarEvent;
  readonly occurrence: Occurrence;
  readonly calendars: ReadonlyMap<string, EventCalendar>;
  readonly rules: readonly Rule[];
}

/** The decision of the user, or undefined if a policy decides. */
export function personalDecision(input: DecisionInput): Decision | undefined {
  const { user, event, occurrence, calendars } = input;
  const calendar = event.calendar_id === null ? undefined : calendars.get(event.calendar_id);
  const personal = personalReminders(user, event, occurrence, calendar);
  if (personal === undefined) return undefined;
  const { reason, why, reminders } = personal;
  return { policy: 'preference', reason, why, proposals: limit(reminders, input), provisional: false };
}

/** Applies the rules that the user made with "less like this". Reminders for a single event stay. */
export function limit(
  proposals: readonly Proposal[],
  { occurrence, rules }: Pick<DecisionInput, 'occurrence' | 'rules'>,
): readonly Proposal[] {
  const max = fewerReminders(occurrence.title, rules);
  if (max === undefined) return proposals;
  const own = proposals.filter(({ origin }) => origin === 'event' || origin === 'event-quiet');
  const others = proposals
    .filter((proposal) => !own.includes(proposal))
    .toSorted((a, b) => a.offsetMinutes - b.offsetMinutes);
  return [...own, ...(max === 0 ? [] : others.slice(-max))];
}
