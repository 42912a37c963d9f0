import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { owner } from '../context.ts';
import { messageOf } from '../json.ts';
import { log } from '../log.ts';
import type { Authenticator, Credential, Denial } from './credential.ts';
import { looksNamed, type NamedTokens } from './named-tokens.ts';
import type { ResourceServer } from './resource-server.ts';

/** Longer tokens are refused unread. Access tokens have at most a few kilobytes. */
const maxTokenLength = 16 * 1024;

export interface AuthenticatorOptions {
  /** The token of the owner, which can change while the server runs. */
  readonly token: string | { readonly current: string };
  readonly tokens?: NamedTokens;
  /** Accepts access tokens of an authorization server. */
  readonly oauth?: ResourceServer;
}

/** Identifies the owner, the holders of named tokens and the users of an authorization server. */
export function createAuthenticator({ token, tokens, oauth }: AuthenticatorOptions): Authenticator {
  const isOwners = (given: string) =>
    isSame(Buffer.from(given), Buffer.from(typeof token === 'string' ? token : token.current));
  const deny = (message: string, error?: string): Denial => ({
    status: 401,
    message,
    challenge: oauth?.challenge(error) ?? (error === undefined ? 'Bearer' : `Bearer error="${error}"`),
  });

  async function authenticate(
    { authorization }: IncomingHttpHeaders,
    address = '',
  ): Promise<Credential | Denial> {
    const given = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (given === undefined)
      return deny('Every call needs a token: send the header "Authorization: Bearer TOKEN".');
    if (given.length > maxTokenLength) return deny('The token is too long.', 'invalid_token');
    if (isOwners(given)) return { actor: owner, isRevoked: () => !isOwners(given) };
    if (looksNamed(given)) {
      const actor = tokens?.find(given);
      if (actor === undefined)
        return deny('The token is wrong, has expired or was revoked.', 'invalid_token');
      return { actor, isRevoked: () => isRevoked(given) };
    }
    if (oauth === undefined)
      return deny(
        'The token is wrong. The file "token" in the state folder (setting http.state_dir) has the right one.',
        'invalid_token',
      );
    return oauth.verify(given, address);
  }

  function isRevoked(given: string): boolean {
    try {
      return tokens?.find(given) === undefined;
    } catch (error) {
      // Without free file handles, for example, nobody is thrown out.
      log('warning', `a token could not be checked: ${messageOf(error)}`);
      return false;
    }
  }

  return {
    authenticate,
    stepUp: (actor, scope) => oauth?.stepUp(actor, scope),
    metadata: (path) => oauth?.metadata(path),
  };
}

/** The time that this takes reveals only whether the lengths are equal. */
function isSame(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
