import { isObject, type JsonObject, messageOf, parseJson } from '../json.ts';
import { log } from '../log.ts';
import { readReply } from '../request-body.ts';

const timeoutMs = 10_000;
/** After this time, the metadata is fetched again in the background: a server may move its keys. */
const freshMs = 600_000;
/** After a failure, the server is not asked again for this long. */
const pauseMs = 5_000;

/** The authorization server does not answer, or not with what the standards require. */
export class ServerUnavailable extends Error {}

export interface ServerMetadata {
  readonly issuer: string;
  readonly jwksUrl: string;
  readonly introspectionUrl?: string;
}

/** Finds the addresses of an authorization server in its metadata (RFC 8414, OpenID Connect Discovery). */
export class AuthorizationServer {
  readonly #issuer: string;
  #known: { readonly at: number; readonly metadata: ServerMetadata } | undefined;
  #asking: Promise<ServerMetadata> | undefined;
  #failure: { readonly at: number; readonly error: unknown } | undefined;

  constructor(issuer: string) {
    this.#issuer = issuer;
  }

  async metadata(): Promise<ServerMetadata> {
    const isPaused = this.#failure !== undefined && Date.now() - this.#failure.at < pauseMs;
    if (this.#known === undefined) {
      if (isPaused) throw this.#failure!.error;
      return this.#ask();
    }
    if (!isPaused && Date.now() - this.#known.at > freshMs)
      void this.#ask().catch((error: unknown) =>
        log('warning', `the last addresses of the authorization server are still used: ${messageOf(error)}`),
      );
    return this.#known.metadata;
  }

  /** All callers share a request. */
  #ask(): Promise<ServerMetadata> {
    this.#asking ??= this.#discover()
      .then((metadata) => {
        this.#known = { at: Date.now(), metadata };
        return metadata;
      })
      .catch((error: unknown) => {
        this.#failure = { at: Date.now(), error };
        throw error;
      })
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }

  async #discover(): Promise<ServerMetadata> {
    const { origin, pathname } = new URL(this.#issuer);
    const path = pathname.replace(/\/$/, '');
    const places = [
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}/.well-known/openid-configuration${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
    ];
    const problems: string[] = [];
    for (const place of new Set(places)) {
      const found = await fetchJson(place).catch((error: unknown) => {
        problems.push(messageOf(error));
        return {} as JsonObject;
      });
      const { issuer, jwks_uri: jwksUrl, introspection_endpoint: introspectionUrl } = found;
      if (typeof issuer !== 'string' || typeof jwksUrl !== 'string') continue;
      if (issuer.replace(/\/$/, '') !== this.#issuer.replace(/\/$/, ''))
        throw new ServerUnavailable(
          `The authorization server at ${place} is ${issuer}, not ${this.#issuer} (setting auth.issuer).`,
        );
      return { issuer, jwksUrl, ...(typeof introspectionUrl === 'string' && { introspectionUrl }) };
    }
    throw new ServerUnavailable(
      `The authorization server ${this.#issuer} (setting auth.issuer) has no usable metadata: ${problems.join('; ')}`,
    );
  }
}

export async function fetchJson(url: string, init: RequestInit = {}): Promise<JsonObject> {
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs), ...init });
    body = response.ok ? parseJson(await readReply(response)) : undefined;
  } catch (error) {
    throw new ServerUnavailable(`${url} does not answer: ${messageOf(error)}`, { cause: error });
  }
  if (!response.ok) throw new ServerUnavailable(`${url} answers with status ${response.status}`);
  if (!isObject(body)) throw new ServerUnavailable(`${url} does not answer with a JSON object`);
  return body as JsonObject;
}
