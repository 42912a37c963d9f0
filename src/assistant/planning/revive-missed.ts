import type { Writer } from '../../store/store.ts';
import { audit } from '../entities/decision-log.ts';

/** Clocks of different machines differ by less than this. */
const toleranceMs = 60_000;

/**
 * Plans reminders again that are marked as missed although their time has not come: a worker whose clock was ahead did
 * that. Its report of missed reminders is cancelled.
 */
export async function reviveMissed(writer: Writer, userId: string, nowMs: number): Promise<void> {
  const { db } = writer;
  const revived = await db
    .updateTable('notifications')
    .set(({ ref }) => ({
      status: 'planned',
      next_ms: ref('plan_ms'),
      attempts: 0,
      error: null,
      owner: null,
      lease_ms: null,
      updated_ms: nowMs,
    }))
    .where('user_id', '=', userId)
    .where('status', '=', 'missed')
    .where('plan_ms', '>', nowMs + toleranceMs)
    .returning(['id', 'event_id'])
    .execute();
  if (revived.length === 0) return;
  await db
    .updateTable('notifications')
    .set({ status: 'cancelled', reason: 'the reminders were not missed', updated_ms: nowMs })
    .where('user_id', '=', userId)
    .where('status', '=', 'planned')
    .where('event_id', '=', '')
    .where('key', 'like', 'missed/%')
    .where('plan_ms', '>', nowMs + toleranceMs)
    .execute();
  for (const { id } of revived) writer.changed({ kind: 'notification', id, userId });
  await audit(
    writer,
    nowMs,
    revived.map(({ id, event_id: eventId }) => ({
      action: 'notification.revived',
      userId,
      eventId,
      notificationId: id,
      detail: { reason: 'a worker with a wrong clock marked it as missed' },
    })),
  );
}
