import type { JsonObject } from '../json.ts';
import { covers, isScope, scopeNames } from '../toolsets/scopes.ts';

export interface MappingOptions {
  /** The scopes of the authorization server with what each allows. Absent: they have our names. */
  readonly scopes?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The claim with the scopes of a token. */
  readonly scopeClaim: string;
}

/** Translates between the scopes of the authorization server and ours. */
export class ScopeMapping {
  readonly #scopes: MappingOptions['scopes'];
  readonly #claim: string;

  constructor({ scopes, scopeClaim }: MappingOptions) {
    this.#scopes = scopes;
    this.#claim = scopeClaim;
  }

  /** The scopes of a token, as the authorization server calls them, without those that mean nothing here. */
  granted(claims: JsonObject): readonly string[] {
    const value = claims[this.#claim];
    const words = Array.isArray(value)
      ? value.map(String)
      : typeof value === 'string'
        ? value.split(/\s+/)
        : [];
    return words.filter((scope) => this.#targets(scope).length > 0);
  }

  /** What the token allows, in our scopes. */
  allowed(claims: JsonObject): readonly string[] {
    return this.granted(claims)
      .flatMap((scope) => this.#targets(scope))
      .flatMap((target) => fill(target, claims) ?? [])
      .filter(isScope);
  }

  /** The scope of the authorization server that allows what one of our scopes does; `undefined` if none does. */
  nameOf(scope: string, subject: string): string | undefined {
    if (this.#scopes === undefined) {
      const own = scope.replace('USER', subject);
      return scope !== 'admin' && isScope(own) ? own : undefined;
    }
    return Object.keys(this.#scopes).find((name) =>
      this.#targets(name).some((target) =>
        covers(scopeNames.includes(target) ? target : 'calendar:USER', scope),
      ),
    );
  }

  #targets(scope: string): readonly string[] {
    if (this.#scopes === undefined) return isScope(scope) && scope !== 'admin' ? [scope] : [];
    return Object.hasOwn(this.#scopes, scope) ? this.#scopes[scope]! : [];
  }
}

/** Replaces `{claim}` by the value of the claim. `undefined` if the token has no such claim. */
function fill(target: string, claims: JsonObject): string | undefined {
  let isComplete = true;
  const filled = target.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
    // A claim "*" must not turn one person into everyone.
    if (typeof value !== 'string' || value === '*' || value === '') isComplete = false;
    return String(value);
  });
  return isComplete ? filled : undefined;
}
