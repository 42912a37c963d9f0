/** What a handler may use while it works on a request. */
export interface Context {
  /** Who makes the request. */
  readonly actor: Actor;
  /** Aborted when the client cancels or disconnects, or when the time limit is reached. */
  readonly signal: AbortSignal;
  readonly client: Client;
  /** True for the page and the command line, where a person acts and not a model. */
  readonly isPersonal?: boolean;
  /** The request's `_meta`, unchanged. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** Does nothing unless the client asked for progress. `progress` must increase with every call. */
  progress(progress: number, total?: number, message?: string): void;
  log(level: ProtocolLogLevel, data: unknown, logger?: string): void;
  /** True if the client can answer this kind of question now. For elicitation: if it shows forms, and not only addresses. */
  can(capability: AskCapability): boolean;
  /**
   * Asks the client and waits for its answers. Revision 2026-07-28 has no server requests: there the handler runs again
   * from its start when the answers arrive, so code before `ask` must not have side effects. When `withdrawn` is aborted, the
   * client is told to close its forms, and the call rejects.
   */
  ask(
    requests: Readonly<Record<string, AskRequest>>,
    withdrawn?: AbortSignal,
  ): Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>>;
}

export interface CompletionContext extends Context {
  /** Values of the other arguments that are filled in already. */
  readonly given: Readonly<Record<string, string>>;
}

export interface Client {
  readonly name: string;
  readonly version: string;
  readonly protocolVersion: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

export type AskCapability = 'elicitation' | 'sampling' | 'roots';
export interface AskRequest {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  readonly params: Readonly<Record<string, unknown>>;
}

export const protocolLogLevels = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;
export type ProtocolLogLevel = (typeof protocolLogLevels)[number];

/** Who makes a request. Features use it to decide what the caller may see. */
export interface Actor {
  /** `owner`, `token NAME` or `oauth SUBJECT`, for people to read. What belongs to an actor is recorded with `identityOf`. */
  readonly name: string;
  /** The token of the actor. Absent for the owner. */
  readonly token?: ActorToken;
  /** The OAuth client that acts for the subject. */
  readonly client?: string;
  /** What the actor may do. Absent for the owner, who may do everything. */
  readonly rights?: Rights;
}

/** A token of our own, or an access token of an authorization server. Times are in milliseconds since 1970. */
export type ActorToken =
  | {
      readonly kind: 'named';
      /** Differs between a revoked token and a new one with its name. */
      readonly id: string;
      readonly createdAt: number;
      readonly expiresAt?: number;
    }
  | { readonly kind: 'oauth'; readonly expiresAt: number };

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

/** The one person whose calendar the actor may use, or else its name. A new token for the same person is the same here. */
export function personOf({ name, rights }: Actor): string {
  const [only, another] = rights === undefined || rights.people === 'all' ? [] : rights.people;
  return only !== undefined && another === undefined ? only : name;
}

/** Identifies the actor in records. A new token with the name of a revoked one is another actor. */
export function identityOf({ name, token }: Actor): string {
  return token?.kind === 'named' ? `${name} ${token.id}` : name;
}

/**
 * The time from which on records with only the actor's name are the actor's own. Earlier versions recorded no more than the
 * name, and a record that is older than the token belongs to an earlier token.
 */
export function ownsNameSince({ token }: Actor): number {
  return token?.kind === 'named' ? token.createdAt : 0;
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
