import { createHash } from 'node:crypto';
import type { JsonObject } from '../json.ts';
import { fetchJson, ServerUnavailable } from './authorization-server.ts';

/** How long an answer is used. A revoked token is accepted for this long at most. */
const keptMs = 10_000;
const maxKept = 1_000;
/** Wrong tokens must not turn into a flood of requests to the authorization server. */
const maxPending = 20;

export interface IntrospectionClient {
  readonly id: string;
  readonly secret: string;
}

/** Asks the authorization server about tokens that only it understands (RFC 7662). */
export class Introspection {
  readonly #client: IntrospectionClient;
  #pending = 0;
  /** Answers by the hash of the token, oldest first. */
  readonly #answers = new Map<string, { readonly until: number; readonly claims: Promise<JsonObject> }>();

  constructor(client: IntrospectionClient) {
    this.#client = client;
  }

  /** The claims of a token. `active` is false if the token is not valid. */
  ask(url: string, token: string): Promise<JsonObject> {
    const key = createHash('sha256').update(token).digest('hex');
    const known = this.#answers.get(key);
    if (known !== undefined && known.until > Date.now()) return known.claims;
    this.#answers.delete(key);
    if (this.#pending >= maxPending)
      return Promise.reject(new ServerUnavailable(`more than ${maxPending} tokens are being checked`));
    this.#pending += 1;
    const claims = this.#ask(url, token).finally(() => {
      this.#pending -= 1;
    });
    this.#answers.set(key, { until: Date.now() + keptMs, claims });
    claims.catch(() => this.#answers.delete(key));
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > maxKept) this.#answers.delete(oldest!);
    return claims;
  }

  #ask(url: string, token: string): Promise<JsonObject> {
    const { id, secret } = this.#client;
    const login = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64');
    return fetchJson(url, {
      method: 'POST',
      headers: { authorization: `Basic ${login}`, accept: 'application/json' },
      body: new URLSearchParams({ token, token_type_hint: 'access_token' }),
    });
  }
}
