import type { Generated, Insertable, Selectable, Updateable } from 'kysely';

/**
 * The tables, the same on both engines. Instants are milliseconds since 1970 (`*_ms`), flags are 0 or 1, and structures
 * are JSON as text. A preference that nobody set is null, so that its default can change with the program.
 */
export interface Tables {
  schema_version: { version: number };
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
}

export const channels = ['email', 'call', 'webhook', 'ntfy'] as const;
export type Channel = (typeof channels)[number];
export const channelPreferences = ['email', 'call', 'both', 'webhook', 'ntfy'] as const;
export type ChannelPreference = (typeof channelPreferences)[number];
export const weekendPolicies = [...channelPreferences, 'none'] as const;
export type WeekendPolicy = (typeof weekendPolicies)[number];
export const eventStatuses = ['confirmed', 'tentative', 'cancelled'] as const;
export type EventStatus = (typeof eventStatuses)[number];
/** `planned` and `sending` are still to be delivered; the others are final, except that `sent` may become `delivered`. */
export const notificationStatuses = [
  'planned',
  'sending',
  'sent',
  'delivered',
  'failed',
  'missed',
  'cancelled',
] as const;
export type NotificationStatus = (typeof notificationStatuses)[number];
/** What a notification reports that is no reminder: how an event has changed since the person was told about it. */
export const changes = ['moved', 'cancelled', 'restored'] as const;
export type Change = (typeof changes)[number];
export const urgencies = ['low', 'normal', 'high', 'urgent'] as const;
export type Urgency = (typeof urgencies)[number];

interface UsersTable {
  id: string;
  name: string;
  email: string | null;
  phone_e164: string | null;
  timezone: string | null;
  /** `HH:MM` in the user's zone. */
  quiet_start: string | null;
  quiet_end: string | null;
  channel_pref: ChannelPreference | null;
  weekend_policy: WeekendPolicy | null;
  /** Minutes before the event within which an unacknowledged notification is escalated. */
  escalation_threshold: number | null;
  max_call_attempts: number | null;
  locale: string | null;
  voice: string | null;
  webhook_url: string | null;
  ntfy_topic: string | null;
  created_ms: number;
  updated_ms: number;
}

/** Where events come from: a file, a folder, an address or an account. */
interface CalendarsTable {
  id: string;
  user_id: string;
  kind: 'file' | 'folder' | 'url' | 'caldav';
  name: string;
  location: string;
  /** What the kind needs besides, as JSON; secrets are named here, never written. */
  config: string | null;
  enabled: Generated<number>;
  etag: string | null;
  sync_token: string | null;
  last_sync_ms: number | null;
  next_sync_ms: number | null;
  failures: Generated<number>;
  error: string | null;
  /** What could not be taken in at the last import, as JSON. */
  problems: string | null;
  created_ms: number;
  updated_ms: number;
}

interface EventsTable {
  id: string;
  user_id: string;
  calendar_id: string | null;
  /** `local` for those made here. */
  provider: string;
  /** The UID of the calendar it came from. */
  provider_event_id: string;
  title: string;
  /** Of the event, or of the first instance of a series. */
  start_ms: number;
  end_ms: number;
  all_day: Generated<number>;
  /** The zone the event was written in; null for a floating one, which follows its user. */
  timezone: string | null;
  location: string | null;
  conf_link: string | null;
  organizer: string | null;
  /** A JSON list. */
  attendees: string | null;
  description: string | null;
  status: EventStatus;
  /**
   * JSON of the series where start and end do not tell all: rules, overrides, floating and whole days, private zones.
   * `first_ms` and `last_ms` then enclose every start there can be, in any zone the user may move to.
   */
  series: string | null;
  first_ms: number;
  last_ms: number;
  /** Where its calendar keeps it, for calendars that tell what is gone by address. */
  href: string | null;
  etag: string | null;
  last_seen_ms: number | null;
  /** Changes whenever anything does that a notification may depend on. */
  revision: string;
  created_ms: number;
  updated_ms: number;
}

/** What was decided for one occurrence, also when it was to send nothing. */
interface PlansTable {
  event_id: string;
  /** The key of the occurrence; empty for a single event. */
  occurrence: string;
  user_id: string;
  /** Of everything the decision was made from; the same one is not decided twice. */
  fingerprint: string;
  policy: string;
  reason: string;
  planned_ms: number;
}

/** The plan is the queue: a notification waits, is claimed under a lease, and ends here. */
interface NotificationsTable {
  id: string;
  /** User, event, occurrence with its start, slot and channel: what may exist once only. */
  key: string;
  user_id: string;
  event_id: string;
  occurrence: string;
  event_start_ms: number;
  /** The event's revision at planning; the claim compares it. */
  revision: string;
  /**
   * Minutes from the start of the event at which the policy wanted it; negative is before. For a notice of a change: until when it
   * is of use.
   */
  slot: number;
  channel: Channel;
  urgency: Urgency;
  /** Null for a reminder. */
  change: Change | null;
  plan_ms: number;
  status: NotificationStatus;
  /** What to say, as JSON: subject, text, html, script. Never whom to tell. */
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
  /** The notification this one stands in for, after a failed channel or without an answer. */
  parent_id: string | null;
  level: Generated<number>;
  /** When to go on to the next channel unless acknowledged. */
  escalate_ms: number | null;
  created_ms: number;
  updated_ms: number;
}

export const ruleTypes = ['vip_organizer', 'internal_meeting', 'travel_buffer'] as const;
export type RuleType = (typeof ruleTypes)[number];

interface RulesTable {
  id: string;
  user_id: string;
  rule_type: RuleType;
  config: string;
  enabled: Generated<number>;
  /** Higher first. */
  priority: Generated<number>;
  created_ms: number;
  updated_ms: number;
}

/** One row for every decision and attempt. It outlives what it tells about. */
interface AuditTable {
  id: string;
  at_ms: number;
  action: string;
  user_id: string | null;
  event_id: string | null;
  notification_id: string | null;
  detail: string | null;
}

/** What changed lately, for the other processes on a SQLite file; PostgreSQL tells them itself. */
interface ChangesTable {
  id: Generated<number>;
  /** Who made the change, and need not hear of it. */
  origin: string;
  changes: string;
}

/** Documents of other features, where they are shared by several machines. */
interface RecordsTable {
  kind: string;
  key: string;
  value: string;
  position: number;
}

/** What was ever done to them; the sequence counts for each kind. */
interface RecordEntriesTable {
  kind: string;
  sequence: number;
  key: string;
  entry: string;
}

export type User = Selectable<UsersTable>;
export type NewUser = Insertable<UsersTable>;
export type UserUpdate = Updateable<UsersTable>;
export type Calendar = Selectable<CalendarsTable>;
export type CalendarEvent = Selectable<EventsTable>;
export type NewEvent = Insertable<EventsTable>;
export type Notification = Selectable<NotificationsTable>;
export type NewNotification = Insertable<NotificationsTable>;
export type NotificationUpdate = Updateable<NotificationsTable>;
export type Rule = Selectable<RulesTable>;
export type AuditRow = Selectable<AuditTable>;

/** Steps from one version of the schema to the next; a step that was released never changes. */
export const migrations: readonly (readonly string[])[] = [
  [
    `create table users (
      id text primary key, name text not null, email text unique, phone_e164 text, timezone text, quiet_start text,
      quiet_end text, channel_pref text, weekend_policy text, escalation_threshold integer, max_call_attempts integer,
      locale text, voice text, webhook_url text, ntfy_topic text, created_ms bigint not null, updated_ms bigint not null)`,
    `create table calendars (
      id text primary key, user_id text not null references users (id) on delete cascade, kind text not null,
      name text not null, location text not null, config text, enabled integer not null default 1, etag text,
      sync_token text, last_sync_ms bigint, next_sync_ms bigint, failures integer not null default 0, error text,
      problems text, created_ms bigint not null, updated_ms bigint not null)`,
    'create index calendars_user on calendars (user_id)',
    `create table events (
      id text primary key, user_id text not null references users (id) on delete cascade,
      calendar_id text references calendars (id) on delete cascade, provider text not null,
      provider_event_id text not null, title text not null, start_ms bigint not null, end_ms bigint not null,
      all_day integer not null default 0, timezone text, location text, conf_link text, organizer text, attendees text,
      description text, status text not null, series text, first_ms bigint not null, last_ms bigint not null, etag text,
      last_seen_ms bigint, revision text not null, created_ms bigint not null, updated_ms bigint not null,
      unique (user_id, provider, provider_event_id))`,
    'create index events_user_start on events (user_id, start_ms) where series is null',
    'create index events_start on events (start_ms) where series is null',
    'create index events_user_series on events (user_id, last_ms) where series is not null',
    'create index events_series on events (last_ms) where series is not null',
    'create index events_calendar on events (calendar_id)',
    `create table plans (
      event_id text not null, occurrence text not null, user_id text not null references users (id) on delete cascade,
      fingerprint text not null, policy text not null, reason text not null, planned_ms bigint not null,
      primary key (event_id, occurrence))`,
    'create index plans_user on plans (user_id)',
    `create table notifications (
      id text primary key, key text not null unique, user_id text not null references users (id) on delete cascade,
      event_id text not null, occurrence text not null default '', event_start_ms bigint not null,
      revision text not null, slot integer not null, channel text not null, urgency text not null,
      plan_ms bigint not null, status text not null, payload text not null, reason text, next_ms bigint not null,
      attempts integer not null default 0, owner text, lease_ms bigint, fence integer not null default 0,
      sent_ms bigint, result text, error text, acknowledged_ms bigint, acknowledged_by text, parent_id text,
      level integer not null default 0, escalate_ms bigint, created_ms bigint not null, updated_ms bigint not null)`,
    "create index notifications_due on notifications (next_ms) where status in ('planned', 'sending')",
    'create index notifications_escalation on notifications (escalate_ms) where escalate_ms is not null',
    'create index notifications_user on notifications (user_id, plan_ms)',
    'create index notifications_plan on notifications (plan_ms)',
    'create index notifications_event on notifications (event_id)',
    `create table rules (
      id text primary key, user_id text not null references users (id) on delete cascade, rule_type text not null,
      config text not null, enabled integer not null default 1, priority integer not null default 0,
      created_ms bigint not null, updated_ms bigint not null)`,
    'create index rules_user on rules (user_id)',
    `create table audit (
      id text primary key, at_ms bigint not null, action text not null, user_id text, event_id text,
      notification_id text, detail text)`,
    'create index audit_user on audit (user_id, at_ms)',
    'create index audit_notification on audit (notification_id)',
  ],
  ['alter table events add column href text'],
  ['create table changes (id integer primary key, origin text not null, changes text not null)'],
  [
    `create table records (kind text not null, key text not null, value text not null, position bigint not null,
      primary key (kind, key))`,
    `create table record_entries (kind text not null, sequence bigint not null, key text not null, entry text not null,
      primary key (kind, sequence))`,
    'create index record_entries_key on record_entries (kind, key)',
  ],
  ['alter table notifications add column change text'],
];
