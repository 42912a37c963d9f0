import type { IncomingHttpHeaders } from 'node:http';
import { type Actor, owner } from '../context.ts';

/** A token that was accepted, and whose it is. */
export interface Credential {
  readonly actor: Actor;
  /** When the token expires, in milliseconds since 1970. */
  readonly expiresAt?: number;
  /** Reads the current state, so that a revoked token also ends what is open. */
  isRevoked(): boolean;
}

/** The reply to a request without a valid token. */
export interface Denial {
  readonly status: 401 | 503;
  readonly message: string;
  /** The header `WWW-Authenticate`. */
  readonly challenge: string;
  /** After how many seconds the client may try again. */
  readonly retrySeconds?: number;
}

export interface Authenticator {
  /** `address` is where the request comes from. */
  authenticate(headers: IncomingHttpHeaders, address?: string): Promise<Credential | Denial>;
  /** The header `WWW-Authenticate` of a reply that asks an OAuth client for another scope; `undefined` for other tokens. */
  stepUp(actor: Actor, scope: string): string | undefined;
  /** Answers the OAuth metadata paths; `undefined` for any other path. */
  metadata(path: string): object | undefined;
}

export const ownerCredential: Credential = { actor: owner, isRevoked: () => false };

export function isDenial(result: Credential | Denial): result is Denial {
  return 'status' in result;
}
