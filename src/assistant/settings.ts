import { join } from 'node:path';
import { defineSettings } from '../setting.ts';
import { channelSettings } from './entities/channels.ts';
import { policyNames } from './policy/policy.ts';

export const assistantSettings = defineSettings({
  'assistant.database_url': {
    type: 'string',
    default: (places) =>
      places.home ? join(places.home, 'adjutant.db') : join(places.data, 'adjutant', 'adjutant.db'),
    aliases: [{ env: 'DATABASE_URL' }],
    description:
      'Database for events and notifications: a SQLite file, or postgres://USER:PASSWORD@HOST/DATABASE.',
  },
  'assistant.me': {
    type: 'string',
    description:
      'Id of the person whom calls mean that name nobody, or none. Default: the one that users me chose, or the only person.',
  },
  'assistant.policy': {
    type: 'choice',
    values: policyNames,
    default: 'rules',
    description:
      'What decides when to notify: the built-in rules, a model endpoint, a sub-agent, or the model of the client.',
  },
  'assistant.model_url': {
    type: 'address',
    schemes: ['http', 'https'],
    description:
      'Base URL of an OpenAI-compatible chat completions server, such as http://localhost:11434/v1.',
  },
  'assistant.model': { type: 'string', description: 'Name of the model on that server.' },
  'assistant.model_api_key': {
    type: 'string',
    description: 'API key for that server. Prefer the environment variable.',
  },
  'assistant.model_timeout_ms': {
    type: 'integer',
    minimum: 100,
    maximum: 600_000,
    default: 15_000,
    description: 'Time limit for one answer of a model. After that the built-in rules decide.',
  },
  'assistant.tool_timeout_ms': {
    type: 'integer',
    minimum: 1,
    maximum: 600_000,
    default: 30_000,
    description: 'Time limit for one tool call.',
  },
});

export const calendarSettings = defineSettings({
  'calendars.passwords_file': {
    type: 'path',
    default: (places) =>
      places.home
        ? join(places.home, 'calendar-passwords')
        : join(places.settings, 'adjutant', 'calendar-passwords'),
    description:
      'File with passwords for calendars, one line each: machine HOST login USER password "PASSWORD".',
  },
  'calendars.private_hosts': {
    type: 'list',
    default: [],
    description:
      'Hosts in a private network that calendars may be fetched from, by name or address; * for all of them.',
  },
  'calendars.max_bytes': {
    type: 'integer',
    minimum: 1024,
    default: 100_000_000,
    description: 'Maximum size of a calendar.',
  },
  'calendars.interval_minutes': {
    type: 'integer',
    minimum: 1,
    maximum: 10_080,
    default: 15,
    description: 'How often calendars that are kept up to date are synced.',
  },
});

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
