import type { Recipient } from '../channels/channel.ts';
import { channelsOf, preferencesOf, reachableBy } from '../entities/preferences.ts';
import type { Notification, Urgency, User } from '../store/schema.ts';
import type { Reach } from './escalation.ts';
import type { Case } from './pre-send-checks.ts';
import { mostAttempts } from './retry.ts';

/** Whom to tell, from the user's record. */
export function recipientOf(user: User): Recipient {
  const { locale, voice } = preferencesOf(user);
  return {
    name: user.name,
    locale,
    voice,
    ...(user.email !== null && { email: user.email }),
    ...(user.phone_e164 !== null && { phone: user.phone_e164 }),
    ...(user.webhook_url !== null && { webhook: user.webhook_url }),
    ...(user.ntfy_topic !== null && { ntfy: user.ntfy_topic }),
  };
}

export function reachOf(user: User, urgency: Urgency): Reach {
  return {
    available: reachableBy(user),
    preferred: channelsOf(preferencesOf(user).channelPref),
    urgency,
  };
}

/** How often the phone may still ring for an occurrence; a call that failed may have rung. */
export function callsLeft({ notification, relatives }: Case, user: User): number {
  const made = relatives.filter(
    ({ channel, status, user_id, occurrence }) =>
      channel === 'call' &&
      user_id === notification.user_id &&
      occurrence === notification.occurrence &&
      ['sent', 'delivered', 'failed'].includes(status),
  );
  return preferencesOf(user).maxCallAttempts - made.length;
}

export function mostAttemptsOf(user: User | undefined, { channel }: Pick<Notification, 'channel'>): number {
  return channel === 'call' && user !== undefined ? preferencesOf(user).maxCallAttempts : mostAttempts;
}
