import { log } from '../../log.ts';
import { type Diary, findUser, type Reader } from '../entities/entity-access.ts';
import type { Occurrence, Window } from '../entities/occurrence.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { revisionOf } from '../entities/revision.ts';
import { lastTold, planChange } from '../planning/change-notice.ts';
import { applySteps, rowsOf } from '../planning/plan-rows.ts';
import { cancelAll } from '../planning/planner.ts';
import { followEvent } from '../planning/replanning.ts';
import { audit } from '../store/audit.ts';
import { newId } from '../store/id.ts';
import type { CalendarEvent, NewEvent, User } from '../store/schema.ts';
import type { Writer } from '../store/store.ts';

/** Everything about an event but what the store itself adds. */
export type EventFields = Omit<NewEvent, 'id' | 'user_id' | 'revision' | 'created_ms' | 'updated_ms'>;

/**
 * Writes an event, new or known by its provider and the provider's name for it. What is planned for it follows in the
 * same transaction. An event that has not changed costs one look.
 */
export async function saveEvent(
  writer: Writer,
  diary: Pick<Diary, 'occurrences'>,
  user: User,
  fields: EventFields,
  now: number,
  wantedId?: string,
): Promise<{ readonly event: CalendarEvent; readonly outcome: 'created' | 'changed' | 'same' }> {
  const { db } = writer;
  const known = await db
    .selectFrom('events')
    .selectAll()
    .where('user_id', '=', user.id)
    .where('provider', '=', fields.provider)
    .where('provider_event_id', '=', fields.provider_event_id)
    .executeTakeFirst();
  const id = known?.id ?? wantedId ?? newId(now);
  const row = { ...fields, id, user_id: user.id, updated_ms: now };
  const revision = revisionOf({ ...row, created_ms: now });
  const same = known?.revision === revision;
  const { etag = null, last_seen_ms = null } = fields;
  const event = await (known === undefined
    ? db.insertInto('events').values({ ...row, revision, created_ms: now })
    : db
        .updateTable('events')
        .set(same ? { etag, last_seen_ms } : { ...row, revision })
        .where('id', '=', id)
  )
    .returningAll()
    .executeTakeFirstOrThrow();
  if (same) return { event, outcome: 'same' };
  writer.changed({ kind: 'event', id, userId: user.id });
  if (known === undefined) return { event, outcome: 'created' };
  await followEvent(writer, diary, user, event, now);
  return { event, outcome: 'changed' };
}

/**
 * Takes an event out. What was sent about it stays on record; what was to be sent is called off, and a person who was told of it
 * is told that it does not take place, unless the event is only not looked at any more.
 */
export async function removeEvent(
  writer: Writer,
  event: CalendarEvent,
  reason: string,
  now: number,
  unfollowed = false,
): Promise<void> {
  const all = await rowsOf(writer.db, event.id);
  const user = all.length === 0 || unfollowed ? undefined : await findUser(writer.db, event.user_id);
  for (const [key, rows] of Map.groupBy(all, ({ occurrence }) => occurrence)) {
    const { event_start_ms: startMs } = lastTold(rows) ?? rows[0]!;
    const notice = user && planChange({ user, event, rows, nowMs: now });
    const steps = [...cancelAll(rows, reason), ...(notice?.steps ?? [])];
    await applySteps(writer, event, { key, startMs }, steps, now);
  }
  await writer.db.deleteFrom('plans').where('event_id', '=', event.id).execute();
  await writer.db.deleteFrom('events').where('id', '=', event.id).execute();
  await audit(writer, now, [
    { action: 'event.deleted', userId: event.user_id, eventId: event.id, detail: { reason } },
  ]);
  writer.changed({ kind: 'event', id: event.id, userId: event.user_id });
}

export interface Listed {
  readonly event: CalendarEvent;
  readonly occurrence: Occurrence;
  /** Of the user. */
  readonly zone: string;
}

/** More at once helps nobody. */
export const mostListed = 2000;

/**
 * What begins within a window, of one user or of all, by start; with a reach also what began at most so long before and still
 * goes on. One more than the most means that there is more.
 */
export async function listOccurrences(
  { occurrences }: Pick<Diary, 'occurrences'>,
  db: Reader,
  { reachMs = 0, ...window }: Window & { readonly reachMs?: number },
  userId?: string,
): Promise<readonly Listed[]> {
  const earliest = window.fromMs - reachMs;
  let single = db
    .selectFrom('events')
    .selectAll()
    .where('series', 'is', null)
    .where('start_ms', '>=', earliest)
    .where('start_ms', '<=', window.toMs)
    .where((row) => row.or([row('start_ms', '>=', window.fromMs), row('end_ms', '>', window.fromMs)]))
    .orderBy('start_ms')
    .limit(mostListed + 1);
  let series = db
    .selectFrom('events')
    .selectAll()
    .where('series', 'is not', null)
    .where('last_ms', '>=', earliest)
    .where('first_ms', '<=', window.toMs)
    .where((row) => row(row('last_ms', '+', row('end_ms', '-', row.ref('start_ms'))), '>=', window.fromMs))
    .limit(mostListed + 1);
  if (userId !== undefined) {
    single = single.where('user_id', '=', userId);
    series = series.where('user_id', '=', userId);
  }
  const events = [...(await single.execute()), ...(await series.execute())];
  const zones = await zonesOf(db, events);
  const listed: Listed[] = [];
  for (const event of events) {
    const zone = zones.get(event.user_id) ?? 'UTC';
    try {
      const lasts = Math.min(reachMs, Math.max(0, event.end_ms - event.start_ms));
      const found = await occurrences(event, { ...window, fromMs: window.fromMs - lasts }, zone);
      for (const occurrence of found)
        if (occurrence.startMs >= window.fromMs || occurrence.endMs > window.fromMs)
          listed.push({ event, occurrence, zone });
    } catch (error) {
      log('error', `event ${event.id} cannot be listed`, error);
    }
  }
  return listed
    .sort((a, b) => a.occurrence.startMs - b.occurrence.startMs || (a.event.id < b.event.id ? -1 : 1))
    .slice(0, mostListed + 1);
}

async function zonesOf(db: Reader, events: readonly CalendarEvent[]): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(events.map(({ user_id }) => user_id))];
  if (ids.length === 0) return new Map();
  const users = await db.selectFrom('users').selectAll().where('id', 'in', ids).execute();
  return new Map(users.map((user) => [user.id, preferencesOf(user).timezone]));
}
