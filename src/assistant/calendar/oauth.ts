import { createHash, randomBytes } from 'node:crypto';
import { Failure } from '../../failure.ts';
import { isObject, type JsonObject, parseJson } from '../../json.ts';
import { singleLine } from '../../single-line.ts';

/** A client of a provider, as its console offers it for download. Google writes it under `installed`. */
export interface OAuthClient extends JsonObject {
  readonly client_id: string;
  readonly client_secret: string;
  readonly auth_uri: string;
  readonly token_uri: string;
}

/** What a provider answers to a code or a refresh token. */
export interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly expiresInMs: number;
  /** The mail address of the account, if the provider says it. */
  readonly email?: string;
}

const defaultLifetimeMs = 3_600_000;

/** Reads the file that a console offers for download. `name` is for error messages. */
export function readClient(text: string, name: string): OAuthClient {
  const invalid = (why: string) =>
    new Failure('invalid-params', `${name} is not the client of a desktop app: ${why}.`);
  const parsed = parseJson(text);
  if (parsed === undefined) throw invalid('it is not JSON');
  const client = isObject(parsed) && isObject(parsed['installed']) ? parsed['installed'] : parsed;
  if (isObject(parsed) && isObject(parsed['web']))
    throw invalid('it is the client of a web application. Create one of the type "Desktop app"');
  const field = (key: keyof OAuthClient, ...fallback: readonly string[]) => {
    const value = isObject(client) ? client[key] : undefined;
    if (typeof value === 'string' && value !== '') return value;
    if (fallback.length > 0) return fallback[0]!;
    throw invalid(`it has no ${key}`);
  };
  const address = (key: 'auth_uri' | 'token_uri') => {
    const value = field(key);
    const url = URL.parse(value);
    const isLocal = url?.hostname === '127.0.0.1' || url?.hostname === 'localhost';
    if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)) return value;
    throw invalid(`${key} is no https address`);
  };
  return {
    client_id: field('client_id'),
    client_secret: field('client_secret', ''),
    auth_uri: address('auth_uri'),
    token_uri: address('token_uri'),
  };
}

export interface Authorization {
  /** What the person opens in a browser. */
  readonly url: string;
  readonly state: string;
  readonly verifier: string;
}

/** Begins a sign-in with PKCE. The answer arrives at the redirect address, a port on the loopback of this machine. */
export function authorize(
  { auth_uri, client_id }: OAuthClient,
  {
    scope,
    redirect,
    account,
  }: { readonly scope: string; readonly redirect: string; readonly account: string },
): Authorization {
  const [state, verifier] = [randomBytes(24).toString('base64url'), randomBytes(48).toString('base64url')];
  const url = new URL(auth_uri);
  const query = {
    response_type: 'code',
    client_id,
    redirect_uri: redirect,
    scope,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    // Without these two, Google gives no refresh token to somebody who has signed in before.
    access_type: 'offline',
    prompt: 'consent',
    login_hint: account,
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return { url: url.href, state, verifier };
}

/** Exchanges a code, or a refresh token, for an access token. */
export async function requestTokens(
  fetch: typeof globalThis.fetch,
  { token_uri, client_id, client_secret }: OAuthClient,
  grant: Readonly<Record<string, string>>,
): Promise<Tokens> {
  const { host } = new URL(token_uri);
  const secret = client_secret === '' ? {} : { client_secret };
  const response = await fetch(token_uri, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams({ ...grant, client_id, ...secret }).toString(),
  });
  const answer = await response.json().catch(() => undefined);
  const reply = isObject(answer) ? answer : {};
  const text = (name: string) => (typeof reply[name] === 'string' ? reply[name] : undefined);
  const token = text('access_token');
  if (response.status !== 200 || token === undefined) {
    const reason = text('error_description') ?? text('error') ?? `status ${response.status}`;
    throw new Failure('unavailable', `${host} refused the sign-in: ${singleLine(reason)}.`, {
      data: { oauth_error: text('error') ?? '' },
    });
  }
  const [refresh, email] = [text('refresh_token'), emailIn(text('id_token'))];
  const seconds = Number(reply['expires_in']);
  return {
    access_token: token,
    expiresInMs: seconds > 0 ? seconds * 1000 : defaultLifetimeMs,
    ...(refresh !== undefined && { refresh_token: refresh }),
    ...(email !== undefined && { email }),
  };
}

/** The address in an ID token. It comes straight from the provider over TLS, so its signature needs no check. */
function emailIn(idToken: string | undefined): string | undefined {
  const claims = parseJson(Buffer.from(idToken?.split('.')[1] ?? '', 'base64url').toString());
  return isObject(claims) && typeof claims['email'] === 'string' ? claims['email'].toLowerCase() : undefined;
}
