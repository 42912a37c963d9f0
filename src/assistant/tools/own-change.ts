import { type Actor, maySeePerson } from '../../context.ts';
import type { CalendarEvent } from '../../store/schema.ts';
import { invitationsTo } from '../editing/guests.ts';
import { type MeOptions, personOfActor } from '../editing/me.ts';
import { auditChange } from '../entities/decision-log.ts';
import type { AssistantData, Reader } from '../entities/entity-access.ts';
import { timestamp } from '../entities/view.ts';

// A change of an event queues messages about the change, to its person and to guests who are people of this server. Whoever
// makes the change knows it, so that person gets none of these messages.

const reason = 'the person made this change';

/** The events of one change: the event itself, and the invitations to it. */
type Affected = readonly string[];

/** Before a change. The returned function is called after it, with the event that it has made, if there is one. */
export async function watchOwnChange(
  data: AssistantData,
  options: MeOptions,
  actor: Actor,
  event: CalendarEvent,
): Promise<(changed?: CalendarEvent) => Promise<void>> {
  const me = await personOfActor(data, options, actor);
  if (me === undefined) return async () => {};
  const { affected, before } = await data.store.read(async (db) => {
    const ids = await affectedBy(db, event);
    return { affected: ids, before: (await queuedNotices(db, ids)).map(({ key }) => key) };
  });
  return async (changed) => {
    const now = data.clock();
    await data.store.write(async (writer) => {
      const ids = changed === undefined ? affected : [...affected, changed.id];
      const own = (await queuedNotices(writer.db, ids)).filter(
        ({ user_id, key }) => user_id === me.id && !before.includes(key),
      );
      // With its key, planning knows that it is not wanted, as if the person had cancelled it.
      for (const { id, event_id: eventId } of own) {
        const { numUpdatedRows } = await writer.db
          .updateTable('notifications')
          .set({ status: 'cancelled', reason, updated_ms: now })
          .where('id', '=', id)
          .where('status', '=', 'planned')
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) continue;
        const subject = { userId: me.id, eventId, notificationId: id };
        await auditChange(writer, now, {
          action: 'notification.cancelled',
          ...subject,
          detail: { reason },
        });
      }
    });
  };
}

/** The queued messages about changes of an event that go to people whom the caller may see. */
export async function noticesOf({ store }: AssistantData, event: CalendarEvent, actor: Actor, limit: number) {
  const rows = await store.read(async (db) => queuedNotices(db, await affectedBy(db, event)));
  return rows
    .filter(({ user_id }) => maySeePerson(actor, user_id))
    .slice(0, limit)
    .map(({ plan_ms, channel, user_id, change }) => ({
      ...{ plan_time: timestamp(plan_ms), channel, user_id },
      ...(change !== null && { change }),
    }));
}

async function affectedBy(db: Reader, { id }: CalendarEvent): Promise<Affected> {
  return [id, ...(await invitationsTo(db, id)).map((one) => one.id)];
}

function queuedNotices(db: Reader, ids: Affected) {
  return db
    .selectFrom('notifications')
    .select(['id', 'key', 'event_id', 'user_id', 'plan_ms', 'channel', 'change'])
    .where('event_id', 'in', ids)
    .where('change', 'is not', null)
    .where('status', '=', 'planned')
    .orderBy('plan_ms')
    .execute();
}
