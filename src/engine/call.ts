import type { Audit, AuditedCall } from '../audit/audit-entry.ts';
import type { Client, Context, ProtocolLogLevel } from '../context.ts';
import { Denied } from '../failure.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Access } from '../toolsets/access.ts';
import type { RequestId, RequestMessage } from './message.ts';
import type { Seal } from './seal.ts';
import type { Offering, Surface } from './surface.ts';

/** Sends the server's own notifications and requests. `relatedTo` is the request that caused them. */
export type Outlet = (message: JsonObject, relatedTo?: RequestId) => void;

/** The memory that replies of a connection may take until they are sent. */
export interface ReplyAccount {
  readonly isFull: boolean;
  /** Counts bytes that are held from now on, or released if the number is negative. */
  hold(bytes: number): void;
}

export interface SessionOptions {
  /** Protocol era, if the transport fixes it. Otherwise the first messages decide. */
  readonly era?: 'legacy' | 'modern';
  /** Whether the client can answer requests of the server (legacy revisions only). */
  readonly canAsk?: boolean;
  /** What the connection may use. Default: the server's access. */
  readonly access?: Access;
  /** Limits the replies of batches in progress, in addition to the limit of each batch. */
  readonly replies?: ReplyAccount;
}

export interface Limits {
  /** Length of the replies to a batch after which its remaining requests are refused. */
  readonly batchReplyBytes: number;
  /** Longest name of a method, a tool or a client. */
  readonly nameLength: number;
}

export interface RequestEvent {
  /** The name of the client. Empty before it has identified itself. */
  readonly client: string;
  readonly method: string;
  /** The name in a call of a tool, which need not exist. */
  readonly tool?: string;
  readonly milliseconds: number;
  readonly failed: boolean;
}

/** The server as its connections see it. */
export interface Host extends Offering {
  readonly access: Access;
  readonly limits: Limits;
  readonly audit: Audit | undefined;
  readonly seal: Promise<Seal>;
  readonly observe: (event: RequestEvent) => void;
  surfaceOf(access: Access): Surface;
  readonly sessions: Pick<Set<Connection>, 'delete'>;
}

/** A subscription to changes (revision 2026-07-28). */
export interface Listen {
  readonly filter: JsonObject;
  end(): void;
}

/** A session as the handlers of its requests see it. */
export interface Connection {
  readonly server: Host;
  readonly surface: Surface;
  readonly client: Client;
  readonly canAsk: boolean;
  logLevel: ProtocolLogLevel;
  readonly watchedResources: Set<string>;
  readonly listens: Map<RequestId, Listen>;
  begin(client: Client): void;
  send(message: JsonObject, relatedTo?: RequestId): void;
  request(method: string, params: JsonObject, relatedTo: RequestId, signal: AbortSignal): Promise<unknown>;
}

/** One request and everything its handler needs. */
export interface Call {
  readonly session: Connection;
  readonly server: Host;
  readonly request: RequestMessage;
  readonly params: Readonly<Record<string, unknown>>;
  readonly client: Client;
  readonly context: Context;
}

/** The tool or method that a request is about, and its arguments. */
export function describeRequest({ method, params }: RequestMessage): Pick<AuditedCall, 'action' | 'args'> {
  const object = (value: unknown) => (isObject(value) ? value : {});
  const text = (value: unknown) => (typeof value === 'string' ? value : method);
  if (method !== 'tools/call') return { action: method, args: params };
  const args = object(params['arguments']);
  return params['name'] === 'call_tool' || params['name'] === 'query_tool'
    ? { action: text(args['name']), args: object(args['arguments']) }
    : { action: text(params['name']), args };
}

/** Records a call that the caller had no right to make. */
export function recordDenied(session: Connection, request: RequestMessage, error: unknown): void {
  const denied = error instanceof Denied ? error : (error as Error | undefined)?.cause;
  if (!(denied instanceof Denied)) return;
  session.server.audit?.record({
    actor: session.surface.access.actor,
    client: session.client.name,
    ...describeRequest(request),
    outcome: 'denied',
    reason: denied.message,
  });
}
