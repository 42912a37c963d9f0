import type { ValuesOf } from '../../setting.ts';
import type { User } from '../../store/schema.ts';
import * as definitions from '../channels/channels.ts';
import type { AddressField, ChannelDefinition } from '../sending/channel.ts';

/** Every channel; escalation tries them in this order. */
export const channels: readonly ChannelDefinition[] = Object.values(definitions)
  .map((one): ChannelDefinition => one)
  .sort((one, other) => one.rank - other.rank);

/** Values of an enumeration. The types of tool schemas take them from a tuple. */
type Values = readonly [string];

export const channelNames = channels.map(({ name }) => name) as readonly string[] as Values;

/** `both` stands for a call and an email. */
export const channelPreferences = channelNames.flatMap((name) =>
  name === 'call' ? [name, 'both'] : [name],
) as readonly string[] as Values;
export const weekendPolicies = [...channelPreferences, 'none'] as readonly string[] as Values;

export function findChannel(name: string): ChannelDefinition | undefined {
  return channels.find((channel) => channel.name === name);
}

/** The channels that a word can mean, best first: the one with this name, or those that people call so. */
export function channelsCalled(written: string): readonly ChannelDefinition[] {
  const word = written.toLowerCase().replaceAll(/[ -]/g, '');
  const named = findChannel(word);
  if (named !== undefined) return [named];
  const placeOf = ({ words = [] }: ChannelDefinition) => words.indexOf(word);
  return channels
    .filter((channel) => placeOf(channel) >= 0)
    .toSorted((one, other) => placeOf(one) - placeOf(other));
}

/** What people call channels, besides their names. */
export const channelWords = [
  ...new Set(channels.flatMap(({ words = [] }) => words)),
] as readonly string[] as Values;

/** True if a message by this channel can arrive without a sound. */
export function canBeSilent(name: string): boolean {
  return findChannel(name)?.canBeSilent === true;
}

type Definition = (typeof definitions)[keyof typeof definitions];
type Merged<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
type ChannelSettings = Merged<Definition['settings']>;

/** The settings of all channels. */
export const channelSettings = Object.assign(
  {},
  ...channels.map(({ settings }) => settings),
) as ChannelSettings;

export type ChannelConfig = ValuesOf<ChannelSettings> & {
  readonly 'delivery.outbox_dir': string;
  readonly 'delivery.private_hosts': readonly string[];
};

/** An address of a user, written as one string such as `mailto:ada@example.com`. */
interface ChannelAddress {
  readonly channel: string;
  readonly address: string;
}

/** Parses an address, or returns undefined if its scheme is not allowed or its value is invalid. */
export function parseAddress(written: string): ChannelAddress | undefined {
  const [, scheme = '', rest = ''] = /^([a-z]+):(?:\/\/)?(\S{1,1000})$/.exec(written) ?? [];
  for (const { name, address } of channels) {
    if (!address.schemes.includes(scheme)) continue;
    const parsed = address.parse(rest, written);
    if (parsed !== undefined) return { channel: name, address: parsed };
  }
  return undefined;
}

export const allowedSchemes: readonly string[] = [
  ...new Set(channels.flatMap(({ address }) => address.schemes)),
];

/** The address without secrets, for results and logs: only its scheme if the channel says that it is secret. */
export function maskAddress(written: string): string {
  const parsed = parseAddress(written);
  return parsed && findChannel(parsed.channel)?.address.secret ? `${written.split(':')[0]}://…` : written;
}

/** The flag of the command line for the field of a user that holds an address. */
export function addressFlag({ name, flag }: AddressField): string {
  return flag ?? `--${name.replaceAll('_', '-')}`;
}

/** All addresses of a list, by channel. */
export function addressesOf(listed: string | null): readonly ChannelAddress[] {
  const list = listed === null ? [] : (JSON.parse(listed) as string[]);
  return list.flatMap((written) => parseAddress(written) ?? []);
}

/** The user's addresses of a channel, best first. Notifications go only to these addresses. */
export function addressesFor(user: User, { name, address: { field } }: ChannelDefinition): readonly string[] {
  const own = field && user[field.name];
  const listed = addressesOf(user.channels).filter(({ channel }) => channel === name);
  return [...(own ? [own] : []), ...listed.map(({ address }) => address)];
}

/** Names of the channels for which the user has an address. */
export function reachableBy(user: User): readonly string[] {
  return channels.filter((channel) => addressesFor(user, channel).length > 0).map(({ name }) => name);
}
