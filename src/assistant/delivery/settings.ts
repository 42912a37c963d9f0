import { join } from 'node:path';
import { defineSettings } from '../../setting.ts';

export const deliverySettings = defineSettings({
  'delivery.outbox_dir': {
    type: 'path',
    default: (places) =>
      places.home ? join(places.home, 'outbox') : join(places.data, 'adjutant', 'outbox'),
    description: 'The folder that takes what no provider is set up for: mails, spoken calls, documents.',
  },
  'delivery.smtp_url': {
    type: 'address',
    schemes: ['smtp', 'smtps'],
    description:
      'The mail server: smtp://USER:PASSWORD@HOST:PORT, or smtps://. Without it mails go to the outbox.',
  },
  'delivery.mail_from': {
    type: 'string',
    default: 'adjutant@localhost',
    description: 'The address that mails come from.',
  },
  'delivery.call_url': {
    type: 'address',
    schemes: ['http', 'https'],
    default: 'https://api.twilio.com',
    description: 'The provider of calls: Twilio, or one that speaks its language.',
  },
  'delivery.call_account': {
    type: 'string',
    description: 'The account at the provider of calls. Without it calls go to the outbox.',
  },
  'delivery.call_token': { type: 'string', description: 'The secret of that account.' },
  'delivery.call_from': { type: 'string', description: 'The number that calls come from, in E.164 form.' },
  'delivery.webhook_secret': {
    type: 'string',
    description:
      'Signs what is posted to the webhooks of users. Without it those documents go to the outbox.',
  },
  'delivery.private_hosts': {
    type: 'list',
    default: [],
    description:
      'Hosts in a private network that webhooks may be posted to, by name or address; * for all of them.',
  },
  'delivery.ntfy_url': {
    type: 'address',
    schemes: ['http', 'https'],
    description: 'The ntfy server, such as https://ntfy.sh. Without it push messages go to the outbox.',
  },
  'delivery.ntfy_token': { type: 'string', description: 'The access token for the ntfy server.' },
  'delivery.public_url': {
    type: 'address',
    schemes: ['http', 'https'],
    description:
      'Where people and providers reach this server. With it, messages carry a way to confirm that they were heard.',
  },
  'delivery.with_server': {
    type: 'boolean',
    default: true,
    description: 'Deliver from serve --http too; off where only workers shall.',
  },
  'delivery.slots': {
    type: 'integer',
    minimum: 1,
    maximum: 512,
    default: 32,
    description: 'How many deliveries one process has under way at once.',
  },
  'delivery.lease_seconds': {
    type: 'integer',
    minimum: 4,
    maximum: 3600,
    default: 120,
    description:
      'How long a notification stays with a process that went silent before another one takes it. An attempt may take half of it, and no more than half a minute.',
  },
});
