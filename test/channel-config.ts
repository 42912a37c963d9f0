import { createSender } from '../src/assistant/delivery/senders.ts';
import {
  type ChannelConfig,
  channelNames,
  channelSettings,
  findChannel,
} from '../src/assistant/entities/channels.ts';
import type { Recipient, Sender, Senders } from '../src/assistant/sending/channel.ts';
import type { Settings } from '../src/setting.ts';

/** The settings of the channels with their defaults, and an outbox in this folder. */
export function channelConfig(outbox: string, given: Partial<ChannelConfig> = {}): ChannelConfig {
  const defaults = Object.entries(channelSettings as Settings).flatMap(([name, setting]) =>
    setting.default === undefined ? [] : [[name, setting.default]],
  );
  return {
    ...Object.fromEntries(defaults),
    'delivery.mail_from': 'adjutant@example.com',
    'delivery.outbox_dir': outbox,
    'delivery.private_hosts': [],
    ...given,
  };
}

/** A sender for every channel. */
export function senderPerChannel(create: (name: string) => Sender): Senders {
  return Object.fromEntries(channelNames.map((name) => [name, create(name)]));
}

/** The sender of one channel. Without settings of a provider it writes to the outbox in this folder. */
export function senderOf(name: string, outbox: string, given: Partial<ChannelConfig> = {}): Sender {
  return createSender(findChannel(name)!, channelConfig(outbox, given));
}

/** A recipient with these addresses of one channel. */
export function recipientAt(...addresses: readonly string[]): Recipient {
  return {
    name: 'Ada Lovelace',
    locale: 'en',
    voice: 'Polly.Joanna',
    address: addresses[0] ?? '',
    addresses,
  };
}
