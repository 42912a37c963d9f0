import { Failure } from '../../failure.ts';
import type { Notification, NotificationStatus } from '../../store/schema.ts';
import { audit } from '../entities/decision-log.ts';
import type { AssistantData, Reader } from '../entities/entity-access.ts';

/** Maximum number of notifications in one result. */
export const maxNotifications = 2000;

export interface NotificationFilter {
  readonly userId?: string | undefined;
  readonly status?: NotificationStatus | undefined;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns up to `maxNotifications + 1` rows; the extra row shows that there are more. */
export function listNotifications(
  { store }: AssistantData,
  filter: NotificationFilter,
): Promise<readonly Notification[]> {
  return store.read((db) => {
    let query = db
      .selectFrom('notifications')
      .selectAll()
      .where('plan_ms', '>=', filter.fromMs)
      .where('plan_ms', '<=', filter.toMs);
    if (filter.userId !== undefined) query = query.where('user_id', '=', filter.userId);
    if (filter.status !== undefined) query = query.where('status', '=', filter.status);
    return query
      .orderBy('plan_ms')
      .orderBy('id')
      .limit(maxNotifications + 1)
      .execute();
  });
}

export async function findNotification(db: Reader, id: string): Promise<Notification> {
  const row = await db.selectFrom('notifications').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined)
    throw new Failure('resource-not-found', 'Notification not found', { data: { missing: 'notification' } });
  return row;
}

/** Cancels a planned notification at the user's request. Only a forced replan can plan it again. */
export function cancelNotification({ store, clock }: AssistantData, id: string): Promise<Notification> {
  const now = clock();
  return store.write(async (writer) => {
    const row = await findNotification(writer.db, id);
    if (row.status === 'cancelled') return row;
    const cancelled = await writer.db
      .updateTable('notifications')
      .set({ status: 'cancelled', reason: 'cancelled on request', escalate_ms: null, updated_ms: now })
      .where('id', '=', id)
      .where('status', '=', 'planned')
      .returningAll()
      .executeTakeFirst();
    if (cancelled === undefined)
      throw new Failure(
        'refused',
        `This notification is ${row.status}; only planned notifications can be cancelled.`,
      );
    await audit(writer, now, [
      {
        action: 'notification.cancelled',
        userId: row.user_id,
        eventId: row.event_id,
        notificationId: id,
        detail: { reason: 'on request' },
      },
    ]);
    writer.changed({ kind: 'notification', id, userId: row.user_id });
    return cancelled;
  });
}

/**
 * Records that the user knows about this occurrence and cancels its other reminders on all channels. Notices of later
 * changes are still sent.
 */
export function acknowledgeNotification(
  { store, clock }: AssistantData,
  id: string,
  by: string,
): Promise<Notification> {
  const now = clock();
  return store.write(async (writer) => {
    const row = await findNotification(writer.db, id);
    if (row.acknowledged_ms !== null) return row;
    if (row.status === 'cancelled')
      throw new Failure('refused', 'This notification was cancelled and cannot be acknowledged.');
    const { db } = writer;
    const root = row.parent_id ?? id;
    await db
      .updateTable('notifications')
      .set({ acknowledged_ms: now, acknowledged_by: by, escalate_ms: null, updated_ms: now })
      .where('event_id', '=', row.event_id)
      .where('occurrence', '=', row.occurrence)
      .where('user_id', '=', row.user_id)
      .where(({ eb, and, or }) =>
        or([
          eb('id', '=', id),
          // Notices without an event, such as a report of missed notifications, are acknowledged one by one.
          and([eb('event_id', '!=', ''), eb('status', 'in', ['sent', 'delivered', 'sending'])]),
        ]),
      )
      .where('acknowledged_ms', 'is', null)
      .execute();
    await db
      .updateTable('notifications')
      .set({ status: 'cancelled', reason: 'acknowledged', updated_ms: now })
      .where('user_id', '=', row.user_id)
      .where('event_id', '=', row.event_id)
      .where('occurrence', '=', row.occurrence)
      .where(({ eb, or }) => or([eb('change', 'is', null), eb('id', '=', id), eb('parent_id', '=', root)]))
      .where('status', '=', 'planned')
      .execute();
    await audit(writer, now, [
      {
        action: 'notification.acknowledged',
        userId: row.user_id,
        eventId: row.event_id,
        notificationId: id,
        detail: { by },
      },
    ]);
    writer.changed({ kind: 'notification', id, userId: row.user_id });
    return findNotification(db, id);
  });
}
