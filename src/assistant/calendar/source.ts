import type { Document } from '../icalendar/parse.ts';
import type { Calendar } from '../store/schema.ts';
import type { PasswordOptions } from './passwords.ts';

/** What a source of events needs besides its place. Secrets are not part of it. */
export interface SourceConfig {
  readonly username?: string;
  /** Text that was handed over once has no place to be read from again. */
  readonly handed_over?: true;
}

export interface SourceOptions extends PasswordOptions {
  readonly fetch: typeof fetch;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** What a source has to say since it was last asked. */
export interface Reading {
  readonly documents: Iterable<Document> | AsyncIterable<Document>;
  /** Addresses of what is gone; absent where the documents are all there is. */
  readonly gone?: ReadonlySet<string>;
  /** To be handed back at the next reading, so that nothing is told twice. Known once the documents are read. */
  marks(): Pick<Calendar, 'etag' | 'sync_token'>;
}

/** Reads a calendar; `undefined` when nothing has changed. */
export type Read = (calendar: Calendar, options: SourceOptions) => Promise<Reading | undefined>;

export function configOf({ config }: Calendar): SourceConfig {
  return config === null ? {} : (JSON.parse(config) as SourceConfig);
}
