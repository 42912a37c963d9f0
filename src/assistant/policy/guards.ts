import { offsetsIn, wallOf } from '../../recurrence/zone.ts';
import type { Channel, Origin, Urgency } from '../../store/schema.ts';
import { canBeSilent } from '../entities/channels.ts';
import type { Words } from '../entities/payload.ts';
import { channelsOf, type Preferences, withChannel } from '../entities/preferences.ts';
import { resultTexts } from '../messages/catalog.ts';

const minuteMs = 60_000;
const dayMinutes = 1440;
/** Reminders for one occurrence: at most this many from a policy, and this many in total if the user asked for them. */
export const maxPerOccurrence = 3;
export const maxPersonal = 5;
/** Reminders on one channel closer than this are merged. */
const mergeMs = 2 * minuteMs;
/** A reminder that quiet hours move further than this comes at a time when nobody expects it, so it makes no sound. */
const silentShiftMs = 120 * minuteMs;
const timeHasPassed = 'the time has passed';
/** Four weeks before the event. */
const earliestOffset = -40_320;

/** A reminder that a policy proposes. */
export interface Proposal extends Words {
  /** Minutes relative to the start of the event; negative values are before it. */
  readonly offsetMinutes: number;
  readonly channel: Channel;
  readonly urgency: Urgency;
  /** Set if the user asked for this reminder. No policy can set it. */
  readonly origin?: Origin;
  /** True if the user named the channel of this reminder. No policy can set it. */
  readonly named?: true;
}

export interface GuardInput {
  readonly preferences: Preferences;
  /** Channels for which the user has an address. */
  readonly reachable: readonly Channel[];
  readonly startMs: number;
  readonly nowMs: number;
  /** True if the user or one of the user's rules called the event important. */
  readonly important: boolean;
  /** How long after the start a reminder is still allowed, in minutes: for all-day events and tasks. */
  readonly afterMinutes?: number;
  /** How long after the start a first reminder is in time, in minutes: until the end of the day for a task due on a date. */
  readonly dueMinutes?: number;
  /** Notifications of the same occurrence that were sent, or that a person cancelled. Change notices have no slot. */
  readonly taken: readonly {
    readonly slot?: number | undefined;
    readonly channel: Channel;
    readonly planMs: number;
  }[];
  /** Calls for the same start that are not in `taken`. */
  readonly otherCalls?: number;
  /** Other messages that are planned. Reminders must not collide with them. */
  readonly occupied?: readonly { readonly channel: Channel; readonly planMs: number }[];
}

export interface Guarded {
  readonly proposal: Proposal;
  readonly channel: Channel;
  readonly urgency: Urgency;
  readonly planMs: number;
  /** What the guards changed in the proposal. */
  readonly changes: readonly string[];
}

export interface Dropped {
  readonly proposal: Proposal;
  readonly reason: string;
}

export interface GuardResult {
  readonly kept: readonly Guarded[];
  readonly dropped: readonly Dropped[];
}

/**
 * Enforces the user's limits on the proposals of a policy. A kept reminder lies in the future and before the event,
 * outside the quiet hours, on a channel that the user wants at that time and has an address for. Each occurrence gets
 * at most three reminders and no duplicates. A policy cannot relax these limits. The user can ask for up to five
 * reminders, and can permit a single one in quiet hours.
 */
export function guard(proposals: readonly Proposal[], input: GuardInput): GuardResult {
  const kept: Guarded[] = [];
  const dropped: Dropped[] = [];
  for (const proposal of proposals) {
    const one = guardOne(proposal, input, kept);
    if (typeof one === 'string') dropped.push({ proposal, reason: one });
    else kept.push(one);
  }
  return { kept, dropped };
}

/**
 * Adds a reminder before the start if the proposals asked for one and all their times have passed, so that an event that
 * starts soon is not forgotten. The guards apply to it as well. Alarms are left out: another program has sent them.
 */
export function addLateReminder(result: GuardResult, input: GuardInput): GuardResult {
  const { startMs, nowMs, dueMinutes = 0, taken } = input;
  const dueMs = startMs + dueMinutes * minuteMs;
  if (taken.length > 0 || dueMs <= nowMs || result.kept.some(({ planMs }) => planMs <= dueMs)) return result;
  const late = result.dropped
    .filter(({ reason, proposal }) => reason === timeHasPassed && proposal.origin !== 'alarm')
    .toSorted((a, b) => a.proposal.offsetMinutes - b.proposal.offsetMinutes)
    .at(-1);
  if (late === undefined) return result;
  const { channel, urgency, origin, named } = late.proposal;
  // Without the words of the policy, which can mention the time that has passed.
  const proposal: Proposal = {
    offsetMinutes: lateOffset((startMs - nowMs) / minuteMs),
    channel,
    urgency,
    // The permission for quiet hours was for the time that has passed.
    ...(origin !== undefined && { origin: origin.replace(/-quiet$/, '') as Origin }),
    ...(named && { named }),
  };
  const added = guardOne(proposal, { ...input, afterMinutes: dueMinutes }, result.kept);
  if (typeof added === 'string') return result;
  return {
    kept: [{ ...added, changes: ['the proposed time has passed', ...added.changes] }, ...result.kept],
    dropped: result.dropped.filter((one) => one !== late),
  };
}

/** Fifteen or five minutes before the start, or the next full minute if less time is left. */
function lateOffset(left: number): number {
  if (left > 16) return -15;
  return -Math.min(5, Math.ceil(left) - 1) + 0;
}

function guardOne(proposal: Proposal, limits: GuardInput, kept: readonly Guarded[]): Guarded | string {
  const input = proposal.named
    ? { ...limits, preferences: withChannel(limits.preferences, proposal.channel) }
    : limits;
  const { preferences, startMs, nowMs, taken, afterMinutes = 0, occupied = [] } = input;
  const { offsetMinutes, origin } = proposal;
  const latest = origin === undefined ? 0 : afterMinutes;
  if (!Number.isInteger(offsetMinutes) || offsetMinutes < earliestOffset || offsetMinutes > latest)
    return 'the time is not within the four weeks before the event';
  if (input.reachable.length === 0) return 'the user has no address on any channel';
  const proposedMs = startMs + offsetMinutes * minuteMs;
  if (proposedMs <= nowMs) return timeHasPassed;
  const permitted = origin?.endsWith('-quiet') === true;
  // An alarm of the user keeps its time, but makes no sound in quiet hours.
  const muted = origin === 'alarm' && isQuiet(proposedMs, preferences) && staysQuiet(proposedMs, input);
  const planMs = permitted || muted ? proposedMs : nearestAllowedTime(proposedMs, input, latest);
  if (planMs === undefined) return 'the quiet hours last until the event starts';
  const silent = muted || Math.abs(planMs - proposedMs) > silentShiftMs;

  const calls =
    [...kept, ...taken].filter(({ channel }) => channel === 'call').length + (input.otherCalls ?? 0);
  const usual = permitted ? channelsAtNamedTime : channelsOnDay;
  const choose = muted ? silentChannels : silent ? softestChannels : usual;
  const allowed = choose(planMs, preferences, input.reachable).filter(
    (channel) => channel !== 'call' || calls < preferences.maxCallAttempts,
  );
  const channel = allowed.includes(proposal.channel) ? proposal.channel : allowed[0];
  if (channel === undefined) return 'the user wants no available channel at that time';
  if (taken.some((one) => one.slot === offsetMinutes && one.channel === channel))
    return 'it was already sent or cancelled';
  if (
    [...kept, ...taken, ...occupied].some(
      (one) => one.channel === channel && Math.abs(one.planMs - planMs) < mergeMs,
    )
  )
    return 'another notification is planned on this channel at the same time';
  if (kept.some((one) => one.channel === channel && one.proposal.offsetMinutes === offsetMinutes))
    return 'the same notification is already planned';
  const limit = origin === undefined ? maxPerOccurrence : maxPersonal;
  if (kept.length + taken.length >= limit) return `the event already has ${limit} notifications`;

  const urgency = silent ? 'low' : allowedUrgency(proposal.urgency, planMs, input);
  const changes = [
    ...(planMs === proposedMs
      ? []
      : [planMs < proposedMs ? resultTexts.timing.movedBefore : resultTexts.timing.movedAfter]),
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
  const wall = wallOf(instantMs, offsetsIn(zone));
  const minutes = Math.floor(wall / minuteMs);
  // 1 January 1970 was a Thursday.
  return { minute: modulo(minutes, dayMinutes), weekday: modulo(Math.floor(minutes / dayMinutes) + 4, 7) };
}

/** Compares wall-clock time in the user's zone, so that quiet hours stay correct across daylight-saving changes. */
function isQuiet(instantMs: number, { timezone, quietStart, quietEnd }: Preferences): boolean {
  const [start, end] = [minutesOf(quietStart), minutesOf(quietEnd)];
  const sinceStart = modulo(wallAt(instantMs, timezone).minute - start, dayMinutes);
  return sinceStart < modulo(end - start, dayMinutes);
}

function isWeekend(instantMs: number, { timezone }: Preferences): boolean {
  const { weekday } = wallAt(instantMs, timezone);
  return weekday === 0 || weekday === 6;
}

/** Channels on which the user may be notified at an instant, preferred one first. Empty during quiet hours. */
export function channelsAt(
  instantMs: number,
  preferences: Preferences,
  reachable: readonly Channel[],
): readonly Channel[] {
  return isQuiet(instantMs, preferences) ? [] : channelsOnDay(instantMs, preferences, reachable);
}

/** Channels for a time that the user named: in quiet hours as at any other time, and also on days without messages or calls. */
export function channelsAtNamedTime(
  instantMs: number,
  preferences: Preferences,
  reachable: readonly Channel[],
): readonly Channel[] {
  const { namedWeekendPolicy, channelPref } = preferences;
  const weekendPolicy = namedWeekendPolicy === 'none' ? channelPref : namedWeekendPolicy;
  return channelsOnDay(instantMs, { ...preferences, weekendPolicy }, reachable);
}

/** Channels that can make no sound. If none is preferred, any other such channel of the user. */
function silentChannels(
  instantMs: number,
  preferences: Preferences,
  reachable: readonly Channel[],
  isWanted: (channel: Channel) => boolean = canBeSilent,
): readonly Channel[] {
  const preferred = channelsOnDay(instantMs, preferences, reachable);
  const quiet = preferred.filter(isWanted);
  return quiet.length > 0 || preferred.length === 0 ? quiet : reachable.filter(isWanted);
}

/** For what quiet hours moved far away from its time: a sound then disturbs nobody's sleep, but a call is too much. */
function softestChannels(...when: readonly [number, Preferences, readonly Channel[]]): readonly Channel[] {
  const silent = silentChannels(...when);
  return silent.length > 0 ? silent : silentChannels(...when, (channel) => channel !== 'call');
}

function staysQuiet(instantMs: number, { preferences, reachable }: GuardInput): boolean {
  return silentChannels(instantMs, preferences, reachable).length > 0;
}

function channelsOnDay(
  instantMs: number,
  preferences: Preferences,
  reachable: readonly Channel[],
): readonly Channel[] {
  const preference = isWeekend(instantMs, preferences) ? preferences.weekendPolicy : preferences.channelPref;
  if (preference === 'none') return [];
  const possible = channelsOf(preference).filter((channel) => reachable.includes(channel));
  // If no preferred channel has an address, fall back to channels that do not ring.
  return possible.length > 0 ? possible : reachable.filter((channel) => channel !== 'call');
}

/** First instant, from the given one on, at which the user may be notified. Undefined if there is none within nine days. */
export function nextAllowedTime(
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
    at = shiftByWallClock(Math.floor(at / minuteMs) * minuteMs, Math.max(1, wait), preferences);
  }
  return undefined;
}

/**
 * Moves an instant by wall-clock minutes in the user's zone. A daylight-saving change in between would make the step
 * too long, so the step is shortened by the change, but never below one minute.
 */
function shiftByWallClock(at: number, minutes: number, { timezone }: Preferences): number {
  const offsets = offsetsIn(timezone);
  const target = at + minutes * minuteMs;
  const direction = Math.sign(minutes);
  const excess = Math.max(0, direction * (offsets(target) - offsets(at)));
  const distance = Math.max(minuteMs, Math.abs(target - at) - excess);
  return at + direction * distance;
}

function lastAllowedTime(
  instantMs: number,
  { preferences, reachable, nowMs }: GuardInput,
): number | undefined {
  let at = instantMs;
  while (at > nowMs) {
    if (channelsAt(at, preferences, reachable).length > 0) return at;
    const { minute } = wallAt(at, preferences.timezone);
    const since = isQuiet(at, preferences)
      ? modulo(minute - minutesOf(preferences.quietStart), dayMinutes)
      : minute;
    at = shiftByWallClock(at, -(since + 1), preferences);
  }
  return undefined;
}

/** The proposed time if it is allowed, else the last allowed time before it, else the first one after it. */
function nearestAllowedTime(proposedMs: number, input: GuardInput, latest: number): number | undefined {
  const before = lastAllowedTime(proposedMs, input);
  if (before !== undefined) return before;
  const after = nextAllowedTime(proposedMs, input.preferences, input.reachable);
  return after !== undefined && after < input.startMs + latest * minuteMs ? after : undefined;
}

// ── Urgency ────────────────────────────────────────────────────────────────────────────────────────────────

/** High urgency leads to more messages, so only the user or a rule of the user can cause it. */
function allowedUrgency(
  urgency: Urgency,
  planMs: number,
  { preferences, startMs, important }: GuardInput,
): Urgency {
  if (urgency === 'low' || urgency === 'normal') return urgency;
  const near = startMs - planMs <= preferences.escalationThreshold * minuteMs;
  return near && important ? urgency : 'normal';
}

function minutesOf(written: string): number {
  return Number(written.slice(0, 2)) * 60 + Number(written.slice(3, 5));
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
