import { Failure, type FailureKind } from '../failure.ts';
import { log } from '../log.ts';

export function kindOf(error: unknown): FailureKind {
  return error instanceof Failure ? error.kind : 'internal';
}

/** What may be said of an error. A bug of ours is told on stderr, with its cause, and never to the client. */
export function reportFailure(error: unknown, subject: string): Failure {
  const failure =
    error instanceof Failure ? error : new Failure('internal', 'Internal error', { cause: error });
  if (failure.kind === 'internal') log('error', `${subject} failed`, failure.cause ?? failure);
  return failure;
}
