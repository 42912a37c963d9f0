import { setTimeout as pause } from 'node:timers/promises';
import { log } from '../../log.ts';
import { singleLine } from '../../single-line.ts';
import type { Channel as ChannelName, Notification, User } from '../../store/schema.ts';
import type { Clock, Store } from '../../store/store.ts';
import { preferencesOf } from '../entities/preferences.ts';
import type { Outcome, Senders } from '../sending/channel.ts';
import { claim, markDialling } from './claim.ts';
import { escalateUnacknowledged, planAfterOutcome, planAfterVerdict } from './follow-up.ts';
import { type MessageLinks, reportMissed, writeMessage } from './message.ts';
import { type ClaimedNotification, check, hasNoEvent, type Verdict } from './pre-send-checks.ts';
import { type OutcomeRecord, Recorder, recordInTransaction, recordOutcomes } from './record-outcome.ts';

// The states of a notification:
//
//   planned ──claim──▶ sending ──accepted───────▶ sent      (waits for an acknowledgement if `escalate_ms` is set)
//      ▲                  ├──no channel is left─▶ failed    (the next channel gets a follow-up, see follow-up.ts)
//      ├──retry, wait─────┤──its time is over───▶ missed    (one message lists all missed reminders of a user)
//      │                  └──no longer wanted───▶ cancelled
//      └──planning revives missed reminders after a clock was set back
//
// Planning, people and acknowledgements move `planned` to `cancelled`; from `sending` on, only the worker with the lease and the
// newest fence writes the row. If the lease expires, another worker claims the row again with a new fence, and the outcome of
// the first worker is discarded. A call that may have rung is never repeated: it is marked before the phone is dialled.
// Whether a person has seen the message is not a state but a time, `acknowledged_ms`.
// `delivered` counts as `sent`; it is for providers that report the arrival of a message, and no channel sets it today.

export interface WorkerOptions {
  readonly store: Store;
  readonly senders: Senders;
  /** Claims only notifications of these channels. Other workers follow up what is not acknowledged. */
  readonly only?: readonly string[];
  /** Identifies this worker in claims; unique across all workers. */
  readonly owner: string;
  readonly clock?: Clock;
  /** Maximum number of concurrent deliveries. */
  readonly slots?: number;
  /** How long a claim lasts before another worker may take over. */
  readonly leaseMs?: number;
  /** How long before its due time a notification is claimed, to compensate for database latency. */
  readonly claimAheadMs?: number;
  /** Time without an answer after which a webhook receiver counts as slow. */
  readonly slowAfterMs?: number;
  /** Time limit for one attempt; must be well below the lease. */
  readonly attemptMs?: number;
  readonly links?: (notification: Notification, user: User) => Promise<MessageLinks>;
  /** Called for an event that changed after its notification was planned. */
  readonly replan?: (userId: string, eventId: string) => Promise<void>;
}

/** Deliveries in progress, including those that wait for slow receivers, are limited to this many times the slots. */
const maxInProgressFactor = 4;
/** A notification that is due later than this after its claim was claimed before the clock was set back. */
const maxTimerErrorMs = 1_000;

type Sendable = ClaimedNotification & {
  readonly user: User;
  readonly late: boolean;
  readonly leaseEndMs: number;
};

/** Claims due notifications, checks and delivers them, and records the outcomes. The scheduler decides when. */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #clock: Clock;
  readonly #slots: number;
  readonly #leaseMs: number;
  readonly #attemptMs: number;
  readonly claimAheadMs: number;
  readonly #recorder: Recorder;
  readonly #log: DeliveryLog;
  readonly circuitBreaker: WebhookCircuitBreaker;
  readonly #inProgress = new Set<Promise<void>>();
  readonly #unrecorded = new Set<Promise<void>>();
  readonly #replanning = new Set<Promise<void>>();

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? Date.now;
    this.#slots = options.slots ?? 32;
    this.#leaseMs = options.leaseMs ?? 120_000;
    this.#attemptMs = options.attemptMs ?? 30_000;
    this.claimAheadMs = options.claimAheadMs ?? 200;
    this.#recorder = new Recorder(options.store, options.owner, this.#clock);
    this.#log = new DeliveryLog(this.#clock);
    this.circuitBreaker = new WebhookCircuitBreaker(options.slowAfterMs ?? 1000);
  }

  /** The channels of this worker, if it has not all of them. */
  get only(): readonly string[] | undefined {
    return this.#options.only;
  }

  get freeSlots(): number {
    const busy = this.#inProgress.size - this.circuitBreaker.count;
    return Math.max(
      0,
      Math.min(this.#slots - busy, maxInProgressFactor * this.#slots - this.#inProgress.size),
    );
  }

  /** Claims due notifications up to the number of free slots and starts delivering them. Returns how many it claimed. */
  async claimDue(): Promise<number> {
    const { store, owner } = this.#options;
    const limit = this.freeSlots;
    if (limit === 0) return 0;
    const nowMs = this.#clock();
    const claimed = await claim(store, { owner, ms: this.#leaseMs }, nowMs, limit, {
      dueMs: nowMs + this.claimAheadMs,
      slowReceivers: this.circuitBreaker.slowReceivers,
      only: this.#options.only,
    });
    const checked = claimed.map((one) => ({
      claimed: one,
      verdict: check(one, Math.max(nowMs, one.notification.next_ms)),
    }));
    for (const { claimed: one, verdict } of checked) {
      if (verdict.kind === 'send' && one.user !== undefined)
        this.#startDelivery({
          ...one,
          user: one.user,
          late: verdict.late,
          leaseEndMs: nowMs + this.#leaseMs,
        });
    }
    await this.#recordUnsent(checked, nowMs);
    return claimed.length;
  }

  #startDelivery(one: Sendable): void {
    const work = this.#deliver(one)
      .catch((error: unknown) =>
        log('error', `delivery of notification ${one.notification.id} failed unexpectedly`, error),
      )
      .finally(() => this.#inProgress.delete(work));
    this.#inProgress.add(work);
  }

  /** Records the notifications that may not be sent now, and reports missed reminders to their users. */
  async #recordUnsent(
    checked: readonly { claimed: ClaimedNotification; verdict: Verdict }[],
    nowMs: number,
  ): Promise<void> {
    const { store, owner } = this.#options;
    const unsent = checked.flatMap(({ claimed, verdict }) =>
      verdict.kind === 'send'
        ? []
        : [{ claimed, verdict, record: planAfterVerdict(claimed, verdict, nowMs) }],
    );
    const missed = unsent.filter(
      ({ claimed: { notification }, verdict }) =>
        verdict.kind === 'miss' && !hasNoEvent(notification) && notification.change !== 'cancelled',
    );
    const others = unsent.filter((one) => !missed.includes(one));
    for (const { record } of unsent) this.#log.report(record);
    const recordsOf = (some: typeof unsent) => some.map(({ record }) => record);
    if (others.length > 0) await recordOutcomes(store, owner, nowMs, recordsOf(others));
    if (missed.length > 0)
      await store.write(async (writer) => {
        await reportMissed(
          writer,
          missed.map(({ claimed }) => claimed),
          nowMs,
        );
        await recordInTransaction(writer, store.engine, owner, nowMs, recordsOf(missed));
      });
    for (const { claimed, verdict } of checked) {
      if (verdict.kind !== 'cancel' || verdict.because !== 'revision') continue;
      this.#replan(claimed.notification);
    }
  }

  /** Replans in the background, because a model may take long and other notifications must not wait for it. */
  #replan({ user_id, event_id }: Notification): void {
    const work = this.#options
      .replan?.(user_id, event_id)
      .catch((error: unknown) => log('warning', `event ${event_id} could not be planned again`, error))
      .finally(() => this.#replanning.delete(work!));
    if (work !== undefined) this.#replanning.add(work);
  }

  /** Escalates notifications that were not acknowledged in time. Returns how many there were. */
  async followUp(): Promise<number> {
    if (this.#options.only !== undefined) return 0;
    return escalateUnacknowledged(this.#options.store, this.#clock);
  }

  /** Resolves when a slot is free. */
  async untilSlotFree(): Promise<void> {
    if (this.freeSlots === 0) await Promise.race([...this.#inProgress, this.circuitBreaker.changed]);
  }

  get idle(): boolean {
    return this.#inProgress.size + this.#unrecorded.size + this.#replanning.size === 0;
  }

  /** Resolves when all deliveries are recorded, except those that wait for slow receivers. */
  async untilOnlySlowReceivers(): Promise<void> {
    while (this.#inProgress.size > this.circuitBreaker.count)
      await Promise.race([...this.#inProgress, this.circuitBreaker.changed]);
    await Promise.all(this.#unrecorded);
  }

  /**
   * Resolves when no delivery is in progress, or when `enough` resolves. After the timeout, outcomes that the database
   * does not accept are given up.
   */
  async finish(shutdownTimeoutMs: number, enough?: Promise<void>): Promise<void> {
    const timer = setTimeout(() => this.#recorder.abandon(), shutdownTimeoutMs);
    const delivered = Promise.all(this.#inProgress);
    await (enough === undefined ? delivered : Promise.race([delivered, enough]));
    await Promise.all(this.#unrecorded);
    clearTimeout(timer);
    await Promise.all(this.#replanning);
    await this.#recorder.publishChanges();
  }

  async #deliver(one: Sendable): Promise<void> {
    const { store, owner, senders, links } = this.#options;
    const { notification, user, event } = one;
    const earlyMs = notification.next_ms - this.#clock();
    if (earlyMs > this.claimAheadMs + maxTimerErrorMs) return this.#putBack(one);
    // Timers may fire slightly early, but a notification must never be sent early.
    if (earlyMs > 0) await pause(earlyMs + 1);
    // If the machine slept, the lease may have expired and another worker may be sending.
    if (this.#clock() + this.#attemptMs > one.leaseEndMs) return;
    if (notification.channel === 'call' && !(await markDialling(store, owner, notification))) return;
    const nowMs = this.#clock();
    const message = writeMessage(notification, user, event, {
      late: one.late,
      nowMs,
      carried: one.carried,
      calendar: await this.#attachment(one),
      links: await links?.(notification, user),
    });
    const answer =
      senders[notification.channel]?.deliver(message, AbortSignal.timeout(this.#attemptMs)) ??
      unknownChannel(notification);
    const outcome = await (notification.channel === 'webhook'
      ? this.circuitBreaker.track(message.recipient.address, answer)
      : answer);
    const record = planAfterOutcome(one, outcome, this.#clock());
    this.#log.report(record);
    const recorded = this.#recorder.record(record).finally(() => this.#unrecorded.delete(recorded));
    this.#unrecorded.add(recorded);
    // Free the slot before the outcome is recorded, unless the database falls behind.
    if (this.#unrecorded.size > this.#slots) await recorded;
  }

  /** Ends the claim of a notification that is no longer due. */
  #putBack(one: Sendable): Promise<void> {
    const verdict = { untilMs: one.notification.next_ms, reason: 'the clock was set back' };
    return this.#recorder.record(planAfterVerdict(one, { kind: 'wait', ...verdict }, this.#clock()));
  }

  /** The event as an iCalendar attachment. The notification is sent without it if writing it fails. */
  async #attachment({ notification, user, event }: Sendable): Promise<string | undefined> {
    // Attaching an event of an imported calendar would add it to that calendar a second time.
    if (
      event?.provider !== 'local' ||
      notification.channel !== 'email' ||
      notification.change === 'cancelled'
    )
      return undefined;
    try {
      const { calendarText } = await import('../calendar/write.ts');
      const { timezone } = preferencesOf(user);
      return await calendarText(
        event,
        notification.occurrence,
        notification.event_start_ms,
        timezone,
        this.#clock(),
      );
    } catch (error) {
      log(
        'warning',
        `event ${event.id} could not be written as iCalendar; the mail has no attachment`,
        error,
      );
      return undefined;
    }
  }
}

/** A newer version of the program may have planned it. */
async function unknownChannel({ channel }: Notification): Promise<Outcome> {
  return { kind: 'permanent', detail: `this version has no channel ${JSON.stringify(channel)}` };
}

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

/**
 * Keeps slow webhook receivers from blocking other deliveries. A delivery to a slow receiver does not occupy a worker
 * slot, and the worker claims nothing more for that receiver until it answers.
 */
class WebhookCircuitBreaker {
  readonly #slowAfterMs: number;
  readonly #waiting = new Map<string, number>();
  #count = 0;
  #changed = Promise.withResolvers<void>();
  /** Called when a receiver has answered and may be sent to again. */
  onRelease: () => void = () => {};

  constructor(slowAfterMs: number) {
    this.#slowAfterMs = slowAfterMs;
  }

  /** Number of deliveries that wait for slow receivers. */
  get count(): number {
    return this.#count;
  }

  /** Origins of the slow receivers. */
  get slowReceivers(): readonly string[] {
    return [...this.#waiting.keys()];
  }

  /** Resolves at the next change of `count`. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  /** Awaits the answer and treats the receiver as slow once the answer takes too long. */
  async track<Value>(url: string, answer: Promise<Value>): Promise<Value> {
    const address = originOf(url);
    let slow = false;
    const timer = setTimeout(() => {
      slow = true;
      this.#add(address, 1);
    }, this.#slowAfterMs);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
      if (slow) this.#add(address, -1);
    }
  }

  #add(address: string, change: 1 | -1): void {
    const waiting = (this.#waiting.get(address) ?? 0) + change;
    this.#count += change;
    if (waiting > 0) this.#waiting.set(address, waiting);
    else this.#waiting.delete(address);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
    if (waiting === 0) this.onRelease();
  }
}

/** The URL up to its path. `claim` compares it with the beginning of other webhook URLs. */
function originOf(url: string): string {
  return (/^\w+:\/\/[^/?#]*/.exec(url)?.[0] ?? url).toLowerCase();
}
