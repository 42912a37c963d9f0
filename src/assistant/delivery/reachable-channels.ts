import type { Channel, Notification, Urgency, User } from '../../store/schema.ts';
import { addressesFor, findChannel, reachableBy } from '../entities/channels.ts';
import { channelsOf, preferencesOf } from '../entities/preferences.ts';
import type { Recipient } from '../sending/channel.ts';
import type { Reachability } from './escalation.ts';
import type { ClaimedNotification } from './pre-send-checks.ts';
import { maxAttempts } from './retry.ts';

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
