import { nextPage, omittedItems } from '../../paging.ts';
import {
  changes,
  eventKinds,
  eventStatuses,
  notificationStatuses,
  origins,
  ruleTypes,
  showAsValues,
} from '../../store/schema.ts';
import { answers } from '../icalendar/series.ts';
import { channelPreferences, weekendPolicies } from './channels.ts';

/** Output schemas of the tools. */
const text = { type: 'string' } as const;

export const userShape = {
  type: 'object',
  required: ['id', 'name'],
  properties: {
    id: text,
    name: text,
    email: text,
    phone_e164: text,
    timezone: text,
    channel_pref: { enum: channelPreferences },
    quiet_start: text,
    quiet_end: text,
    weekend_policy: { enum: weekendPolicies },
    escalation_threshold: { type: 'integer' },
    max_call_attempts: { type: 'integer' },
    locale: text,
    voice: text,
    webhook_url: text,
    ntfy_topic: text,
    channels: { type: 'array', items: text, description: 'More addresses, without secrets' },
    reminders: { type: 'object', description: 'Lead times by kind of event or calendar' },
    kind_channels: { type: 'object', description: 'Channels by kind of event' },
    pause_from: { type: 'string', description: 'When the pause begins; absent if it has begun' },
    pause_until: {
      type: 'string',
      description: 'Until then, only reminders whose time was named for one event, and important events',
    },
    home_calendar: { type: 'string', description: 'The calendar that stores new events' },
  },
} as const;

export const notVerified = 'stored, not verified yet';

export const eventShape = {
  type: 'object',
  required: ['id', 'user_id', 'title', 'start_ts', 'end_ts', 'status', 'provider'],
  properties: {
    id: text,
    user_id: text,
    occurrence: { type: 'string', description: 'Which one of a series' },
    title: text,
    start_ts: text,
    end_ts: text,
    all_day: { type: 'boolean' },
    start_date: { type: 'string', description: 'The first of its days, if it takes whole days' },
    end_date: { type: 'string', description: 'The first day after it, if it takes whole days' },
    timezone: text,
    recurring: { type: 'boolean' },
    rrule: text,
    location: text,
    conf_link: text,
    organizer: text,
    attendees: { type: 'array', items: text },
    description: text,
    status: { enum: eventStatuses },
    show_as: { enum: showAsValues, description: 'Absent: busy, whole days free' },
    provider: text,
    provider_event_id: text,
    calendar_id: text,
    task: { enum: ['open', 'done'], description: 'For tasks, which start when they are due' },
    reminders: { type: 'array', items: text, description: "The user's own reminders for it" },
    kind: { enum: eventKinds, description: 'As the user corrected it' },
    important: { type: 'boolean' },
    answer: { enum: ['accepted', ...answers], description: "The person's own, to somebody here" },
  },
} as const;

/** An event with what is known of its copy on a calendar server. */
export const storedEventShape = {
  ...eventShape,
  properties: {
    ...eventShape.properties,
    answers: {
      type: 'array',
      items: {
        type: 'object',
        required: ['attendee', 'answer'],
        properties: { attendee: text, answer: { enum: ['accepted', ...answers] } },
      },
      description: 'What people here have answered',
    },
    on_server: {
      enum: [notVerified],
      description: 'Its calendar server confirmed it, but has not sent it back. The next sync verifies it',
    },
  },
} as const;

/** What a write has planned. */
export const plannedShape = {
  planned: {
    type: 'array',
    items: {
      type: 'object',
      required: ['plan_time', 'channel'],
      properties: {
        plan_time: { type: 'string', description: 'When it goes out' },
        channel: text,
        merged_into: { type: 'string', description: 'The notification whose message carries it' },
        in_message: { type: 'string', description: 'Subject of that message' },
        change: { enum: changes, description: 'A message about this change. Absent: a reminder' },
        user_id: { type: 'string', description: 'Who gets that message' },
      },
    },
    description: 'The next reminders of it, and queued messages about the change',
  },
  warnings: { type: 'array', items: text, description: 'E.g. why a reminder may not arrive; tell the user' },
} as const;

/** An event after a change, with other events of the same user at that time. */
export const savedEventShape = {
  ...storedEventShape,
  properties: {
    ...storedEventShape.properties,
    conflicts: {
      type: 'array',
      items: {
        type: 'object',
        required: ['event_id', 'title', 'start_ts', 'end_ts'],
        properties: {
          event_id: text,
          occurrence: text,
          title: text,
          start_ts: text,
          end_ts: text,
          tentative: { type: 'boolean' },
        },
      },
      description: 'Other events at the same time',
    },
    ...omittedItems,
    invited: { type: 'array', items: text, description: 'Attendees who are people here' },
    no_reminders_because: { type: 'string', description: 'Why its reminders cannot be sent' },
    ...plannedShape,
  },
} as const;

export const notificationShape = {
  type: 'object',
  required: ['id', 'user_id', 'event_id', 'channel', 'plan_time', 'status'],
  properties: {
    id: text,
    user_id: text,
    event_id: text,
    occurrence: text,
    channel: text,
    plan_time: text,
    status: { enum: notificationStatuses },
    sent_time: text,
    urgency: text,
    subject: text,
    reason: { type: 'string', description: 'When it comes, and what the guards changed' },
    why: { type: 'string', description: 'The rule, preference or model that asked for it' },
    attempts: { type: 'integer' },
    error: text,
    acknowledged_at: text,
    acknowledged_by: text,
    parent_id: text,
    change: { enum: changes, description: 'What it reports. Absent: a reminder' },
    origin: { enum: origins, description: 'Who asked for it. Absent: a policy' },
    merged_into: { type: 'string', description: 'The notification whose message carries it' },
    attention: { type: 'string', description: 'Why it is not sent by itself. Absent: it is' },
  },
} as const;

export const ruleShape = {
  type: 'object',
  required: ['id', 'user_id', 'rule_type', 'rule_json', 'enabled', 'priority'],
  properties: {
    id: text,
    user_id: text,
    rule_type: { enum: ruleTypes },
    rule_json: { type: 'object' },
    enabled: { type: 'boolean' },
    priority: { type: 'integer' },
  },
} as const;

const calendarProblem = {
  type: 'object',
  properties: {
    severity: { type: 'string', enum: ['error', 'warning'] },
    document: { type: 'string' },
    line: { type: 'integer' },
    uid: { type: 'string' },
    message: { type: 'string' },
  },
  required: ['severity', 'message'],
} as const;
const count = { type: 'integer', minimum: 0 } as const;
export const calendarShape = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    user_id: { type: 'string' },
    name: { type: 'string' },
    kind: { type: 'string', enum: ['file', 'folder', 'url', 'caldav'] },
    tasks_only: { type: 'boolean', description: 'A task list, which accepts no events' },
    source: { type: 'string' },
    kept_up_to_date: { type: 'boolean' },
    events: count,
    last_sync: { type: 'string' },
    next_sync: { type: 'string' },
    failures: count,
    error: { type: 'string' },
    added: count,
    moved: count,
    changed: count,
    cancelled: count,
    removed: count,
    unchanged: count,
    changes: {
      type: 'array',
      items: {
        type: 'object',
        required: ['kind', 'event_id', 'uid', 'title'],
        properties: { kind: text, event_id: text, uid: text, title: text },
      },
    },
    problem_count: count,
    problems: { type: 'array', items: calendarProblem },
  },
  required: ['id', 'user_id', 'name', 'kind', 'source', 'kept_up_to_date'],
} as const;

/** Schema of a list and its length. */
export function listShape<const Name extends string, const Item extends object>(name: Name, item: Item) {
  const properties = {
    [name]: { type: 'array', items: item },
    count: { type: 'integer' },
    ...nextPage,
    truncated: { type: 'boolean', description: 'There is more; ask for fewer days or for one user' },
  } as { readonly [Key in Name]: { readonly type: 'array'; readonly items: Item } } & {
    readonly count: { readonly type: 'integer' };
    readonly next_cursor: typeof nextPage.next_cursor;
    readonly truncated: { readonly type: 'boolean'; readonly description: string };
  };
  return { type: 'object', required: [name, 'count'], properties } as const;
}

export const deletedShape = {
  type: 'object',
  required: ['deleted'],
  properties: { deleted: { type: 'string', description: 'The id of what is gone' } },
} as const;

/** What was deleted, in words: the caller may have named it by its title. */
export const deletedEventShape = {
  ...deletedShape,
  properties: {
    ...deletedShape.properties,
    ...{ user_id: text, title: text, start_ts: text },
    told: {
      type: 'array',
      items: text,
      description: 'Guests who get a message that it is cancelled; no others do',
    },
  },
} as const;
