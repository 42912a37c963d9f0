import { type Channel, channels, type Urgency } from '../store/schema.ts';

const minute = 60_000;
/** How long a person has to answer before the next step. */
const answerMs = 5 * minute;

export interface Reach {
  /** The channels this person can be reached on. */
  readonly available: readonly Channel[];
  /** Those this person asked for. */
  readonly preferred: readonly Channel[];
  readonly urgency: Urgency;
}

/** The channel after those that were tried. A phone rings only for people who want that, or when it matters. */
export function nextChannel(reach: Reach, tried: readonly Channel[]): Channel | undefined {
  return order(reach).find((channel) => !tried.includes(channel));
}

function order({ available, preferred, urgency }: Reach): Channel[] {
  const quiet = channels.filter((channel) => channel !== 'call' || isPressing(urgency));
  return [...new Set([...preferred, ...quiet])].filter((channel) => available.includes(channel));
}

export function isPressing(urgency: Urgency): boolean {
  return urgency === 'high' || urgency === 'urgent';
}

export interface Unanswered extends Reach {
  /** Channels used so far for this reminder, in order. */
  readonly used: readonly Channel[];
  /** How often the phone may still ring for this event. */
  readonly callsLeft: number;
}

/** Up the ladder: a channel not used yet, then the phone again, as often as the person allows. */
export function escalate(unanswered: Unanswered): Channel | undefined {
  const { used, callsLeft } = unanswered;
  const open = order(unanswered).filter((channel) => channel !== 'call' || callsLeft > 0);
  return open.find((channel) => !used.includes(channel)) ?? open.find((channel) => channel === 'call');
}

/**
 * When to go on if nobody answers. Only pressing reminders are followed up, only within the person's threshold before
 * the event, and not once it has begun.
 */
export function escalationTime(
  urgency: Urgency,
  sentMs: number,
  eventStartMs: number,
  thresholdMinutes: number,
): number | undefined {
  if (!isPressing(urgency) || thresholdMinutes <= 0) return undefined;
  const atMs = Math.max(sentMs + answerMs, eventStartMs - thresholdMinutes * minute);
  return atMs < eventStartMs ? atMs : undefined;
}
