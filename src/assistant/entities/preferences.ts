import type { Channel, ChannelPreference, User, WeekendPolicy } from '../store/schema.ts';

/** What a user wants, with the defaults filled in. */
export interface Preferences {
  readonly timezone: string;
  /** `HH:MM`; the same time twice means that no hour is quiet. */
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
  const channelPref = user.channel_pref ?? 'email';
  return {
    timezone: user.timezone ?? 'UTC',
    quietStart: user.quiet_start ?? '21:00',
    quietEnd: user.quiet_end ?? '07:00',
    channelPref,
    // A weekend is for channels that make no noise.
    weekendPolicy: user.weekend_policy ?? (rings(channelPref) ? 'email' : channelPref),
    escalationThreshold: user.escalation_threshold ?? 60,
    maxCallAttempts: user.max_call_attempts ?? 3,
    locale: user.locale ?? 'en',
    voice: user.voice ?? 'Polly.Joanna',
  };
}

/** The channels a preference names, the first choice first. */
export function channelsOf(preference: WeekendPolicy): readonly Channel[] {
  if (preference === 'both') return ['call', 'email'];
  return preference === 'none' ? [] : [preference];
}

export function rings(preference: WeekendPolicy): boolean {
  return channelsOf(preference).includes('call');
}

/** Where the user gave an address, which alone decides where anything is sent. */
export function reachableBy(user: User): readonly Channel[] {
  const addresses = {
    email: user.email,
    call: user.phone_e164,
    webhook: user.webhook_url,
    ntfy: user.ntfy_topic,
  } satisfies Record<Channel, string | null>;
  return (Object.keys(addresses) as Channel[]).filter((channel) => addresses[channel] !== null);
}
