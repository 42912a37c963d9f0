import { Failure } from '../../failure.ts';
import { log } from '../../log.ts';
import { type Feed, followChanges } from '../../store/change-feed.ts';
import { type Clock, createStore } from '../../store/store.ts';
import { occurrences } from '../calendar/occurrences.ts';
import type { CalendarOptions, Calendars } from '../calendar/sync.ts';
import type { CalendarWatch } from '../calendar/watch.ts';
import { type ChannelConfig, channels } from '../entities/channels.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { modelFor, type PolicyOptions } from '../policy/policy-model.ts';
import { createResponses, type Responses } from './acknowledge.ts';
import { createListeners } from './listener.ts';
import { PlanningLoop } from './planning-loop.ts';
import { Scheduler } from './scheduler.ts';
import { createSenders } from './senders.ts';
import { Worker } from './worker.ts';

/** Time limit for planning one user. Long, because a model may be asked about many events. */
const planningMs = 5 * 60_000;

export interface DeliveryOptions {
  readonly databaseUrl: string;
  /** Decides about events that changed after they were planned. */
  readonly policy: PolicyOptions;
  /** The process that delivers notifications also synchronizes the calendars. */
  readonly calendars: CalendarOptions;
  readonly channels: ChannelConfig;
  readonly publicUrl?: string | undefined;
  readonly slots: number;
  readonly leaseMs: number;
  readonly clock?: Clock;
}

export interface Delivery {
  /** The database, without secrets, for log messages. */
  readonly place: string;
  /** Starts delivering notifications as they become due. */
  start(): void;
  /** Syncs due calendars, plans, and delivers due notifications. Returns the number of notifications handled. */
  once(): Promise<number>;
  readonly responses: Responses;
  /** Stops after the deliveries in progress have ended. */
  stop(): Promise<void>;
}

/** Wires together the worker, the scheduler, the planning loop and the calendar sync. */
export function createDelivery(options: DeliveryOptions): Delivery {
  const { databaseUrl, publicUrl, clock = Date.now } = options;
  for (const channel of channels) {
    const problem = channel.invalid?.(options.channels);
    if (problem !== undefined) throw new Failure('invalid-params', problem);
  }
  const store = createStore(databaseUrl);
  const acknowledgeUrl =
    publicUrl === undefined
      ? undefined
      : async (id: string) => new URL(`/acknowledge/${encodeURIComponent(id)}`, publicUrl).href;
  const senders = createSenders(options.channels, acknowledgeUrl);
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
    senders,
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
  const planningLoop = new PlanningLoop({ store, clock, plan });
  const data = { store, clock, occurrences };
  const calendars: Calendars = {
    data,
    options: options.calendars,
    afterSync: async (id) => (await import('../writeback/task.ts')).writePendingTasks(calendars, id),
  };
  const responses = createResponses(calendars);
  const listeners = createListeners(options.channels, { data, responses, owner: ownerName() });
  let feed: Feed | undefined;
  let watching: Promise<CalendarWatch | undefined> | undefined;
  const startServices = () => {
    scheduler.start();
    planningLoop.start();
    for (const listener of listeners) listener.start();
    watching ??= import('../calendar/watch.ts')
      .then(({ watchCalendars }) => watchCalendars(calendars))
      .catch((error) => {
        // For example too many open files. The next change of the store tries again.
        log('warning', 'calendars could not be watched and are not synchronized yet', error);
        watching = undefined;
        return undefined;
      });
  };
  return {
    place: store.place,
    start() {
      // Wait for the first change: a missing SQLite database has nothing due and must not be created here.
      feed ??= followChanges(store, databaseUrl, () => {
        startServices();
        scheduler.wake();
      });
      if (store.engine === 'postgres') startServices();
    },
    async once() {
      const { syncDue } = await import('../calendar/watch.ts');
      await syncDue(calendars, stopping.signal);
      for (const listener of listeners)
        await listener
          .pollOnce(0)
          .catch((error: unknown) => log('warning', 'a channel could not be asked for answers', error));
      await planningLoop.runOnce();
      return scheduler.once();
    },
    responses,
    async stop() {
      // Close the loop before aborting, so that it hands the users it did not finish to other processes.
      const loopClosed = planningLoop.close();
      stopping.abort();
      await Promise.all(listeners.map((listener) => listener.close()));
      await (await watching)?.close();
      await feed?.close();
      await loopClosed;
      await scheduler.stop();
      for (const sender of Object.values(senders)) await sender.close?.();
      await store.close();
    },
  };
}

/** Unique across all processes and machines. */
function ownerName(): string {
  return `${process.pid}-${crypto.randomUUID()}`;
}
