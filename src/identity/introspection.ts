import { createHash } from 'node:crypto';
import type { JsonObject } from '../json.ts';
import { fetchJson, ServerUnavailable } from './authorization-server.ts';
import { FairQueue } from './fair-queue.ts';

/** How long an answer is used. A revoked token is accepted for this long at most while the authorization server answers. */
const freshMs = 10_000;
/** While the authorization server does not answer, a token that it has called active is accepted for this long. */
const usableMs = 300_000;
/** Tokens whose answers are kept. Inactive ones have a list of their own, so that they cannot displace the others. */
const maxActive = 10_000;
const maxInactive = 1_000;
/** Requests in progress: about tokens that were active a moment ago, and about all others. */
const maxPending = 20;

export interface IntrospectionClient {
  readonly id: string;
  readonly secret: string;
}

interface Answer {
  readonly claims: JsonObject;
  readonly at: number;
}

/**
 * Asks the authorization server about tokens that only it understands (RFC 7662). Tokens that were active are asked about in a queue
 * of their own, and all others wait in turns by the address of their sender, so that junk delays good tokens but never displaces them.
 */
export class Introspection {
  readonly #client: IntrospectionClient;
  readonly #active = new Map<string, Answer>();
  readonly #inactive = new Map<string, Answer>();
  readonly #pending = new Map<string, Promise<JsonObject>>();
  readonly #known = new FairQueue(maxPending);
  readonly #unknown = new FairQueue(maxPending);

  constructor(client: IntrospectionClient) {
    this.#client = client;
  }

  /** The claims of a token. `active` is false if the token is not valid. */
  async ask(url: string, token: string, address: string): Promise<JsonObject> {
    const key = createHash('sha256').update(token).digest('hex');
    const active = this.#active.get(key);
    const known = active ?? this.#inactive.get(key);
    if (known !== undefined && Date.now() - known.at < freshMs) return known.claims;
    const queue = active === undefined ? this.#unknown : this.#known;
    const asking =
      this.#pending.get(key) ??
      queue
        .run(address, () => this.#ask(url, token))
        .then((claims) => {
          this.#keep(key, claims);
          return claims;
        })
        .finally(() => this.#pending.delete(key));
    this.#pending.set(key, asking);
    try {
      return await asking;
    } catch (error) {
      const isOutage = error instanceof ServerUnavailable;
      if (isOutage && active !== undefined && Date.now() - active.at < usableMs) return active.claims;
      throw error;
    }
  }

  #keep(key: string, claims: JsonObject): void {
    const isActive = claims['active'] === true;
    const [answers, most] = isActive ? [this.#active, maxActive] : [this.#inactive, maxInactive];
    this.#active.delete(key);
    this.#inactive.delete(key);
    answers.set(key, { claims, at: Date.now() });
    if (answers.size > most) answers.delete(answers.keys().next().value!);
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
