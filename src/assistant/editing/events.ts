import { newId } from '../../store/id.ts';
import type { CalendarEvent, NewEvent, User } from '../../store/schema.ts';
import type { Writer } from '../../store/store.ts';
import { audit } from '../entities/decision-log.ts';
import { type AssistantData, findUser } from '../entities/entity-access.ts';
import { revisionOf } from '../entities/revision.ts';
import { lastMessage, planChange } from '../planning/change-notice.ts';
import { handOver } from '../planning/copies.ts';
import { applySteps, rowsOf } from '../planning/plan-rows.ts';
import { cancelAll } from '../planning/planner.ts';
import { replanEvent } from '../planning/replanning.ts';

/** Event fields without those that the store sets. */
export type EventFields = Omit<NewEvent, 'id' | 'user_id' | 'revision' | 'created_ms' | 'updated_ms'>;

/**
 * Inserts or updates an event, identified by its provider and the provider's id, and replans its notifications in the
 * same transaction. An unchanged event is not replanned.
 */
export async function saveEvent(
  writer: Writer,
  data: Pick<AssistantData, 'occurrences'>,
  user: User,
  fields: EventFields,
  now: number,
  requestedId?: string,
): Promise<{ readonly event: CalendarEvent; readonly outcome: 'created' | 'changed' | 'same' }> {
  const { db } = writer;
  const known = await db
    .selectFrom('events')
    .selectAll()
    .where('user_id', '=', user.id)
    .where('provider', '=', fields.provider)
    .where('provider_event_id', '=', fields.provider_event_id)
    .executeTakeFirst();
  const id = known?.id ?? requestedId ?? newId(now);
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
  await replanEvent(writer, data, user, event, now);
  return { event, outcome: 'changed' };
}

/**
 * Deletes an event and cancels its planned notifications. Sent notifications stay on record. If the user already
 * received one, a notice says that the event was cancelled, unless the calendar was merely removed (`unfollowed`). If the
 * event is also in another calendar, the notifications go to that copy.
 */
export async function removeEvent(
  writer: Writer,
  event: CalendarEvent,
  reason: string,
  now: number,
  unfollowed = false,
): Promise<void> {
  const rowsBefore = await rowsOf(writer.db, event.id);
  const all = (await handOver(writer, event, rowsBefore, now)) ? [] : rowsBefore;
  const user = all.length === 0 || unfollowed ? undefined : await findUser(writer.db, event.user_id);
  for (const [key, rows] of Map.groupBy(all, ({ occurrence }) => occurrence)) {
    const { event_start_ms: startMs } = lastMessage(rows) ?? rows[0]!;
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
