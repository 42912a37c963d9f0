/** Who makes a request. Features use it to decide what the caller may see. */
export interface Actor {
  /** `owner`, `token NAME` or `oauth SUBJECT`. Runs belong to the name of the actor that started them. */
  readonly name: string;
  /** The OAuth client that acts for the subject. */
  readonly client?: string;
  /** What the actor may do. Absent for the owner, who may do everything. */
  readonly rights?: Rights;
}

/** What the scopes of a token allow. */
export interface Rights {
  readonly scopes: readonly string[];
  /** Ids of the users whose calendars the actor may use, or `all`. */
  readonly people: readonly string[] | 'all';
  /** The widest sandbox of the actor's runs. */
  readonly sandbox: 'read-only' | 'workspace-write';
}

/** The person who runs the program: on stdio, at the command line, and over HTTP with the first token. */
export const owner: Actor = { name: 'owner' };

/** True if the actor may use the files and passwords of the owner. */
export function isOwner({ rights }: Actor): boolean {
  return rights === undefined;
}

export function maySeePerson({ rights }: Actor, userId: string): boolean {
  return rights === undefined || rights.people === 'all' || rights.people.includes(userId);
}

/** How the rights of a newer token differ from those of an earlier one. */
export function compareRights(earlier: Actor, newer: Actor): 'same' | 'narrower' | 'wider' {
  const [had, has] = [earlier.rights?.scopes, newer.rights?.scopes];
  if (had?.join() === has?.join()) return 'same';
  return has === undefined || had?.every((scope) => has.includes(scope)) ? 'wider' : 'narrower';
}
