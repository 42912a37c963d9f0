import type { JsonObject } from '../json.ts';
import type { Access } from '../toolsets/access.ts';
import type { RequestId } from './message.ts';

/** Sends the server's own notifications and requests. `relatedTo` is the request that caused them. */
export type Outlet = (message: JsonObject, relatedTo?: RequestId) => void;

export interface SessionOptions {
  /** Protocol era, if the transport fixes it. Otherwise the first messages decide. */
  readonly era?: 'legacy' | 'modern';
  /** Whether the client can answer requests of the server (legacy revisions only). */
  readonly canAsk?: boolean;
  /** What the connection may use. Default: the server's access. */
  readonly access?: Access;
}
