import { isObject, type JsonObject } from './json.ts';

/** Everything that can go wrong by design. Each contract answers every kind. */
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

/** One invalid value: where, which JSON Schema keyword said so, and what it wanted. */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly keyword: string;
  readonly expected: unknown;
  readonly message: string;
}

export interface FailureDetail {
  readonly issues?: readonly Issue[];
  /** Facts for the wire, where the specification asks for them (`supported`, `requiredCapabilities`). */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** The one error class. Features throw it; the contract of the connection turns it into a reply. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly kind: FailureKind;
  readonly issues: readonly Issue[];
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(kind: FailureKind, message: string, detail: FailureDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.kind = kind;
    this.issues = detail.issues ?? [];
    this.data = detail.data;
  }
}

/** Where the `_meta` of a failed tool call holds its details. */
export const failureKey = 'adjutant/failure';

/** What programs need to act on a failure without reading its message. */
export function failureDetails({ kind, issues, data }: Failure): JsonObject {
  return {
    kind,
    issues: issues as unknown as JsonObject[],
    ...(data !== undefined && { data: data as JsonObject }),
  };
}

/** The failure that `failureDetails` described. */
export function parseFailure(details: unknown, message: string): Failure {
  if (!isObject(details) || typeof details['kind'] !== 'string') return new Failure('tool-failed', message);
  const { kind, issues, data } = details;
  return new Failure(kind as FailureKind, message, {
    issues: Array.isArray(issues) ? (issues as Issue[]) : [],
    ...(isObject(data) && { data }),
  });
}
