import { defineChannel } from '../sending/channel.ts';

/**
 * Posts a JSON document to the user's webhook URL. The signature covers the time and the body, so that a receiver can
 * reject forged or replayed requests. The idempotency key lets the receiver drop duplicates.
 */
export const webhook = defineChannel({
  name: 'webhook',
  rank: 30,
  canBeSilent: true,
  label: 'Webhook',
  icon: '⇢',
  help: 'An address that gets each message as a JSON document.',
  settings: {
    'delivery.webhook_secret': {
      type: 'string',
      description: 'Secret that signs webhooks. Without it, webhook documents go to the outbox.',
    },
  },
  needs: 'delivery.webhook_secret',
  address: {
    noun: 'webhook address',
    schemes: ['https', 'http'],
    example: 'https://…',
    sample: 'https://hooks.example.com/ada',
    field: { name: 'webhook_url', input: 'url', placeholder: 'https://' },
    parse: (_, written) => (URL.canParse(written) ? written : undefined),
  },
  advice: {
    notConfigured: 'delivery.webhook_secret is not set, so no webhook was sent',
    unreachable: 'check that the receiver is running and answers in time',
    refused: "check the user's webhook URL and the receiver; list private hosts in delivery.private_hosts",
  },
  connect({ 'delivery.webhook_secret': secret }, { privateHosts }) {
    if (secret === undefined) return undefined;
    let loading: Promise<typeof globalThis.fetch> | undefined;
    const loadFetch = async () => {
      const { createFetch } = await import('../network/fetch.ts');
      return createFetch({ section: 'delivery', privateHosts, keepAlive: true });
    };
    return {
      async deliver(message, signal) {
        const { post } = await import('../sending/post.ts');
        const body = JSON.stringify({
          id: message.id,
          subject: message.subject,
          text: message.text,
          urgency: message.urgency,
          ...message.data,
        });
        const seconds = Math.floor(message.sentAt.getTime() / 1000);
        loading ??= loadFetch();
        return post(message.recipient.address, {
          fetch: await loading,
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
  },
});

export async function sign(secret: string, text: string): Promise<string> {
  const { createHmac } = await import('node:crypto');
  return createHmac('sha256', secret).update(text).digest('hex');
}
