import { join } from 'node:path';
import { defineSettings } from '../../setting.ts';
import { channelSettings } from '../entities/channels.ts';

export const deliverySettings = defineSettings({
  'delivery.outbox_dir': {
    type: 'path',
    default: (places) =>
      places.home ? join(places.home, 'outbox') : join(places.data, 'adjutant', 'outbox'),
    description:
      'Folder for messages of channels without a configured provider: emails, spoken calls, JSON documents.',
  },
  ...channelSettings,
  'delivery.private_hosts': {
    type: 'list',
    default: [],
    description: 'Hosts in a private network that may receive webhooks, by name or address; * allows all.',
  },
  'delivery.public_url': {
    type: 'address',
    schemes: ['http', 'https'],
    description:
      'Public URL of this server. With it, messages contain a link or a key press to acknowledge them.',
  },
  'delivery.with_server': {
    type: 'boolean',
    default: true,
    description: 'Whether serve --http also delivers notifications. Turn it off if only workers should.',
  },
  'delivery.slots': {
    type: 'integer',
    minimum: 1,
    maximum: 512,
    default: 32,
    description: 'Maximum number of concurrent deliveries in one process.',
  },
  'delivery.lease_seconds': {
    type: 'integer',
    minimum: 4,
    maximum: 3600,
    default: 120,
    description:
      'How long a process may hold a notification before another process takes over. An attempt may take half of this time, at most 30 seconds.',
  },
});
