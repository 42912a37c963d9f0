import { offsetsIn, wallOf } from '../../recurrence/zone.ts';
import type { Attention, Channel, EventKind, Origin } from '../../store/schema.ts';

// Policies propose reminders for one event, and the guards check each of them. This layer sees what a person would get on a
// whole day, and decides which of the planned reminders become a message. A planned reminder is
//
//   sent        by itself, or as the first of several in one message
//   merged      into the message of another reminder, its leader: both are due within minutes, their events follow each other
//               without a break, or the day already has enough messages
//   dropped     because reminders are paused, another message about the same event is due, or the day has enough messages
//
// A reminder with a time that the person named or marked with `!`, an alarm of the person, a reminder that the person put off, and everything
// about an important event is exempt: it is sent by itself at its time. Messages that are no reminders (changes, the daily
// agenda, permission requests) are exempt as well; they only count.

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** Reminders on one channel that are due within this time become one message. */
const togetherMs = 5 * minuteMs;
/** Nobody needs a second message about an event on the same channel within this time. */
const sameEventMs = 20 * minuteMs;
/** Meetings with a shorter break between them share a message. */
const breakMs = 15 * minuteMs;
/** A message announces meetings at most this far ahead of its own time. */
const maxAheadMs = 6 * 60 * minuteMs;
/** A day can be full of long meetings. What begins during one has a message of its own. */
const maxMeetingMs = 2 * 60 * minuteMs;
/** A reminder over the limit of a day joins a message at most this long before it. */
const joinsMs = 4 * 60 * minuteMs;
const maxMerged = 12;

/** What the attention layer knows about a notification. */
export interface Candidate {
  readonly id: string;
  readonly eventId: string;
  readonly occurrence: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly kind: EventKind | undefined;
  /** True if the person or a rule called the event important. */
  readonly important: boolean;
  readonly recurring: boolean;
  /** When it is due. */
  readonly atMs: number;
  readonly channel: Channel;
  readonly origin: Origin | null;
  /** True if quiet hours moved it so far that it makes no sound. */
  readonly silent: boolean;
  /** True if it was sent or is being sent, so that nothing can be decided about it any more. */
  readonly sent: boolean;
  /** False for changes, agendas, follow-ups and other messages that are no reminders. */
  readonly isReminder: boolean;
  /** The leader decided earlier. */
  readonly leader: string | null;
}

/** Messages per day and channel. Exempt ones count, but are never dropped. */
export interface Limits {
  readonly messages: number;
  readonly calls: number;
}

export interface PersonState {
  readonly timezone: string;
  readonly limits: Limits;
  /** Until when the person wants no reminders, except the exempt ones. */
  readonly pauseUntilMs: number | null;
  /** When that pause begins. */
  readonly pauseFromMs: number | null;
}

export interface Verdict {
  readonly attention: Attention;
  readonly why: string;
  readonly leader?: string;
}

/** Defaults that keep a full working day bearable. A person who only takes calls gets more of them. */
export function defaultLimits(channelPref: string): Limits {
  return { messages: 6, calls: channelPref === 'call' ? 4 : 1 };
}

/** Decides about the reminders of one person. Those that are absent from the result are sent. Has no side effects. */
export function attend(candidates: readonly Candidate[], person: PersonState): ReadonlyMap<string, Verdict> {
  const offsets = offsetsIn(person.timezone);
  const dayOf = ({ atMs, channel }: Candidate) => `${Math.floor(wallOf(atMs, offsets) / dayMs)} ${channel}`;
  const verdicts = new Map<string, Verdict>();
  const sorted = candidates.toSorted(
    (a, b) => a.atMs - b.atMs || a.startMs - b.startMs || compare(a.id, b.id),
  );
  for (const day of Map.groupBy(sorted, dayOf).values()) attendDay(day, person, verdicts);
  return verdicts;
}

/** Decides about the messages of one day and channel, which are sorted by time. */
function attendDay(day: readonly Candidate[], person: PersonState, verdicts: Map<string, Verdict>): void {
  const open = day.filter((one) => one.isReminder && !one.sent);
  for (const one of open) {
    const verdict = paused(one, person) ?? repeated(one, day, verdicts);
    if (verdict !== undefined) verdicts.set(one.id, verdict);
  }
  const groups = merge(
    open.filter((one) => !verdicts.has(one.id)),
    day,
    verdicts,
  );
  applyLimit(groups, day, person.limits, verdicts);
}

/** Times that the person named or marked, own alarms and important events are neither merged nor dropped. */
function isExempt({ origin, important }: Candidate): boolean {
  return important || (origin !== null && origin !== 'preference');
}

/** Settings of the person are paused, also those that permit quiet hours. */
function paused(one: Candidate, { pauseFromMs, pauseUntilMs }: PersonState): Verdict | undefined {
  const { atMs, important, origin } = one;
  if (isExempt(one) && (important || origin !== 'preference-quiet')) return undefined;
  if (pauseUntilMs === null || atMs >= pauseUntilMs || atMs < (pauseFromMs ?? atMs)) return undefined;
  return { attention: 'dropped', why: `reminders are paused until ${new Date(pauseUntilMs).toISOString()}` };
}

/** A message about the same event shortly before says enough. An exempt one shortly after it does, too. */
function repeated(
  one: Candidate,
  day: readonly Candidate[],
  verdicts: ReadonlyMap<string, Verdict>,
): Verdict | undefined {
  if (isExempt(one)) return undefined;
  const isSaid = (other: Candidate) =>
    other !== one &&
    other.eventId === one.eventId &&
    other.occurrence === one.occurrence &&
    Math.abs(other.atMs - one.atMs) < sameEventMs &&
    (comesBefore(other, one) || (!other.sent && isExempt(other))) &&
    verdicts.get(other.id)?.attention !== 'dropped';
  return day.some(isSaid)
    ? { attention: 'dropped', why: 'another message about this event comes within 20 minutes' }
    : undefined;
}

function comesBefore(one: Candidate, other: Candidate): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.id < other.id);
}

interface Group {
  readonly leader: Candidate;
  readonly members: Candidate[];
}

/** Puts reminders into one message that are due together or whose meetings follow each other. */
function merge(
  open: readonly Candidate[],
  day: readonly Candidate[],
  verdicts: Map<string, Verdict>,
): readonly Group[] {
  const groups: Group[] = [];
  const sent = new Set(day.filter((one) => one.sent).map(({ id }) => id));
  for (const one of open) {
    // The message with this reminder is on its way.
    if (one.leader !== null && sent.has(one.leader)) {
      verdicts.set(one.id, { attention: 'merged', leader: one.leader, why: 'its message was already sent' });
      continue;
    }
    const found = groups
      .map((group) => ({ group, why: reasonToJoin(one, group) }))
      .find(({ why }) => why !== undefined);
    if (found === undefined) {
      groups.push({ leader: one, members: [one] });
      continue;
    }
    found.group.members.push(one);
    verdicts.set(one.id, { attention: 'merged', leader: found.group.leader.id, why: found.why! });
  }
  return groups;
}

/** Why a reminder belongs into a message, or undefined if it does not. */
function reasonToJoin(one: Candidate, { leader, members }: Group): string | undefined {
  // What is silent anyway can be in one message, whoever asked for it.
  if (one.silent !== leader.silent || members.length >= maxMerged) return undefined;
  if (!one.silent && (isExempt(one) || isExempt(leader))) return undefined;
  if (one.atMs - leader.atMs <= togetherMs)
    return one.silent
      ? 'quiet hours moved it; one silent message before they begin lists all of them'
      : 'another reminder is due at the same time';
  const follows = (before: Candidate) =>
    isMeeting(before) &&
    isMeeting(one) &&
    before.endMs - before.startMs <= maxMeetingMs &&
    isWithoutBreak(one, Math.abs(one.startMs - before.endMs));
  return one.startMs - leader.atMs <= maxAheadMs && members.some(follows)
    ? 'its event follows another one without a break'
    : undefined;
}

/** A lead time that the person chose would become longer in an earlier message, unless the events really are back to back. */
function isWithoutBreak({ origin }: Candidate, breakOfMs: number): boolean {
  return origin === 'preference' ? breakOfMs === 0 : breakOfMs < breakMs;
}

/** Flights, trains and medical appointments deserve a message of their own; tasks and whole days do not follow each other. */
function isMeeting({ kind }: Candidate): boolean {
  return kind === undefined || kind === 'online' || kind === 'place';
}

/** Keeps the most useful messages of a day. Others join the message before them, or are dropped. */
function applyLimit(
  groups: readonly Group[],
  day: readonly Candidate[],
  limits: Limits,
  verdicts: Map<string, Verdict>,
): void {
  const [first] = groups;
  if (first === undefined) return;
  const limit = first.leader.channel === 'call' ? limits.calls : limits.messages;
  const others = day.filter((one) => one.sent || !one.isReminder).length;
  const exempt = groups.filter(({ leader }) => isExempt(leader) || leader.silent);
  const ranked = groups
    .filter((group) => !exempt.includes(group))
    .toSorted((a, b) => rankOf(b, groups) - rankOf(a, groups));
  const kept = new Set([...exempt, ...ranked.slice(0, Math.max(0, limit - others - exempt.length))]);
  for (const group of ranked) {
    if (kept.has(group)) continue;
    const { leader, members } = group;
    const earlier = groups.findLast(
      (other) =>
        kept.has(other) &&
        !isExempt(other.leader) &&
        other.leader.atMs <= leader.atMs &&
        leader.atMs - other.leader.atMs <= joinsMs &&
        other.members.length + members.length <= maxMerged,
    );
    const why = `the day already has ${limit} ${leader.channel === 'call' ? 'calls' : 'messages'} on this channel`;
    for (const member of members)
      verdicts.set(
        member.id,
        earlier === undefined
          ? { attention: 'dropped', why }
          : { attention: 'merged', leader: earlier.leader.id, why },
      );
    earlier?.members.push(...members);
  }
}

const usefulness: Readonly<Record<EventKind | 'other', number>> = {
  flight: 60,
  train: 55,
  doctor: 50,
  place: 40,
  other: 30,
  online: 30,
  task: 20,
  birthday: 20,
  all_day: 10,
};

/** Single events are forgotten more easily than weekly ones, and the last reminder of an event matters most. */
function rankOf({ members }: Group, groups: readonly Group[]): number {
  const rank = (one: Candidate) => {
    const isLast = !groups.some(({ members: others }) =>
      others.some(
        (other) =>
          other.eventId === one.eventId && other.occurrence === one.occurrence && other.atMs > one.atMs,
      ),
    );
    return usefulness[one.kind ?? 'other'] - (one.recurring ? 15 : 0) + (isLast ? 5 : 0);
  };
  return Math.max(...members.map(rank)) + members.length / 100;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
