import { join } from 'node:path';
import { defineSettings } from '../../setting.ts';

export const deliverySettings = defineSettings({
  'delivery.outbox_dir': {
    type: 'path',
    default: (places) =>
      places.home ? join(places.home, 'outbox') : join(places.data, 'adjutant', 'outbox'),
    description:
      'Folder for messages of channels without a configured provider: emails, spoken calls, JSON documents.',
  },
  'delivery.smtp_url': {
    type: 'address',
    schemes: ['smtp', 'smtps'],
    description:
      'Mail server: smtp://USER:PASSWORD@HOST:PORT or smtps://. Without it, emails go to the outbox.',
  },
  'delivery.mail_from': {
    type: 'string',
    default: 'adjutant@localhost',
    description: 'Sender address of emails.',
  },
  'delivery.call_url': {
    type: 'address',
    schemes: ['http', 'https'],
    default: 'https://api.twilio.com',
    description: 'Base URL of the call provider: Twilio or one with a compatible API.',
  },
  'delivery.call_account': {
    type: 'string',
    description: 'Account at the call provider. Without it, calls go to the outbox.',
  },
  'delivery.call_token': { type: 'string', description: 'Auth token of that account.' },
  'delivery.call_from': { type: 'string', description: 'Caller number in E.164 format.' },
  'delivery.webhook_secret': {
    type: 'string',
    description: 'Secret that signs webhooks. Without it, webhook documents go to the outbox.',
  },
  'delivery.private_hosts': {
    type: 'list',
    default: [],
    description: 'Hosts in a private network that may receive webhooks, by name or address; * allows all.',
  },
  'delivery.ntfy_url': {
    type: 'address',
    schemes: ['http', 'https'],
    description: 'The ntfy server, such as https://ntfy.sh. Without it, push messages go to the outbox.',
  },
  'delivery.ntfy_token': { type: 'string', description: 'Access token for the ntfy server.' },
  'delivery.telegram_token': {
    type: 'string',
    description: 'Token of the Telegram bot. Without it, Telegram messages go to the outbox.',
  },
  'delivery.telegram_url': {
    type: 'address',
    schemes: ['http', 'https'],
    default: 'https://api.telegram.org',
    description: 'Base URL of the Telegram Bot API.',
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
