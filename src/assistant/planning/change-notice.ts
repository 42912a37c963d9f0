import type { Occurrence } from '../entities/occurrence.ts';
import { type Preferences, preferencesOf, reachableBy } from '../entities/preferences.ts';
import { channelsAt, type Dropped, nextAllowedTime } from '../policy/guards.ts';
import type { CalendarEvent, Change, Channel, Notification, User } from '../store/schema.ts';
import type { DesiredNotification, Step } from './planner.ts';
import { wordChange } from './wording.ts';

const minuteMs = 60_000;
/** Delay before a notice is sent, so that several changes in a row lead to one message. */
const noticeDelayMs = minuteMs;
/** A change is still reported this long after the announced start, because people may be waiting for the event. */
const stillWaitingMs = 60 * minuteMs;
/** Limit per kind of change and occurrence, so that an event that keeps changing does not flood the user. */
const maxNotices = 3;

export interface ChangeInput {
  readonly user: User;
  readonly event: CalendarEvent;
  /** Absent if the occurrence no longer takes place. */
  readonly occurrence?: Occurrence;
  /** All notifications of this occurrence. */
  readonly rows: readonly Notification[];
  readonly nowMs: number;
}

export interface ChangePlan {
  readonly steps: readonly Step[];
  readonly dropped: readonly Dropped[];
  /** The planned notice. Reminders must not collide with it. */
  readonly notice?: Pick<DesiredNotification, 'slot' | 'channel' | 'planMs'>;
}

/** The last message about an occurrence that was sent or is being sent. */
export function lastMessage(rows: readonly Notification[]): Notification | undefined {
  const sentAt = ({ sent_ms, plan_ms }: Notification) => sent_ms ?? plan_ms;
  return rows
    .filter(wasSent)
    .reduce<Notification | undefined>(
      (latest, row) => (latest === undefined || sentAt(row) >= sentAt(latest) ? row : latest),
      undefined,
    );
}

function wasSent({ status }: Notification): boolean {
  return status === 'sent' || status === 'delivered' || status === 'sending';
}

/** The start announced in the last reminder, if the occurrence has moved since. */
export function movedFrom(rows: readonly Notification[], startMs: number): number | undefined {
  const reminder = lastMessage(rows.filter(({ change }) => change === null));
  return reminder === undefined || reminder.event_start_ms === startMs ? undefined : reminder.event_start_ms;
}

/** Whether a change of this occurrence may still have to be reported. */
export function mayNeedNotice(rows: readonly Notification[], nowMs: number): boolean {
  const last = lastMessage(rows);
  return last !== undefined && last.event_start_ms > nowMs - stillWaitingMs;
}

/**
 * Plans one message about what changed since the last message for an occurrence, and cancels planned notices that are
 * no longer true. Notices respect quiet hours, channel preferences and limits, as reminders do.
 */
export function planChange(input: ChangeInput): ChangePlan {
  const { event, occurrence, rows, nowMs } = input;
  const pending = rows.filter(({ status, change }) => status === 'planned' && change !== null);
  const cancel = (row: Notification): Step => ({
    action: 'cancel',
    row,
    reason: 'there is no change to report any more',
  });
  const last = lastMessage(rows);
  const change = last && changeSince(last, occurrence, nowMs);
  if (last === undefined || change === undefined) return { steps: pending.map(cancel), dropped: [] };

  const startMs = occurrence?.startMs ?? last.event_start_ms;
  const key = JSON.stringify([event.id, occurrence?.key ?? last.occurrence, startMs, change, last.id]);
  const own = pending.filter(({ parent_id }) => parent_id === null);
  const same = own.find((row) => row.key === key);
  const tried = rows.find((row) => row.key === key);
  // The notice failed and may have a follow-up on another channel, or a person cancelled it.
  if (same === undefined && tried !== undefined)
    return { steps: pending.filter(({ parent_id }) => parent_id !== tried.id).map(cancel), dropped: [] };

  const untilMs = change === 'moved' ? Math.max(startMs, last.event_start_ms) : startMs;
  const slot = Math.ceil((untilMs - startMs) / minuteMs);
  const placement =
    same?.plan_ms !== undefined && same.plan_ms <= nowMs ? same : chooseSlot(input, same, startMs, last);
  const drop = (reason: string): ChangePlan => ({
    steps: pending.map(cancel),
    dropped: [{ proposal: { offsetMinutes: slot, channel: last.channel, urgency: 'normal' }, reason }],
  });
  if (placement === undefined) return drop('the user wants no available channel');
  const { channel, plan_ms: planMs } = placement;
  if (planMs > untilMs) return drop('the quiet hours last until the event starts');
  if (
    rows.filter((row) => row.change === change && row.parent_id === null && wasSent(row)).length >= maxNotices
  )
    return drop(`${maxNotices} notices of this kind were already sent`);

  const payload = JSON.stringify(wordChange(noticeFacts(input, startMs), change, last.event_start_ms));
  const reason = reasons[change];
  const desired: DesiredNotification = {
    slot,
    channel,
    urgency: 'normal',
    planMs,
    payload,
    reason,
    change,
    key,
  };
  const row = same ?? own[0];
  return {
    steps: [
      ...pending.filter((other) => other !== row).map(cancel),
      ...(row === undefined
        ? [{ action: 'add', desired } as const]
        : same !== undefined && planMs <= nowMs && row.revision === event.revision
          ? []
          : [{ action: row.plan_ms === planMs ? 'keep' : 'move', row, desired } as const]),
    ],
    dropped: [],
    notice: desired,
  };
}

const reasons: Readonly<Record<Change, string>> = {
  moved: 'the event moved after a reminder was sent',
  cancelled: 'the event was cancelled after a reminder was sent',
  restored: 'the event was reinstated after its cancellation was reported',
};

function changeSince(
  last: Notification,
  occurrence: Occurrence | undefined,
  nowMs: number,
): Change | undefined {
  const announcedMs = last.event_start_ms;
  if (occurrence === undefined)
    return last.change !== 'cancelled' && announcedMs > nowMs ? 'cancelled' : undefined;
  const { startMs } = occurrence;
  if (last.change === 'cancelled') return startMs > nowMs ? 'restored' : undefined;
  const late = announcedMs <= nowMs - stillWaitingMs || Math.max(announcedMs, startMs) <= nowMs;
  return startMs === announcedMs || late ? undefined : 'moved';
}

/** Chooses time and channel: the channel of the last message, unless it is a call. */
function chooseSlot(
  { user, rows, nowMs }: ChangeInput,
  pending: Notification | undefined,
  startMs: number,
  last: Notification,
): Pick<Notification, 'channel' | 'plan_ms'> | undefined {
  const preferences = preferencesOf(user);
  const reachable = reachableBy(user);
  const planMs = nextAllowedTime(pending?.plan_ms ?? nowMs + noticeDelayMs, preferences, reachable);
  if (planMs === undefined) return undefined;
  const allowed = channelsAt(planMs, preferences, reachable).filter(
    (channel) => channel !== 'call' || mayCall(rows, startMs, preferences),
  );
  const quiet: readonly Channel[] = allowed.filter((channel) => channel !== 'call');
  const channel: Channel | undefined = quiet.includes(last.channel) ? last.channel : (quiet[0] ?? allowed[0]);
  return channel && { channel, plan_ms: planMs };
}

function mayCall(rows: readonly Notification[], startMs: number, { maxCallAttempts }: Preferences): boolean {
  const calls = rows.filter(
    ({ channel, event_start_ms, status }) =>
      channel === 'call' && event_start_ms === startMs && status !== 'cancelled' && status !== 'planned',
  );
  return calls.length < maxCallAttempts;
}

function noticeFacts({ user, event, occurrence }: ChangeInput, startMs: number) {
  const { locale, timezone } = preferencesOf(user);
  return {
    name: user.name,
    locale,
    timezone,
    title: occurrence?.title ?? event.title,
    startMs,
    allDay: event.all_day === 1,
    location: occurrence === undefined ? event.location : occurrence.location,
    confLink: event.conf_link,
  };
}
