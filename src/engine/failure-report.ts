import { Failure, type FailureKind } from '../failure.ts';
import { log } from '../log.ts';

export function kindOf(error: unknown): FailureKind {
  return error instanceof Failure ? error.kind : 'internal';
}

/** Returns the failure to send. Unexpected errors are logged with their cause, and the client sees only "Internal error". */
export function reportFailure(error: unknown, subject: string): Failure {
  const failure =
    error instanceof Failure ? error : new Failure('internal', 'Internal error', { cause: error });
  if (failure.kind === 'internal') log('error', `${subject} failed`, failure.cause ?? failure);
  return failure;
}
