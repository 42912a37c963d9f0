import type { Actor } from './actor.ts';

/** What a handler may use while it works on a request. */
export interface Context {
  /** Who makes the request. */
  readonly actor: Actor;
  /** Aborted when the client cancels or disconnects, or when the time limit is reached. */
  readonly signal: AbortSignal;
  readonly client: Client;
  /** The request's `_meta`, unchanged. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** Does nothing unless the client asked for progress. `progress` must increase with every call. */
  progress(progress: number, total?: number, message?: string): void;
  log(level: ProtocolLogLevel, data: unknown, logger?: string): void;
  /** True if the client can answer this kind of question. */
  can(capability: AskCapability): boolean;
  /**
   * Asks the client and waits for its answers. Revision 2026-07-28 has no server requests: there the handler runs again
   * from its start when the answers arrive, so code before `ask` must not have side effects.
   */
  ask(
    requests: Readonly<Record<string, AskRequest>>,
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
