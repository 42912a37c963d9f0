import type { AuditedCall } from '../audit/audit.ts';
import type { Client, Context } from '../context.ts';
import { Denied } from '../failure.ts';
import { isObject } from '../json.ts';
import type { RequestMessage } from './message.ts';
import type { Server } from './server.ts';
import type { Session } from './session.ts';

/** One request and everything its handler needs. */
export interface Call {
  readonly session: Session;
  readonly server: Server;
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
export function recordDenied(session: Session, request: RequestMessage, error: unknown): void {
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
