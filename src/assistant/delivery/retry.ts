import type { OutcomeKind } from '../channels/channel.ts';
import type { Channel } from '../store/schema.ts';

const second = 1000;
const firstPauseMs = 10 * second;
const longestPauseMs = 600 * second;
/** With the pauses between them these take about twenty minutes. */
export const mostAttempts = 8;

export interface Attempted {
  readonly id: string;
  readonly channel: Channel;
  /** How many there were, this one included. */
  readonly attempts: number;
  readonly mostAttempts: number;
  readonly outcome: OutcomeKind;
  readonly retryAfterMs?: number | undefined;
  readonly nowMs: number;
  /** From when on it would be of no use. */
  readonly uselessMs: number;
}

export type NextStep =
  | { readonly kind: 'done' }
  | { readonly kind: 'retry'; readonly atMs: number }
  /** This channel is through: the next one, if there is one. */
  | { readonly kind: 'give-up'; readonly reason: string };

/** What follows from an attempt. */
export function planNext(attempted: Attempted): NextStep {
  const { outcome, channel, attempts, nowMs, uselessMs } = attempted;
  if (outcome === 'accepted') return { kind: 'done' };
  if (outcome === 'permanent') return { kind: 'give-up', reason: 'refused for good' };
  // A phone that may have rung is not rung again: nobody could tell the repetition from a second reason to call.
  if (outcome === 'unknown' && channel === 'call')
    return { kind: 'give-up', reason: 'the call may have been made' };
  if (attempts >= attempted.mostAttempts) return { kind: 'give-up', reason: `${attempts} attempts failed` };
  const atMs = nowMs + Math.max(pauseMs(attempted.id, attempts), attempted.retryAfterMs ?? 0);
  if (atMs >= uselessMs) return { kind: 'give-up', reason: 'the next attempt would come too late' };
  return { kind: 'retry', atMs };
}

/** Doubles with every attempt; spread by the id, so that what failed together does not come back together. */
export function pauseMs(id: string, attempts: number): number {
  const pause = Math.min(firstPauseMs * 2 ** (attempts - 1), longestPauseMs);
  return Math.round(pause * (0.8 + 0.4 * spread(id, attempts)));
}

/** The same number in [0, 1) for the same attempt, in every process. */
function spread(id: string, attempts: number): number {
  let hash = 2166136261 ^ attempts;
  for (let index = 0; index < id.length; index++) hash = Math.imul(hash ^ id.charCodeAt(index), 16777619);
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}
