import {
  channelPreferences,
  channels,
  eventStatuses,
  notificationStatuses,
  ruleTypes,
  weekendPolicies,
} from '../store/schema.ts';

/** One line of text without control and bidirectional characters, which could inject headers or hide text. */
const line = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]*$';
const clock = '^([01][0-9]|2[0-3]):[0-5][0-9]$';
const id = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$' } as const;

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
    pattern: '^\\+[1-9][0-9]{6,14}$',
    description: 'E.g. +4930123456',
  },
  timezone: {
    type: 'string',
    maxLength: 64,
    description: 'E.g. Europe/Berlin. Default: UTC',
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
    description: 'At weekends. Default: the same, without calls',
  },
  escalation_threshold: {
    type: 'integer',
    minimum: 0,
    maximum: 1440,
    description: 'Follow up urgent reminders from this many minutes before. Default: 60',
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
  description: 'Own id, e.g. ada. Default: generated',
} as const;
export const userId = { type: 'string', description: 'From list_users' } as const;
/** Restricts a list to one user. */
export const onlyUser = { type: 'string', description: 'Only this user' } as const;
export const eventId = { type: 'string', description: 'From list_events' } as const;

/** Tool arguments for the fields of an event. */
export const eventFields = {
  start_ts: {
    type: 'string',
    maxLength: 40,
    description:
      '2026-03-01T09:30:00Z, local 2026-03-01T09:30 or "tomorrow 09:30", or 2026-03-01 for a whole day',
  },
  end_ts: {
    type: 'string',
    maxLength: 40,
    description: 'As start_ts; for whole days the day after. Default: one hour',
  },
  timezone: { type: 'string', maxLength: 64, description: "Default: the user's" },
  location: { type: 'string', maxLength: 500, pattern: line, description: 'Place' },
  conf_link: {
    type: 'string',
    maxLength: 2000,
    pattern: '^https?://[^\\s\\u0000-\\u001f]+$',
    description: 'URL to join',
  },
  organizer: {
    type: 'string',
    maxLength: 320,
    pattern: line,
    description: 'Mail address or name',
  },
  attendees: {
    type: 'array',
    maxItems: 1000,
    items: { type: 'string', maxLength: 320, pattern: line },
    description: 'Mail addresses or names',
  },
  description: { type: 'string', maxLength: 20_000, description: 'Notes' },
  status: { type: 'string', enum: eventStatuses, description: 'Only confirmed events get reminders' },
  rrule: { type: 'string', maxLength: 500, description: 'E.g. FREQ=WEEKLY;BYDAY=MO;COUNT=10' },
} as const;
export const eventTitle = {
  type: 'string',
  minLength: 1,
  maxLength: 500,
  pattern: line,
  description: 'Short title',
} as const;
export const newEventId = newUserId;

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
export const unsetEventFields = {
  type: 'array',
  items: {
    type: 'string',
    enum: ['location', 'conf_link', 'organizer', 'attendees', 'description', 'rrule'],
  },
  default: [],
  description: 'Fields to clear',
} as const;

export const ruleFields = {
  rule_type: {
    type: 'string',
    enum: ruleTypes,
    description:
      'vip_organizer: important events; internal_meeting: one short reminder; travel_buffer: earlier reminders',
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

export const eventWindow = {
  days_back: { type: 'integer', minimum: 0, maximum: 30, default: 2, description: 'Days back' },
  days_forward: {
    type: 'integer',
    minimum: 1,
    maximum: 90,
    default: 30,
    description: 'Days ahead',
  },
} as const;

export const notificationWindow = {
  status: { type: 'string', enum: notificationStatuses, description: 'Only this status' },
  days_forward: { type: 'integer', minimum: 1, maximum: 30, default: 7, description: 'Days ahead' },
  days_back: { type: 'integer', minimum: 0, maximum: 365, default: 0, description: 'Days back' },
} as const;

export const planFields = {
  event_id: { type: 'string', description: 'Only this event' },
  force_replan: {
    type: 'boolean',
    default: false,
    description: 'Decide again, also on cancelled ones',
  },
  dry_run: { type: 'boolean', default: false, description: 'Only report' },
} as const;

export const testFields = {
  channel: {
    type: 'string',
    enum: channels,
    description: 'Channel to test. Default: the one the user prefers',
  },
} as const;

export const auditFields = {
  event_id: { type: 'string', description: 'Only this event' },
  notification_id: { type: 'string', description: 'Only this notification' },
  days_back: { type: 'integer', minimum: 0, maximum: 3650, default: 7, description: 'Days back' },
} as const;
