import { sql } from 'kysely';
import { Failure } from '../../failure.ts';
import type { ExpandOwn, Finding } from '../../feature.ts';
import { log } from '../../log.ts';
import type { Decisions, Outreach } from '../../outreach.ts';
import { type Feed, followChanges } from '../../store/change-feed.ts';
import { ownerName } from '../../store/owner.ts';
import { makeDue, needsPlanning, planningTurns } from '../../store/planning-turns.ts';
import type { Notification, User } from '../../store/schema.ts';
import { type Clock, createStore, type Store } from '../../store/store.ts';
import { expandEvent } from '../calendar/expand-event.ts';
import type { CalendarOptions, Calendars } from '../calendar/sync.ts';
import type { CalendarWatch } from '../calendar/watch.ts';
import type { MeOptions } from '../editing/me.ts';
import { type ChannelConfig, channels } from '../entities/channels.ts';
import { modelFor, type PolicyOptions } from '../policy/policy-model.ts';
import { createListeners, createResponses, type Responses } from './acknowledge.ts';
import { announceSender } from './heartbeat.ts';
import { linksOf } from './message-links.ts';
import { createOutreach } from './outreach.ts';
import { Scheduler } from './scheduler.ts';
import { createSenders } from './senders.ts';
import { Worker } from './worker.ts';

/** How long a worker has to claim a notification before a process with few channels does. */
const graceMs = 30_000;
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
  /** Expands texts of events that name a prompt, and finds the person's own policy. */
  readonly expand?: ExpandOwn | undefined;
  /** Decides requests with the links of messages. */
  readonly decisions?: ((outreach: Outreach) => Decisions) | undefined;
  readonly me?: MeOptions | undefined;
  readonly slots: number;
  readonly leaseMs: number;
  /** Delivers only by these channels, and only what no worker claims in time. Plans, but synchronizes nothing. */
  readonly only?: readonly string[];
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
  /** Checks the database and the worker for monitoring. Throws if the database does not answer. */
  check(): Promise<readonly Finding[]>;
  /** Stops after the deliveries in progress have ended. */
  stop(): Promise<void>;
}

/** Wires together the worker, the scheduler, the planning loop and the calendar sync. */
export function createDelivery(options: DeliveryOptions): Delivery {
  const { databaseUrl, publicUrl, expand, clock = Date.now } = options;
  for (const channel of channels) {
    const problem = channel.invalid?.(options.channels);
    if (problem !== undefined) throw new Failure('invalid-params', problem);
  }
  const store = createStore(databaseUrl);
  const links =
    publicUrl === undefined
      ? undefined
      : (notification: Notification, user: User) => linksOf(store, publicUrl, notification, user, clock());
  const senders = createSenders(options.channels);
  const data = { store, clock, occurrences: expandEvent, expand };
  const stopping = new AbortController();
  const plan = async (userId: string, eventId?: string) => {
    const { planNotifications } = await import('../planning/planning.ts');
    const request = { userId, eventId, force: false, dryRun: false };
    const model = await modelFor({ ...options.policy, expand });
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(planningMs)]);
    await planNotifications(data, model, request, signal);
  };
  const owner = ownerName();
  const { only } = options;
  const worker = new Worker({
    ...(only && { only, claimAheadMs: -graceMs }),
    store,
    senders,
    clock,
    owner,
    slots: options.slots,
    leaseMs: options.leaseMs,
    attemptMs: Math.min(options.leaseMs / 2, 30_000),
    replan: plan,
    ...(links && { links }),
  });
  const scheduler = new Scheduler({ store, worker, clock });
  const planningLoop = new PlanningLoop({ store, clock, plan });
  const calendars: Calendars = {
    data,
    options: options.calendars,
    afterSync: async (id) => (await import('../writeback/task.ts')).writePendingTasks(calendars, id),
  };
  const responses = createResponses(
    calendars,
    options.decisions?.(createOutreach(data, options.channels, options.me ?? { id: 'none', file: '' })),
  );
  const listeners = createListeners(options.channels, { data, responses, owner: ownerName() });
  let feed: Feed | undefined;
  let watching: Promise<CalendarWatch | undefined> | undefined;
  let heartbeat: ReturnType<typeof announceSender> | undefined;
  const startServices = () => {
    scheduler.start();
    heartbeat?.beat();
    planningLoop.start();
    if (only !== undefined) return;
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
      heartbeat ??= announceSender({ store, clock }, owner, only);
      // Wait for the first change: a missing SQLite database has nothing due and must not be created here.
      feed ??= followChanges(store, databaseUrl, () => {
        startServices();
        scheduler.wake();
      });
      if (store.engine === 'postgres') startServices();
    },
    async once() {
      if (only === undefined) {
        const { syncDue } = await import('../calendar/watch.ts');
        await syncDue(calendars, stopping.signal);
        for (const listener of listeners)
          await listener
            .pollOnce(0)
            .catch((error: unknown) => log('warning', 'a channel could not be asked for answers', error));
      }
      await planningLoop.runOnce();
      return scheduler.once();
    },
    responses,
    check: async () => (await import('./delivery-state.ts')).checkDelivery(store, clock),
    async stop() {
      // Close the loop before aborting, so that it hands the users it did not finish to other processes.
      const loopClosed = planningLoop.close();
      stopping.abort();
      await Promise.all(listeners.map((listener) => listener.close()));
      await (await watching)?.close();
      await feed?.close();
      await loopClosed;
      await scheduler.stop();
      await heartbeat?.end();
      for (const sender of Object.values(senders)) await sender.close?.();
      await store.close();
    },
  };
}

const minute = 60_000;
/** The loop sleeps until a user is due, but at least this long. */
const minSleepMs = minute;
/** Upper limit, because the clock may be changed and change messages may be lost. */
const maxSleepMs = 5 * minute;
/** Delay after a change, so that the changes of an import are planned together. */
const changeDelayMs = 500;
/** How often each user is planned without a change, because new occurrences come within the planning horizon. */
const replanMs = 60 * minute;

export interface PlanningLoopOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly plan: (userId: string) => Promise<unknown>;
}

// The states of a user's planning turn, which is a record with the time of the next turn in `position`:
//
//   none ──first event of the user──▶ due ──claim: `position` moves one hour ahead──▶ planned ──that hour has passed──▶ due
//                                      ▲                                                 │
//                                      └──the user, an event or a rule changes───────────┤
//                                      └──the process stops before it planned the user───┘
//
// A claim is one statement, so each turn belongs to one process. A turn whose planning fails waits for its next hour, or for
// the next change; the requests of changes are in `store/planning-turns.ts`, in the transaction of the change.

/** Plans for users whose data changed, and for every user once an hour. */
export class PlanningLoop {
  readonly #options: PlanningLoopOptions;
  #started = false;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #unsubscribe: () => void = () => {};
  #running: Promise<void> = Promise.resolve();

  constructor(options: PlanningLoopOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#started || this.#closed) return;
    this.#started = true;
    this.#unsubscribe = this.#options.store.subscribe((changes) => {
      if (changes.some(needsPlanning)) this.#planSoon();
    });
    this.#run();
  }

  #planSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#run();
    }, changeDelayMs);
  }

  #run(): void {
    this.#running = this.#running.then(() => this.runOnce()).then(() => this.#sleep());
  }

  async #sleep(): Promise<void> {
    const dueMs = this.#closed ? undefined : await this.#nextTurn();
    if (this.#closed) return;
    const waitMs = (dueMs ?? Number.POSITIVE_INFINITY) - this.#options.clock();
    // Random jitter, so that processes on several machines do not start at the same moment.
    const sleepMs = Math.max(minSleepMs, Math.min(waitMs, maxSleepMs)) * (1 + Math.random() / 2);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(), sleepMs);
  }

  /** When the next user is due, or now if the database does not answer. */
  async #nextTurn(): Promise<number | undefined> {
    const { store, clock } = this.#options;
    const now = clock();
    try {
      const [row] = await store.run(sql<{ next: number | null }>`select min(position) as next from records
        where kind = ${planningTurns}
          and exists (select 1 from events where events.user_id = records.key and events.last_ms > ${now})`);
      return row?.next == null ? undefined : Number(row.next);
    } catch {
      return now;
    }
  }

  async runOnce(): Promise<void> {
    if (this.#closed) return;
    try {
      const remaining = new Set(await this.#claimDueUsers());
      for (const id of remaining) {
        const planned = await this.#plan(id);
        if (!this.#closed || planned) remaining.delete(id);
        if (this.#closed) break;
      }
      if (remaining.size > 0) await this.#options.store.write(({ db }) => makeDue(db, [...remaining]));
    } catch (error) {
      log('warning', 'planning failed; the next run tries again', error);
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    clearTimeout(this.#soon);
    this.#unsubscribe();
    this.#closed = true;
    await this.#running;
  }

  async #plan(userId: string): Promise<boolean> {
    try {
      await this.#options.plan(userId);
      return true;
    } catch (error) {
      if (!this.#closed) log('warning', `notifications of user ${userId} could not be planned`, error);
      return false;
    }
  }

  /** Claims the users who are due. No other process gets them before their next turn. */
  async #claimDueUsers(): Promise<readonly string[]> {
    const { store, clock } = this.#options;
    const now = clock();
    const rows = await store.run(sql<{ key: string }>`insert into records (kind, key, value, position)
      select ${planningTurns}, users.id, '{}', ${now + replanMs} from users
      where exists (select 1 from events where events.user_id = users.id and events.last_ms > ${now})
        and not exists (select 1 from records
          where kind = ${planningTurns} and key = users.id and position > ${now})
      on conflict (kind, key) do update set position = excluded.position where records.position <= ${now}
      returning key`);
    return rows.map(({ key }) => key);
  }
}
