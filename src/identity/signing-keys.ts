import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { messageOf } from '../json.ts';
import { log } from '../log.ts';
import { fetchJson, ServerUnavailable } from './authorization-server.ts';

/** After this time, the keys are fetched again in the background. */
const freshMs = 600_000;
/** While the authorization server does not answer, its last keys are used for this long. */
const usableMs = 3_600_000;
/** Tokens with unknown keys must not turn into a flood of requests. */
const pauseMs = 1_000;

/**
 * The public keys of an authorization server. A token that is signed with an unknown key makes the server fetch the keys again, at
 * most once per second, so that a new signing key works at once. Nobody is refused because the keys cannot be fetched: that is an outage.
 */
export class SigningKeys {
  #find: ReturnType<typeof createLocalJWKSet> | undefined;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  /** When the last request began. */
  #askedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;

  /** The function that `jwtVerify` asks for a key. */
  from(url: string): JWTVerifyGetKey {
    return async (header, token) => {
      const find = await this.#current(url);
      try {
        return await find(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      }
      // A request that began before this token came may have been answered before the key was added.
      for (const arrivedAt = performance.now(); this.#askedAt < arrivedAt; ) await this.#fetch(url);
      return this.#find!(header, token);
    };
  }

  async #current(url: string): Promise<ReturnType<typeof createLocalJWKSet>> {
    const age = Date.now() - this.#fetchedAt;
    if (this.#find === undefined || age > usableMs) await this.#fetch(url);
    else if (age > freshMs)
      void this.#fetch(url).catch((error: unknown) =>
        log('warning', `the last signing keys are still used: ${messageOf(error)}`),
      );
    return this.#find!;
  }

  /** All callers of one second share a request. */
  #fetch(url: string): Promise<void> {
    this.#fetching ??= this.#pause()
      .then(() => {
        this.#askedAt = performance.now();
        return fetchJson(url);
      })
      .then((keys) => {
        this.#find = readKeys(url, keys);
        this.#fetchedAt = Date.now();
      })
      .finally(() => {
        this.#fetching = undefined;
      });
    return this.#fetching;
  }

  async #pause(): Promise<void> {
    const rest = this.#askedAt + pauseMs - performance.now();
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
  }
}

function readKeys(url: string, keys: object): ReturnType<typeof createLocalJWKSet> {
  try {
    return createLocalJWKSet(keys as JSONWebKeySet);
  } catch (error) {
    throw new ServerUnavailable(`${url} does not answer with keys: ${messageOf(error)}`, { cause: error });
  }
}
