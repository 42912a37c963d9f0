import type { Occurrence } from '../entities/occurrence.ts';
import { type Preferences, preferencesOf, reachableBy } from '../entities/preferences.ts';
import { channelsAt, type Dropped, nextOpenTime } from '../policy/guards.ts';
import type { CalendarEvent, Change, Channel, Notification, User } from '../store/schema.ts';
import type { Step, Wanted } from './planner.ts';
import { wordChange } from './wording.ts';

const minuteMs = 60_000;
/** Events change in bursts; what the last one of a burst left is reported. */
const settleMs = minuteMs;
/** People still wait for an event that should have begun by now. */
const waitingMs = 60 * minuteMs;
/** Notices of one kind for one occurrence, so that an event that changes all the time does not flood anybody. */
const mostNotices = 3;

export interface ChangeInput {
  readonly user: User;
  readonly event: CalendarEvent;
  /** Absent when it does not take place any more. */
  readonly occurrence?: Occurrence;
  /** Every row there is for this occurrence. */
  readonly rows: readonly Notification[];
  readonly nowMs: number;
}

export interface ChangePlan {
  readonly steps: readonly Step[];
  readonly dropped: readonly Dropped[];
  /** The notice that is planned, which reminders have to leave room for. */
  readonly notice?: Pick<Wanted, 'slot' | 'channel' | 'planMs'>;
}

/** The last message about an occurrence that the person got, or is getting now. */
export function lastTold(rows: readonly Notification[]): Notification | undefined {
  const toldAt = ({ sent_ms, plan_ms }: Notification) => sent_ms ?? plan_ms;
  return rows
    .filter(wasTold)
    .reduce<Notification | undefined>(
      (last, row) => (last === undefined || toldAt(row) >= toldAt(last) ? row : last),
      undefined,
    );
}

function wasTold({ status }: Notification): boolean {
  return status === 'sent' || status === 'delivered' || status === 'sending';
}

/** The start of which the person was reminded last, where it is not the start any more. */
export function movedFrom(rows: readonly Notification[], startMs: number): number | undefined {
  const reminder = lastTold(rows.filter(({ change }) => change === null));
  return reminder === undefined || reminder.event_start_ms === startMs ? undefined : reminder.event_start_ms;
}

/** Whether a change of this occurrence may have to be reported. */
export function isTold(rows: readonly Notification[], nowMs: number): boolean {
  const told = lastTold(rows);
  return told !== undefined && told.event_start_ms > nowMs - waitingMs;
}

/**
 * Plans the one message that says what has changed since the person was last told about an occurrence, or takes back one that
 * is not true any more. Like a reminder it keeps to quiet hours, wanted channels and limits.
 */
export function planChange(input: ChangeInput): ChangePlan {
  const { event, occurrence, rows, nowMs } = input;
  const pending = rows.filter(({ status, change }) => status === 'planned' && change !== null);
  const cancel = (row: Notification): Step => ({
    action: 'cancel',
    row,
    reason: 'the person knows of no other state',
  });
  const told = lastTold(rows);
  const change = told && changeSince(told, occurrence, nowMs);
  if (told === undefined || change === undefined) return { steps: pending.map(cancel), dropped: [] };

  const startMs = occurrence?.startMs ?? told.event_start_ms;
  const key = JSON.stringify([event.id, occurrence?.key ?? told.occurrence, startMs, change, told.id]);
  const own = pending.filter(({ parent_id }) => parent_id === null);
  const same = own.find((row) => row.key === key);
  const tried = rows.find((row) => row.key === key);
  // It failed, and another channel may be at it, or a person cancelled it.
  if (same === undefined && tried !== undefined)
    return { steps: pending.filter(({ parent_id }) => parent_id !== tried.id).map(cancel), dropped: [] };

  const untilMs = change === 'moved' ? Math.max(startMs, told.event_start_ms) : startMs;
  const slot = Math.ceil((untilMs - startMs) / minuteMs);
  const place =
    same?.plan_ms !== undefined && same.plan_ms <= nowMs ? same : placeOf(input, same, startMs, told);
  const drop = (reason: string): ChangePlan => ({
    steps: pending.map(cancel),
    dropped: [{ proposal: { offsetMinutes: slot, channel: told.channel, urgency: 'normal' }, reason }],
  });
  if (place === undefined) return drop('no channel that the user wants is left');
  const { channel, plan_ms: planMs } = place;
  if (planMs > untilMs) return drop('no time outside the quiet hours is left before the event');
  if (
    rows.filter((row) => row.change === change && row.parent_id === null && wasTold(row)).length >=
    mostNotices
  )
    return drop(`${mostNotices} notices of this kind were sent already`);

  const payload = JSON.stringify(wordChange(factsOf(input, startMs), change, told.event_start_ms));
  const reason = reasons[change];
  const wanted: Wanted = { slot, channel, urgency: 'normal', planMs, payload, reason, change, key };
  const row = same ?? own[0];
  return {
    steps: [
      ...pending.filter((other) => other !== row).map(cancel),
      ...(row === undefined
        ? [{ action: 'add', wanted } as const]
        : same !== undefined && planMs <= nowMs && row.revision === event.revision
          ? []
          : [{ action: row.plan_ms === planMs ? 'keep' : 'move', row, wanted } as const]),
    ],
    dropped: [],
    notice: wanted,
  };
}

const reasons: Readonly<Record<Change, string>> = {
  moved: 'the event moved after a reminder was sent',
  cancelled: 'the event was cancelled after a reminder was sent',
  restored: 'the event takes place after its cancellation was reported',
};

function changeSince(
  told: Notification,
  occurrence: Occurrence | undefined,
  nowMs: number,
): Change | undefined {
  const toldMs = told.event_start_ms;
  if (occurrence === undefined)
    return told.change !== 'cancelled' && toldMs > nowMs ? 'cancelled' : undefined;
  const { startMs } = occurrence;
  if (told.change === 'cancelled') return startMs > nowMs ? 'restored' : undefined;
  const late = toldMs <= nowMs - waitingMs || Math.max(toldMs, startMs) <= nowMs;
  return startMs === toldMs || late ? undefined : 'moved';
}

/** When and by which channel; the one that the person was told by last, unless that would ring. */
function placeOf(
  { user, rows, nowMs }: ChangeInput,
  pending: Notification | undefined,
  startMs: number,
  told: Notification,
): Pick<Notification, 'channel' | 'plan_ms'> | undefined {
  const preferences = preferencesOf(user);
  const reachable = reachableBy(user);
  const planMs = nextOpenTime(pending?.plan_ms ?? nowMs + settleMs, preferences, reachable);
  if (planMs === undefined) return undefined;
  const allowed = channelsAt(planMs, preferences, reachable).filter(
    (channel) => channel !== 'call' || mayCall(rows, startMs, preferences),
  );
  const quiet: readonly Channel[] = allowed.filter((channel) => channel !== 'call');
  const channel: Channel | undefined = quiet.includes(told.channel) ? told.channel : (quiet[0] ?? allowed[0]);
  return channel && { channel, plan_ms: planMs };
}

function mayCall(rows: readonly Notification[], startMs: number, { maxCallAttempts }: Preferences): boolean {
  const calls = rows.filter(
    ({ channel, event_start_ms, status }) =>
      channel === 'call' && event_start_ms === startMs && status !== 'cancelled' && status !== 'planned',
  );
  return calls.length < maxCallAttempts;
}

function factsOf({ user, event, occurrence }: ChangeInput, startMs: number) {
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
