import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../../failure.ts';
import type { SecretKind } from '../../store/secret-kind.ts';
import { SharedLease } from '../../store/shared-lease.ts';
import type { Clock, Store } from '../../store/store.ts';
import type { Reader } from '../entities/entity-access.ts';
import { type OAuthClient, requestTokens, type Tokens } from './oauth.ts';

// A provider such as Google gives no passwords to other programs: a person signs in with a browser once, and programs renew
// their access from then on. A sign-in is a record with the host that it is for, the account, the client and the tokens. It is
// also the lease of whoever renews it, because many providers end a sign-in whose refresh token is used twice.

const kind = 'calendar-sign-in';

/** The records hold refresh and access tokens. */
export const signInKind: SecretKind = {
  kind,
  renew(key) {
    const [host, login] = key.split(' ');
    return `sign in at ${host} again: adjutant calendars sign-in ${login} --client FILE`;
  },
};

/** A token is renewed this long before it expires. */
const marginMs = 60_000;
/** Longer than the request for new tokens may take. */
const leaseMs = 60_000;
const waitMs = 200;
const maxWaits = leaseMs / waitMs;

export interface SignIn extends OAuthClient {
  /** The only host that gets the access token. */
  readonly host: string;
  readonly login: string;
  readonly refresh_token: string;
  readonly access_token: string;
  readonly expires_ms: number;
}

interface SignIns {
  readonly store: Store;
  readonly clock: Clock;
}

/** Stores a sign-in in place of an earlier one of the account. */
export async function storeSignIn(
  { store, clock }: SignIns,
  place: Pick<SignIn, 'host' | 'login'>,
  client: OAuthClient,
  tokens: Tokens,
): Promise<void> {
  if (tokens.refresh_token === undefined)
    throw new Failure(
      'unavailable',
      `${new URL(client.token_uri).host} gives no lasting access to this account (no refresh token).`,
    );
  const signIn = {
    ...{ ...place, ...client, refresh_token: tokens.refresh_token },
    ...{ access_token: tokens.access_token, expires_ms: clock() + tokens.expiresInMs },
  };
  await store.write(({ db }) =>
    db
      .insertInto('records')
      .values({ kind, key: keyOf(place), value: JSON.stringify(signIn), position: 0 })
      .onConflict((conflict) =>
        conflict.columns(['kind', 'key']).doUpdateSet({ value: JSON.stringify(signIn), position: 0 }),
      )
      .execute(),
  );
}

/** The sign-in for a host: of the account, or the only one. */
export async function findSignIn(
  db: Reader,
  host: string,
  login: string | undefined,
): Promise<SignIn | undefined> {
  const rows = await db.selectFrom('records').select('value').where('kind', '=', kind).execute();
  const found = rows
    .map(({ value }) => JSON.parse(value) as SignIn)
    .filter((one) => one.host === host && (login === undefined || one.login === login.toLowerCase()));
  return found.length === 1 ? found[0] : undefined;
}

export async function removeSignIn(db: Reader, place: Pick<SignIn, 'host' | 'login'>): Promise<void> {
  await db.deleteFrom('records').where('kind', '=', kind).where('key', '=', keyOf(place)).execute();
}

function keyOf({ host, login }: Pick<SignIn, 'host' | 'login'>): string {
  return `${host} ${login}`;
}

/**
 * The access token for a host, renewed if it has expired or is the one that the host refused. Undefined if nobody signed in
 * there. One process at a time renews a sign-in; others wait for its result.
 */
export async function accessToken(
  { store, clock }: SignIns,
  fetch: typeof globalThis.fetch,
  host: string,
  login: string | undefined,
  refused?: string,
): Promise<string | undefined> {
  const isUsable = ({ access_token, expires_ms }: SignIn) =>
    access_token !== refused && expires_ms > clock() + marginMs;
  for (let wait = 0; wait < maxWaits; wait++) {
    const known = await store.read((db) => findSignIn(db, host, login));
    if (known === undefined) return undefined;
    if (isUsable(known)) return known.access_token;
    const lease = new SharedLease<SignIn>({
      ...{ store, clock, kind, key: keyOf(known), owner: randomUUID(), durationMs: leaseMs },
    });
    const held = await lease.take(known);
    if (held === undefined) {
      await pause(waitMs);
      continue;
    }
    try {
      // Another process may have renewed it since it was read.
      if (isUsable(held)) return held.access_token;
      const renewed = await renew(fetch, held, clock);
      if (await lease.save(renewed)) return renewed.access_token;
    } finally {
      await lease.release();
    }
  }
  throw new Failure('unavailable', `The access to ${host} is being renewed by another process. Try again.`);
}

async function renew(fetch: typeof globalThis.fetch, signIn: SignIn, clock: Clock): Promise<SignIn> {
  const { refresh_token, host, login } = signIn;
  try {
    const grant = { grant_type: 'refresh_token', refresh_token };
    const { expiresInMs, ...tokens } = await requestTokens(fetch, signIn, grant);
    return {
      ...signIn,
      access_token: tokens.access_token,
      refresh_token: tokens.refresh_token ?? refresh_token,
      expires_ms: clock() + expiresInMs,
    };
  } catch (error) {
    if (!(error instanceof Failure) || error.data?.['oauth_error'] !== 'invalid_grant') throw error;
    throw new Failure(
      'unavailable',
      `${host} no longer accepts the sign-in of ${login}: it was revoked or has expired. Sign in again: adjutant calendars sign-in ${login}`,
      { cause: error },
    );
  }
}
