import type { CalendarEvent, Channel, Notification, Urgency, User } from '../../store/schema.ts';
import { canBeSilent, channelNames, reachableBy } from '../entities/channels.ts';
import { parsePayload } from '../entities/payload.ts';
import { type Preferences, preferencesOf, withChannel } from '../entities/preferences.ts';
import { isNamedChannel, kindOfEvent } from '../entities/reminders.ts';
import { digestPrefix } from '../planning/digest.ts';
import { channelsAt, maxPerOccurrence, maxPersonal, nextAllowedTime } from '../policy/guards.ts';

const minute = 60_000;
/** A reminder that is sent later than this says that it is late. */
const lateAfterMs = minute;
/** How long a reminder planned for the start or later stays useful. */
const graceMs = 60 * minute;
/** How long the agenda of a day stays useful. */
const digestUsefulMs = 12 * 60 * minute;

/** Limits how often a notification that crashes its worker is claimed again. */
const maxInterruptions = 50;

export const relatedColumns = [
  ...(['id', 'user_id', 'event_id', 'event_start_ms', 'occurrence', 'channel', 'about'] as const),
  ...(['change', 'origin', 'status', 'parent_id', 'acknowledged_ms'] as const),
] as const satisfies readonly (keyof Notification)[];

/** Another notification of the same event: a reminder, a change notice or a follow-up. */
export type RelatedNotification = Pick<Notification, (typeof relatedColumns)[number]>;

export interface ClaimedNotification {
  readonly notification: Notification;
  readonly user: User | undefined;
  readonly event: CalendarEvent | undefined;
  readonly related: readonly RelatedNotification[];
  /** The notification whose message carries this one. */
  readonly leader?: Pick<Notification, 'status' | 'next_ms'> | undefined;
  /** Reminders of other events that the message of this one carries. */
  readonly carried?: readonly CarriedNotification[];
}

export type CarriedNotification = Pick<
  Notification,
  'id' | 'leader_id' | 'event_start_ms' | 'payload' | 'slot'
>;

export type Verdict =
  | { readonly kind: 'send'; readonly late: boolean }
  | { readonly kind: 'wait'; readonly untilMs: number; readonly reason: string }
  /** Another message has said it. */
  | { readonly kind: 'said'; readonly reason: string }
  | { readonly kind: 'cancel'; readonly reason: string; readonly because?: 'event' | 'revision' }
  | { readonly kind: 'miss'; readonly reason: string }
  /** Give up on this channel and try the next one. */
  | { readonly kind: 'fail'; readonly reason: string };

/** Decides whether a claimed notification may be sent now, from the current state of the database. */
export function check(claimed: ClaimedNotification, nowMs: number): Verdict {
  const { notification, user, event, related } = claimed;
  if (user === undefined) return { kind: 'cancel', reason: 'the user was deleted' };
  if (isAcknowledged(notification, related)) return { kind: 'cancel', reason: 'acknowledged' };
  if (!hasNoEvent(notification) && notification.change !== 'cancelled') {
    if (event === undefined) return { kind: 'cancel', reason: 'the event was deleted', because: 'event' };
    if (event.status === 'cancelled')
      return { kind: 'cancel', reason: 'the event was cancelled', because: 'event' };
    if (event.revision !== notification.revision)
      return { kind: 'cancel', reason: 'the event has changed since this was planned', because: 'revision' };
  }
  const decided = attentionVerdict(claimed, nowMs);
  if (decided !== undefined) return decided;
  if (notification.result === dialling)
    return { kind: 'fail', reason: 'the worker ended while the call was being made' };
  // The fence counts claims. Claims without an attempt are those whose worker died.
  if (notification.fence - notification.attempts > maxInterruptions)
    return { kind: 'fail', reason: `${maxInterruptions} workers ended while they were sending it` };

  if (notification.key.startsWith(digestPrefix) && nowMs > notification.plan_ms + digestUsefulMs)
    return { kind: 'cancel', reason: 'the agenda is out of date' };
  const expiresMs = expiryOf(notification, event);
  if (notification.about !== null && nowMs >= expiresMs)
    return { kind: 'cancel', reason: 'the message has expired' };
  if (nowMs >= expiresMs) return { kind: 'miss', reason: 'it was due while no worker could send it' };
  const general = preferencesOf(user, event && kindOfEvent(event));
  const isNamed = event && isNamedChannel(user, event, notification);
  const preferences = isNamed ? withChannel(general, notification.channel) : general;
  const reachable = reachableBy(user);
  const permission = quietPermission(notification);
  const unwanted = reachable.length > 0 && channelsAt(nowMs, preferences, reachable).length === 0;
  const sounds = unwanted && permission === 'silent' && !canBeSilent(notification.channel);
  const tried = escalationChain(notification, related).map(({ channel }) => channel);
  if (sounds && reachable.some((one) => canBeSilent(one) && !tried.includes(one)))
    return { kind: 'fail', reason: `no ${notification.channel} in quiet hours` };
  if (unwanted && (permission === 'delay' || sounds)) {
    const untilMs = nextAllowedTime(nowMs, preferences, reachable);
    return untilMs !== undefined && untilMs < expiresMs
      ? { kind: 'wait', untilMs, reason: 'quiet hours' }
      : { kind: 'miss', reason: 'the quiet hours end too late' };
  }
  if (notification.channel === 'call' && permission !== 'ignore' && !callsAllowed(nowMs, preferences))
    return { kind: 'fail', reason: 'no calls at the weekend' };
  const sent = alreadySent(notification, related);
  const calls = sent.filter(({ channel }) => channel === 'call').length;
  if (notification.channel === 'call' && calls >= preferences.maxCallAttempts)
    return { kind: 'fail', reason: `${calls} calls for this event were already made` };
  // Follow-ups of a failed or unacknowledged reminder do not count, nor do reminders that the user put off.
  const isReminder = (one: Pick<RelatedNotification, 'parent_id' | 'change' | 'origin'>) =>
    one.parent_id === null && one.change === null && one.origin !== 'snooze';
  const reminders = sent.filter(isReminder).length;
  const limit = notification.origin === null ? maxPerOccurrence : maxPersonal;
  if (isReminder(notification) && !hasNoEvent(notification) && reminders >= limit)
    return { kind: 'cancel', reason: `${limit} reminders were already sent` };
  return { kind: 'send', late: nowMs - notification.plan_ms > lateAfterMs };
}

/** How long a merged reminder waits for the outcome of its leader before it is checked again. */
const leaderMs = 20_000;
/** A leader that comes later than this was moved; its reminders are sent without it. */
const maxLeaderDelayMs = 10 * minute;

/** What the attention layer decided when this was planned, as long as the message that carries it is really sent. */
function attentionVerdict(
  { notification, event, leader }: ClaimedNotification,
  nowMs: number,
): Verdict | undefined {
  const { attention, attention_why } = notification;
  if (attention === 'dropped') return { kind: 'cancel', reason: attention_why ?? 'dropped' };
  if (attention !== 'merged' || leader === undefined) return undefined;
  if (leader.status === 'sent' || leader.status === 'delivered')
    return { kind: 'said', reason: attention_why ?? 'merged' };
  const isComing = leader.status === 'planned' || leader.status === 'sending';
  const untilMs = Math.max(nowMs, leader.next_ms) + leaderMs;
  return isComing && untilMs < Math.min(nowMs + maxLeaderDelayMs, expiryOf(notification, event))
    ? { kind: 'wait', untilMs, reason: 'another message carries it' }
    : undefined;
}

/**
 * True if the person has acknowledged this notification, its escalation chain, or any message about the same start of the
 * occurrence. A change notice is still sent until it is acknowledged itself.
 */
export function isAcknowledged(
  notification: RelatedNotification,
  related: readonly RelatedNotification[],
): boolean {
  const { acknowledged_ms, change, user_id, occurrence, event_start_ms } = notification;
  const answered = related.filter((other) => other.acknowledged_ms !== null);
  return (
    acknowledged_ms !== null ||
    escalationChain(notification, answered).length > 0 ||
    (change === null &&
      answered.some(
        (other) =>
          other.user_id === user_id &&
          other.occurrence === occurrence &&
          other.event_start_ms === event_start_ms,
      ))
  );
}

/** What a person or the sender of a message permits in quiet hours. */
export function quietPermission({ about, origin, payload }: Notification) {
  // The user named these times. An alarm of the user comes in quiet hours as well, without a sound.
  const permitted = {
    ...{ 'event-quiet': 'ignore', 'preference-quiet': 'ignore' },
    ...{ snooze: 'ignore', alarm: 'silent' },
  } as const;
  if (about === null) return permitted[origin as keyof typeof permitted] ?? 'delay';
  return parsePayload(payload).quietHours ?? 'delay';
}

/** Whether the user's weekend policy allows calls at this time. */
function callsAllowed(nowMs: number, preferences: Preferences): boolean {
  return channelsAt(nowMs, { ...preferences, channelPref: 'call' }, ['call']).length > 0;
}

/** Stored before a call is placed. A worker that takes over then knows that the phone may have rung. */
export const dialling = 'dialling';

/** True for messages that belong to no event, such as the report of missed reminders. */
export function hasNoEvent({ event_id }: Pick<Notification, 'event_id'>): boolean {
  return event_id === '';
}

/** Other notifications of the same occurrence that were sent to the user. */
function alreadySent(
  { id, user_id, occurrence }: Pick<Notification, 'id' | 'user_id' | 'occurrence'>,
  related: readonly RelatedNotification[],
): RelatedNotification[] {
  return related.filter(
    (other) =>
      other.id !== id &&
      other.user_id === user_id &&
      other.occurrence === occurrence &&
      (other.status === 'sent' || other.status === 'delivered'),
  );
}

/** The original reminder and all its follow-ups on other channels. */
export function escalationChain(
  notification: Pick<Notification, 'id' | 'parent_id'>,
  related: readonly RelatedNotification[],
): RelatedNotification[] {
  const root = notification.parent_id ?? notification.id;
  return related.filter(({ id, parent_id }) => id === root || parent_id === root);
}

/**
 * When sending becomes useless: at the start of the event, or at its end for high urgency.
 */
export function expiryOf(notification: Notification, event: CalendarEvent | undefined): number {
  if (hasNoEvent(notification)) return notification.expires_ms ?? Number.POSITIVE_INFINITY;
  const start = notification.event_start_ms;
  if (notification.change !== null) return start + notification.slot * minute;
  const end = start + Math.max(0, event === undefined ? 0 : event.end_ms - event.start_ms);
  const base = notification.slot < 0 ? start : Math.max(start, notification.plan_ms) + graceMs;
  return isHighUrgency(notification.urgency) ? Math.max(base, end) : base;
}

/** How long a person has to acknowledge before the next channel is tried. */
const acknowledgeMs = 5 * minute;
/** A phone does not ring again about the same event before this time. */
const callAgainMs = 20 * minute;

/** When to escalate an important message about something else than an event. */
export function messageEscalation(
  { about, urgency, expires_ms }: Notification,
  sentMs: number,
): number | undefined {
  const atMs = sentMs + acknowledgeMs;
  const isUseful = about !== null && isHighUrgency(urgency) && atMs < (expires_ms ?? sentMs + graceMs);
  return isUseful ? atMs : undefined;
}

export interface Reachability {
  /** Channels for which the user has an address. */
  readonly available: readonly Channel[];
  /** Channels that the user prefers. */
  readonly preferred: readonly Channel[];
  readonly urgency: Urgency;
}

/** The next channel that was not tried yet. Calls only users who prefer calls, or for high urgency. */
export function nextChannel(reach: Reachability, tried: readonly Channel[]): Channel | undefined {
  return channelOrder(reach).find((channel) => !tried.includes(channel));
}

function channelOrder({ available, preferred, urgency }: Reachability): Channel[] {
  const permitted = channelNames.filter((channel) => channel !== 'call' || isHighUrgency(urgency));
  return [...new Set([...preferred, ...permitted])].filter((channel) => available.includes(channel));
}

export function isHighUrgency(urgency: Urgency): boolean {
  return urgency === 'high' || urgency === 'urgent';
}

interface Unanswered extends Reachability {
  /** Channels used so far for this reminder. */
  readonly used: readonly Channel[];
  /** Channels by which another reminder of the same start was sent or is still planned. */
  readonly planned: readonly Channel[];
  /** Number of calls still allowed for this occurrence. */
  readonly callsLeft: number;
}

/**
 * The channel for the next escalation step: an unused one, then the phone again up to the user's limit. A planned message
 * is a step of its own, so its channel counts as used.
 */
export function nextEscalation(unanswered: Unanswered): Channel | undefined {
  const { used, planned, callsLeft } = unanswered;
  const open = channelOrder(unanswered).filter(
    (channel) => !planned.includes(channel) && (channel !== 'call' || callsLeft > 0),
  );
  return open.find((channel) => !used.includes(channel)) ?? open.find((channel) => channel === 'call');
}

/**
 * When to escalate a notification that is not acknowledged. Applies only to high urgency, within the user's threshold
 * before the event, and not after the event has started.
 */
export function escalationTime(
  urgency: Urgency,
  sentMs: number,
  eventStartMs: number,
  thresholdMinutes: number,
  channel?: Channel,
): number | undefined {
  if (!isHighUrgency(urgency) || thresholdMinutes <= 0) return undefined;
  const waitMs = channel === 'call' ? callAgainMs : acknowledgeMs;
  const atMs = Math.max(sentMs + waitMs, eventStartMs - thresholdMinutes * minute);
  return atMs < eventStartMs ? atMs : undefined;
}
