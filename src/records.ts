import type { JsonObject } from './json.ts';

/** Small documents with their history, shared by every machine on one database. Each kind is a separate collection. */
export interface Records {
  /** Address of the database, without its password. */
  readonly place: string;
  /** Increases with every change of the kind. */
  version(kind: string): Promise<number>;
  /** Documents in the order in which they were created. */
  list(kind: string): Promise<readonly JsonObject[]>;
  find(kind: string, key: string): Promise<JsonObject | undefined>;
  /** Documents in descending order of their keys, optionally only those before a key. */
  last(kind: string, limit: number, before?: string): Promise<readonly JsonObject[]>;
  keys(kind: string): Promise<readonly string[]>;
  /** Every history entry of a key, oldest first. */
  history(kind: string, key: string): Promise<readonly JsonObject[]>;
  /** Histories of all keys, including those whose document was deleted. */
  histories(kind: string): Promise<ReadonlyMap<string, readonly JsonObject[]>>;
  /** Changes one document. Changes of a kind run one at a time across machines. The edit may be retried; it throws to abort. */
  change(kind: string, key: string, edit: RecordEdit): Promise<void>;
  /** Applies up to a few hundred edits in order, all or none of them. */
  changeMany(kind: string, edits: readonly KeyedEdit[]): Promise<void>;
  /** Calls the listener with the kind after every change, on this machine or another. */
  subscribe(listener: (kind: string) => void): () => void;
  close(): Promise<void>;
}

/**
 * Receives the document of a key and the number of its history entries. Returns the new document (`undefined` deletes it)
 * with the next history entry, or `undefined` to change nothing.
 */
export type RecordEdit = (
  current: JsonObject | undefined,
  entries: number,
) => { readonly next: JsonObject | undefined; readonly entry: JsonObject } | undefined;

export interface KeyedEdit {
  readonly key: string;
  readonly edit: RecordEdit;
}
