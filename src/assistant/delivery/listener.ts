import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../../failure.ts';
import { log } from '../../log.ts';
import type { User } from '../../store/schema.ts';
import { SharedLease } from '../../store/shared-lease.ts';
import { type ChannelConfig, channels } from '../entities/channels.ts';
import type { AssistantData } from '../entities/entity-access.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { textsFor } from '../messages/catalog.ts';
import { type Answers, type ChannelDefinition, type Listener, snoozeMinutes } from '../sending/channel.ts';
import type { Responses } from './acknowledge.ts';
import { recipientOf } from './reachable-channels.ts';

/** A provider may answer a second process with an error, so one process at a time holds this lease. */
const leaseMs = 60_000;
const longPollSeconds = 20;
const retryMs = 5000;
const minPauseMs = 1000;

export interface ListenerOptions {
  readonly data: AssistantData;
  readonly responses: Responses;
  readonly owner: string;
}

/** A type, because interfaces are not JSON objects. */
type State = {
  /** Where the next poll starts. */
  readonly offset: number;
  /** Acknowledgements up to this time are shown at the receivers. */
  readonly clearedMs: number;
};

/** The listeners of all channels that are configured and can receive answers. */
export function createListeners(config: ChannelConfig, options: ListenerOptions): ChannelListener[] {
  return channels.flatMap((channel) => {
    const listener = channel.listen?.(config, createAnswers(channel, options));
    return listener ? [new ChannelListener(channel, listener, options)] : [];
  });
}

/** Receives the buttons that people press in the messages of one channel. */
export class ChannelListener {
  readonly #channel: ChannelDefinition;
  readonly #listener: Listener;
  readonly #options: ListenerOptions;
  readonly #stopping = new AbortController();
  readonly #lease: SharedLease<State>;
  #running: Promise<void> | undefined;

  constructor(channel: ChannelDefinition, listener: Listener, options: ListenerOptions) {
    this.#channel = channel;
    this.#listener = listener;
    this.#options = options;
    const { data, owner } = options;
    this.#lease = new SharedLease({ ...data, owner, kind: channel.name, key: 'poller', durationMs: leaseMs });
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Stops and releases the lease, so that another process need not wait for its end. */
  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#lease
      .release()
      .catch((error: unknown) =>
        log('debug', `the lease on ${this.#channel.label} could not be released`, error),
      );
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const began = performance.now();
        const polled = await this.pollOnce();
        // The provider holds the request until there is news; one that does not must not be asked without a pause.
        const waitMs = polled ? minPauseMs - (performance.now() - began) : retryMs;
        if (waitMs > 0) await pause(waitMs, undefined, { signal });
      } catch (error) {
        if (signal.aborted) return;
        log('warning', `${this.#channel.label} could not be asked for answers; trying again`, error);
        await pause(retryMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Handles what has arrived, and waits for news up to this time. Returns false if another process polls. */
  async pollOnce(waitSeconds = longPollSeconds): Promise<boolean> {
    const state = await this.#lease.take({ offset: 0, clearedMs: this.#options.data.clock() });
    if (state === undefined) return false;
    const clearedMs = await this.#showAcknowledged(state.clearedMs);
    const offset = await this.#listener.poll(state.offset, waitSeconds, this.#limit());
    // Another process that polls meanwhile handles the same answers again, which changes nothing.
    return this.#lease.save({ offset, clearedMs });
  }

  /** Removes the buttons of messages that were acknowledged elsewhere. */
  async #showAcknowledged(sinceMs: number): Promise<number> {
    const { name } = this.#channel;
    const rows = await this.#options.data.store.read((db) =>
      db
        .selectFrom('notifications')
        .innerJoin('users', 'users.id', 'notifications.user_id')
        .selectAll('users')
        .select([
          'notifications.result',
          'notifications.acknowledged_ms',
          'notifications.acknowledged_by',
          'notifications.payload',
        ])
        .where('notifications.channel', '=', name)
        .where('notifications.acknowledged_ms', '>', sinceMs)
        .orderBy('notifications.acknowledged_ms')
        .limit(100)
        .execute(),
    );
    for (const { result, payload, acknowledged_by, acknowledged_ms: _, ...user } of rows) {
      const { reference } = JSON.parse(result ?? '{}') as { reference?: string | null };
      const { address } = recipientOf(user, name);
      if (!reference || address === '' || acknowledged_by === name) continue;
      const { subject } = JSON.parse(payload) as { subject: string };
      const text = `${subject}\n\n${textsFor(preferencesOf(user).locale).acknowledged}`;
      await this.#listener.showAcknowledged({ address, reference, text }, this.#limit());
    }
    return rows.at(-1)?.acknowledged_ms ?? sinceMs;
  }

  #limit(): AbortSignal {
    return AbortSignal.any([this.#stopping.signal, AbortSignal.timeout((longPollSeconds + 15) * 1000)]);
  }
}

function createAnswers(channel: ChannelDefinition, { data, responses }: ListenerOptions): Answers {
  /** The user of a notification, if this address is the user's. A button at another address has no effect. */
  const recipient = async (notificationId: string, address: string): Promise<User | undefined> => {
    const user = await data.store.read((db) =>
      db
        .selectFrom('users')
        .innerJoin('notifications', 'notifications.user_id', 'users.id')
        .selectAll('users')
        .where('notifications.id', '=', notificationId)
        .executeTakeFirst(),
    );
    return user && recipientOf(user, channel.name).address === address ? user : undefined;
  };
  return {
    async answer(id, address, action) {
      const user = await recipient(id, address);
      if (user === undefined) return undefined;
      const { locale, timezone } = preferencesOf(user);
      const texts = textsFor(locale);
      try {
        if (action !== 'snooze') {
          await responses[action](id, channel.name);
          return action === 'done' ? texts.actions.done : texts.acknowledged;
        }
        const { plan_ms } = (await responses.snooze(id, snoozeMinutes, channel.name)) as { plan_ms?: number };
        const at = plan_ms ?? data.clock() + snoozeMinutes * 60_000;
        return texts.snoozed(
          new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: timezone }).format(at),
        );
      } catch (error) {
        if (error instanceof Failure) return texts.pages.refused;
        throw error;
      }
    },
  };
}
