import type { Words } from '../entities/payload.ts';
import { channelsOf, type Preferences, rings } from '../entities/preferences.ts';
import { offsetsOf, wallOf } from '../icalendar/zone.ts';
import type { Channel, Urgency } from '../store/schema.ts';

const minuteMs = 60_000;
const dayMinutes = 1440;
export const mostPerOccurrence = 3;
/** Four weeks before the event, and not after it has begun. */
const earliestOffset = -40_320;

/** What a policy would like to send. */
export interface Proposal extends Words {
  /** Minutes from the start of the event; negative is before. */
  readonly offsetMinutes: number;
  readonly channel: Channel;
  readonly urgency: Urgency;
}

export interface GuardInput {
  readonly preferences: Preferences;
  /** The channels on which the user has an address. */
  readonly reachable: readonly Channel[];
  readonly startMs: number;
  readonly nowMs: number;
  /** A rule of the user says that the event matters. */
  readonly important: boolean;
  /** What was sent for the same occurrence already, or must not be. */
  readonly taken: readonly { readonly slot: number; readonly channel: Channel; readonly planMs: number }[];
}

export interface Guarded {
  readonly proposal: Proposal;
  readonly channel: Channel;
  readonly urgency: Urgency;
  readonly planMs: number;
  /** What was changed and why; empty when the proposal stands as it was. */
  readonly changes: readonly string[];
}

export interface Dropped {
  readonly proposal: Proposal;
  readonly reason: string;
}

/**
 * Whatever a policy proposes, only what is right is kept: in the future and before the event, outside the quiet hours of
 * the user at the time of delivery, on a channel the user wants then and can be reached by, once, and at most three
 * times. Nothing in a proposal can widen any of this.
 */
export function guard(
  proposals: readonly Proposal[],
  input: GuardInput,
): { readonly kept: readonly Guarded[]; readonly dropped: readonly Dropped[] } {
  const kept: Guarded[] = [];
  const dropped: Dropped[] = [];
  for (const proposal of proposals) {
    const one = guardOne(proposal, input, kept);
    if (typeof one === 'string') dropped.push({ proposal, reason: one });
    else kept.push(one);
  }
  return { kept, dropped };
}

function guardOne(proposal: Proposal, input: GuardInput, kept: readonly Guarded[]): Guarded | string {
  const { preferences, startMs, nowMs, taken } = input;
  const { offsetMinutes } = proposal;
  if (!Number.isInteger(offsetMinutes) || offsetMinutes < earliestOffset || offsetMinutes > 0)
    return 'it is not within the four weeks before the event';
  if (input.reachable.length === 0) return 'the user has no address on any channel';
  const wantedMs = startMs + offsetMinutes * minuteMs;
  if (wantedMs <= nowMs) return 'its time has passed';
  const planMs = openTime(wantedMs, input);
  if (planMs === undefined) return 'no time outside the quiet hours is left before the event';

  const calls = [...kept, ...taken].filter(({ channel }) => channel === 'call').length;
  const allowed = allowedAt(planMs, preferences, input.reachable).filter(
    (channel) => channel !== 'call' || calls < preferences.maxCallAttempts,
  );
  const channel = allowed.includes(proposal.channel) ? proposal.channel : allowed[0];
  if (channel === undefined) return 'no channel that the user wants then is left';
  if (taken.some((one) => one.slot === offsetMinutes && one.channel === channel))
    return 'it was sent or cancelled already';
  const minute = Math.floor(planMs / minuteMs);
  if (
    [...kept, ...taken].some((one) => one.channel === channel && Math.floor(one.planMs / minuteMs) === minute)
  )
    return 'there is one on this channel at the same time';
  if (kept.some((one) => one.channel === channel && one.proposal.offsetMinutes === offsetMinutes))
    return 'there is one like it already';
  if (kept.length + taken.length >= mostPerOccurrence)
    return `there are ${mostPerOccurrence} for this event already`;

  const urgency = allowedUrgency(proposal.urgency, planMs, input);
  const changes = [
    ...(planMs === wantedMs ? [] : [`moved ${planMs < wantedMs ? 'before' : 'behind'} quiet time`]),
    ...(channel === proposal.channel ? [] : [`by ${channel} instead of ${proposal.channel}`]),
    ...(urgency === proposal.urgency ? [] : [`${urgency} instead of ${proposal.urgency}`]),
  ];
  return { proposal, channel, urgency, planMs, changes };
}

// ── Time ───────────────────────────────────────────────────────────────────────────────────────────────────

interface Wall {
  readonly minute: number;
  /** Sunday is 0. */
  readonly weekday: number;
}

function wallAt(instantMs: number, zone: string): Wall {
  const wall = wallOf(instantMs, offsetsOf(zone) ?? (() => 0));
  const minutes = Math.floor(wall / minuteMs);
  // 1970 began on a Thursday.
  return { minute: modulo(minutes, dayMinutes), weekday: modulo(Math.floor(minutes / dayMinutes) + 4, 7) };
}

/** What the clock of the user shows decides, so that a change of the clocks moves nothing into the night. */
function isQuiet(instantMs: number, { timezone, quietStart, quietEnd }: Preferences): boolean {
  const [start, end] = [minutesOf(quietStart), minutesOf(quietEnd)];
  const sinceStart = modulo(wallAt(instantMs, timezone).minute - start, dayMinutes);
  return sinceStart < modulo(end - start, dayMinutes);
}

function isWeekend(instantMs: number, { timezone }: Preferences): boolean {
  const { weekday } = wallAt(instantMs, timezone);
  return weekday === 0 || weekday === 6;
}

/** The channels on which the user may be told something at an instant, the first choice first; none when at rest. */
export function channelsAt(
  instantMs: number,
  preferences: Preferences,
  reachable: readonly Channel[],
): readonly Channel[] {
  return isQuiet(instantMs, preferences) ? [] : allowedAt(instantMs, preferences, reachable);
}

function allowedAt(
  instantMs: number,
  preferences: Preferences,
  reachable: readonly Channel[],
): readonly Channel[] {
  const wanted = isWeekend(instantMs, preferences) ? preferences.weekendPolicy : preferences.channelPref;
  if (wanted === 'none') return [];
  const possible = channelsOf(wanted).filter((channel) => reachable.includes(channel));
  // Who cannot be reached as wished is told in a way that makes no noise.
  return possible.length > 0 ? possible : reachable.filter((channel) => channel !== 'call');
}

/** The first instant from this one on at which the user may be told something; `undefined` when there is none for long. */
export function nextOpenTime(
  instantMs: number,
  preferences: Preferences,
  reachable: readonly Channel[],
): number | undefined {
  const limit = instantMs + 9 * dayMinutes * minuteMs;
  let at = instantMs;
  while (at < limit) {
    if (channelsAt(at, preferences, reachable).length > 0) return at;
    const { minute } = wallAt(at, preferences.timezone);
    const wait = isQuiet(at, preferences)
      ? modulo(minutesOf(preferences.quietEnd) - minute, dayMinutes)
      : dayMinutes - minute;
    at = leap(Math.floor(at / minuteMs) * minuteMs, Math.max(1, wait), preferences);
  }
  return undefined;
}

/**
 * So many minutes on or back by the clock of the user. Where the clock was set meanwhile that would be too far, or not
 * far enough; too far is not gone, and where it would not get on at all, it gets on by a minute.
 */
function leap(at: number, minutes: number, { timezone }: Preferences): number {
  const offsets = offsetsOf(timezone) ?? (() => 0);
  const there = at + minutes * minuteMs;
  const ahead = Math.sign(minutes);
  const tooFar = Math.max(0, ahead * (offsets(there) - offsets(at)));
  const gone = Math.max(minuteMs, Math.abs(there - at) - tooFar);
  return at + ahead * gone;
}

function lastOpenTime(instantMs: number, { preferences, reachable, nowMs }: GuardInput): number | undefined {
  let at = instantMs;
  while (at > nowMs) {
    if (channelsAt(at, preferences, reachable).length > 0) return at;
    const { minute } = wallAt(at, preferences.timezone);
    const since = isQuiet(at, preferences)
      ? modulo(minute - minutesOf(preferences.quietStart), dayMinutes)
      : minute;
    at = leap(at, -(since + 1), preferences);
  }
  return undefined;
}

/** Rather a little early than late: the time itself, else the last before it, else the first after it. */
function openTime(wantedMs: number, input: GuardInput): number | undefined {
  const before = lastOpenTime(wantedMs, input);
  if (before !== undefined) return before;
  const after = nextOpenTime(wantedMs, input.preferences, input.reachable);
  return after !== undefined && after < input.startMs ? after : undefined;
}

// ── Urgency ────────────────────────────────────────────────────────────────────────────────────────────────

/** Pressing reminders may make a phone ring, so a policy's word alone does not make one. */
function allowedUrgency(
  urgency: Urgency,
  planMs: number,
  { preferences, startMs, important }: GuardInput,
): Urgency {
  if (urgency === 'low' || urgency === 'normal') return urgency;
  const near = startMs - planMs <= preferences.escalationThreshold * minuteMs;
  return near && (important || rings(preferences.channelPref)) ? urgency : 'normal';
}

function minutesOf(written: string): number {
  return Number(written.slice(0, 2)) * 60 + Number(written.slice(3, 5));
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
