import type { JsonObject } from './json.ts';

/** Small documents with their history, shared by every machine on one database. A kind is a drawer of its own. */
export interface Records {
  /** Where they are, without secrets. */
  readonly place: string;
  /** Grows with every change of the kind. */
  version(kind: string): Promise<number>;
  /** In the order in which they were made. */
  list(kind: string): Promise<readonly JsonObject[]>;
  /** What a key holds. */
  find(kind: string, key: string): Promise<JsonObject | undefined>;
  /** The last ones by their keys, from the end on, or from before a key on. */
  last(kind: string, limit: number, before?: string): Promise<readonly JsonObject[]>;
  keys(kind: string): Promise<readonly string[]>;
  /** Every entry that was ever made about a key, oldest first. */
  history(kind: string, key: string): Promise<readonly JsonObject[]>;
  /** Of every key, also of those that hold nothing any more. */
  histories(kind: string): Promise<ReadonlyMap<string, readonly JsonObject[]>>;
  /** One change of a kind at a time, wherever it is made. The edit may be run again, and throws to leave all as it is. */
  change(kind: string, key: string, edit: RecordEdit): Promise<void>;
  /** The same for a few hundred edits, in their order: all of them are made or none is. */
  changeMany(kind: string, edits: readonly KeyedEdit[]): Promise<void>;
  /** Told of the kind in which something has changed, here or elsewhere. */
  subscribe(listener: (kind: string) => void): () => void;
  close(): Promise<void>;
}

/**
 * From what a key holds and the number of entries about it, to what it shall hold, if anything, and the next entry;
 * or to nothing, where the key stays as it is.
 */
export type RecordEdit = (
  current: JsonObject | undefined,
  entries: number,
) => { readonly next: JsonObject | undefined; readonly entry: JsonObject } | undefined;

export interface KeyedEdit {
  readonly key: string;
  readonly edit: RecordEdit;
}
