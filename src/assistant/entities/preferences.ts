import type { Channel, ChannelPreference, User, WeekendPolicy } from '../../store/schema.ts';
import { addressesOf } from '../channels/channel-address.ts';
import { voiceFor } from '../messages/voices.ts';

/** Preferences of a user, with defaults for those not set. */
export interface Preferences {
  readonly timezone: string;
  /** `HH:MM`. If start and end are equal, there are no quiet hours. */
  readonly quietStart: string;
  readonly quietEnd: string;
  readonly channelPref: ChannelPreference;
  readonly weekendPolicy: WeekendPolicy;
  readonly escalationThreshold: number;
  readonly maxCallAttempts: number;
  readonly locale: string;
  readonly voice: string;
}

export function preferencesOf(user: User): Preferences {
  const channelPref = user.channel_pref ?? addressesOf(user.channels)[0]?.channel ?? 'email';
  return {
    timezone: user.timezone ?? 'UTC',
    quietStart: user.quiet_start ?? '21:00',
    quietEnd: user.quiet_end ?? '07:00',
    channelPref,
    // By default, the phone does not ring on weekends.
    weekendPolicy: user.weekend_policy ?? (rings(channelPref) ? 'email' : channelPref),
    escalationThreshold: user.escalation_threshold ?? 60,
    maxCallAttempts: user.max_call_attempts ?? 3,
    locale: user.locale ?? 'en',
    voice: user.voice ?? voiceFor(user.locale ?? 'en'),
  };
}

/** Channels of a preference, in order of preference. */
export function channelsOf(preference: WeekendPolicy): readonly Channel[] {
  if (preference === 'both') return ['call', 'email'];
  return preference === 'none' ? [] : [preference];
}

export function rings(preference: WeekendPolicy): boolean {
  return channelsOf(preference).includes('call');
}

/** Channels for which the user has an address. Notifications go only to these addresses. */
export function reachableBy(user: User): readonly Channel[] {
  const addresses = {
    email: user.email,
    call: user.phone_e164,
    webhook: user.webhook_url,
    ntfy: user.ntfy_topic,
    telegram: null,
    apprise: null,
  } satisfies Record<Channel, string | null>;
  const listed = new Set(addressesOf(user.channels).map(({ channel }) => channel));
  return (Object.keys(addresses) as Channel[]).filter(
    (channel) => addresses[channel] !== null || listed.has(channel),
  );
}
