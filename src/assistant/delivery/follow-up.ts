import { singleLine } from '../../single-line.ts';
import { newId } from '../../store/id.ts';
import type { Channel, NewNotification, User } from '../../store/schema.ts';
import type { Clock, Store } from '../../store/store.ts';
import { audit } from '../entities/decision-log.ts';
import { preferencesOf } from '../entities/preferences.ts';
import type { Outcome } from '../sending/channel.ts';
import { claimUnanswered } from './claim.ts';
import {
  type ClaimedNotification,
  escalationChain,
  escalationTime,
  expiryOf,
  hasNoEvent,
  isAcknowledged,
  messageEscalation,
  nextChannel,
  nextEscalation,
  type Verdict,
} from './pre-send-checks.ts';
import { callsLeft, maxAttemptsFor, planNext, reachabilityOf } from './reachable-channels.ts';
import { addNotifications, type OutcomeRecord } from './record-outcome.ts';

// What follows an attempt. A notification and its follow-ups form a chain, of which each link uses another channel:
//
//   attempt ──temporary failure──▶ the same channel again, later, until its attempts or its time are used up
//           ──given up──▶ failed, and a follow-up at once on the next channel that reaches the person
//           ──accepted──▶ sent; if it is urgent and nobody acknowledges it until `escalate_ms`, a follow-up on the next channel
//
// The chain ends when somebody acknowledges one of its links, the event changes or is cancelled, its time is over, or no
// channel is left. The key of a follow-up is the first notification and its place in the chain, so two workers that decide
// at the same time create only one.

const maxDetailLength = 1000;

/** The record for a notification that the checks before sending did not let pass. */
export function planAfterVerdict(
  claimed: ClaimedNotification,
  verdict: Exclude<Verdict, { kind: 'send' }>,
  nowMs: number,
): OutcomeRecord {
  const { notification } = claimed;
  const { reason } = verdict;
  switch (verdict.kind) {
    case 'wait':
      return {
        notification,
        status: 'planned',
        nextMs: verdict.untilMs,
        // The claim counted an attempt, but nothing was sent.
        attempts: notification.attempts - 1,
        action: 'notification.deferred',
        detail: { reason, until: new Date(verdict.untilMs).toISOString() },
      };
    case 'said':
      return {
        notification,
        status: 'sent',
        sentMs: nowMs,
        reason,
        action: 'notification.said',
        detail: { reason, into: notification.leader_id },
      };
    case 'cancel':
      return {
        notification,
        status: 'cancelled',
        reason,
        // Release the key, so that the event can be planned again.
        ...(verdict.because !== undefined && { key: `${notification.key}#${notification.id}` }),
        action: 'notification.cancelled',
        detail: { reason },
      };
    case 'miss':
      return {
        notification,
        status: 'missed',
        error: reason,
        action: 'notification.missed',
        detail: { reason },
      };
    case 'fail':
      return giveUp(claimed, reason, nowMs);
  }
}

/** The record for an attempt: sent, to be retried, or failed. */
export function planAfterOutcome(
  claimed: ClaimedNotification & { readonly user: User },
  outcome: Outcome,
  nowMs: number,
): OutcomeRecord {
  const { notification, user, event } = claimed;
  // Answers of providers may contain line breaks and characters that cannot be stored.
  const detail = singleLine(outcome.detail, maxDetailLength);
  const next = planNext({
    id: notification.id,
    channel: notification.channel,
    attempts: notification.attempts,
    maxAttempts: maxAttemptsFor(user, notification),
    outcome: outcome.kind,
    retryAfterMs: outcome.kind === 'temporary' ? outcome.retryAfterMs : undefined,
    nowMs,
    expiresMs: expiryOf(notification, event),
  });
  if (outcome.kind === 'accepted') {
    const { escalationThreshold } = preferencesOf(user);
    const { urgency, event_start_ms } = notification;
    const reference = outcome.reference ?? null;
    return {
      notification,
      status: 'sent',
      sentMs: nowMs,
      result: JSON.stringify({ reference, detail }),
      escalateMs: hasNoEvent(notification)
        ? messageEscalation(notification, nowMs)
        : escalationTime(urgency, nowMs, event_start_ms, escalationThreshold, notification.channel),
      action: 'notification.sent',
      detail: { reference, detail },
      ...((claimed.carried ?? []).length > 0 && { carries: true }),
    };
  }
  if (next.kind === 'retry') {
    return {
      notification,
      status: 'planned',
      nextMs: next.atMs,
      error: detail,
      action: 'notification.retried',
      detail: { outcome: outcome.kind, detail, next: new Date(next.atMs).toISOString() },
    };
  }
  return giveUp(claimed, `${next.kind === 'give-up' ? `${next.reason}: ` : ''}${detail}`, nowMs);
}

/** Marks the channel as failed and adds a follow-up on the next channel, if there is one. */
function giveUp(claimed: ClaimedNotification, reason: string, nowMs: number): OutcomeRecord {
  const { notification, user, event, related } = claimed;
  const tried = [notification, ...escalationChain(notification, related)].map(({ channel }) => channel);
  const next =
    user !== undefined && nowMs < expiryOf(notification, event)
      ? nextChannel(reachabilityOf(user, notification.urgency), tried)
      : undefined;
  return {
    notification,
    status: 'failed',
    error: reason,
    action: 'notification.failed',
    detail: { reason, ...(next !== undefined && { next_channel: next }) },
    ...(next !== undefined && {
      followUp: createFollowUp(claimed, next, `${notification.channel} failed: ${reason}`, nowMs),
    }),
  };
}

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
        (hasNoEvent(notification)
          ? nowMs >= expiryOf(notification, event)
          : event === undefined || event.status === 'cancelled' || event.revision !== notification.revision)
      )
        continue;
      const channel = nextEscalation({
        ...reachabilityOf(user, notification.urgency),
        used: escalationChain(notification, related).map((one) => one.channel),
        planned: plannedChannels(notification, related),
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

/** Channels of other reminders of the same start that are still to come or were just sent. */
function plannedChannels(
  { id, parent_id, occurrence, event_start_ms, user_id }: ClaimedNotification['notification'],
  related: ClaimedNotification['related'],
): readonly Channel[] {
  const isOther = (one: ClaimedNotification['related'][number]) =>
    one.id !== id && one.parent_id === null && one.id !== parent_id && one.change === null;
  return related
    .filter(
      (one) =>
        isOther(one) &&
        one.user_id === user_id &&
        one.occurrence === occurrence &&
        one.event_start_ms === event_start_ms &&
        (one.status === 'planned' || one.status === 'sending'),
    )
    .map(({ channel }) => channel);
}

/** Creates the notification that repeats another one on the next channel. Two workers create it with the same key. */
function createFollowUp(
  { notification, related }: ClaimedNotification,
  channel: Channel,
  reason: string,
  nowMs: number,
): NewNotification {
  const step = Math.max(1, escalationChain(notification, related).length);
  const root = notification.parent_id ?? notification.id;
  const { user_id, event_id, occurrence, event_start_ms, revision, slot } = notification;
  const { urgency, change, origin, payload, level, about, expires_ms } = notification;
  return {
    ...{ about, expires_ms },
    ...{ user_id, event_id, occurrence, event_start_ms, revision, slot, urgency, change, origin, payload },
    ...{ plan_ms: nowMs, next_ms: nowMs, created_ms: nowMs, updated_ms: nowMs },
    id: newId(nowMs),
    key: `${root}/${step}`,
    channel,
    status: 'planned',
    reason,
    parent_id: root,
    level: level + 1,
  };
}
