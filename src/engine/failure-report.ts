import type { Contract } from '../contracts/contract.ts';
import { Failure, type FailureKind } from '../failure.ts';
import type { JsonObject } from '../json.ts';
import { log } from '../log.ts';
import { storageReason } from '../storage-error.ts';
import type { RequestId } from './message.ts';

export function kindOf(error: unknown): FailureKind {
  return toFailure(error).kind;
}

/** Returns the failure to send. Unexpected errors are logged with their cause, and the client sees only "Internal error". */
export function reportFailure(error: unknown, subject: string): Failure {
  const failure = toFailure(error);
  if (failure.kind === 'internal') log('error', `${subject} failed`, failure.cause ?? failure);
  return failure;
}

/** The failure as a message in the format of the contract. */
export function errorReply(
  contract: Contract,
  failure: Failure,
  id: RequestId | null | undefined,
  method: string,
): JsonObject {
  const error = contract.error(failure, contract.codes[failure.kind], method);
  return { jsonrpc: '2.0', ...(id !== undefined && { id }), error: { ...error } as JsonObject };
}

/** A full disk and the like are expected: the client learns what to do about them. */
function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const reason = storageReason(error);
  if (reason === undefined) return new Failure('internal', 'Internal error', { cause: error });
  const { path } = error as NodeJS.ErrnoException;
  return new Failure('unavailable', `${path === undefined ? '' : `${path}: `}${reason}.`, { cause: error });
}
