/** The values that columns of the tables can have. */

/** Name of a notification channel. `src/assistant/channels` defines them. */
export type Channel = string;
export const eventStatuses = ['confirmed', 'tentative', 'cancelled'] as const;
export type EventStatus = (typeof eventStatuses)[number];
/** Whether an event takes up time. Away is busy at another place. */
export const showAsValues = ['busy', 'free', 'tentative', 'away'] as const;
export type ShowAs = (typeof showAsValues)[number];
/** `planned` and `sending` are open. The others are final, except that `sent` can become `delivered`. */
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
/** Changes to an event that a notification can report. */
export const changes = ['moved', 'place', 'cancelled', 'restored'] as const;
export type Change = (typeof changes)[number];
/**
 * Where a reminder comes from, if not from a policy: a general preference, an alarm in the calendar, the user's reminder
 * for this event, or a reminder that was put off. `-quiet` permits quiet hours.
 */
export const origins = [
  ...(['preference', 'preference-quiet', 'alarm', 'event', 'event-quiet', 'snooze'] as const),
] as const;
export type Origin = (typeof origins)[number];
/** What the attention layer decided: another message carries the reminder, or nobody gets it. */
export const attentions = ['merged', 'dropped'] as const;
export type Attention = (typeof attentions)[number];
/** Kinds of events that people want to be reminded of differently. */
export const eventKinds = [
  ...(['task', 'all_day', 'birthday', 'flight', 'train', 'doctor', 'online', 'place'] as const),
] as const;
export type EventKind = (typeof eventKinds)[number];
export const urgencies = ['low', 'normal', 'high', 'urgent'] as const;
export type Urgency = (typeof urgencies)[number];

export const ruleTypes = ['vip_organizer', 'internal_meeting', 'travel_buffer', 'fewer_reminders'] as const;
export type RuleType = (typeof ruleTypes)[number];

/** What made a routine due. */
export const firingSources = ['clock', 'event', 'webhook', 'manual'] as const;
export type FiringSource = (typeof firingSources)[number];
/** `due`, `starting` and `running` are open. The others are final. */
export const firingStatuses = [
  'due',
  'starting',
  'running',
  'completed',
  'failed',
  'cancelled',
  'skipped',
] as const;
export type FiringStatus = (typeof firingStatuses)[number];
