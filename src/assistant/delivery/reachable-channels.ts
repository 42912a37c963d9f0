import { present } from '../../json.ts';
import type { Channel, Notification, Urgency, User } from '../../store/schema.ts';
import type { Recipient } from '../channels/channel.ts';
import { addressesOf } from '../channels/channel-address.ts';
import { channelsOf, preferencesOf, reachableBy } from '../entities/preferences.ts';
import type { Reachability } from './escalation.ts';
import type { ClaimedNotification } from './pre-send-checks.ts';
import { maxAttempts } from './retry.ts';

/** The user's addresses and language, from the user's record. */
export function recipientOf(user: User): Recipient {
  const { locale, voice } = preferencesOf(user);
  const listed = addressesOf(user.channels);
  const first = (name: Channel) => listed.find(({ channel }) => channel === name)?.address ?? null;
  const addresses = {
    email: user.email ?? first('email'),
    phone: user.phone_e164 ?? first('call'),
    webhook: user.webhook_url ?? first('webhook'),
    ntfy: user.ntfy_topic ?? first('ntfy'),
    telegram: first('telegram'),
  };
  const apprise = listed.flatMap(({ channel, address }) => (channel === 'apprise' ? [address] : []));
  return {
    name: user.name,
    locale,
    voice,
    ...present(addresses),
    ...(apprise.length > 0 && { apprise }),
  };
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
