/** A kind of record that holds secrets, such as tokens and keys. A backup without secrets leaves its records out. */
export interface SecretKind {
  readonly kind: string;
  /** What a person does to get a new secret in place of the record with this key. */
  readonly renew: (key: string) => string;
}
