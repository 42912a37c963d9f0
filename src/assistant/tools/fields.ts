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
    description: 'Mail address, like ada@example.com',
  },
  phone_e164: {
    type: 'string',
    pattern: '^\\+[1-9][0-9]{6,14}$',
    description: 'Phone number, like +4930123456',
  },
  timezone: { type: 'string', maxLength: 64, description: 'Time zone, like Europe/Berlin; UTC unless set' },
  quiet_start: {
    type: 'string',
    pattern: clock,
    description: 'HH:MM from which nothing is sent; 21:00 unless set. The same as quiet_end: no quiet hours',
  },
  quiet_end: {
    type: 'string',
    pattern: clock,
    description: 'HH:MM from which on things are sent; 07:00 unless set',
  },
  channel_pref: {
    type: 'string',
    enum: channelPreferences,
    description: 'Notification channel. Default: email',
  },
  weekend_policy: {
    type: 'string',
    enum: weekendPolicies,
    description:
      'Notification channel on Saturdays and Sundays. Default: as on other days, but without calls',
  },
  escalation_threshold: {
    type: 'integer',
    minimum: 0,
    maximum: 1440,
    description: 'Minutes before an event within which pressing reminders are followed up; 60 unless set',
  },
  max_call_attempts: {
    type: 'integer',
    minimum: 0,
    maximum: 10,
    description: 'Most calls for one event; 3 unless set',
  },
  locale: {
    type: 'string',
    pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$',
    description: 'How dates are written, like en or de-AT; en unless set',
  },
  voice: {
    type: 'string',
    maxLength: 100,
    pattern: line,
    description: 'Voice of calls; Polly.Joanna unless set',
  },
  webhook_url: {
    type: 'string',
    maxLength: 2000,
    pattern: '^https?://[^\\s\\u0000-\\u001f]+$',
    description: 'Address for signed webhooks, like https://example.com/hook',
  },
  ntfy_topic: {
    type: 'string',
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    description: 'Topic of push messages: letters, digits, - and _',
  },
} as const;

export const userName = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  pattern: line,
  description: 'Name',
} as const;
export const newUserId = {
  ...id,
  description: 'An id of your own choice, of letters, digits and . _ : @ -; otherwise one is made',
} as const;
export const userId = { type: 'string', description: 'User ID' } as const;
export const eventId = { type: 'string', description: 'Event ID' } as const;

/** Tool arguments for the fields of an event. */
export const eventFields = {
  start_ts: {
    type: 'string',
    maxLength: 40,
    description:
      'Start: 2026-03-01T09:30:00Z, 2026-03-01T09:30 or "tomorrow 09:30" in the time zone, 2026-03-01 for a whole day',
  },
  end_ts: {
    type: 'string',
    maxLength: 40,
    description: 'End; an hour after the start unless given. For whole days the first day after it',
  },
  timezone: { type: 'string', maxLength: 64, description: "Time zone of the event; the user's unless given" },
  location: { type: 'string', maxLength: 500, pattern: line, description: 'Where' },
  conf_link: {
    type: 'string',
    maxLength: 2000,
    pattern: '^https?://[^\\s\\u0000-\\u001f]+$',
    description: 'Where to join, like https://example.com/room',
  },
  organizer: { type: 'string', maxLength: 320, pattern: line, description: 'Who invites' },
  attendees: {
    type: 'array',
    maxItems: 1000,
    items: { type: 'string', maxLength: 320, pattern: line },
    description: 'Who is invited',
  },
  description: { type: 'string', maxLength: 20_000, description: 'What it is about' },
  status: { type: 'string', enum: eventStatuses, description: 'Only confirmed events are planned for' },
  rrule: { type: 'string', maxLength: 500, description: 'Repetition, like FREQ=WEEKLY;BYDAY=MO' },
} as const;
export const eventTitle = {
  type: 'string',
  minLength: 1,
  maxLength: 500,
  pattern: line,
  description: 'Title',
} as const;
export const newEventId = newUserId;

/** Fields that can be reset to their default. */
export const unsetUserFields = {
  type: 'array',
  items: { type: 'string', enum: Object.keys(userFields) as (keyof typeof userFields)[] },
  default: [],
  description: 'Fields to take back, so that their default counts',
} as const;
export const unsetEventFields = {
  type: 'array',
  items: {
    type: 'string',
    enum: ['location', 'conf_link', 'organizer', 'attendees', 'description', 'rrule'],
  },
  default: [],
  description: 'Fields to empty',
} as const;

export const ruleFields = {
  rule_type: {
    type: 'string',
    enum: ruleTypes,
    description:
      'vip_organizer: events of these people are important. internal_meeting: one short reminder is enough. travel_buffer: reminders come earlier for events with a location',
  },
  rule_json: {
    type: 'object',
    properties: {
      organizers: {
        type: 'array',
        minItems: 1,
        maxItems: 200,
        items: { type: 'string', minLength: 2, maxLength: 254 },
        description: 'For vip_organizer: mail addresses, or domains like @example.com',
      },
      domains: {
        type: 'array',
        minItems: 1,
        maxItems: 200,
        items: { type: 'string', minLength: 2, maxLength: 254 },
        description: 'For internal_meeting: domains of colleagues',
      },
      minutes: { type: 'integer', minimum: 1, maximum: 1440, description: 'For travel_buffer' },
    },
    additionalProperties: false,
    description: 'What the rule says',
  },
  priority: {
    type: 'integer',
    minimum: -1000,
    maximum: 1000,
    default: 0,
    description: 'Higher counts first',
  },
  enabled: { type: 'boolean', default: true, description: 'Whether it is in force' },
  rule_id: { type: 'string', description: 'The rule to change; absent for a new one' },
} as const;

export const eventWindow = {
  days_back: { type: 'integer', minimum: 0, maximum: 30, default: 2, description: 'Days to look back' },
  days_forward: {
    type: 'integer',
    minimum: 1,
    maximum: 90,
    default: 30,
    description: 'Days to look forward',
  },
} as const;

export const notificationWindow = {
  status: { type: 'string', enum: notificationStatuses, description: 'Filter by status' },
  days_forward: { type: 'integer', minimum: 1, maximum: 30, default: 7, description: 'Days to look forward' },
  days_back: { type: 'integer', minimum: 0, maximum: 365, default: 0, description: 'Days to look back' },
} as const;

export const planFields = {
  event_id: { type: 'string', description: 'Plan for this event only' },
  force_replan: { type: 'boolean', default: false, description: 'Decide anew what was planned already' },
  dry_run: { type: 'boolean', default: false, description: 'Only tell what would change' },
} as const;

export const testFields = {
  channel: {
    type: 'string',
    enum: channels,
    description: 'Channel to test. Default: the one the user prefers',
  },
} as const;

export const auditFields = {
  event_id: { type: 'string', description: 'Filter by event ID' },
  notification_id: { type: 'string', description: 'Filter by notification ID' },
  days_back: { type: 'integer', minimum: 0, maximum: 3650, default: 7, description: 'Days to look back' },
  limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100, description: 'The most to list' },
} as const;
