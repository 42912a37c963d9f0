import type { CalendarEvent, Notification } from '../store/schema.ts';
import type { Clock, Store } from '../store/store.ts';
import { createCallChannel } from './call.ts';
import type { Channel, Channels } from './channel.ts';
import { type Feed, followChanges } from './feed.ts';
import { createNtfyChannel } from './ntfy.ts';
import { createOutboxChannel } from './outbox.ts';
import { Scheduler } from './scheduler.ts';
import { createSmtpChannel } from './smtp.ts';
import { createWebhookChannel } from './webhook.ts';
import { Worker } from './worker.ts';

export interface DeliveryOptions {
  readonly store: Store;
  /** The address the store was made from. */
  readonly url: string;
  readonly outboxDir: string;
  readonly mailFrom: string;
  readonly smtpUrl?: string | undefined;
  readonly call?: {
    readonly url: string;
    readonly account: string;
    readonly token: string;
    readonly from: string;
  };
  readonly webhookSecret?: string | undefined;
  readonly ntfy?: { readonly url: string; readonly token?: string | undefined } | undefined;
  readonly publicUrl?: string | undefined;
  readonly slots: number;
  readonly leaseMs: number;
  readonly clock?: Clock;
  readonly calendarText?: (event: CalendarEvent, notification: Notification) => Promise<string | undefined>;
  readonly replan?: (userId: string, eventId: string) => Promise<void>;
}

export interface Delivery {
  /** Delivers from now on whatever comes due. */
  start(): void;
  /** Delivers what is due now and tells how much there was. */
  once(): Promise<number>;
  /** Lets what is under way end. */
  stop(): Promise<void>;
}

/** Everything between a due row and a person. The store stays its maker's to close. */
export function createDelivery(options: DeliveryOptions): Delivery {
  const { store, url, publicUrl, clock } = options;
  const acknowledgeUrl =
    publicUrl === undefined
      ? undefined
      : async (id: string) => new URL(`/acknowledge/${encodeURIComponent(id)}`, publicUrl).href;
  const channels = createChannels(options, acknowledgeUrl);
  const worker = new Worker({
    store,
    channels,
    owner: ownerName(),
    slots: options.slots,
    leaseMs: options.leaseMs,
    attemptMs: Math.min(options.leaseMs / 2, 30_000),
    ...(clock && { clock }),
    ...(acknowledgeUrl && { acknowledgeUrl }),
    ...(options.calendarText && { calendarText: options.calendarText }),
    ...(options.replan && { replan: options.replan }),
  });
  const scheduler = new Scheduler({ store, worker, ...(clock && { clock }) });
  let feed: Feed | undefined;
  return {
    start() {
      feed ??= followChanges(store, url, () => scheduler.wake());
      scheduler.start();
    },
    once: () => scheduler.once(),
    async stop() {
      await feed?.close();
      await scheduler.stop();
      for (const channel of Object.values(channels)) await channel.close?.();
    },
  };
}

/** The providers that are set up, and the outbox for the rest. */
function createChannels(
  options: DeliveryOptions,
  acknowledgeUrl: ((id: string) => Promise<string>) | undefined,
): Channels {
  const { mailFrom, smtpUrl, call, webhookSecret, ntfy } = options;
  const outbox = (name: keyof Channels): Channel =>
    createOutboxChannel(name, { folder: options.outboxDir, from: mailFrom });
  return {
    email: smtpUrl === undefined ? outbox('email') : createSmtpChannel({ url: smtpUrl, from: mailFrom }),
    call:
      call === undefined
        ? outbox('call')
        : createCallChannel({ ...call, ...(acknowledgeUrl && { acknowledgeUrl }) }),
    webhook:
      webhookSecret === undefined ? outbox('webhook') : createWebhookChannel({ secret: webhookSecret }),
    ntfy:
      ntfy === undefined
        ? outbox('ntfy')
        : createNtfyChannel({ server: ntfy.url, ...(ntfy.token !== undefined && { token: ntfy.token }) }),
  };
}

/** Unique among all processes on all machines. */
function ownerName(): string {
  return `${process.pid}-${crypto.randomUUID()}`;
}
