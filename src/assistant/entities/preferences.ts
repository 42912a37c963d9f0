import type { Channel, EventKind, User } from '../../store/schema.ts';
import { voiceFor } from '../messages/voices.ts';
import { addressesOf, canBeSilent } from './channels.ts';

/** Preferences of a user, with defaults for those not set. */
export interface Preferences {
  readonly timezone: string;
  /** `HH:MM`. If start and end are equal, there are no quiet hours. */
  readonly quietStart: string;
  readonly quietEnd: string;
  readonly channelPref: string;
  readonly weekendPolicy: string;
  /** The same for times that the user named. Without a policy of the user, they ring as on any day. */
  readonly namedWeekendPolicy: string;
  readonly escalationThreshold: number;
  readonly maxCallAttempts: number;
  readonly locale: string;
  readonly voice: string;
}

/** With a kind of event, the channel that the user chose for it takes the place of the general one. */
export function preferencesOf(user: User, kind?: EventKind): Preferences {
  const forKind = channelForKind(user, kind);
  const general = generalPreferences(user);
  return forKind === undefined ? general : withChannel(general, forKind);
}

/** A channel that was named for a kind or a reminder is meant on every day. */
export function withChannel(preferences: Preferences, channel: string): Preferences {
  const weekendPolicy = preferences.weekendPolicy === 'none' ? 'none' : channel;
  return { ...preferences, channelPref: channel, weekendPolicy, namedWeekendPolicy: weekendPolicy };
}

function generalPreferences(user: User): Preferences {
  const channelPref = user.channel_pref ?? addressesOf(user.channels)[0]?.channel ?? 'email';
  return {
    timezone: user.timezone ?? 'UTC',
    quietStart: user.quiet_start ?? '21:00',
    quietEnd: user.quiet_end ?? '07:00',
    channelPref,
    // By default, the phone does not ring on weekends.
    weekendPolicy: user.weekend_policy ?? (rings(channelPref) ? 'email' : channelPref),
    namedWeekendPolicy: user.weekend_policy ?? channelPref,
    escalationThreshold: user.escalation_threshold ?? 60,
    maxCallAttempts: user.max_call_attempts ?? 3,
    locale: user.locale ?? 'en',
    voice: user.voice ?? voiceFor(user.locale ?? 'en'),
  };
}

export function kindChannels({
  kind_channels,
}: Pick<User, 'kind_channels'>): Readonly<Record<string, string>> {
  return kind_channels ? (JSON.parse(kind_channels) as Record<string, string>) : {};
}

export function channelForKind(user: User, kind: EventKind | undefined): string | undefined {
  return settingForKind(kindChannels(user), kind);
}

/** What is set for whole days counts for birthdays that have no setting of their own. */
export function settingForKind<Value>(
  settings: Readonly<Record<string, Value>>,
  kind: EventKind | undefined,
): Value | undefined {
  if (kind === undefined) return undefined;
  return settings[kind] ?? (kind === 'birthday' ? settings['all_day'] : undefined);
}

/** The preferred channel that does not ring, or else any reachable one that does not. */
export function quietChannel(preference: string, reachable: readonly Channel[]): Channel {
  const preferred = channelsOf(preference).find((channel) => channel !== 'call') ?? 'email';
  if (reachable.includes(preferred)) return preferred;
  return reachable.find((channel) => channel !== 'call') ?? preferred;
}

/** The preferred channel if it can make no sound, or else any other such channel of the user. */
export function silentChannel(preference: string, reachable: readonly Channel[]): Channel | undefined {
  return [...channelsOf(preference), ...reachable].find(
    (channel) => reachable.includes(channel) && canBeSilent(channel),
  );
}

/** Channels of a preference, most preferred first. */
export function channelsOf(preference: string): readonly Channel[] {
  if (preference === 'both') return ['call', 'email'];
  return preference === 'none' ? [] : [preference];
}

export function rings(preference: string): boolean {
  return channelsOf(preference).includes('call');
}
