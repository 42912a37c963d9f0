import { AsyncLocalStorage } from 'node:async_hooks';
import type { JsonObject } from '../json.ts';
import type { StoreChange } from './store.ts';

/** A call that may change something, while it is in progress. */
export interface CurrentCall {
  readonly id: string;
  /** Databases in which the security log has the call as done. */
  readonly recordedIn: Set<string>;
  /** The entry for the security log, given what a transaction of the call changes. */
  describe(changes: readonly StoreChange[]): JsonObject;
  /** Records that the call started, unless the security log has it already. Rejects if that fails. */
  start(): Promise<void>;
  /** Timers and listeners that the call leaves behind still see it as the current one. */
  isOver: boolean;
}

/**
 * The call on whose behalf the code runs. The transaction of its first change also adds the call to the security log,
 * so that neither exists without the other.
 */
export const currentCall = new AsyncLocalStorage<CurrentCall>();

/** The call that a transaction of this database has to record. */
export function unrecordedCall(place: string): CurrentCall | undefined {
  const call = currentCall.getStore();
  return call === undefined || call.isOver || call.recordedIn.has(place) ? undefined : call;
}

/** Call it before a change outside the database, such as on a calendar server. */
export async function recordStart(): Promise<void> {
  await currentCall.getStore()?.start();
}
