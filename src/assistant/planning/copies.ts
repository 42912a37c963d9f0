import type { CalendarEvent, Notification } from '../../store/schema.ts';
import type { Writer } from '../../store/store.ts';
import type { Reader } from '../entities/entity-access.ts';
import type { Listed } from '../entities/occurrence-list.ts';
import type { Decision } from '../policy/policy.ts';
import type { EventCalendar } from '../reminders/personal-reminders.ts';
import { rowsOf } from './plan-rows.ts';

/**
 * An event can be in several calendars of a user, for instance in an own one and in one that a team shares. The copies
 * have the same UID, and the same start or title: some sources number their events, so that the UID alone says little, and
 * a copy that was not synced yet has the old time. Only one of them has reminders.
 */

/** What decides which copy has the reminders. */
export interface Copy {
  readonly listed: Listed;
  readonly rows: readonly Notification[];
}

/** The occurrences that have no reminders of their own, each with the name of the calendar whose copy has them. */
export function mutedCopies(
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
export async function copiesOf(db: Reader, event: CalendarEvent): Promise<readonly CalendarEvent[]> {
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
    await db
      .updateTable('notifications')
      .set({
        event_id: copy.id,
        revision: copy.revision,
        updated_ms: now,
        ...(!known.has(moved) && { key: moved }),
      })
      .where('id', '=', id)
      .execute();
    changed({ kind: 'notification', id, userId: event.user_id });
  }
  return true;
}
