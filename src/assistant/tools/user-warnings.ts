import type { User } from '../../store/schema.ts';
import { deliveryWarnings } from '../delivery/outreach.ts';
import { type ChannelConfig, reachableBy } from '../entities/channels.ts';
import type { AssistantData } from '../entities/entity-access.ts';
import { wordOfLead } from '../entities/lead-times.ts';
import { channelsOf, kindChannels, preferencesOf } from '../entities/preferences.ts';
import { settingsOf } from '../entities/reminders.ts';

/** Fields about what is sent. */
const warned = new Set([
  'reminders',
  'kind_channels',
  'channel_pref',
  'pause_from',
  'pause_until',
  'pause_to',
]);

/** What the person should know about a change: another usual channel, and why messages may not arrive. */
export async function userWarnings(
  data: AssistantData,
  config: ChannelConfig,
  before: User,
  user: User,
  changed: readonly string[],
): Promise<readonly string[]> {
  const usual = preferencesOf(user).channelPref;
  const isNew = usual !== preferencesOf(before).channelPref && !changed.includes('channel_pref');
  const named = changed.includes('reminders') ? Object.values(settingsOf(user)).flat().map(wordOfLead) : [];
  const kinds = changed.includes('kind_channels') ? Object.values(kindChannels(user)) : [];
  const isAffected = changed.some((name) => warned.has(name));
  const reachable = reachableBy(user);
  const all = [...kinds, ...named, usual].flatMap((one) => (one === undefined ? [] : channelsOf(one)));
  const used = all.filter((channel) => reachable.includes(channel));
  return [
    ...(isNew ? [`Reminders usually come by ${usual} now. channel_pref chooses another channel.`] : []),
    ...(isAffected ? await deliveryWarnings(data, config, user, [...new Set(used)]) : []),
  ];
}
