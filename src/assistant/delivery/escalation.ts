import type { Channel, Urgency } from '../../store/schema.ts';
import { channelNames } from '../entities/channels.ts';

const minute = 60_000;
/** How long a person has to acknowledge before the next channel is tried. */
const acknowledgeMs = 5 * minute;

export interface Reachability {
  /** Channels for which the user has an address. */
  readonly available: readonly Channel[];
  /** Channels that the user prefers. */
  readonly preferred: readonly Channel[];
  readonly urgency: Urgency;
}

/** The next channel that was not tried yet. Calls only users who prefer calls, or for high urgency. */
export function nextChannel(reach: Reachability, tried: readonly Channel[]): Channel | undefined {
  return channelOrder(reach).find((channel) => !tried.includes(channel));
}

function channelOrder({ available, preferred, urgency }: Reachability): Channel[] {
  const permitted = channelNames.filter((channel) => channel !== 'call' || isHighUrgency(urgency));
  return [...new Set([...preferred, ...permitted])].filter((channel) => available.includes(channel));
}

export function isHighUrgency(urgency: Urgency): boolean {
  return urgency === 'high' || urgency === 'urgent';
}

export interface Unanswered extends Reachability {
  /** Channels used so far for this reminder. */
  readonly used: readonly Channel[];
  /** Number of calls still allowed for this occurrence. */
  readonly callsLeft: number;
}

/** The channel for the next escalation step: an unused one, then the phone again up to the user's limit. */
export function nextEscalation(unanswered: Unanswered): Channel | undefined {
  const { used, callsLeft } = unanswered;
  const open = channelOrder(unanswered).filter((channel) => channel !== 'call' || callsLeft > 0);
  return open.find((channel) => !used.includes(channel)) ?? open.find((channel) => channel === 'call');
}

/**
 * When to escalate a notification that is not acknowledged. Applies only to high urgency, within the user's threshold
 * before the event, and not after the event has started.
 */
export function escalationTime(
  urgency: Urgency,
  sentMs: number,
  eventStartMs: number,
  thresholdMinutes: number,
): number | undefined {
  if (!isHighUrgency(urgency) || thresholdMinutes <= 0) return undefined;
  const atMs = Math.max(sentMs + acknowledgeMs, eventStartMs - thresholdMinutes * minute);
  return atMs < eventStartMs ? atMs : undefined;
}
