import { type Actor, isOwner } from '../context.ts';
import { Denied, Failure } from '../failure.ts';
import { isScope, unknownScope } from '../toolsets/scopes.ts';
import type { NamedTokens } from './named-tokens.ts';

const dayMs = 86_400_000;

export interface TokenRequest {
  readonly name: string;
  readonly scopes: readonly string[];
  /** Default: the token does not expire. */
  readonly days?: number | undefined;
}

/**
 * Creates a token for somebody else. It has no scope that its creator does not have, and does not outlast the creator's. Access
 * tokens of an authorization server cannot create any: that server alone decides how long its users have access.
 */
export function issueToken(
  store: NamedTokens,
  creator: Actor,
  { name, scopes, days }: TokenRequest,
): { readonly token: string; readonly expires_at?: string } {
  if (creator.token?.kind === 'oauth')
    throw new Denied(
      'refused',
      'A caller with an access token of an authorization server cannot create named tokens. Create one on the machine of the server: adjutant tokens create NAME --scope SCOPE',
    );
  const unknown = scopes.find((scope) => !isScope(scope));
  if (unknown !== undefined) throw new Failure('invalid-params', unknownScope(unknown));
  const missing = isOwner(creator)
    ? undefined
    : scopes.find((scope) => !creator.rights!.scopes.includes(scope));
  if (missing !== undefined)
    throw new Denied(
      'refused',
      `You cannot give the scope ${missing}, because your own token does not have it.`,
    );
  const expires = days === undefined ? undefined : new Date(Date.now() + days * dayMs);
  const end = creator.token?.expiresAt;
  if (end !== undefined && (expires === undefined || expires.getTime() > end))
    throw new Denied(
      'refused',
      `Your own token expires on ${new Date(end).toISOString().slice(0, 10)}, and a new one cannot last longer.`,
    );
  const token = store.create(name, [...new Set(scopes)], expires);
  return { token, ...(expires && { expires_at: expires.toISOString() }) };
}
