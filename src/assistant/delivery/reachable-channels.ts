import type { Channel, Notification, Urgency, User } from '../../store/schema.ts';
import { addressesFor, findChannel, reachableBy } from '../entities/channels.ts';
import { channelsOf, preferencesOf } from '../entities/preferences.ts';
import type { OutcomeKind, Recipient } from '../sending/channel.ts';
import type { ClaimedNotification, Reachability } from './pre-send-checks.ts';

/** The user's addresses of a channel and language, from the user's record. */
export function recipientOf(user: User, channel: Channel): Recipient {
  const { locale, voice } = preferencesOf(user);
  const definition = findChannel(channel);
  const addresses = definition ? addressesFor(user, definition) : [];
  return { name: user.name, locale, voice, address: addresses[0] ?? '', addresses };
}

export function reachabilityOf(user: User, urgency: Urgency): Reachability {
  return {
    available: reachableBy(user),
    preferred: channelsOf(preferencesOf(user).channelPref),
    urgency,
  };
}

/** Number of calls still allowed for an occurrence. Failed calls count, because the phone may have rung. */
export function callsLeft({ notification, related }: ClaimedNotification, user: User): number {
  const made = related.filter(
    ({ channel, status, user_id, occurrence }) =>
      channel === 'call' &&
      user_id === notification.user_id &&
      occurrence === notification.occurrence &&
      ['sent', 'delivered', 'failed'].includes(status),
  );
  return preferencesOf(user).maxCallAttempts - made.length;
}

export function maxAttemptsFor(user: User | undefined, { channel }: Pick<Notification, 'channel'>): number {
  return channel === 'call' && user !== undefined ? preferencesOf(user).maxCallAttempts : maxAttempts;
}

const second = 1000;
const firstPauseMs = 10 * second;
const maxPauseMs = 600 * second;
/** With the pauses in between, eight attempts take about twenty minutes. */
const maxAttempts = 8;

export interface Attempted {
  readonly id: string;
  readonly channel: Channel;
  /** Number of attempts so far, including this one. */
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly outcome: OutcomeKind;
  readonly retryAfterMs?: number | undefined;
  readonly nowMs: number;
  /** When sending becomes useless. */
  readonly expiresMs: number;
}

type NextStep =
  | { readonly kind: 'done' }
  | { readonly kind: 'retry'; readonly atMs: number }
  /** The channel has failed; try the next one. */
  | { readonly kind: 'give-up'; readonly reason: string };

/** Decides what to do after an attempt. */
export function planNext(attempted: Attempted): NextStep {
  const { outcome, channel, attempts, nowMs, expiresMs } = attempted;
  if (outcome === 'accepted') return { kind: 'done' };
  if (outcome === 'permanent') return { kind: 'give-up', reason: 'permanently refused' };
  // Do not call again if the phone may have rung: the person could not tell a repeated call from a new one.
  if (outcome === 'unknown' && channel === 'call')
    return { kind: 'give-up', reason: 'the call may have been made' };
  if (attempts >= attempted.maxAttempts) return { kind: 'give-up', reason: `${attempts} attempts failed` };
  const atMs = nowMs + Math.max(pauseMs(attempted.id, attempts), attempted.retryAfterMs ?? 0);
  if (atMs >= expiresMs) return { kind: 'give-up', reason: 'the next attempt would come too late' };
  return { kind: 'retry', atMs };
}

/** Exponential backoff with jitter from the id, so that notifications that failed together are not retried together. */
export function pauseMs(id: string, attempts: number): number {
  const pause = Math.min(firstPauseMs * 2 ** (attempts - 1), maxPauseMs);
  return Math.round(pause * (0.8 + 0.4 * jitter(id, attempts)));
}

/** A number in [0, 1) that is the same for the same attempt in every process. */
function jitter(id: string, attempts: number): number {
  let hash = 2166136261 ^ attempts;
  for (let index = 0; index < id.length; index++) hash = Math.imul(hash ^ id.charCodeAt(index), 16777619);
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}
