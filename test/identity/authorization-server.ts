import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { importComponent } from '../components.ts';

export interface AuthorizationServer extends AsyncDisposable {
  readonly issuer: string;
  /** The server that tokens are for. Set it when its address is known. */
  audience: string;
  /** The public key in PEM. An attacker knows it too. */
  readonly publicKey: string;
  /** A token for a program, through the client credentials grant. */
  machineToken(scope: string, format?: 'jwt' | 'opaque'): Promise<string>;
  /** A token with any claims, signed with the key of the server. */
  sign(claims: JWTPayload, expires?: number): Promise<string>;
  /** Signs with a new key from now on, and publishes it in addition to the old one. */
  rotateKey(): Promise<void>;
  /** Makes a token inactive. */
  revoke(token: string): Promise<void>;
}

export const introspector = { id: 'introspector', secret: 'a-secret-for-introspection' };
/** A client that was registered by hand, so that it may request further scopes later. */
export const registeredClient = 'registered-by-hand';
const machine = { id: 'machine', secret: 'a-secret-for-the-machine' };
const scopes =
  'read prompts:write calendar:a calendar:ada calendar:* delegate:read-only delegate:workspace-write approvals routines metrics admin';

type Provider = new (
  issuer: string,
  options: object,
) => { callback(): RequestListener; on(event: string, listener: (...args: unknown[]) => void): void };

/** Starts oidc-provider, a certified authorization server, on loopback. */
export async function startAuthorizationServer(
  redirectUrl = 'http://127.0.0.1:1/callback',
  /** Gets every request first, as a proxy in front of the server would. */
  proxy: (request: IncomingMessage, response: ServerResponse, pass: () => void) => void = (_, __, pass) =>
    pass(),
): Promise<AuthorizationServer> {
  const newKey = async (kid: string) => {
    const pair = await generateKeyPair('RS256', { extractable: true });
    return { ...pair, kid, jwk: { ...(await exportJWK(pair.privateKey)), kid, use: 'sig', alg: 'RS256' } };
  };
  const keys = [await newKey('test')];
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const { default: Provider } = (await importComponent('oidc-provider')) as unknown as { default: Provider };
  const confidential = (client: { id: string; secret: string }) => ({
    client_id: client.id,
    client_secret: client.secret,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  });
  let format: 'jwt' | 'opaque' = 'jwt';
  const options = {
    clients: [
      confidential(introspector),
      confidential(machine),
      {
        client_id: registeredClient,
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: [redirectUrl],
      },
    ],
    scopes: ['openid', 'offline_access', ...scopes.split(' ')],
    cookies: { keys: ['a-key-for-cookies'] },
    pkce: { required: () => true },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true, allowedPolicy: () => true },
      introspection: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => self.audience,
        useGrantedResource: () => true,
        getResourceServerInfo: (_: unknown, resource: string) => ({
          scope: scopes,
          audience: resource,
          accessTokenFormat: format,
          accessTokenTTL: 3600,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    ttl: {
      ClientCredentials: 3600,
      AccessToken: 3600,
      Session: 3600,
      Grant: 3600,
      Interaction: 600,
      RefreshToken: 3600,
      IdToken: 3600,
    },
  };
  const answer = () =>
    new Provider(issuer, { ...options, jwks: { keys: keys.map(({ jwk }) => jwk) } }).callback();
  let answering = answer();
  listener.on('request', (request, response) =>
    proxy(request, response, () => void answering(request, response)),
  );

  const post = async (path: string, client: { id: string; secret: string }, body: Record<string, string>) => {
    const login = Buffer.from(`${client.id}:${client.secret}`).toString('base64');
    const response = await fetch(issuer + path, {
      method: 'POST',
      headers: { authorization: `Basic ${login}` },
      body: new URLSearchParams(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answers ${response.status}: ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as Record<string, string>;
  };
  const self: AuthorizationServer = {
    issuer,
    audience: '',
    publicKey: await exportSPKI(keys[0]!.publicKey),
    async machineToken(scope, wanted = 'jwt') {
      format = wanted;
      const request = { grant_type: 'client_credentials', scope, resource: self.audience };
      const answer = await post('/token', machine, request);
      format = 'jwt';
      return answer['access_token']!;
    },
    sign: (claims, expires = Math.floor(Date.now() / 1000) + 3600) =>
      new SignJWT({ iss: issuer, aud: self.audience, sub: 'ada', scope: 'read', exp: expires, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: keys[0]!.kid, typ: 'at+jwt' })
        .sign(keys[0]!.privateKey),
    async rotateKey() {
      keys.unshift(await newKey(`key-${keys.length}`));
      answering = answer();
    },
    revoke: async (token) => void (await post('/token/revocation', machine, { token })),
    async [Symbol.asyncDispose]() {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
  return self;
}

/** Logs a person in as a browser would, through all forms. Returns the address that the server redirects back to. */
export async function logIn(authorizationUrl: string | URL, login: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(authorizationUrl);
  const { origin } = url;
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 20; step++) {
    const response: Response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: form }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      cookies.set(name!, value!);
    }
    const location = response.headers.get('location');
    if (location !== null) {
      url = new URL(location, url);
      form = undefined;
      if (url.origin !== origin) return url;
      continue;
    }
    const page = await response.text();
    const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    if (action === undefined || prompt === undefined)
      throw new Error(
        `no form at ${url}: ${response.status} ${page.replaceAll(/<[^>]+>|\s+/g, ' ').slice(0, 500)}`,
      );
    url = new URL(action, url);
    form = new URLSearchParams({ prompt, ...(prompt === 'login' && { login, password: 'any' }) });
  }
  throw new Error('the login did not end');
}
