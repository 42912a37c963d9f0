import { Failure } from '../../failure.ts';
import type { Calendar } from '../../store/schema.ts';
import type { Document } from '../icalendar/parse.ts';
import type { PasswordOptions } from './passwords.ts';

/** Settings of a source besides its location. Contains no secrets. */
export interface SourceConfig {
  readonly username?: string;
  /** Set if stored passwords must not be sent. */
  readonly anonymous?: boolean;
  /** Set for a task list on a CalDAV server, which accepts no events. */
  readonly tasks_only?: true;
  /** The calendar was imported as text, so there is no source to read again. */
  readonly handed_over?: true;
}

export interface SourceOptions extends PasswordOptions {
  readonly fetch: typeof fetch;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** What a source returned since the last sync. */
export interface Reading {
  readonly documents: Iterable<Document> | AsyncIterable<Document>;
  /** Addresses of deleted events; absent if the documents are the complete calendar. */
  readonly deleted?: ReadonlySet<string>;
  /** Entity tag and sync token for the next sync. Call it after reading the documents. */
  marks(): Pick<Calendar, 'etag' | 'sync_token'>;
}

/** Reads a calendar; returns undefined if nothing changed. */
export type Read = (calendar: Calendar, options: SourceOptions) => Promise<Reading | undefined>;

export function configOf({ config }: Calendar): SourceConfig {
  return config === null ? {} : (JSON.parse(config) as SourceConfig);
}

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

/** Decodes UTF-8, or UTF-16 if the bytes start with its byte order mark. Invalid bytes are replaced. */
export async function* decode(
  bytes: AsyncIterable<Uint8Array>,
  limit?: { readonly maxBytes: number; readonly name: string },
): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let read = 0;
  for await (const piece of bytes) {
    read += piece.length;
    if (limit !== undefined && read > limit.maxBytes) throw tooLarge(limit.name, limit.maxBytes);
    decoder ??= new TextDecoder(detectEncoding(piece));
    yield decoder.decode(piece, { stream: true });
  }
  yield decoder?.decode() ?? '';
}

function detectEncoding([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

export function tooLarge(name: string, maxBytes: number): Failure {
  const megabytes = Math.round(maxBytes / 1e6);
  return new Failure(
    'refused',
    `${name} is larger than ${megabytes} MB; raise calendars.max_bytes to import it.`,
  );
}
