import type { Channel } from '../../store/schema.ts';
import type { OutcomeKind } from '../sending/channel.ts';

const second = 1000;
const firstPauseMs = 10 * second;
const maxPauseMs = 600 * second;
/** With the pauses in between, eight attempts take about twenty minutes. */
export const maxAttempts = 8;

export interface Attempted {
  readonly id: string;
  readonly channel: Channel;
  /** Number of attempts so far, including this one. */
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly outcome: OutcomeKind;
  readonly retryAfterMs?: number | undefined;
  readonly nowMs: number;
  /** When sending becomes useless. */
  readonly expiresMs: number;
}

export type NextStep =
  | { readonly kind: 'done' }
  | { readonly kind: 'retry'; readonly atMs: number }
  /** The channel has failed; try the next one. */
  | { readonly kind: 'give-up'; readonly reason: string };

/** Decides what to do after an attempt. */
export function planNext(attempted: Attempted): NextStep {
  const { outcome, channel, attempts, nowMs, expiresMs } = attempted;
  if (outcome === 'accepted') return { kind: 'done' };
  if (outcome === 'permanent') return { kind: 'give-up', reason: 'permanently refused' };
  // Do not call again if the phone may have rung: the person could not tell a repeated call from a new one.
  if (outcome === 'unknown' && channel === 'call')
    return { kind: 'give-up', reason: 'the call may have been made' };
  if (attempts >= attempted.maxAttempts) return { kind: 'give-up', reason: `${attempts} attempts failed` };
  const atMs = nowMs + Math.max(pauseMs(attempted.id, attempts), attempted.retryAfterMs ?? 0);
  if (atMs >= expiresMs) return { kind: 'give-up', reason: 'the next attempt would come too late' };
  return { kind: 'retry', atMs };
}

/** Exponential backoff with jitter from the id, so that notifications that failed together are not retried together. */
export function pauseMs(id: string, attempts: number): number {
  const pause = Math.min(firstPauseMs * 2 ** (attempts - 1), maxPauseMs);
  return Math.round(pause * (0.8 + 0.4 * jitter(id, attempts)));
}

/** A number in [0, 1) that is the same for the same attempt in every process. */
function jitter(id: string, attempts: number): number {
  let hash = 2166136261 ^ attempts;
  for (let index = 0; index < id.length; index++) hash = Math.imul(hash ^ id.charCodeAt(index), 16777619);
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}
