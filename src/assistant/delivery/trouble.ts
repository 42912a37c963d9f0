import { log } from '../../log.ts';
import { singleLine } from '../../single-line.ts';
import type { Channel as ChannelName } from '../store/schema.ts';
import type { Clock } from '../store/store.ts';
import type { OutcomeRecord } from './record-outcome.ts';

/** How long one word about a channel has to do. */
const pauseMs = 60_000;

/** Tells whoever looks after the program what does not get through: all that is given up, and now and then what waits. */
export class Trouble {
  readonly #clock: Clock;
  readonly #told = new Map<ChannelName, { atMs: number; since: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  notice({ notification: { id, channel, user_id }, status, error: given, follow }: OutcomeRecord): void {
    const error = given && singleLine(given, 500);
    if (status === 'failed') {
      const next = follow === undefined ? 'no channel is left' : `${follow.channel} is next`;
      log('warning', `notification ${id} for ${user_id} by ${channel} failed: ${error}; ${next}`);
    } else if (status === 'planned' && error !== undefined) this.#wait(channel, error);
    else if (status === 'sent') log('debug', `notification ${id} for ${user_id} sent by ${channel}`);
  }

  /** When a server is away everything waits for it; a line for each would hide the rest. */
  #wait(channel: ChannelName, error: string): void {
    const nowMs = this.#clock();
    const told = this.#told.get(channel);
    if (told !== undefined && nowMs < told.atMs + pauseMs) {
      told.since += 1;
      return;
    }
    const more = told === undefined || told.since === 0 ? '' : ` (${told.since} more since the last word)`;
    log('warning', `${channel} does not get through and is tried again: ${error}${more}`);
    this.#told.set(channel, { atMs: nowMs, since: 0 });
  }
}
