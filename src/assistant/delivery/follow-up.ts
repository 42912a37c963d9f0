import { newId } from '../../store/id.ts';
import type { Channel, NewNotification } from '../../store/schema.ts';
import { type ClaimedNotification, escalationChain } from './pre-send-checks.ts';

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
