import type { Generated, Insertable, Selectable, Updateable } from 'kysely';
import type {
  Attention,
  Change,
  Channel,
  EventKind,
  EventStatus,
  FiringSource,
  FiringStatus,
  NotificationStatus,
  Origin,
  RuleType,
  ShowAs,
  Urgency,
} from './values.ts';

export * from './values.ts';

/**
 * The tables, identical on both engines. Times are milliseconds since 1970 (`*_ms`), flags are 0 or 1, and structured
 * values are JSON text. A preference that the user never set is null, so that its default can change later.
 */
export interface Tables {
  schema_version: {
    version: number /** Name of the security log that this database writes. */;
    log: string | null;
  };
  users: UsersTable;
  calendars: CalendarsTable;
  events: EventsTable;
  plans: PlansTable;
  notifications: NotificationsTable;
  rules: RulesTable;
  audit: AuditTable;
  changes: ChangesTable;
  records: RecordsTable;
  record_entries: RecordEntriesTable;
  answer_links: AnswerLinksTable;
  firings: FiringsTable;
  activity_logs: ActivityLogsTable;
  activity: ActivityTable;
}

interface UsersTable {
  id: string;
  name: string;
  email: string | null;
  phone_e164: string | null;
  timezone: string | null;
  /** `HH:MM` in the user's time zone. */
  quiet_start: string | null;
  quiet_end: string | null;
  channel_pref: string | null;
  weekend_policy: string | null;
  /** Unacknowledged notifications escalate when the event is this many minutes away or less. */
  escalation_threshold: number | null;
  max_call_attempts: number | null;
  locale: string | null;
  voice: string | null;
  webhook_url: string | null;
  ntfy_topic: string | null;
  /** Lead times by kind of event and by calendar, as JSON. */
  reminders: string | null;
  /** More addresses, in order of preference, as a JSON list. They can contain secrets. */
  channels: string | null;
  /** Until when reminders are paused that the user did not name or call important. */
  pause_until_ms: number | null;
  /** When that pause begins; null if it has begun. */
  pause_from_ms: number | null;
  /** Channels by kind of event, as JSON. */
  kind_channels: string | null;
  /** Id of the calendar that stores new events; null for those that are only here. */
  home_calendar: string | null;
  created_ms: number;
  updated_ms: number;
}

/** Sources of events. */
interface CalendarsTable {
  id: string;
  user_id: string;
  kind: 'file' | 'folder' | 'url' | 'caldav';
  name: string;
  location: string;
  /** Additional settings of the source, as JSON. Holds references to secrets, never the secrets themselves. */
  config: string | null;
  enabled: Generated<number>;
  etag: string | null;
  sync_token: string | null;
  last_sync_ms: number | null;
  next_sync_ms: number | null;
  failures: Generated<number>;
  error: string | null;
  /** Problems of the last import, as JSON. */
  problems: string | null;
  created_ms: number;
  updated_ms: number;
}

interface EventsTable {
  id: string;
  user_id: string;
  calendar_id: string | null;
  /** `local` for events created in Adjutant. */
  provider: string;
  /** UID in the source calendar. */
  provider_event_id: string;
  title: string;
  /** Start of the event, or of the first occurrence of a series. */
  start_ms: number;
  end_ms: number;
  all_day: Generated<number>;
  /** Time zone of the event; null for floating times, which follow the user's time zone. */
  timezone: string | null;
  location: string | null;
  conf_link: string | null;
  organizer: string | null;
  /** JSON array. */
  attendees: string | null;
  description: string | null;
  status: EventStatus;
  /**
   * JSON, present if start and end are not enough: recurrence rules, overrides, floating or all-day times, custom time
   * zones. `first_ms` and `last_ms` then enclose all possible starts in any time zone.
   */
  series: string | null;
  first_ms: number;
  last_ms: number;
  /** Address of the event on its server; CalDAV reports deletions by this address. */
  href: string | null;
  /** Version of an event in an imported text, or `unverifiedEtag`. */
  etag: string | null;
  last_seen_ms: number | null;
  /** Alarms in the source calendar, as JSON. */
  alarms: string | null;
  /** Answers of attendees who have not accepted, as JSON by address. */
  answers: string | null;
  /** Set for tasks, whose start is the time when they are due. */
  task: 'open' | 'done' | null;
  /** Due times of tasks that are done here, but not in their calendar, as JSON. Imports do not change them. */
  done: string | null;
  /** Whether the event takes up time; null if its kind decides. */
  show_as: ShowAs | null;
  /** The user's own reminders for this event and its occurrences, as JSON. Imports do not change them. */
  reminders: string | null;
  /** The kind of the event as the user corrected it. Imports do not change it. */
  kind: EventKind | null;
  /** 1 if the user called the event important. Imports do not change it. */
  important: Generated<number>;
  /** The description, if it names a prompt and somebody wrote it who may use prompts. Of no use once the description has changed. */
  prompt: string | null;
  /** Changes when any field that a notification depends on changes. */
  revision: string;
  created_ms: number;
  updated_ms: number;
}

/** Planning decision for one occurrence, including decisions to send nothing. */
interface PlansTable {
  event_id: string;
  /** Occurrence key; empty for a single event. */
  occurrence: string;
  user_id: string;
  /** Hash of all inputs of the decision; unchanged inputs are not planned again. */
  fingerprint: string;
  policy: string;
  reason: string;
  planned_ms: number;
}

/** Notifications, which also serve as the delivery queue: workers claim due rows under a lease. */
interface NotificationsTable {
  id: string;
  /** Unique key made of user, event, occurrence and its start, slot, and channel. */
  key: string;
  user_id: string;
  event_id: string;
  occurrence: string;
  event_start_ms: number;
  /** Revision of the event when it was planned; compared again when a worker claims the row. */
  revision: string;
  /**
   * Reminders: minutes from the start of the event chosen by the policy, negative for before. Change notices: minutes
   * from the start until which the notice is useful.
   */
  slot: number;
  channel: Channel;
  urgency: Urgency;
  /** Null for reminders. */
  change: Change | null;
  /** Who asked for it; null for a policy. */
  origin: Origin | null;
  /** 1 if the message was sent by a version whose links were the id of the notification. */
  id_answers: Generated<number>;
  /** For a message without an event: the key of the thing that it is about. Null for all other notifications. */
  about: string | null;
  /** The message is not sent after this time. Null if its event or nothing limits it. */
  expires_ms: number | null;
  plan_ms: number;
  status: NotificationStatus;
  /** Content as JSON: subject, text, html, script. Holds no recipient addresses. */
  payload: string;
  reason: string | null;
  next_ms: number;
  attempts: Generated<number>;
  owner: string | null;
  lease_ms: number | null;
  fence: Generated<number>;
  sent_ms: number | null;
  result: string | null;
  error: string | null;
  acknowledged_ms: number | null;
  acknowledged_by: string | null;
  /** Notification that this one replaces after a failed delivery or a missing acknowledgement. */
  parent_id: string | null;
  level: Generated<number>;
  /** When to escalate to the next channel unless acknowledged. */
  escalate_ms: number | null;
  /** Null if the reminder is sent by itself. */
  attention: Attention | null;
  /** Why it is merged or dropped. */
  attention_why: string | null;
  /** The notification whose message carries this one. */
  leader_id: string | null;
  created_ms: number;
  updated_ms: number;
}

interface RulesTable {
  id: string;
  user_id: string;
  rule_type: RuleType;
  config: string;
  enabled: Generated<number>;
  /** Rules with a higher priority come first. */
  priority: Generated<number>;
  created_ms: number;
  updated_ms: number;
}

/** One row per decision and delivery attempt. Rows are kept after the event or notification is deleted. */
interface AuditTable {
  id: string;
  at_ms: number;
  action: string;
  user_id: string | null;
  event_id: string | null;
  notification_id: string | null;
  detail: string | null;
}

/** Recent changes, for other processes that use the same SQLite file; PostgreSQL uses NOTIFY instead. */
interface ChangesTable {
  id: Generated<number>;
  /** Store that made the change; it ignores its own rows. */
  origin: string;
  changes: string;
}

/** Documents of other features that several machines share. */
interface RecordsTable {
  kind: string;
  key: string;
  value: string;
  position: number;
}

/** History of the records. `sequence` counts per kind. */
interface RecordEntriesTable {
  kind: string;
  sequence: number;
  key: string;
  entry: string;
}

/** Links in messages, with which people answer without signing in. */
interface AnswerLinksTable {
  /** SHA-256 of the token in the link. */
  hash: string;
  /** Id of the notification, or the request that the link decides. */
  subject: string;
  user_id: string;
  expires_ms: number;
  /** For a decision: a hash of what is decided, what the link may do at most, and what was decided with it. */
  content: string | null;
  decision: 'allow' | 'refuse' | null;
  outcome: 'allow' | 'refuse' | null;
}

/**
 * The due times of routines and the requests that triggered them, each stored before anything starts. The unique pair of routine and
 * key keeps a due time from starting twice.
 */
interface FiringsTable {
  id: string;
  routine_id: string;
  /** The due time of a clock, an occurrence of an event, or the signature of a request. */
  due_key: string;
  due_ms: number;
  /** Id of the machine that has the folder. Only its workers start runs. */
  machine: string;
  source: FiringSource;
  status: FiringStatus;
  /** Why it was skipped, waits or failed. */
  reason: string | null;
  /** Failed attempts to start the run. */
  attempts: Generated<number>;
  /** When to start, or when to try again. */
  next_ms: number;
  owner: string | null;
  lease_ms: number | null;
  fence: Generated<number>;
  run_id: string | null;
  started_ms: number | null;
  ended_ms: number | null;
  /** Summary of the run. */
  result: string | null;
  /** Data of the trigger: facts of an event, or the body of a request. */
  input: string | null;
  tokens: number | null;
  /** Millionths of a US dollar. */
  usd_micros: number | null;
  /** 1 while a person is to be told. */
  untold: Generated<number>;
}

/** Security logs: the one that this database writes, and those of databases that were moved into it. */
interface ActivityLogsTable {
  log: string;
  /** Number of the oldest entry. Earlier ones were removed because of their age. */
  first: number;
  last: number;
}

/** The security log. Rows are only added, except that the oldest are removed. Each log counts them without gaps. */
interface ActivityTable {
  log: string;
  number: number;
  at_ms: number;
  call_id: string | null;
  /** JSON. */
  entry: string;
}

/** The etag of an event whose server has confirmed a write, but has not sent the event back. A sync clears it. */
export const unverifiedEtag = 'unverified';

export type User = Selectable<UsersTable>;
export type NewUser = Insertable<UsersTable>;
export type UserUpdate = Updateable<UsersTable>;
export type Calendar = Selectable<CalendarsTable>;
export type CalendarEvent = Selectable<EventsTable>;
export type NewEvent = Insertable<EventsTable>;
export type Notification = Selectable<NotificationsTable>;
export type NewNotification = Insertable<NotificationsTable>;
export type NotificationUpdate = Updateable<NotificationsTable>;
export type Plan = Selectable<PlansTable>;
export type Rule = Selectable<RulesTable>;
export type Firing = Selectable<FiringsTable>;
export type FiringUpdate = Updateable<FiringsTable>;
export type AuditRow = Selectable<AuditTable>;
