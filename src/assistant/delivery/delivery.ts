import { Failure } from '../../failure.ts';
import { log } from '../../log.ts';
import { isMailAddress } from '../../single-line.ts';
import { occurrences } from '../calendar/occurrences.ts';
import type { CalendarOptions } from '../calendar/sync.ts';
import type { CalendarWatch } from '../calendar/watch.ts';
import { type ChannelOptions, createChannels } from '../channels/channels.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { modelFor, type PolicyOptions } from '../policy/policy-model.ts';
import { type Feed, followChanges } from '../store/change-feed.ts';
import { type Clock, createStore } from '../store/store.ts';
import { PlanningLoop } from './planning-loop.ts';
import { Scheduler } from './scheduler.ts';
import { Worker } from './worker.ts';

/** A model may have to be asked about many events. */
const planningMs = 5 * 60_000;

export interface DeliveryOptions {
  readonly databaseUrl: string;
  /** Decides again where an event has changed behind its plan. */
  readonly policy: PolicyOptions;
  /** Calendars are kept up to date where notifications are delivered. */
  readonly calendars: CalendarOptions;
  readonly channels: ChannelOptions;
  readonly publicUrl?: string | undefined;
  readonly slots: number;
  readonly leaseMs: number;
  readonly clock?: Clock;
}

export interface Delivery {
  /** Where it delivers from, without secrets. */
  readonly place: string;
  /** Delivers from now on whatever comes due. */
  start(): void;
  /** Syncs the calendars that are due, plans, and delivers what is due now. Returns how many notifications were handled. */
  once(): Promise<number>;
  /** The person knows. */
  acknowledge(id: string, by: string): Promise<unknown>;
  /** Lets what is under way end. */
  stop(): Promise<void>;
}

/** Everything between a due row and a person. */
export function createDelivery(options: DeliveryOptions): Delivery {
  const { databaseUrl, publicUrl, clock = Date.now } = options;
  const { mailFrom } = options.channels;
  // With a wrong sender every mail would fail for good.
  if (!isMailAddress(mailFrom))
    throw new Failure(
      'invalid-params',
      `delivery.mail_from must be a mail address and nothing else, like adjutant@example.com, not ${JSON.stringify(mailFrom)}.`,
    );
  const store = createStore(databaseUrl);
  const acknowledgeUrl =
    publicUrl === undefined
      ? undefined
      : async (id: string) => new URL(`/acknowledge/${encodeURIComponent(id)}`, publicUrl).href;
  const channels = createChannels(options.channels, acknowledgeUrl);
  const stopping = new AbortController();
  const plan = async (userId: string, eventId?: string) => {
    const { planNotifications } = await import('../planning/planning.ts');
    const request = { userId, eventId, force: false, dryRun: false };
    const model = await modelFor(options.policy);
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(planningMs)]);
    await planNotifications({ store, clock, occurrences }, model, request, signal);
  };
  const worker = new Worker({
    store,
    channels,
    clock,
    owner: ownerName(),
    slots: options.slots,
    leaseMs: options.leaseMs,
    attemptMs: Math.min(options.leaseMs / 2, 30_000),
    calendarText: async (event, { occurrence, event_start_ms: startMs }, user) => {
      const { calendarText } = await import('../calendar/write.ts');
      return calendarText(event, { key: occurrence, startMs }, preferencesOf(user).timezone, clock());
    },
    replan: plan,
    ...(acknowledgeUrl && { acknowledgeUrl }),
  });
  const scheduler = new Scheduler({ store, worker, clock });
  const rounds = new PlanningLoop({ store, clock, plan });
  let feed: Feed | undefined;
  let watching: Promise<CalendarWatch | undefined> | undefined;
  const calendars = { data: { store, clock, occurrences }, options: options.calendars };
  const begin = () => {
    scheduler.start();
    rounds.start();
    watching ??= import('../calendar/watch.ts')
      .then(({ watchCalendars }) => watchCalendars(calendars))
      .catch((error) => {
        // Too many open files, for example; the next change of the store tries again.
        log('warning', 'calendars are not synchronized yet', error);
        watching = undefined;
        return undefined;
      });
  };
  return {
    place: store.place,
    start() {
      // A diary that nobody has begun has nothing due, and is not begun by looking.
      feed ??= followChanges(store, databaseUrl, () => {
        begin();
        scheduler.wake();
      });
      if (store.engine === 'postgres') begin();
    },
    async once() {
      const { syncDue } = await import('../calendar/watch.ts');
      await syncDue(calendars, stopping.signal);
      await rounds.turn();
      return scheduler.once();
    },
    async acknowledge(id, by) {
      const { acknowledgeNotification } = await import('../editing/notifications.ts');
      return acknowledgeNotification({ store, clock, occurrences }, id, by);
    },
    async stop() {
      // In this order, so that what is broken off is left to others.
      const planned = rounds.close();
      stopping.abort();
      await (await watching)?.close();
      await feed?.close();
      await planned;
      await scheduler.stop();
      for (const channel of Object.values(channels)) await channel.close?.();
      await store.close();
    },
  };
}

/** Unique among all processes on all machines. */
function ownerName(): string {
  return `${process.pid}-${crypto.randomUUID()}`;
}
