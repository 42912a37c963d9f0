import { eventKinds, ruleTypes } from '../../store/schema.ts';
import { channelPreferences, channels, channelWords, weekendPolicies } from '../entities/channels.ts';
import { policyNames } from '../policy/policy.ts';
import { id, line } from './fields.ts';

const clock = '^([01]?[0-9]|2[0-3]):[0-5][0-9]$';

/** Addresses of the channels that have no field of their own. */
const listedExamples = channels
  .filter(({ address }) => address.field === undefined)
  .map(({ address }) => address.example)
  .join(', ');

const kinds = eventKinds.join(', ');

/** Tool arguments for the fields of a user. */
export const userFields = {
  email: {
    type: 'string',
    maxLength: 254,
    pattern: '^[^\\s"(),:;<>@\\[\\]\\\\]{1,64}@[^\\s"(),:;<>@\\[\\]\\\\]+$',
    description: 'Mail address',
  },
  phone_e164: {
    type: 'string',
    pattern: '^\\+[1-9]([ ./()-]{0,2}[0-9]){6,14}$',
    description: 'E.g. +4930123456',
  },
  timezone: {
    type: 'string',
    maxLength: 64,
    description: "E.g. Europe/Berlin. Default: this machine's",
  },
  quiet_start: {
    type: 'string',
    pattern: clock,
    description: 'No messages from HH:MM. Default: 21:00',
  },
  quiet_end: {
    type: 'string',
    pattern: clock,
    description: 'Until HH:MM; equal to quiet_start: always send. Default: 07:00',
  },
  channel_pref: {
    type: 'string',
    enum: channelPreferences,
    description: 'Channel. Default: email',
  },
  weekend_policy: {
    type: 'string',
    enum: weekendPolicies,
    description:
      'At weekends. Default: the same, but calls only for reminders whose time you named for one event',
  },
  escalation_threshold: {
    type: 'integer',
    minimum: 0,
    maximum: 1440,
    description: 'Follow up urgent reminders this many minutes before. Default: 60',
  },
  max_call_attempts: {
    type: 'integer',
    minimum: 0,
    maximum: 10,
    description: 'Calls per event. Default: 3',
  },
  locale: {
    type: 'string',
    pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$',
    description: 'Of dates, e.g. de-AT. Default: en',
  },
  voice: {
    type: 'string',
    maxLength: 100,
    pattern: line,
    description: 'Of calls. Default: Polly.Joanna',
  },
  webhook_url: {
    type: 'string',
    maxLength: 2000,
    pattern: '^https?://[^\\s\\u0000-\\u001f]+$',
    description: 'For signed webhooks',
  },
  ntfy_topic: {
    type: 'string',
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    description: 'For push messages',
  },
  channels: {
    type: 'array',
    maxItems: 10,
    items: { type: 'string', maxLength: 1000, pattern: '^[a-z]+:\\S+$' },
    description: `More addresses, best first: ${listedExamples}`,
  },
  reminders: {
    type: 'object',
    additionalProperties: {
      type: 'array',
      maxItems: 5,
      items: { type: 'string', maxLength: 60 },
    },
    description: `When to remind, by kind (default, ${kinds}) or calendar:ID, e.g. {"flight":["1d","3h! call"]}, with ! also in quiet hours; daily agenda: {"digest":["07:30"]}`,
  },
  kind_channels: {
    type: 'object',
    additionalProperties: {
      type: 'string',
      enum: [...channelPreferences, 'default', ...channelWords] as const,
    },
    description: 'Channel by kind, as in reminders, e.g. {"flight":"call"}: call me for flights only',
  },
  pause_from: {
    type: 'string',
    maxLength: 100,
    description: 'When the pause begins, e.g. the first day of a holiday. Default: now',
  },
  pause_until: {
    type: 'string',
    maxLength: 100,
    description:
      'No reminders until then, except those whose time you named for one event, and important events: monday means until monday begins, so they resume on monday',
  },
  pause_to: {
    type: 'string',
    maxLength: 100,
    description: 'Instead of pause_until: the last day of the pause, included; or this week, next week',
  },
  home_calendar: {
    type: 'string',
    maxLength: 64,
    description: 'CalDAV calendar that stores new events, from list_calendars. Default: only here',
  },
} as const;

const { email, phone_e164, timezone, quiet_start, quiet_end, channel_pref, locale, ntfy_topic } = userFields;
/** What create_user announces. The rest is described by update_user, and accepted by both. */
export const announcedUserFields = {
  ...{ email, phone_e164, timezone, quiet_start, quiet_end, channel_pref, locale, ntfy_topic },
} as const;

export const userName = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  pattern: line,
  description: 'Full name',
} as const;
export const newUserId = {
  ...id,
  description: 'E.g. ada. Default: generated',
} as const;
/** What is accepted besides the names of channels: what people call them. */
export const acceptedUserFields = {
  ...userFields,
  channel_pref: { ...channel_pref, enum: [...channelPreferences, ...channelWords] },
} as unknown as typeof userFields;
/** Fields that can be reset to their default. */
export const unsetUserFields = {
  type: 'array',
  items: { type: 'string', enum: Object.keys(userFields) as (keyof typeof userFields)[] },
  default: [],
  description: 'Fields to reset to their default',
} as const;
/** What tool lists announce instead of `unsetUserFields`, which repeats the name of every field. */
export const announcedUnset = {
  type: 'array',
  items: { type: 'string' },
  default: [],
  description: 'Names of fields to reset to their default',
} as const;
export const ruleFields = {
  rule_type: {
    type: 'string',
    enum: ruleTypes,
    description: 'In order: important events, one short reminder, earlier reminders, fewer for a title',
  },
  rule_json: {
    type: 'object',
    properties: {
      organizers: {
        type: 'array',
        minItems: 1,
        maxItems: 200,
        items: { type: 'string', minLength: 2, maxLength: 254 },
        description: 'For vip_organizer: addresses or @example.com',
      },
      domains: {
        type: 'array',
        minItems: 1,
        maxItems: 200,
        items: { type: 'string', minLength: 2, maxLength: 254 },
        description: 'For internal_meeting: mail domains',
      },
      minutes: { type: 'integer', minimum: 1, maximum: 1440, description: 'For travel_buffer' },
      title: { type: 'string', minLength: 1, maxLength: 500, description: 'For fewer_reminders' },
      max: { type: 'integer', minimum: 0, maximum: 4, description: 'Reminders per event. Default: 1' },
    },
    additionalProperties: false,
    description: 'The field of its type, e.g. {"minutes":30}',
  },
  priority: {
    type: 'integer',
    minimum: -1000,
    maximum: 1000,
    default: 0,
    description: 'Higher first',
  },
  enabled: { type: 'boolean', default: true, description: 'In force' },
  rule_id: { type: 'string', description: 'Rule to replace. Default: a new one' },
} as const;

export const replayFields = {
  days: { type: 'integer', minimum: 1, maximum: 365, default: 30, description: 'Days back' },
  policy: { type: 'string', enum: policyNames, description: 'Default: the configured one' },
  reminders: { ...userFields.reminders, description: 'Lead times to try, as in update_user' },
} as const;
