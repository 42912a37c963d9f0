/** Statements from one schema version to the next. Never change a released migration. */
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
  [
    'alter table events add column alarms text',
    'alter table events add column answers text',
    'alter table events add column task text',
    'alter table events add column reminders text',
    'alter table users add column reminders text',
    'alter table users add column channels text',
    'alter table notifications add column origin text',
  ],
  ['alter table events add column free integer not null default 0'],
  ['alter table events add column done text'],
  [
    'alter table schema_version add column log text',
    'create table activity_logs (log text primary key, first bigint not null, last bigint not null)',
    `create table activity (log text not null, number bigint not null, at_ms bigint not null, call_id text,
      entry text not null, primary key (log, number))`,
    'create index activity_time on activity (at_ms)',
  ],
  // The column free stays, because servers of the last version may still be writing to it during an update.
  ['alter table events add column show_as text', "update events set show_as = 'free' where free = 1"],
  [
    `create table answer_links (hash text primary key, subject text not null,
      user_id text not null references users (id) on delete cascade, expires_ms bigint not null)`,
    'create index answer_links_expiry on answer_links (expires_ms)',
    'create index answer_links_user on answer_links (user_id)',
    // Messages sent by earlier versions carry the id of the notification as their link.
    'alter table notifications add column id_answers integer not null default 0',
    'update notifications set id_answers = 1 where sent_ms is not null',
  ],
  [
    'alter table notifications add column about text',
    'alter table notifications add column expires_ms bigint',
    'create index notifications_about on notifications (about) where about is not null',
  ],
  [
    // What the attention layer decided about a planned reminder.
    'alter table notifications add column attention text',
    'alter table notifications add column attention_why text',
    'alter table notifications add column leader_id text',
    'create index notifications_leader on notifications (leader_id) where leader_id is not null',
    'alter table events add column kind text',
    'alter table events add column important integer not null default 0',
    'alter table users add column pause_until_ms bigint',
    'alter table users add column kind_channels text',
  ],
  [
    `create table firings (id text primary key, routine_id text not null, due_key text not null, due_ms bigint not null,
      machine text not null, source text not null, status text not null, reason text, attempts integer not null default 0,
      next_ms bigint not null, owner text, lease_ms bigint, fence integer not null default 0, run_id text,
      started_ms bigint, ended_ms bigint, result text, input text, tokens bigint, usd_micros bigint,
      untold integer not null default 0, unique (routine_id, due_key))`,
    'create index firings_routine on firings (routine_id, due_ms)',
    "create index firings_open on firings (machine, next_ms) where status in ('due', 'starting', 'running')",
    'create index firings_untold on firings (machine) where untold = 1',
  ],
  [
    'alter table answer_links add column content text',
    'alter table answer_links add column decision text',
    'alter table answer_links add column outcome text',
  ],
  ['alter table events add column prompt text'],
  ['alter table users add column home_calendar text'],
  // Looks up the invitations to an event.
  ['create index events_source on events (provider_event_id)'],
  ['alter table users add column pause_from_ms bigint'],
];

/**
 * The schema that the security log of a machine needs. Its database is not updated beyond, so that processes of earlier versions
 * go on recording their changes there beside this one.
 */
export const logSchema = 9;
