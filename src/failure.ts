import { isObject, type JsonObject } from './json.ts';

/** Every expected kind of failure. Each contract maps all of them to error codes. */
export type FailureKind =
  | 'parse-error'
  | 'invalid-request'
  | 'unsupported-version'
  | 'method-not-found'
  | 'tool-not-found'
  | 'prompt-not-found'
  | 'resource-not-found'
  | 'invalid-params'
  | 'missing-argument'
  | 'content-missing'
  | 'render-failed'
  | 'conflict'
  | 'refused'
  | 'capability-missing'
  | 'tool-failed'
  | 'timeout'
  | 'cancelled'
  | 'unavailable'
  | 'internal';

/** One invalid value: its path, the JSON Schema keyword that rejected it, and what the keyword expects. */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly keyword: string;
  readonly expected: unknown;
  readonly message: string;
}

export interface FailureDetail {
  readonly issues?: readonly Issue[];
  /** Fields that the specification requires in the error (`supported`, `requiredCapabilities`). */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** The only error class that features throw. The contract of the connection turns it into a reply. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly kind: FailureKind;
  readonly issues: readonly Issue[];
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(kind: FailureKind, message: string, detail: FailureDetail = {}) {
    // Nobody reads the stack of an expected failure, and recording it costs more than the call that fails.
    const limit = Error.stackTraceLimit;
    if (kind !== 'internal') Error.stackTraceLimit = 0;
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    Error.stackTraceLimit = limit;
    this.kind = kind;
    this.issues = detail.issues ?? [];
    this.data = detail.data;
  }
}

/** A failure because the caller lacks a right, whatever kind it is reported as. The security log records it. */
export class Denied extends Failure {}

/** Key of the failure details in the `_meta` of a failed tool call. */
export const failureKey = 'adjutant/failure';

/** The machine-readable part of a failure, so that programs need not parse its message. */
export function failureDetails({ kind, issues, data }: Failure): JsonObject {
  return {
    kind,
    issues: issues as unknown as JsonObject[],
    ...(data !== undefined && { data: data as JsonObject }),
  };
}

/** Restores a failure from the details that `failureDetails` returned. */
export function parseFailure(details: unknown, message: string): Failure {
  if (!isObject(details) || typeof details['kind'] !== 'string') return new Failure('tool-failed', message);
  const { kind, issues, data } = details;
  return new Failure(kind as FailureKind, message, {
    issues: Array.isArray(issues) ? (issues as Issue[]) : [],
    ...(isObject(data) && { data }),
  });
}
