import { type Preferences, preferencesOf, reachableBy } from '../entities/preferences.ts';
import { channelsAt, mostPerOccurrence, nextOpenTime } from '../policy/guards.ts';
import type { CalendarEvent, Notification, User } from '../store/schema.ts';
import { isPressing } from './escalation.ts';

const minute = 60_000;
/** Past this a reminder says that it is late. */
const punctualMs = minute;
/** How long a reminder that was meant for the time after the start stays of use. */
const afterwardsMs = 60 * minute;

/** What ends every worker that takes it must not do so for ever. */
const mostInterruptions = 50;

/** What the notification shares its occurrence with: the other reminders, and those that stand in for one. */
export type Relative = Pick<
  Notification,
  | 'id'
  | 'user_id'
  | 'event_id'
  | 'event_start_ms'
  | 'occurrence'
  | 'channel'
  | 'change'
  | 'status'
  | 'parent_id'
  | 'acknowledged_ms'
>;

export interface Case {
  readonly notification: Notification;
  readonly user: User | undefined;
  readonly event: CalendarEvent | undefined;
  readonly relatives: readonly Relative[];
}

export type Verdict =
  | { readonly kind: 'send'; readonly late: boolean }
  | { readonly kind: 'wait'; readonly untilMs: number; readonly reason: string }
  | { readonly kind: 'cancel'; readonly reason: string; readonly because?: 'event' | 'revision' }
  | { readonly kind: 'miss'; readonly reason: string }
  /** This channel has had its chance. */
  | { readonly kind: 'fail'; readonly reason: string };

/** Whether a notification may go out at this moment, decided on what the database says at this moment. */
export function check({ notification, user, event, relatives }: Case, nowMs: number): Verdict {
  if (user === undefined) return { kind: 'cancel', reason: 'the user is gone' };
  if (isAcknowledged(notification, relatives)) return { kind: 'cancel', reason: 'acknowledged' };
  if (!isNotice(notification) && notification.change !== 'cancelled') {
    if (event === undefined) return { kind: 'cancel', reason: 'the event is gone', because: 'event' };
    if (event.status === 'cancelled')
      return { kind: 'cancel', reason: 'the event was cancelled', because: 'event' };
    if (event.revision !== notification.revision)
      return { kind: 'cancel', reason: 'the event has changed since this was planned', because: 'revision' };
  }
  if (notification.result === dialling)
    return { kind: 'fail', reason: 'the worker ended while the call was being made' };
  // Claims that came to no attempt ended with their worker.
  if (notification.fence - notification.attempts > mostInterruptions)
    return { kind: 'fail', reason: `${mostInterruptions} workers ended while they had it` };

  const uselessMs = uselessFrom(notification, event);
  if (nowMs >= uselessMs) return { kind: 'miss', reason: 'it came due while nothing could send it' };
  const preferences = preferencesOf(user);
  const reachable = reachableBy(user);
  if (channelsAt(nowMs, preferences, reachable).length === 0 && reachable.length > 0) {
    const untilMs = nextOpenTime(nowMs, preferences, reachable);
    return untilMs !== undefined && untilMs < uselessMs
      ? { kind: 'wait', untilMs, reason: 'quiet hours' }
      : { kind: 'miss', reason: 'the quiet hours end too late' };
  }
  if (notification.channel === 'call' && !mayRing(nowMs, preferences))
    return { kind: 'fail', reason: 'no calls at the weekend' };
  const sent = sentBesides(notification, relatives);
  const calls = sent.filter(({ channel }) => channel === 'call').length;
  if (notification.channel === 'call' && calls >= preferences.maxCallAttempts)
    return { kind: 'fail', reason: `${calls} calls for this event were made already` };
  // Those sent in place of a failed or unanswered one are not counted.
  const isReminder = (one: Pick<Relative, 'parent_id' | 'change'>) =>
    one.parent_id === null && one.change === null;
  const reminders = sent.filter(isReminder).length;
  if (isReminder(notification) && !isNotice(notification) && reminders >= mostPerOccurrence)
    return { kind: 'cancel', reason: `${mostPerOccurrence} reminders were sent already` };
  return { kind: 'send', late: nowMs - notification.plan_ms > punctualMs };
}

/**
 * Whether the person knows. An answer to any message about an occurrence ends all reminders of the same start; a change is
 * reported all the same, until that report is answered.
 */
export function isAcknowledged(notification: Relative, relatives: readonly Relative[]): boolean {
  const { acknowledged_ms, change, user_id, occurrence, event_start_ms } = notification;
  const answered = relatives.filter((other) => other.acknowledged_ms !== null);
  return (
    acknowledged_ms !== null ||
    familyOf(notification, answered).length > 0 ||
    (change === null &&
      answered.some(
        (other) =>
          other.user_id === user_id &&
          other.occurrence === occurrence &&
          other.event_start_ms === event_start_ms,
      ))
  );
}

/** Whether the day allows a call at all, to somebody who would take one. */
function mayRing(nowMs: number, preferences: Preferences): boolean {
  return channelsAt(nowMs, { ...preferences, channelPref: 'call' }, ['call']).length > 0;
}

/** Written before a phone may ring, so that whoever takes over knows that it may have. */
export const dialling = 'dialling';

/** A message about the diary itself, such as what was missed, belongs to no event. */
export function isNotice({ event_id }: Pick<Notification, 'event_id'>): boolean {
  return event_id === '';
}

/** What else the person was told about the same occurrence. */
function sentBesides(
  { id, user_id, occurrence }: Pick<Notification, 'id' | 'user_id' | 'occurrence'>,
  relatives: readonly Relative[],
): Relative[] {
  return relatives.filter(
    (other) =>
      other.id !== id &&
      other.user_id === user_id &&
      other.occurrence === occurrence &&
      (other.status === 'sent' || other.status === 'delivered'),
  );
}

/** The reminder and all that was sent in its place. */
export function familyOf(
  notification: Pick<Notification, 'id' | 'parent_id'>,
  relatives: readonly Relative[],
): Relative[] {
  const root = notification.parent_id ?? notification.id;
  return relatives.filter(({ id, parent_id }) => id === root || parent_id === root);
}

/**
 * From when on sending would help nobody: the start of the event, or its end for what is pressing.
 */
export function uselessFrom(notification: Notification, event: CalendarEvent | undefined): number {
  if (isNotice(notification)) return Number.POSITIVE_INFINITY;
  const start = notification.event_start_ms;
  if (notification.change !== null) return start + notification.slot * minute;
  const end = start + Math.max(0, event === undefined ? 0 : event.end_ms - event.start_ms);
  const meant = notification.slot < 0 ? start : Math.max(start, notification.plan_ms) + afterwardsMs;
  return isPressing(notification.urgency) ? Math.max(meant, end) : meant;
}
