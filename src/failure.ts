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

/** One thing wrong with a value: where, which JSON Schema keyword said so, and what it wanted. */
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
