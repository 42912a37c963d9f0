import type { Client, Context } from '../context.ts';
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
