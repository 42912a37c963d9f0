import { createAppriseChannel } from './apprise.ts';
import { createCallChannel } from './call.ts';
import type { Channel, Channels } from './channel.ts';
import { createNtfyChannel } from './ntfy.ts';
import { createOutboxChannel } from './outbox.ts';
import { createSmtpChannel } from './smtp.ts';
import { createTelegramChannel, type TelegramOptions } from './telegram.ts';
import { createWebhookChannel } from './webhook.ts';

/** Configured providers, and the outbox folder for channels without one. */
export interface ChannelOptions {
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
  /** Hosts with private addresses to which webhooks may be posted. */
  readonly privateHosts: readonly string[];
  readonly telegram?: TelegramOptions | undefined;
  readonly ntfy?: { readonly url: string; readonly token?: string | undefined } | undefined;
}

/** Creates every channel; a channel without a configured provider writes to the outbox. */
export function createChannels(
  options: ChannelOptions,
  acknowledgeUrl?: (id: string) => Promise<string>,
): Channels {
  const { mailFrom, smtpUrl, call, webhookSecret, privateHosts, ntfy, telegram } = options;
  const outbox = (name: keyof Channels): Channel =>
    createOutboxChannel(name, { folder: options.outboxDir, from: mailFrom });
  return {
    email: smtpUrl === undefined ? outbox('email') : createSmtpChannel({ url: smtpUrl, from: mailFrom }),
    call:
      call === undefined
        ? outbox('call')
        : createCallChannel({ ...call, ...(acknowledgeUrl && { acknowledgeUrl }) }),
    webhook:
      webhookSecret === undefined
        ? outbox('webhook')
        : createWebhookChannel({ secret: webhookSecret, privateHosts }),
    ntfy:
      ntfy === undefined
        ? outbox('ntfy')
        : createNtfyChannel({ server: ntfy.url, ...(ntfy.token !== undefined && { token: ntfy.token }) }),
    telegram: telegram === undefined ? outbox('telegram') : createTelegramChannel(telegram),
    apprise: createAppriseChannel({ privateHosts }),
  };
}
