import type { Settings, ValuesOf } from '../../setting.ts';
import type { Outcome } from './channel.ts';

/** Settings of Twilio or a provider with a compatible API, for calls and for SMS. */
export const providerSettings = {
  'delivery.call_url': {
    type: 'address',
    schemes: ['http', 'https'],
    default: 'https://api.twilio.com',
    description: 'Base URL of the provider of calls and SMS: Twilio or one with a compatible API.',
  },
  'delivery.call_account': {
    type: 'string',
    description: 'Account at that provider. Without it, calls and SMS go to the outbox.',
  },
  'delivery.call_token': { type: 'string', description: 'Auth token of that account.' },
} as const satisfies Settings;

export type ProviderConfig = ValuesOf<typeof providerSettings>;

/** Sends one request to a resource of the account, such as `Calls` or `Messages`. */
export async function requestProvider(
  config: ProviderConfig,
  resource: string,
  body: Readonly<Record<string, string>>,
  id: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const { post } = await import('./post.ts');
  const path = `/2010-04-01/Accounts/${encodeURIComponent(config['delivery.call_account']!)}/${resource}.json`;
  return post(new URL(path, config['delivery.call_url']).href, {
    signal,
    headers: { ...signedIn(config), 'idempotency-key': id },
    body: new URLSearchParams(body),
    reference: (answer) => /"sid"\s*:\s*"(\w+)"/.exec(answer)?.[1],
  });
}

export function signedIn(config: ProviderConfig) {
  const login = `${config['delivery.call_account']}:${config['delivery.call_token']}`;
  return { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
}
