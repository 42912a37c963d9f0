import type { Actor, ActorToken, Rights } from '../context.ts';
import { nearest } from '../nearest.ts';
import { scopes } from '../tool.ts';
import { toolTraits } from './toolsets.ts';

/** Scopes that also have the tools of another one. */
const wider: Readonly<Record<string, string>> = {
  read: 'prompts:write',
  'calendar:USER': 'calendar:*',
  'delegate:read-only': 'delegate:workspace-write',
};

export const scopeNames: readonly string[] = scopes;

/** Whether one of our scopes has everything that another one has. */
export function covers(scope: string, other: string): boolean {
  return scope === 'admin' || other === 'any' || scope === other || wider[other] === scope;
}

const personPattern = /^calendar:([A-Za-z0-9][A-Za-z0-9._:@-]{0,127})$/;

/** The name in `scopeNames` for a scope, or `undefined` if there is no such scope. */
function kindOf(scope: string): string | undefined {
  if (scope === 'calendar:USER') return undefined;
  if (scopeNames.includes(scope)) return scope;
  return personPattern.test(scope) ? 'calendar:USER' : undefined;
}

export function isScope(scope: string): boolean {
  return kindOf(scope) !== undefined;
}

/** Says what is wrong with a scope, and which one might be meant. */
export function unknownScope(scope: string): string {
  if (scope === 'calendar:USER')
    return 'replace USER in calendar:USER by the id of a user; adjutant users list shows them';
  const meant = nearest(scope, scopeNames);
  return `unknown scope "${scope}"; ${meant ? `did you mean ${meant}?` : `known are ${scopeNames.join(', ')}`}`;
}

/** The actor with these scopes. `admin` gives it the rights of the owner. Unknown scopes give nothing. */
export function actorWith(
  name: string,
  given: readonly string[],
  token?: ActorToken,
  client?: string,
): Actor {
  const scopes = given.filter(isScope);
  return {
    name,
    ...(token !== undefined && { token }),
    ...(client !== undefined && { client }),
    ...(!scopes.includes('admin') && { rights: rightsOf(scopes) }),
  };
}

function rightsOf(scopes: readonly string[]): Rights {
  const people = scopes.flatMap((scope) =>
    scope === 'calendar:*' ? [] : (personPattern.exec(scope)?.[1] ?? []),
  );
  return {
    scopes,
    people: scopes.includes('calendar:*') ? 'all' : people,
    sandbox: scopes.includes('delegate:workspace-write') ? 'workspace-write' : 'read-only',
  };
}

/** True if one of the actor's scopes has the tool. The empty name stands for what belongs to no tool. */
export function isGranted({ rights }: Actor, tool: string): boolean {
  if (rights === undefined) return true;
  const needed = toolTraits.get(tool)?.scope;
  return (
    needed !== undefined &&
    rights.scopes.some((scope) => kindOf(scope) !== undefined && covers(kindOf(scope)!, needed))
  );
}

/** The narrowest scope that has the tool. */
export function scopeFor(tool: string): string {
  const scope = toolTraits.get(tool)?.scope ?? 'admin';
  return scope === 'any' ? 'read' : scope;
}
