import { eventKinds, eventStatuses, notificationStatuses, showAsValues } from '../../store/schema.ts';
import { channelNames } from '../entities/channels.ts';

/** One line of text without control and bidirectional characters, which could inject headers or hide text. */
export const line = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]*$';
export const id = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$' } as const;

/** A person of whom something is changed or read. `me` is the caller. */
export const userId = {
  type: 'string',
  default: 'me',
  description: 'Id, name or mail address',
} as const;
/** A person who must be named. */
export const namedUserId = { type: 'string', description: 'Id or name' } as const;
/** Restricts a list to one user. */
export const onlyUser = { type: 'string', description: 'Id, name or me. Default: everyone' } as const;
/** An event, by its id or words of its title. */
export const eventId = { type: 'string', description: 'Id or title' } as const;

/** Tool arguments for the fields of an event. */
export const eventFields = {
  start_ts: {
    type: 'string',
    maxLength: 100,
    description: 'Local 2026-03-01T09:30, also with Z; 2026-03-01 for a whole day; or friday 18:00',
  },
  end_ts: {
    type: 'string',
    maxLength: 100,
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
  status: { type: 'string', enum: eventStatuses, description: 'Cancelled events get no reminders' },
  show_as: {
    type: 'string',
    enum: showAsValues,
    description: 'Default: busy; whole days free',
  },
  rrule: {
    type: 'string',
    maxLength: 500,
    description: 'E.g. every monday, or FREQ=WEEKLY;BYDAY=MO;COUNT=10',
  },
  task: { type: 'string', enum: ['open', 'done'], description: 'To-do, due at start_ts' },
  reminders: {
    type: 'array',
    maxItems: 5,
    items: { type: 'string', maxLength: 60 },
    description: 'E.g. 30m, 1d 17:00, 2h sms; clock times and ! ignore quiet hours. [] for none',
  },
  important: { type: 'boolean', description: 'Reminders are kept and escalate' },
  kind: {
    type: 'string',
    enum: [...eventKinds, 'default'] as const,
    description: 'Corrects what it is, for the whole series',
  },
} as const;
export const eventTitle = {
  type: 'string',
  minLength: 1,
  maxLength: 500,
  pattern: line,
  description: 'Short title',
} as const;
export const newEventId = { ...id, description: 'Default: generated' } as const;

export const unsetEventFields = {
  type: 'array',
  items: {
    type: 'string',
    enum: ['location', 'conf_link', 'organizer', 'attendees', 'description', 'show_as', 'rrule', 'reminders'],
  },
  default: [],
  description: 'Fields to clear',
} as const;

/** What to list: a range of time, and words to search for. */
export const eventRange = {
  from: {
    type: 'string',
    maxLength: 100,
    description: 'First day or time: 2026-03-01, monday, next week. Default: two days ago',
  },
  to: {
    type: 'string',
    maxLength: 100,
    description: 'Last day, included. Default: 30 days later, with query two years',
  },
  query: {
    type: 'string',
    minLength: 1,
    maxLength: 200,
    description: 'Words in title, place, notes or people',
  },
  tasks: { type: 'boolean', description: 'Only to-dos' },
} as const;
/** The last listed event, so that a page skips nothing if events were added or deleted meanwhile. */
export const eventCursor = { type: 'string', maxLength: 600, description: 'From next_cursor' } as const;

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

/** As for events: a range of time in words. */
export const notificationRange = {
  from: { ...eventRange.from, description: 'E.g. tomorrow. Default: now' },
  to: { ...eventRange.to, description: 'Last day. Default: a week later' },
} as const;
export const notificationWindow = {
  status: { type: 'string', enum: notificationStatuses, description: 'Only this status' },
  days_forward: {
    type: 'integer',
    minimum: 1,
    maximum: 30,
    default: 7,
    description: 'Days ahead',
  },
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

export const confirmField = {
  type: 'string',
  maxLength: 64,
  description: 'From the preview the user agreed to',
} as const;
/** Where a new event is stored. */
export const remoteFields = {
  calendar_id: { type: 'string', description: "CalDAV calendar, or local. Default: the user's" },
  confirm: confirmField,
} as const;
export const addedAttendees = {
  ...eventFields.attendees,
  description: 'Invites these as well; attendees replaces all',
} as const;
/** Which dates of a series are changed. */
export const scopeFields = {
  occurrence: { type: 'string', maxLength: 100, description: 'Only this one: its date, or from list_events' },
  following: { type: 'boolean', default: false, description: 'With occurrence: also all later ones' },
} as const;
export const deleteFields = { ...scopeFields, confirm: confirmField } as const;
export const answerFields = {
  answer: { type: 'string', enum: ['accepted', 'declined', 'tentative'], description: 'The answer' },
  occurrence: scopeFields.occurrence,
} as const;

export const cancelFields = {
  less_like_this: {
    type: 'boolean',
    default: false,
    description: 'Adds a rule for this title: one reminder, next time none. Undo: delete_rule',
  },
} as const;

export const snoozeFields = {
  minutes: { type: 'integer', minimum: 1, maximum: 10_080, description: 'From now. Default: 10' },
  until: {
    type: 'string',
    maxLength: 100,
    description: 'Time instead: 17:30, tomorrow 09:00 or 2026-03-01T17:30',
  },
} as const;

export const previewFields = {
  notification_id: { type: 'string', description: 'Of this one' },
  event_id: { type: 'string', description: 'If it moves or is deleted' },
  occurrence: { type: 'string', description: 'Only this one' },
  following: { type: 'boolean', description: 'And later ones' },
  start_ts: { type: 'string', maxLength: 40, description: 'New start. Default: deleted' },
  user_id: { type: 'string', description: 'Daily agenda of this person' },
  day: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$', description: 'Default: today' },
} as const;

export const testFields = {
  channel: {
    type: 'string',
    enum: channelNames,
    description: 'Default: the preferred one',
  },
} as const;

export const auditFields = {
  event_id: { type: 'string', description: 'Only this event; id or title' },
  notification_id: { type: 'string', description: 'Only this notification' },
  days_back: { type: 'integer', minimum: 0, maximum: 3650, default: 7, description: 'Days back' },
} as const;
