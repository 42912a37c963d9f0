import { setTimeout as pause } from 'node:timers/promises';
import { log } from '../../log.ts';
import type { Channels } from '../channels/channel.ts';
import { WebhookCircuitBreaker } from '../channels/webhook-circuit-breaker.ts';
import { audit } from '../store/audit.ts';
import type { CalendarEvent, Notification, User } from '../store/schema.ts';
import type { Clock, Store } from '../store/store.ts';
import { announceCall, claim, claimUnanswered } from './claim.ts';
import { escalate } from './escalation.ts';
import { writeMessage } from './message.ts';
import { reportMissed } from './missed.ts';
import { settleOutcome, settleVerdict } from './outcome-plan.ts';
import { type Case, check, familyOf, isAcknowledged, isNotice, type Verdict } from './pre-send-checks.ts';
import { callsLeft, reachOf } from './reachable-channels.ts';
import { addNotifications, settle, settleClosely } from './record-outcome.ts';
import { Recorder } from './recorder.ts';
import { successor } from './successor.ts';
import { Trouble } from './trouble.ts';

export interface WorkerOptions {
  readonly store: Store;
  readonly channels: Channels;
  /** Names this worker in claims; unique among all there are. */
  readonly owner: string;
  readonly clock?: Clock;
  /** How many deliveries are under way at once. */
  readonly slots?: number;
  /** How long a claim holds without a word from its owner. */
  readonly leaseMs?: number;
  /** How long before its time a notification is taken, so that the way to the database does not make it late. */
  readonly aheadMs?: number;
  /** After how long without an answer a webhook gives its slot to others. */
  readonly silentMs?: number;
  /** The longest one attempt may take; well within the lease. */
  readonly attemptMs?: number;
  readonly calendarText?: (
    event: CalendarEvent,
    notification: Notification,
    user: User,
  ) => Promise<string | undefined>;
  readonly acknowledgeUrl?: (id: string) => Promise<string>;
  /** Told when a notification turned out to be planned for an event that has changed since. */
  readonly replan?: (userId: string, eventId: string) => Promise<void>;
}

/** As many times the slots may be under way, with those that wait for silent receivers. */
const mostWaiting = 4;

type Sendable = Case & { readonly user: User; readonly late: boolean; readonly untilMs: number };

/** Claims what is due, checks it, delivers it and records how it ended. When to do so is the scheduler's. */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #clock: Clock;
  readonly #slots: number;
  readonly #leaseMs: number;
  readonly #attemptMs: number;
  readonly aheadMs: number;
  readonly #recorder: Recorder;
  readonly #trouble: Trouble;
  readonly silent: WebhookCircuitBreaker;
  readonly #underWay = new Set<Promise<void>>();
  readonly #unrecorded = new Set<Promise<void>>();
  readonly #replanning = new Set<Promise<void>>();

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? Date.now;
    this.#slots = options.slots ?? 32;
    this.#leaseMs = options.leaseMs ?? 120_000;
    this.#attemptMs = options.attemptMs ?? 30_000;
    this.aheadMs = options.aheadMs ?? 200;
    this.#recorder = new Recorder(options.store, options.owner, this.#clock);
    this.#trouble = new Trouble(this.#clock);
    this.silent = new WebhookCircuitBreaker(options.silentMs ?? 1000);
  }

  get free(): number {
    const busy = this.#underWay.size - this.silent.count;
    return Math.max(0, Math.min(this.#slots - busy, mostWaiting * this.#slots - this.#underWay.size));
  }

  /** Takes as much of what is due as there are free slots and starts on it. Tells how much it took. */
  async take(): Promise<number> {
    const { store, owner } = this.#options;
    const limit = this.free;
    if (limit === 0) return 0;
    const nowMs = this.#clock();
    const cases = await claim(store, { owner, ms: this.#leaseMs }, nowMs, limit, {
      dueMs: nowMs + this.aheadMs,
      silent: this.silent.addresses,
    });
    const judged = cases.map((held) => ({
      held,
      verdict: check(held, Math.max(nowMs, held.notification.next_ms)),
    }));
    for (const { held, verdict } of judged) {
      if (verdict.kind === 'send' && held.user !== undefined)
        this.#begin({ ...held, user: held.user, late: verdict.late, untilMs: nowMs + this.#leaseMs });
    }
    await this.#refrain(judged, nowMs);
    return cases.length;
  }

  #begin(one: Sendable): void {
    const work = this.#deliver(one)
      .catch((error: unknown) => log('error', `notification ${one.notification.id} was not delivered`, error))
      .finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  /** What may not be sent now is put off, called off or given up, and people are told what they missed. */
  async #refrain(judged: readonly { held: Case; verdict: Verdict }[], nowMs: number): Promise<void> {
    const { store, owner } = this.#options;
    const refused = judged.flatMap(({ held, verdict }) =>
      verdict.kind === 'send' ? [] : [{ held, verdict, settlement: settleVerdict(held, verdict, nowMs) }],
    );
    const missed = refused.filter(
      ({ held: { notification }, verdict }) =>
        verdict.kind === 'miss' && !isNotice(notification) && notification.change !== 'cancelled',
    );
    const others = refused.filter((one) => !missed.includes(one));
    for (const { settlement } of refused) this.#trouble.notice(settlement);
    const settlementsOf = (some: typeof refused) => some.map(({ settlement }) => settlement);
    if (others.length > 0) await settle(store, owner, nowMs, settlementsOf(others));
    if (missed.length > 0)
      await store.write(async (writer) => {
        await reportMissed(
          writer,
          missed.map(({ held }) => held),
          nowMs,
        );
        await settleClosely(writer, store.engine, owner, nowMs, settlementsOf(missed));
      });
    for (const { held, verdict } of judged) {
      if (verdict.kind !== 'cancel' || verdict.because !== 'revision') continue;
      this.#replan(held.notification);
    }
  }

  /** A model may think about it for long, and everybody else's notifications do not wait for that. */
  #replan({ user_id, event_id }: Notification): void {
    const work = this.#options
      .replan?.(user_id, event_id)
      .catch((error: unknown) => log('warning', `event ${event_id} was not planned again`, error))
      .finally(() => this.#replanning.delete(work!));
    if (work !== undefined) this.#replanning.add(work);
  }

  /** Follows up on what nobody answered. Tells how much there was. */
  async followUp(): Promise<number> {
    const { store } = this.#options;
    return store.write(async (writer) => {
      const nowMs = this.#clock();
      const cases = await claimUnanswered(writer, store.engine, nowMs, 100);
      for (const unanswered of cases) {
        const { notification, user, event, relatives } = unanswered;
        const family = familyOf(notification, relatives);
        const settled =
          isAcknowledged(notification, relatives) ||
          user === undefined ||
          event === undefined ||
          event.status === 'cancelled' ||
          event.revision !== notification.revision;
        if (settled) continue;
        const channel = escalate({
          ...reachOf(user, notification.urgency),
          used: family.map((one) => one.channel),
          callsLeft: callsLeft(unanswered, user),
        });
        if (channel !== undefined)
          await addNotifications(writer, [successor(unanswered, channel, 'nobody answered', nowMs)]);
        await audit(writer, nowMs, [
          {
            action: channel === undefined ? 'notification.unanswered' : 'notification.escalated',
            userId: notification.user_id,
            eventId: notification.event_id,
            notificationId: notification.id,
            detail: { channel: channel ?? null },
          },
        ]);
      }
      return cases.length;
    });
  }

  /** Resolves when a slot is free. */
  async freed(): Promise<void> {
    if (this.free === 0) await Promise.race([...this.#underWay, this.silent.changed]);
  }

  get idle(): boolean {
    return this.#underWay.size + this.#unrecorded.size + this.#replanning.size === 0;
  }

  /** Resolves when only silent receivers are waited for, and all else is on record. */
  async calm(): Promise<void> {
    while (this.#underWay.size > this.silent.count)
      await Promise.race([...this.#underWay, this.silent.changed]);
    await Promise.all(this.#unrecorded);
  }

  /** Resolves when no delivery is in progress any more, when `enough` resolves, or when the patience is over. */
  async finish(patienceMs: number, enough?: Promise<void>): Promise<void> {
    const timer = setTimeout(() => this.#recorder.abandon(), patienceMs);
    const delivered = Promise.all(this.#underWay);
    await (enough === undefined ? delivered : Promise.race([delivered, enough]));
    await Promise.all(this.#unrecorded);
    clearTimeout(timer);
    await Promise.all(this.#replanning);
    await this.#recorder.tell();
  }

  async #deliver(one: Sendable): Promise<void> {
    const { store, owner, channels, acknowledgeUrl } = this.#options;
    const { notification, user, event } = one;
    const earlyMs = notification.next_ms - this.#clock();
    // Timers are a little early now and then; people are never told early.
    if (earlyMs > 0) await pause(earlyMs + 1);
    // After a long sleep of the machine somebody else may be at it.
    if (this.#clock() + this.#attemptMs > one.untilMs) return;
    if (notification.channel === 'call' && !(await announceCall(store, owner, notification))) return;
    const nowMs = this.#clock();
    const message = writeMessage(notification, user, event, {
      late: one.late,
      nowMs,
      calendar: await this.#attachment(one),
      acknowledgeUrl: await acknowledgeUrl?.(notification.id),
    });
    const answer = channels[notification.channel].deliver(message, AbortSignal.timeout(this.#attemptMs));
    const { webhook = '' } = message.recipient;
    const outcome = await (notification.channel === 'webhook' ? this.silent.during(webhook, answer) : answer);
    const settlement = settleOutcome(one, outcome, this.#clock());
    this.#trouble.notice(settlement);
    const recorded = this.#recorder.record(settlement).finally(() => this.#unrecorded.delete(recorded));
    this.#unrecorded.add(recorded);
    // The next ones may begin meanwhile, unless the database does not keep up.
    if (this.#unrecorded.size > this.#slots) await recorded;
  }

  /** An event that cannot be written as a calendar is no reason to say nothing about it. */
  async #attachment({ notification, user, event }: Sendable): Promise<string | undefined> {
    if (event === undefined || notification.channel !== 'email' || notification.change === 'cancelled')
      return undefined;
    try {
      return await this.#options.calendarText?.(event, notification, user);
    } catch (error) {
      log('warning', `event ${event.id} has no calendar text`, error);
      return undefined;
    }
  }
}
