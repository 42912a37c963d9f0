import { type JsonObject, present } from '../../json.ts';
import { localText } from '../../recurrence/zone.ts';
import {
  type CalendarEvent,
  type Notification,
  type Rule,
  type User,
  unverifiedEtag,
} from '../../store/schema.ts';
import type { ValueOf } from '../../tool.ts';
import type { Series } from '../icalendar/series.ts';
import { maskAddress } from './channels.ts';
import { type Occurrence, taskState } from './occurrence.ts';
import { parsePayload } from './payload.ts';
import type { eventShape, notificationShape, ruleShape, userShape } from './shapes.ts';

export type UserView = ValueOf<typeof userShape>;
export type EventView = ValueOf<typeof eventShape>;
export type NotificationView = ValueOf<typeof notificationShape>;
export type RuleView = ValueOf<typeof ruleShape>;

/** Formats a timestamp for tool results: ISO in UTC, without milliseconds if they are zero. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** Includes only the fields that are set. */
export function userView(user: User): UserView {
  return present({
    id: user.id,
    name: user.name,
    email: user.email,
    phone_e164: user.phone_e164,
    ...profile(user),
    webhook_url: user.webhook_url,
    ntfy_topic: user.ntfy_topic,
    channels: user.channels === null ? null : (JSON.parse(user.channels) as string[]).map(maskAddress),
    reminders: user.reminders === null ? null : (JSON.parse(user.reminders) as JsonObject),
    kind_channels: user.kind_channels === null ? null : (JSON.parse(user.kind_channels) as JsonObject),
    pause_from: user.pause_from_ms === null ? null : timestamp(user.pause_from_ms),
    pause_until: user.pause_until_ms === null ? null : timestamp(user.pause_until_ms),
    home_calendar: user.home_calendar,
  });
}

/** A user without contact addresses, because clients may pass resources to a model unchanged. */
export function profileView(user: User): UserView {
  return present({ id: user.id, name: user.name, ...profile(user) });
}

function profile(user: User) {
  const { timezone, channel_pref, quiet_start, quiet_end, weekend_policy } = user;
  const { escalation_threshold, max_call_attempts, locale, voice } = user;
  const hours = { timezone, channel_pref, quiet_start, quiet_end, weekend_policy };
  return { ...hours, escalation_threshold, max_call_attempts, locale, voice };
}

/** An event with its times. The user's time zone determines the dates of all-day events. */
export interface Placed {
  readonly event: CalendarEvent;
  readonly startMs: number;
  readonly endMs: number;
  readonly zone: string;
}

export function eventView(placed: Placed): EventView {
  const { event } = placed;
  const series = event.series === null ? {} : (JSON.parse(event.series) as Partial<Series>);
  const rule = series.rules?.[0] ?? null;
  return present({
    id: event.id,
    user_id: event.user_id,
    title: event.title,
    ...timesView(placed),
    recurring: rule === null ? null : true,
    rrule: rule,
    location: event.location,
    conf_link: event.conf_link,
    organizer: event.organizer,
    attendees: event.attendees === null ? null : (JSON.parse(event.attendees) as string[]),
    description: event.description,
    status: event.status,
    provider: event.provider,
    provider_event_id: event.provider_event_id,
    calendar_id: event.calendar_id,
    task: event.task && taskState(event.task, event, placed.startMs),
    reminders: remindersOf(event, ''),
    kind: event.kind,
    important: event.important === 1 ? true : null,
  });
}

/** Adds the time zone, or for all-day events the dates; `end_date` is the day after the last day. */
function timesView({ event, startMs, endMs, zone }: Placed) {
  const instants = { start_ts: timestamp(startMs), end_ts: timestamp(endMs) };
  if (event.all_day !== 1) return { ...instants, timezone: event.timezone };
  return { ...instants, all_day: true, start_date: dateIn(zone, startMs), end_date: dateIn(zone, endMs) };
}

export function dateIn(zone: string, ms: number): string {
  return localText(ms, zone).slice(0, 10);
}

export function eventDetailView(placed: Placed): EventView {
  const { event } = placed;
  return present({
    ...eventView(placed),
    etag: event.etag === unverifiedEtag ? null : event.etag,
    last_seen_at: event.last_seen_ms === null ? null : timestamp(event.last_seen_ms),
  });
}

/** One entry of a list: a single event or one occurrence of a series. */
export function occurrenceView(event: CalendarEvent, occurrence: Occurrence, zone: string): EventView {
  return present({
    id: event.id,
    user_id: event.user_id,
    occurrence: occurrence.key === '' ? null : occurrence.key,
    title: occurrence.title,
    ...timesView({ event, startMs: occurrence.startMs, endMs: occurrence.endMs, zone }),
    location: occurrence.location,
    status: occurrence.status,
    provider: event.provider,
    task: occurrence.task ?? null,
    reminders: remindersOf(event, occurrence.key),
  });
}

function remindersOf({ reminders }: CalendarEvent, key: string): string[] | null {
  const byKey = reminders === null ? {} : (JSON.parse(reminders) as Record<string, string[]>);
  return byKey[key] ?? byKey[''] ?? null;
}

export function notificationView(notification: Notification): NotificationView {
  return present({
    id: notification.id,
    user_id: notification.user_id,
    event_id: notification.event_id,
    occurrence: notification.occurrence === '' ? null : notification.occurrence,
    channel: notification.channel,
    plan_time: timestamp(notification.plan_ms),
    status: notification.status,
    sent_time: notification.sent_ms === null ? null : timestamp(notification.sent_ms),
    urgency: notification.urgency,
    subject: parsePayload(notification.payload).subject,
    reason: notification.reason,
    why: parsePayload(notification.payload).why ?? null,
    attempts: notification.attempts === 0 ? null : notification.attempts,
    error: notification.error,
    acknowledged_at: notification.acknowledged_ms === null ? null : timestamp(notification.acknowledged_ms),
    acknowledged_by: notification.acknowledged_by,
    parent_id: notification.parent_id,
    change: notification.change,
    origin: notification.origin,
    ...attentionView(notification),
  });
}

function attentionView({ attention, attention_why: why, leader_id: leader }: Notification) {
  return {
    merged_into: attention === 'merged' ? leader : null,
    attention: attention === null ? null : `${attention}: ${why}`,
  };
}

export function ruleView(rule: Rule): RuleView {
  return {
    id: rule.id,
    user_id: rule.user_id,
    rule_type: rule.rule_type,
    rule_json: JSON.parse(rule.config) as JsonObject,
    enabled: rule.enabled === 1,
    priority: rule.priority,
  };
}
