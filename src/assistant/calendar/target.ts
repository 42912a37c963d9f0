/** An object as its server stores it. */
export interface StoredObject {
  readonly text: string;
  /** Version of the object. A write with another version fails. */
  readonly version: string;
}

export interface TargetAbilities {
  readonly writable: boolean;
  /** The server sends invitations, updates, cancellations and answers to attendees by itself. */
  readonly sendsInvitations: boolean;
  /** The user's own addresses on this server, in lower case. */
  readonly addresses: readonly string[];
}

/** `changed`: somebody else wrote or removed the object, so nothing was written. */
export type WriteOutcome = 'written' | 'changed';

/**
 * A place to which events are written. All that a provider has to implement; merging, recurrence and confirmations are
 * above it. A write is conditional and either takes effect or changes nothing; trouble is a `Failure`.
 */
export interface Target {
  abilities(): Promise<TargetAbilities>;
  /** Returns undefined if the object does not exist. */
  read(href: string): Promise<StoredObject | undefined>;
  /** Address for a new object with this UID. */
  addressFor(uid: string): string;
  create(href: string, text: string): Promise<WriteOutcome>;
  replace(href: string, text: string, version: string): Promise<WriteOutcome>;
  remove(href: string, version: string): Promise<WriteOutcome>;
}
