import { singleLine } from '../../single-line.ts';
import type { Outcome } from '../channels/channel.ts';
import { preferencesOf } from '../entities/preferences.ts';
import type { User } from '../store/schema.ts';
import { escalationTime, nextChannel } from './escalation.ts';
import { type Case, familyOf, uselessFrom, type Verdict } from './pre-send-checks.ts';
import { mostAttemptsOf, reachOf } from './reachable-channels.ts';
import type { OutcomeRecord } from './record-outcome.ts';
import { planNext } from './retry.ts';
import { successor } from './successor.ts';

const longestDetail = 1000;

/** What a verdict against sending makes of a notification. */
export function settleVerdict(
  held: Case,
  verdict: Exclude<Verdict, { kind: 'send' }>,
  nowMs: number,
): OutcomeRecord {
  const { notification } = held;
  const { reason } = verdict;
  switch (verdict.kind) {
    case 'wait':
      return {
        notification,
        status: 'planned',
        nextMs: verdict.untilMs,
        // Nothing was tried.
        attempts: notification.attempts - 1,
        action: 'notification.deferred',
        detail: { reason, until: new Date(verdict.untilMs).toISOString() },
      };
    case 'cancel':
      return {
        notification,
        status: 'cancelled',
        reason,
        // A plan that was overtaken must not stand in the way of the next one.
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
      return giveUp(held, reason, nowMs);
  }
}

/** What the outcome of an attempt makes of a notification. */
export function settleOutcome(
  held: Case & { readonly user: User },
  outcome: Outcome,
  nowMs: number,
): OutcomeRecord {
  const { notification, user, event } = held;
  // Whatever the other side says can be stored, and read in a line.
  const detail = singleLine(outcome.detail, longestDetail);
  const next = planNext({
    id: notification.id,
    channel: notification.channel,
    attempts: notification.attempts,
    mostAttempts: mostAttemptsOf(user, notification),
    outcome: outcome.kind,
    retryAfterMs: outcome.kind === 'temporary' ? outcome.retryAfterMs : undefined,
    nowMs,
    uselessMs: uselessFrom(notification, event),
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
      escalateMs: escalationTime(urgency, nowMs, event_start_ms, escalationThreshold),
      action: 'notification.sent',
      detail: { reference, detail },
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
  return giveUp(held, `${next.kind === 'give-up' ? `${next.reason}: ` : ''}${detail}`, nowMs);
}

/** This channel has failed; the next one is tried at once. */
function giveUp(held: Case, reason: string, nowMs: number): OutcomeRecord {
  const { notification, user, event, relatives } = held;
  const tried = [notification, ...familyOf(notification, relatives)].map(({ channel }) => channel);
  const next =
    user !== undefined && nowMs < uselessFrom(notification, event)
      ? nextChannel(reachOf(user, notification.urgency), tried)
      : undefined;
  return {
    notification,
    status: 'failed',
    error: reason,
    action: 'notification.failed',
    detail: { reason, ...(next !== undefined && { next_channel: next }) },
    ...(next !== undefined && {
      follow: successor(held, next, `${notification.channel} failed: ${reason}`, nowMs),
    }),
  };
}
