import { newId } from '../../store/id.ts';
import type { Channel, NewNotification } from '../../store/schema.ts';
import type { Clock, Store } from '../../store/store.ts';
import { audit } from '../entities/decision-log.ts';
import { claimUnanswered } from './claim.ts';
import { nextEscalation } from './escalation.ts';
import { type ClaimedNotification, escalationChain, isAcknowledged } from './pre-send-checks.ts';
import { callsLeft, reachabilityOf } from './reachable-channels.ts';
import { addNotifications } from './record-outcome.ts';

const batchSize = 100;

/** Plans follow-ups for notifications that were not acknowledged in time. Returns how many notifications were due. */
export function escalateUnacknowledged(store: Store, clock: Clock): Promise<number> {
  return store.write(async (writer) => {
    const nowMs = clock();
    const due = await claimUnanswered(writer, store.engine, nowMs, batchSize);
    for (const unanswered of due) {
      const { notification, user, event, related } = unanswered;
      if (
        isAcknowledged(notification, related) ||
        user === undefined ||
        event === undefined ||
        event.status === 'cancelled' ||
        event.revision !== notification.revision
      )
        continue;
      const channel = nextEscalation({
        ...reachabilityOf(user, notification.urgency),
        used: escalationChain(notification, related).map((one) => one.channel),
        callsLeft: callsLeft(unanswered, user),
      });
      if (channel !== undefined)
        await addNotifications(writer, [createFollowUp(unanswered, channel, 'not acknowledged', nowMs)]);
      await audit(writer, nowMs, [
        {
          action: channel === undefined ? 'notification.unanswered' : 'notification.escalated',
          userId: notification.user_id,
          eventId: notification.event_id,
          notificationId: notification.id,
          detail: { channel: channel ?? null },
        },
      ]);
    }
    return due.length;
  });
}

/** Creates the notification that repeats another one on the next channel. Two workers create it with the same key. */
export function createFollowUp(
  { notification, related }: ClaimedNotification,
  channel: Channel,
  reason: string,
  nowMs: number,
): NewNotification {
  const step = Math.max(1, escalationChain(notification, related).length);
  const root = notification.parent_id ?? notification.id;
  return {
    id: newId(nowMs),
    key: `${root}/${step}`,
    user_id: notification.user_id,
    event_id: notification.event_id,
    occurrence: notification.occurrence,
    event_start_ms: notification.event_start_ms,
    revision: notification.revision,
    slot: notification.slot,
    channel,
    urgency: notification.urgency,
    change: notification.change,
    origin: notification.origin,
    plan_ms: nowMs,
    status: 'planned',
    payload: notification.payload,
    reason,
    next_ms: nowMs,
    parent_id: root,
    level: notification.level + 1,
    created_ms: nowMs,
    updated_ms: nowMs,
  };
}
