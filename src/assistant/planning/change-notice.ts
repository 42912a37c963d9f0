import { inDigits, parseTime } from '../../recurrence/written-time.ts';
import type { CalendarEvent, Change, Channel, Notification, User } from '../../store/schema.ts';
import { reachableBy } from '../entities/channels.ts';
import { type AssistantData, findEvent, findUser } from '../entities/entity-access.ts';
import type { Occurrence } from '../entities/occurrence.ts';
import { parsePayload } from '../entities/payload.ts';
import { type Preferences, preferencesOf } from '../entities/preferences.ts';
import { channelsAt, type Dropped, nextAllowedTime } from '../policy/guards.ts';
import type { DesiredNotification, Step } from './plan-rows.ts';
import { rowsOf } from './plan-rows.ts';
import { type Announced, factsOf, placeOf, wordChange } from './wording.ts';

const minuteMs = 60_000;
/** Delay before a notice is sent, so that several changes in a row lead to one message. */
const noticeDelayMs = minuteMs;
/** A change is still reported this long after the announced start, because people may be waiting for the event. */
const stillWaitingMs = 60 * minuteMs;
/** Someone whose reminder is due for an event within this time is notified of changes as well. */
const soonMs = 24 * 60 * minuteMs;
/** Nobody has to hear that an event is cancelled that was added this recently, unless a message has announced it. */
const newMs = 10 * minuteMs;
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
  readonly notice?: Pick<DesiredNotification, 'slot' | 'channel' | 'planMs' | 'change'>;
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

/** The start announced in the last message, if the occurrence has moved since. A notice of the move already says so. */
export function movedFrom(rows: readonly Notification[], startMs: number): number | undefined {
  const isNotice = ({ change, status, event_start_ms }: Notification) =>
    change === 'moved' && status === 'planned' && event_start_ms === startMs;
  if (rows.some(isNotice)) return undefined;
  const last = lastMessage(rows);
  return last === undefined || last.event_start_ms === startMs ? undefined : last.event_start_ms;
}

/** Whether a change of this occurrence may still have to be reported. */
export function mayNeedNotice(rows: readonly Notification[], nowMs: number): boolean {
  const last = lastMessage(rows);
  return last !== undefined && last.event_start_ms > nowMs - stillWaitingMs;
}

/** What the user knows about an occurrence, or was about to be told. */
interface Baseline extends Announced {
  readonly id: string;
  readonly channel: Channel;
  /** True if the last message said that the event was cancelled. */
  readonly cancelled: boolean;
}

/**
 * The last message sent. If there is none, the reminder that was due within a day: someone who is about to be reminded
 * may already rely on the old time. A planned notice remembers that time, because the reminder itself has moved.
 */
function baselineOf(rows: readonly Notification[], nowMs: number): Baseline | undefined {
  const last = lastMessage(rows);
  const common = ({ id, channel }: Notification) => ({ id, channel, cancelled: false });
  if (last !== undefined) {
    const { place } = parsePayload(last.payload);
    const cancelled = last.change === 'cancelled';
    return { ...common(last), startMs: last.event_start_ms, place, told: true, cancelled };
  }
  const notice = rows.find(({ status, change }) => status === 'planned' && change !== null);
  const { was } = notice === undefined ? {} : parsePayload(notice.payload);
  if (notice !== undefined && was !== undefined)
    return { ...common(notice), ...was, told: false, id: 'soon' };
  const soon = rows.find(
    ({ status, event_start_ms, change }) =>
      status === 'planned' && change === null && event_start_ms > nowMs && event_start_ms - nowMs <= soonMs,
  );
  if (soon === undefined) return undefined;
  const { place } = parsePayload(soon.payload);
  return { ...common(soon), startMs: soon.event_start_ms, place, told: false, id: 'soon' };
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
  const known = baselineOf(rows, nowMs);
  const change = known && changeSince(known, occurrence, nowMs);
  const neverHeard = change === 'cancelled' && !known!.told && nowMs - event.created_ms < newMs;
  if (known === undefined || change === undefined || neverHeard)
    return { steps: pending.map(cancel), dropped: [] };

  const startMs = occurrence?.startMs ?? known.startMs;
  const place = change === 'place' ? [placeOf(occurrence?.location ?? null)] : [];
  const key = JSON.stringify([
    event.id,
    occurrence?.key ?? rows[0]!.occurrence,
    startMs,
    change,
    known.id,
    ...place,
  ]);
  const own = pending.filter(({ parent_id }) => parent_id === null);
  const same = own.find((row) => row.key === key);
  const tried = rows.find((row) => row.key === key);
  // The notice failed and may have a follow-up on another channel, or a person cancelled it.
  if (same === undefined && tried !== undefined)
    return { steps: pending.filter(({ parent_id }) => parent_id !== tried.id).map(cancel), dropped: [] };

  const untilMs = change === 'moved' ? Math.max(startMs, known.startMs) : startMs;
  const slot = Math.ceil((untilMs - startMs) / minuteMs);
  const placement =
    same?.plan_ms !== undefined && same.plan_ms <= nowMs ? same : chooseSlot(input, same, startMs, known);
  const drop = (reason: string): ChangePlan => ({
    steps: pending.map(cancel),
    dropped: [{ proposal: { offsetMinutes: slot, channel: known.channel, urgency: 'normal' }, reason }],
  });
  if (placement === undefined) return drop('the user wants no available channel');
  const { channel, plan_ms: planMs } = placement;
  if (planMs > untilMs) return drop('the quiet hours last until the event starts');
  if (
    rows.filter((row) => row.change === change && row.parent_id === null && wasSent(row)).length >= maxNotices
  )
    return drop(`${maxNotices} notices of this kind were already sent`);

  const facts = factsOf(input.user, event, { ...(occurrence ?? event), startMs });
  const payload = JSON.stringify(wordChange(facts, change, known));
  const reason = reasons[change](known.told ? 'after a reminder was sent' : 'shortly before a reminder');
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

const reasons: Readonly<Record<Change, (when: string) => string>> = {
  moved: (when) => `the event moved ${when}`,
  place: (when) => `the place of the event changed ${when}`,
  cancelled: (when) => `the event was cancelled ${when}`,
  restored: () => 'the event was reinstated after its cancellation was reported',
};

function changeSince(
  { startMs: announcedMs, place, cancelled }: Baseline,
  occurrence: Occurrence | undefined,
  nowMs: number,
): Change | undefined {
  if (occurrence === undefined) return !cancelled && announcedMs > nowMs ? 'cancelled' : undefined;
  const { startMs } = occurrence;
  if (cancelled) return startMs > nowMs ? 'restored' : undefined;
  if (startMs !== announcedMs) {
    const late = announcedMs <= nowMs - stillWaitingMs || Math.max(announcedMs, startMs) <= nowMs;
    return late ? undefined : 'moved';
  }
  return place !== undefined && place !== placeOf(occurrence.location) && startMs > nowMs
    ? 'place'
    : undefined;
}

/** Chooses time and channel: the channel of the last message, unless it is a call. */
function chooseSlot(
  { user, rows, nowMs }: ChangeInput,
  pending: Notification | undefined,
  startMs: number,
  last: Pick<Notification, 'channel'>,
): Pick<Notification, 'channel' | 'plan_ms'> | undefined {
  const preferences = preferencesOf(user);
  const reachable = reachableBy(user);
  const planMs = nextAllowedTime(pending?.plan_ms ?? nowMs + noticeDelayMs, preferences, reachable);
  if (planMs === undefined) return undefined;
  const allowed = channelsAt(planMs, preferences, reachable).filter(
    (channel) => channel !== 'call' || mayCall(rows, startMs, nowMs, preferences),
  );
  const quiet: readonly Channel[] = allowed.filter((channel) => channel !== 'call');
  const channel: Channel | undefined = quiet.includes(last.channel) ? last.channel : (quiet[0] ?? allowed[0]);
  return channel === undefined ? undefined : { channel, plan_ms: planMs };
}

/** Calls that were made or are due count; planned ones give way to the notice. */
function mayCall(
  rows: readonly Notification[],
  startMs: number,
  nowMs: number,
  { maxCallAttempts }: Preferences,
): boolean {
  const isCertain = ({ status, plan_ms, change }: Notification) =>
    status === 'planned' ? change === null && plan_ms <= nowMs : status !== 'cancelled';
  const calls = rows.filter(
    (row) => row.channel === 'call' && row.event_start_ms === startMs && isCertain(row),
  );
  return calls.length < maxCallAttempts;
}

const dayMs = 86_400_000;

/** A change that is not made yet. Without a start, the event is cancelled. */
export interface IntendedChange {
  readonly occurrence?: string | undefined;
  readonly following?: boolean | undefined;
  readonly start_ts?: string | undefined;
}

/** The notices that a change of an event would send to its user. Changes nothing. */
export async function previewChange(
  data: AssistantData,
  eventId: string,
  { occurrence: key, following = false, start_ts }: IntendedChange,
): Promise<{ readonly user: User; readonly notices: readonly DesiredNotification[] }> {
  const nowMs = data.clock();
  const { event, user, rows } = await data.store.read(async (db) => {
    const found = await findEvent(db, eventId);
    return { event: found, user: await findUser(db, found.user_id), rows: await rowsOf(db, eventId) };
  });
  const { timezone: zone, locale } = preferencesOf(user);
  const window = { fromMs: Math.min(nowMs - 4 * dayMs, event.start_ms), toMs: nowMs + 400 * dayMs };
  const all = await data.occurrences(event, window, zone);
  const first = all.find((one) => one.key === key) ?? all[0];
  const fromMs = key === undefined ? event.start_ms : (first?.startMs ?? event.start_ms);
  const ownZone = event.timezone ?? zone;
  const newStart =
    start_ts === undefined
      ? undefined
      : parseTime(await inDigits(start_ts, ownZone, nowMs, locale, 'start_ts'), ownZone, 'start_ts', nowMs)
          .ms;
  const isMeant = (one: Occurrence) =>
    key === undefined || one.key === key || (following && one.startMs > fromMs);
  const byKey = Map.groupBy(rows, ({ occurrence }) => occurrence);
  const notices = all.filter(isMeant).flatMap((one) => {
    const own = byKey.get(one.key);
    if (own === undefined) return [];
    const moved = newStart === undefined ? undefined : shifted(one, newStart - fromMs);
    const { steps } = planChange({ user, event, rows: own, nowMs, ...(moved && { occurrence: moved }) });
    return steps.flatMap((step) => ('desired' in step ? [step.desired] : []));
  });
  return { user, notices };
}

function shifted(occurrence: Occurrence, byMs: number): Occurrence {
  return { ...occurrence, startMs: occurrence.startMs + byMs, endMs: occurrence.endMs + byMs };
}
