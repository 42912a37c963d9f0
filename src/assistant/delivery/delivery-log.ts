import { log } from '../../log.ts';
import { singleLine } from '../../single-line.ts';
import type { Channel as ChannelName } from '../../store/schema.ts';
import type { Clock } from '../../store/store.ts';
import type { OutcomeRecord } from './record-outcome.ts';

/** A failing channel is logged at most once in this time. */
const pauseMs = 60_000;

/** Logs failed deliveries: every notification that is given up, and at most one line per minute and channel for retries. */
export class DeliveryLog {
  readonly #clock: Clock;
  readonly #lastLogged = new Map<ChannelName, { atMs: number; suppressed: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  report({
    notification: { id, channel, user_id },
    status,
    error: fullError,
    followUp,
  }: OutcomeRecord): void {
    const error = fullError && singleLine(fullError, 500);
    if (status === 'failed') {
      const next = followUp === undefined ? 'no other channel is left' : `trying ${followUp.channel} next`;
      log('warning', `notification ${id} for ${user_id} by ${channel} failed: ${error}; ${next}`);
    } else if (status === 'planned' && error !== undefined) this.#reportRetry(channel, error);
    else if (status === 'sent') log('debug', `notification ${id} for ${user_id} sent by ${channel}`);
  }

  /** Limits the log lines, because every notification of a channel fails while its server is down. */
  #reportRetry(channel: ChannelName, error: string): void {
    const nowMs = this.#clock();
    const last = this.#lastLogged.get(channel);
    if (last !== undefined && nowMs < last.atMs + pauseMs) {
      last.suppressed += 1;
      return;
    }
    const more =
      last === undefined || last.suppressed === 0
        ? ''
        : ` (${last.suppressed} more failures since the last message)`;
    log('warning', `delivery by ${channel} failed and will be retried: ${error}${more}`);
    this.#lastLogged.set(channel, { atMs: nowMs, suppressed: 0 });
  }
}
