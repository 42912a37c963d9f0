import { newId } from '../../store/id.ts';
import type { Channel, NewNotification, Urgency } from '../../store/schema.ts';
import type { Clock, Store } from '../../store/store.ts';
import { channelNames } from '../entities/channels.ts';
import { audit } from '../entities/decision-log.ts';
import { claimUnanswered } from './claim.ts';
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

const minute = 60_000;
/** How long a person has to acknowledge before the next channel is tried. */
const acknowledgeMs = 5 * minute;

export interface Reachability {
  /** Channels for which the user has an address. */
  readonly available: readonly Channel[];
  /** Channels that the user prefers. */
  readonly preferred: readonly Channel[];
  readonly urgency: Urgency;
}

/** The next channel that was not tried yet. Calls only users who prefer calls, or for high urgency. */
export function nextChannel(reach: Reachability, tried: readonly Channel[]): Channel | undefined {
  return channelOrder(reach).find((channel) => !tried.includes(channel));
}

function channelOrder({ available, preferred, urgency }: Reachability): Channel[] {
  const permitted = channelNames.filter((channel) => channel !== 'call' || isHighUrgency(urgency));
  return [...new Set([...preferred, ...permitted])].filter((channel) => available.includes(channel));
}

export function isHighUrgency(urgency: Urgency): boolean {
  return urgency === 'high' || urgency === 'urgent';
}

interface Unanswered extends Reachability {
  /** Channels used so far for this reminder. */
  readonly used: readonly Channel[];
  /** Number of calls still allowed for this occurrence. */
  readonly callsLeft: number;
}

/** The channel for the next escalation step: an unused one, then the phone again up to the user's limit. */
export function nextEscalation(unanswered: Unanswered): Channel | undefined {
  const { used, callsLeft } = unanswered;
  const open = channelOrder(unanswered).filter((channel) => channel !== 'call' || callsLeft > 0);
  return open.find((channel) => !used.includes(channel)) ?? open.find((channel) => channel === 'call');
}

/**
 * When to escalate a notification that is not acknowledged. Applies only to high urgency, within the user's threshold
 * before the event, and not after the event has started.
 */
export function escalationTime(
  urgency: Urgency,
  sentMs: number,
  eventStartMs: number,
  thresholdMinutes: number,
): number | undefined {
  if (!isHighUrgency(urgency) || thresholdMinutes <= 0) return undefined;
  const atMs = Math.max(sentMs + acknowledgeMs, eventStartMs - thresholdMinutes * minute);
  return atMs < eventStartMs ? atMs : undefined;
}
