import { type AssistantData, findUser } from '../entities/entity-access.ts';
import { revisionOf } from '../entities/revision.ts';
import { lastMessage, planChange } from '../planning/change-notice.ts';
import { applySteps, rowsOf } from '../planning/plan-rows.ts';
import { cancelAll } from '../planning/planner.ts';
import { replanEvent } from '../planning/replanning.ts';
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
  diary: Pick<AssistantData, 'occurrences'>,
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
  await replanEvent(writer, diary, user, event, now);
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
