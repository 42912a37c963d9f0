import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { importComponent } from '../components.ts';
import { type CalDavProxy, startProxy } from './proxy.ts';
import { password } from './radicale.ts';

/** A provider like Google: an authorization server, and calendars that take only its tokens. */
export interface TokenProvider extends AsyncDisposable {
  /** The file that its console offers for download. */
  readonly client: string;
  readonly scope: string;
  /** Address of the CalDAV server. */
  readonly server: string;
  readonly proxy: CalDavProxy;
  /** The server refuses a token from now on. */
  refuse(token: string): void;
  /** Ends the sign-in of a token. */
  revoke(token: string): Promise<void>;
  /** Requests for tokens so far. */
  tokenRequests(): number;
}

type Provider = new (issuer: string, options: object) => { callback(): RequestListener };

/** Starts oidc-provider, and puts a proxy that asks it about every token in front of a CalDAV server. */
export async function startTokenProvider(calendar: string): Promise<TokenProvider> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const { default: OidcProvider } = (await importComponent('oidc-provider')) as unknown as {
    default: Provider;
  };
  const desktop = { client_id: 'desktop', client_secret: 'not-so-secret' };
  const provider = new OidcProvider(issuer, {
    clients: [
      {
        ...desktop,
        application_type: 'native',
        token_endpoint_auth_method: 'client_secret_post',
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: ['http://127.0.0.1/'],
      },
    ],
    scopes: ['openid', 'offline_access', 'email', 'calendar'],
    claims: { openid: ['sub'], email: ['email'] },
    conformIdTokenClaims: false,
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id, email: id }) }),
    cookies: { keys: ['a-key-for-cookies'] },
    pkce: { required: () => true },
    // A refresh token that is used twice ends the sign-in.
    rotateRefreshToken: true,
    features: {
      devInteractions: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      revocation: { enabled: true, allowedPolicy: () => true },
    },
    ttl: {
      AccessToken: 3600,
      RefreshToken: 86_400,
      Session: 3600,
      Grant: 86_400,
      Interaction: 600,
      IdToken: 3600,
    },
  }).callback();
  let tokenRequests = 0;
  listener.on('request', (request, response) => {
    if (request.url === '/token') tokenRequests += 1;
    provider(request, response);
  });
  const post = async (path: string, fields: Record<string, string>) => {
    const body = new URLSearchParams({ ...fields, ...desktop });
    const response = await fetch(issuer + path, { method: 'POST', body });
    const text = await response.text();
    return (text === '' ? {} : JSON.parse(text)) as { active?: boolean };
  };
  const proxy = await startProxy(new URL(calendar).origin);
  const refused = new Set<string>();
  const basic = `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`;
  proxy.intercept = async ({ headers, forward }) => {
    const [, token] = /^Bearer (.+)$/.exec(String(headers['authorization'] ?? '')) ?? [];
    if (token !== undefined && !refused.has(token) && (await post('/token/introspection', { token })).active)
      return forward({ authorization: basic });
    return new Response('', { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } });
  };
  return {
    client: JSON.stringify({
      installed: { ...desktop, auth_uri: `${issuer}/auth`, token_uri: `${issuer}/token` },
    }),
    scope: 'openid email offline_access calendar',
    server: new URL(new URL(calendar).pathname, proxy.url).href,
    proxy,
    refuse: (token) => void refused.add(token),
    revoke: async (token) => void (await post('/token/revocation', { token })),
    tokenRequests: () => tokenRequests,
    async [Symbol.asyncDispose]() {
      await proxy.close();
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
