import { present } from '../../json.ts';
import type { CalendarEvent, Notification, User } from '../../store/schema.ts';
import { reachableBy } from '../entities/channels.ts';
import type { Occurrence } from '../entities/occurrence.ts';
import { parsePayload, type Words } from '../entities/payload.ts';
import { type Preferences, preferencesOf } from '../entities/preferences.ts';
import { answerOf, daysAfter, kindOf } from '../entities/reminders.ts';
import {
  addLateReminder,
  type Dropped,
  type Guarded,
  type GuardInput,
  type GuardResult,
  guard,
  type Proposal,
} from '../policy/guards.ts';
import { movedFrom, planChange } from './change-notice.ts';
import { describeTiming } from './date-format.ts';
import { type DesiredNotification, keyOf, type Proposed, type Step } from './plan-rows.ts';
import { factsOf, wordReminder } from './wording.ts';

export interface PlanInput {
  readonly user: User;
  readonly event: CalendarEvent;
  readonly occurrence: Occurrence;
  /** What the prompt says that the event names. */
  readonly prompt?: string | undefined;
  readonly nowMs: number;
  readonly important: boolean;
  readonly proposals: readonly Proposal[];
  /** Why these were proposed, for the message. */
  readonly why?: string | undefined;
  /** The reminders that a policy planned before. They stay if none of the proposals passes the guards. */
  readonly current?: Proposed;
  /** All notifications of this occurrence. */
  readonly rows: readonly Notification[];
  /** A notice says that the event moved, so that reminders need not. */
  readonly announced?: boolean;
  /** Plan again what a person cancelled. */
  readonly force: boolean;
}

export interface OccurrencePlan {
  readonly steps: readonly Step[];
  readonly dropped: readonly Dropped[];
}

/** Computes the steps from the stored notifications of one occurrence to the desired ones. Has no side effects. */
export function planOccurrence(input: PlanInput): OccurrencePlan {
  const { event, occurrence, user } = input;
  const preferences = preferencesOf(user, kindOf(event, occurrence));
  const notice = planChange(input);
  const acknowledged = isAcknowledged(input.rows, occurrence.startMs);
  const { taken, ...limits } = guardInput(input, preferences);
  const { kept, dropped, why } = choose(acknowledged ? { proposals: [] } : input, {
    ...limits,
    taken: notice.notice === undefined ? taken : [...taken, { ...notice.notice, slot: undefined }],
  });
  const refused = acknowledged
    ? input.proposals.map((proposal) => ({ proposal, reason: 'acknowledged' }))
    : dropped;
  const announced = notice.notice?.change === 'moved';
  const desired = kept.map((one) => toDesired(one, { ...input, why, announced }));
  const open = input.rows.filter(
    (row) => row.parent_id === null && row.change === null && row.origin !== 'snooze' && isOpen(row, input),
  );
  const [reason] =
    event.status === 'confirmed' ? ['no longer part of the plan'] : [`the event is ${event.status}`];
  return {
    steps: [
      ...difference(open, desired, reason!),
      ...input.rows
        .filter(
          (row) =>
            row.status === 'planned' &&
            (row.parent_id !== null || row.origin === 'snooze') &&
            row.change === null &&
            row.event_start_ms !== occurrence.startMs,
        )
        .map((row): Step => ({ action: 'cancel', row, reason: 'the event has moved' })),
      ...refreshSnoozed(input, acknowledged),
      ...notice.steps,
    ],
    dropped: [...refused, ...notice.dropped],
  };
}

/** Applies the guards. A plan is only replaced by another one, never by nothing. */
function choose(
  { proposals, why, current }: Pick<PlanInput, 'proposals' | 'why' | 'current'>,
  limits: GuardInput,
): GuardResult & Pick<PlanInput, 'why'> {
  const result = guard(proposals, limits);
  if (result.kept.length === 0 && current !== undefined) {
    const { kept } = guard(current.proposals, limits);
    if (kept.length > 0) return { kept, dropped: result.dropped, why: current.why };
  }
  return { ...addLateReminder(result, limits), why };
}

/** A reminder that the user put off keeps its time and follows the text of the event. */
function refreshSnoozed(input: PlanInput, acknowledged: boolean): readonly Step[] {
  return input.rows
    .filter(
      (row) =>
        row.origin === 'snooze' &&
        row.status === 'planned' &&
        row.event_start_ms === input.occurrence.startMs &&
        row.plan_ms > input.nowMs,
    )
    .map((row): Step => {
      if (acknowledged) return { action: 'cancel', row, reason: 'acknowledged' };
      const { slot, channel, urgency, plan_ms: planMs, reason, key } = row;
      const payload = payloadFor({ ...input, why: parsePayload(row.payload).why }, {}, slot);
      const desired = {
        slot,
        channel,
        urgency,
        planMs,
        payload,
        reason: reason ?? '',
        key,
        origin: 'snooze' as const,
      };
      return { action: 'keep', row, desired };
    });
}

/** True if the user has acknowledged a message about this start. Then no channel sends another reminder of it. */
function isAcknowledged(rows: readonly Notification[], startMs: number): boolean {
  return rows.some((row) => row.acknowledged_ms !== null && row.event_start_ms === startMs);
}

/** True if planning may still change the notification. A due one belongs to the worker, unless its event has moved. */
export function isOpen(
  row: Notification,
  { occurrence, nowMs }: Pick<PlanInput, 'occurrence' | 'nowMs'>,
): boolean {
  return row.status === 'planned' && (row.plan_ms > nowMs || row.event_start_ms !== occurrence.startMs);
}

/** Steps that cancel every planned reminder. */
export function cancelAll(rows: readonly Notification[], reason: string): readonly Step[] {
  return rows
    .filter(({ status, change }) => status === 'planned' && change === null)
    .map((row): Step => ({ action: 'cancel', row, reason }));
}

function guardInput(input: PlanInput, preferences: Preferences): GuardInput {
  const { user, event, occurrence, nowMs, important, force } = input;
  const snoozed = input.rows.filter(({ origin }) => origin === 'snooze');
  const taken = input.rows
    .filter(
      (row) =>
        row.parent_id === null &&
        row.origin !== 'snooze' &&
        row.event_start_ms === occurrence.startMs &&
        !isOpen(row, input),
    )
    .filter((row) => row.change === null || row.status !== 'planned')
    .filter((row) => row.status !== 'cancelled' || (!force && holdsKey(row)))
    .map(({ slot, channel, plan_ms: planMs, change }) => ({
      // The slot of a notice says how long it is useful; it must not stand for a reminder at that time.
      slot: change === null ? slot : undefined,
      channel,
      planMs,
    }));
  return {
    preferences,
    reachable: reachableBy(user),
    startMs: occurrence.startMs,
    nowMs,
    important,
    taken,
    afterMinutes: afterMinutes(event, occurrence),
    dueMinutes: event.all_day === 1 && occurrence.task !== undefined ? 1440 : 0,
    otherCalls: snoozed.filter(
      ({ channel, status, event_start_ms }) =>
        channel === 'call' && status !== 'cancelled' && event_start_ms === occurrence.startMs,
    ).length,
    occupied: snoozed
      .filter(({ status }) => status === 'planned')
      .map(({ channel, plan_ms: planMs }) => ({ channel, planMs })),
  };
}

/** Reminders may come on the day of an all-day event, and until four days after a task was due. */
export function afterMinutes(event: CalendarEvent, { task }: Pick<Occurrence, 'task'>): number {
  if (task !== undefined) return 4 * 1440;
  return event.all_day === 1 ? 1440 : 0;
}

/** A notification cancelled by planning releases its key; one cancelled by a person keeps it. */
function holdsKey(row: Notification): boolean {
  return row.key === keyOf(row.event_id, row.occurrence, row.event_start_ms, row.slot, row.channel);
}

function toDesired(
  { proposal, channel, urgency, planMs, changes }: Guarded,
  input: PlanInput,
): DesiredNotification {
  const { offsetMinutes, origin, named, subject, text, script } = proposal;
  const { locale } = preferencesOf(input.user);
  const shiftMs = planMs - (input.occurrence.startMs + offsetMinutes * 60_000);
  const allDay = input.event.all_day === 1;
  const timing = describeTiming(offsetMinutes, shiftMs, locale, allDay);
  return {
    slot: offsetMinutes,
    channel,
    urgency,
    planMs,
    payload: payloadFor({ ...input, timing }, present({ subject, text, script }), offsetMinutes),
    reason: [
      describeTiming(offsetMinutes, 0, 'en', allDay),
      ...(named && channel === proposal.channel ? [`by ${channel}, as the user asked`] : []),
      ...changes,
    ].join('; '),
    ...(origin !== undefined && { origin }),
  };
}

function difference(
  rows: readonly Notification[],
  desired: readonly DesiredNotification[],
  cancelReason: string,
): Step[] {
  const left = new Set(rows);
  const take = (test: (row: Notification) => boolean) => {
    const row = [...left].find(test);
    if (row !== undefined) left.delete(row);
    return row;
  };
  const same = new Map(
    desired.map((one) => [one, take((row) => row.slot === one.slot && row.channel === one.channel)]),
  );
  const steps = desired.map((one): Step => {
    const row = same.get(one) ?? take((other) => other.channel === one.channel);
    if (row === undefined) return { action: 'add', desired: one };
    return { action: row.plan_ms === one.planMs ? 'keep' : 'move', row, desired: one };
  });
  return [...steps, ...[...left].map((row): Step => ({ action: 'cancel', row, reason: cancelReason }))];
}

type PayloadInput = Pick<
  PlanInput,
  'user' | 'event' | 'occurrence' | 'prompt' | 'rows' | 'why' | 'announced'
> & {
  readonly timing?: string | undefined;
};

/** The text of a reminder, as stored in its row. */
export function payloadFor(
  { user, event, occurrence, prompt, rows, why, timing, announced }: PayloadInput,
  words: Words,
  slot: number,
): string {
  const facts = {
    ...factsOf(user, event, occurrence),
    movedFromMs: announced ? undefined : movedFrom(rows, occurrence.startMs),
    tentative: occurrence.status === 'tentative',
    answer: answerOf(user, occurrence),
    ...(occurrence.task !== undefined && {
      overdueDays: daysAfter(slot, occurrence.startMs, preferencesOf(user).timezone),
    }),
    ...present({ why, prompt }),
  };
  return JSON.stringify({ ...wordReminder(facts, words), ...(timing !== undefined && { timing }) });
}
