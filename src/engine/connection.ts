import type { JsonObject } from '../json.ts';
import type { Access } from '../toolsets/access.ts';
import type { RequestId } from './message.ts';

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
