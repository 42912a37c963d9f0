// Imported statically, so that the build drops the rest of jose. This file itself is loaded only if OAuth is configured.
import { errors, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { Actor } from '../context.ts';
import type { JsonObject } from '../json.ts';
import { log } from '../log.ts';
import { singleLine } from '../single-line.ts';
import { actorWith } from '../toolsets/scopes.ts';
import { AuthorizationServer, ServerUnavailable } from './authorization-server.ts';
import type { Credential, Denial } from './credential.ts';
import { Introspection, type IntrospectionClient } from './introspection.ts';
import { type MappingOptions, ScopeMapping } from './scope-mapping.ts';
import { SigningKeys } from './signing-keys.ts';

export interface ResourceServerOptions extends MappingOptions {
  readonly issuer: string;
  /** The address of `/mcp` as clients use it. Known only when the server listens. */
  audience(): string;
  /** The scopes that clients request when they log in. */
  readonly loginScopes: readonly string[];
  readonly introspection?: IntrospectionClient | undefined;
}

/** Signatures by a private key only. With HS256, anyone who knows the public key could sign, and `none` is no signature. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** Allowed difference between the clocks of the two servers. */
const clockToleranceSeconds = 5;
const maxSubjectLength = 255;
const retrySeconds = 5;
const wellKnown = '/.well-known/oauth-protected-resource';

/** Accepts the access tokens of an OAuth 2.1 authorization server, and tells clients where to get them (RFC 9728). */
export class ResourceServer {
  readonly #options: ResourceServerOptions;
  readonly #mapping: ScopeMapping;
  readonly #server: AuthorizationServer;
  readonly #introspection: Introspection | undefined;
  readonly #granted = new WeakMap<Actor, readonly string[]>();
  readonly #keys = new SigningKeys();

  constructor(options: ResourceServerOptions) {
    this.#options = options;
    this.#mapping = new ScopeMapping(options);
    this.#server = new AuthorizationServer(options.issuer);
    this.#introspection = options.introspection && new Introspection(options.introspection);
  }

  /** `address` is where the request comes from. */
  async verify(token: string, address: string): Promise<Credential | Denial> {
    let claims: JsonObject;
    try {
      claims = await (isJwt(token) ? this.#verifyJwt(token) : this.#introspect(token, address));
    } catch (error) {
      if (error instanceof InvalidToken)
        return { status: 401, message: error.message, challenge: this.challenge('invalid_token') };
      log('warning', 'an access token could not be checked', error);
      const message = 'The authorization server cannot be reached, so the access token cannot be checked.';
      return { status: 503, message, challenge: this.challenge(), retrySeconds };
    }
    const { sub, client_id, azp, exp } = claims;
    const client = [client_id, azp].find((id) => typeof id === 'string') as string | undefined;
    const subject = typeof sub === 'string' ? sub : (client ?? '');
    if (
      subject === '' ||
      subject.length > maxSubjectLength ||
      subject !== singleLine(subject, maxSubjectLength)
    )
      return {
        status: 401,
        message: 'The access token has no usable subject.',
        challenge: this.challenge('invalid_token'),
      };
    const expiresAt = Number(exp) * 1000;
    const scopes = this.#mapping.allowed(claims);
    const actor = actorWith(`oauth ${subject}`, scopes, { kind: 'oauth', expiresAt }, client);
    this.#granted.set(actor, this.#mapping.granted(claims));
    return { actor, expiresAt, isRevoked: () => false };
  }

  challenge(error?: string): string {
    return bearer({
      error,
      scope: this.#options.loginScopes.join(' '),
      resource_metadata: this.#metadataUrl,
    });
  }

  /** Names every scope that the client needs: those it has and the missing one. */
  stepUp(actor: Actor, scope: string): string | undefined {
    const granted = this.#granted.get(actor);
    const missing = granted && this.#mapping.nameOf(scope, actor.name.replace(/^oauth /, ''));
    if (missing === undefined) return undefined;
    const scopes = [...new Set([...granted!, missing])].join(' ');
    return bearer({ error: 'insufficient_scope', scope: scopes, resource_metadata: this.#metadataUrl });
  }

  metadata(path: string): object | undefined {
    if (path !== wellKnown && !path.startsWith(`${wellKnown}/`)) return undefined;
    return {
      resource: this.#options.audience(),
      authorization_servers: [this.#options.issuer],
      scopes_supported: this.#options.loginScopes,
      bearer_methods_supported: ['header'],
      resource_name: 'Adjutant',
    };
  }

  get #metadataUrl(): string {
    const { origin, pathname } = new URL(this.#options.audience());
    return `${origin}${wellKnown}${pathname.replace(/\/$/, '')}`;
  }

  async #verifyJwt(token: string): Promise<JsonObject> {
    const { issuer, jwksUrl } = await this.#server.metadata();
    const checks: JWTVerifyOptions = {
      issuer,
      audience: this.#options.audience(),
      algorithms,
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ['exp'],
    };
    const verified = jwtVerify(token, this.#keys.from(jwksUrl), checks).catch(async (error: unknown) => {
      // While keys change, a server that does not name them has several that fit.
      if (error instanceof errors.JWKSMultipleMatchingKeys)
        for await (const key of error) {
          const found = await jwtVerify(token, key, checks).catch(onlyInvalidSignature);
          if (found !== undefined) return found;
        }
      throw error;
    });
    try {
      return (await verified).payload as JsonObject;
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      throw new InvalidToken(`The access token is not valid: ${error.message}.`);
    }
  }

  async #introspect(token: string, address: string): Promise<JsonObject> {
    if (this.#introspection === undefined)
      throw new InvalidToken('The token is wrong. It is neither a JWT nor one of our own tokens.');
    const { issuer, introspectionUrl } = await this.#server.metadata();
    if (introspectionUrl === undefined)
      throw new ServerUnavailable(`The authorization server ${issuer} has no address for introspection.`);
    const claims = await this.#introspection.ask(introspectionUrl, token, address);
    const { active, iss, aud, exp } = claims;
    if (active !== true) throw new InvalidToken('The access token is not active.');
    if (iss !== undefined && iss !== issuer) throw new InvalidToken('The access token has another issuer.');
    if (![aud].flat().includes(this.#options.audience()))
      throw new InvalidToken('The access token has another audience.');
    if (typeof exp !== 'number' || exp * 1000 < Date.now() - clockToleranceSeconds * 1000)
      throw new InvalidToken('The access token has expired.');
    return claims;
  }
}

class InvalidToken extends Error {}

function onlyInvalidSignature(error: unknown): undefined {
  if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
}

function isJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]*\.[\w-]*$/.test(token);
}

/** The header `WWW-Authenticate` with the parameters that have a value. */
function bearer(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '');
  return `Bearer ${given.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
}
