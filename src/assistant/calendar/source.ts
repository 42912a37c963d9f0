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
