import type { Actor } from '../actor.ts';
import type { Credential, Denial } from './credential.ts';

/** Accepts the access tokens of an OAuth 2.1 authorization server. */
export interface ResourceServer {
  verify(token: string): Promise<Credential | Denial>;
  /** The header `WWW-Authenticate` of a reply with status 401. */
  challenge(error?: string): string;
  stepUp(actor: Actor, scope: string): string | undefined;
  metadata(path: string): object | undefined;
}
