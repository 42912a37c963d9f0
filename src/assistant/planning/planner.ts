import type { Occurrence } from '../entities/occurrence.ts';
import type { Words } from '../entities/payload.ts';
import { type Preferences, preferencesOf, reachableBy } from '../entities/preferences.ts';
import { type Dropped, type Guarded, type GuardInput, guard, type Proposal } from '../policy/guards.ts';
import type { CalendarEvent, Change, Channel, Notification, Urgency, User } from '../store/schema.ts';
import { movedFrom, planChange } from './change-notice.ts';
import { wordReminder } from './wording.ts';

export interface PlanInput {
  readonly user: User;
  readonly event: CalendarEvent;
  readonly occurrence: Occurrence;
  readonly nowMs: number;
  readonly important: boolean;
  readonly proposals: readonly Proposal[];
  /** Every row there is for this occurrence. */
  readonly rows: readonly Notification[];
  /** What a person cancelled may be planned again. */
  readonly force: boolean;
}

/** A notification as it should be. */
export interface Wanted {
  readonly slot: number;
  readonly channel: Channel;
  readonly urgency: Urgency;
  readonly planMs: number;
  readonly payload: string;
  readonly reason: string;
  /** Both are there for a notice of a change only. */
  readonly change?: Change;
  readonly key?: string;
}

export type Step =
  | { readonly action: 'add'; readonly wanted: Wanted }
  | { readonly action: 'move' | 'keep'; readonly row: Notification; readonly wanted: Wanted }
  | { readonly action: 'cancel'; readonly row: Notification; readonly reason: string };

export interface OccurrencePlan {
  readonly steps: readonly Step[];
  readonly dropped: readonly Dropped[];
}

/** The difference between what is planned for one occurrence and what should be. A pure decision. */
export function planOccurrence(input: PlanInput): OccurrencePlan {
  const { event, occurrence, user } = input;
  const preferences = preferencesOf(user);
  const notice = planChange(input);
  const known = isAcknowledged(input.rows, occurrence.startMs);
  const { taken, ...limits } = guardInput(input, preferences);
  const { kept, dropped } = guard(known ? [] : input.proposals, {
    ...limits,
    taken: notice.notice === undefined ? taken : [...taken, notice.notice],
  });
  const refused = known ? input.proposals.map((proposal) => ({ proposal, reason: 'acknowledged' })) : dropped;
  const wanted = kept.map((one) => wantedFrom(one, input));
  const open = input.rows.filter(
    (row) => row.parent_id === null && row.change === null && isOpen(row, input),
  );
  const [reason] =
    event.status === 'confirmed' ? ['no longer part of the plan'] : [`the event is ${event.status}`];
  return {
    steps: [
      ...difference(open, wanted, reason!),
      ...input.rows
        .filter(
          (row) =>
            row.status === 'planned' &&
            row.parent_id !== null &&
            row.change === null &&
            row.event_start_ms !== occurrence.startMs,
        )
        .map((row): Step => ({ action: 'cancel', row, reason: 'the event has moved' })),
      ...notice.steps,
    ],
    dropped: [...refused, ...notice.dropped],
  };
}

/** A person who knows when an occurrence starts is not reminded of that start again, by whatever channel. */
function isAcknowledged(rows: readonly Notification[], startMs: number): boolean {
  return rows.some((row) => row.acknowledged_ms !== null && row.event_start_ms === startMs);
}

/** Waiting, and not yet in the hands of delivery; an event that has moved takes back even what is due. */
export function isOpen(
  row: Notification,
  { occurrence, nowMs }: Pick<PlanInput, 'occurrence' | 'nowMs'>,
): boolean {
  return row.status === 'planned' && (row.plan_ms > nowMs || row.event_start_ms !== occurrence.startMs);
}

/** Every reminder that waits, called off. */
export function cancelAll(rows: readonly Notification[], reason: string): readonly Step[] {
  return rows
    .filter(({ status, change }) => status === 'planned' && change === null)
    .map((row): Step => ({ action: 'cancel', row, reason }));
}

/** What may exist once: the same reminder of the same occurrence at the same start on the same channel. */
export function keyOf(
  eventId: string,
  occurrence: string,
  startMs: number,
  slot: number,
  channel: Channel,
): string {
  return JSON.stringify([eventId, occurrence, startMs, slot, channel]);
}

function guardInput(input: PlanInput, preferences: Preferences): GuardInput {
  const { user, occurrence, nowMs, important, force } = input;
  const taken = input.rows
    .filter(
      (row) => row.parent_id === null && row.event_start_ms === occurrence.startMs && !isOpen(row, input),
    )
    .filter((row) => row.change === null || row.status !== 'planned')
    .filter((row) => row.status !== 'cancelled' || (!force && holdsKey(row)))
    .map(({ slot, channel, plan_ms: planMs }) => ({ slot, channel, planMs }));
  return { preferences, reachable: reachableBy(user), startMs: occurrence.startMs, nowMs, important, taken };
}

/** A row that the plan called off gives its key back; one that a person called off keeps it. */
function holdsKey(row: Notification): boolean {
  return row.key === keyOf(row.event_id, row.occurrence, row.event_start_ms, row.slot, row.channel);
}

/** What to say about an occurrence, as a row keeps it. */
export function payloadFor(
  { user, event, occurrence, rows }: Pick<PlanInput, 'user' | 'event' | 'occurrence' | 'rows'>,
  words: Words,
): string {
  const { locale, timezone } = preferencesOf(user);
  const facts = {
    name: user.name,
    locale,
    timezone,
    title: occurrence.title,
    startMs: occurrence.startMs,
    allDay: event.all_day === 1,
    location: occurrence.location,
    confLink: event.conf_link,
    movedFromMs: movedFrom(rows, occurrence.startMs),
  };
  return JSON.stringify(wordReminder(facts, words));
}

function wantedFrom({ proposal, channel, urgency, planMs, changes }: Guarded, input: PlanInput): Wanted {
  return {
    slot: proposal.offsetMinutes,
    channel,
    urgency,
    planMs,
    payload: payloadFor(input, wordsOf(proposal)),
    reason: [leadTime(proposal.offsetMinutes), ...changes].join('; '),
  };
}

function wordsOf({ subject, text, script }: Proposal): Words {
  return {
    ...(subject !== undefined && { subject }),
    ...(text !== undefined && { text }),
    ...(script !== undefined && { script }),
  };
}

function difference(rows: readonly Notification[], wanted: readonly Wanted[], gone: string): Step[] {
  const left = new Set(rows);
  const take = (test: (row: Notification) => boolean) => {
    const row = [...left].find(test);
    if (row !== undefined) left.delete(row);
    return row;
  };
  const same = new Map(
    wanted.map((one) => [one, take((row) => row.slot === one.slot && row.channel === one.channel)]),
  );
  const steps = wanted.map((one): Step => {
    const row = same.get(one) ?? take((other) => other.channel === one.channel);
    if (row === undefined) return { action: 'add', wanted: one };
    return { action: row.plan_ms === one.planMs ? 'keep' : 'move', row, wanted: one };
  });
  return [...steps, ...[...left].map((row): Step => ({ action: 'cancel', row, reason: gone }))];
}

function leadTime(offsetMinutes: number): string {
  const minutes = -offsetMinutes;
  if (minutes === 0) return 'at the start';
  const [amount, unit] =
    minutes % 1440 === 0
      ? [minutes / 1440, 'day']
      : minutes % 60 === 0
        ? [minutes / 60, 'hour']
        : [minutes, 'minute'];
  return `${amount} ${unit}${amount === 1 ? '' : 's'} before`;
}
