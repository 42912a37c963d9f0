import { createFetch } from '../network/fetch.ts';
import type { Channel } from './channel.ts';
import { post } from './post.ts';

export interface WebhookOptions {
  readonly secret: string;
  /** Hosts with private addresses that may receive webhooks; `*` allows all. */
  readonly privateHosts: readonly string[];
}

/**
 * Posts a JSON document to the user's webhook URL. The signature covers the time and the body, so that a receiver can
 * reject forged or replayed requests. The idempotency key lets the receiver drop duplicates.
 */
export function createWebhookChannel({ secret, privateHosts }: WebhookOptions): Channel {
  const fetch = createFetch({ section: 'delivery', privateHosts, keepAlive: true });
  return {
    async deliver(message, signal) {
      const { webhook } = message.recipient;
      if (webhook === undefined || webhook === '')
        return { kind: 'permanent', detail: 'the user has no webhook address' };
      const body = JSON.stringify({
        id: message.id,
        subject: message.subject,
        text: message.text,
        urgency: message.urgency,
        ...message.data,
      });
      const seconds = Math.floor(message.sentAt.getTime() / 1000);
      return post(webhook, {
        fetch,
        signal,
        body,
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'idempotency-key': message.id,
          'x-adjutant-signature': `t=${seconds},v1=${await sign(secret, `${seconds}.${body}`)}`,
        },
      });
    },
  };
}

export async function sign(secret: string, text: string): Promise<string> {
  const { createHmac } = await import('node:crypto');
  return createHmac('sha256', secret).update(text).digest('hex');
}
