import type { Kysely, RawBuilder, Transaction } from 'kysely';
import { Failure } from '../failure.ts';
import { withoutPassword } from '../without-password.ts';
import type { Tables } from './schema.ts';

/** One row that was created, changed or deleted. */
export interface StoreChange {
  readonly kind: 'user' | 'calendar' | 'event' | 'notification' | 'rule' | 'record';
  readonly id: string;
  readonly userId: string;
}

export interface Writer {
  readonly db: Transaction<Tables>;
  /** Reports a change. Subscribers in this and other processes receive it after the transaction commits. */
  changed(change: StoreChange): void;
}

/**
 * Access to the database on either engine; it opens on first use. If the database cannot answer, methods throw a
 * `Failure` of kind `unavailable` that says what to do.
 */
export interface Store {
  readonly engine: 'sqlite' | 'postgres';
  /** Path or URL of the database, without secrets. */
  readonly place: string;
  /** Identifies the changes made through this store, so that it does not receive its own changes twice. */
  readonly origin: string;
  /** Never waits for a writer. */
  read<Value>(work: (db: Kysely<Tables>) => Promise<Value>): Promise<Value>;
  /**
   * Runs one transaction; on SQLite it holds the write lock from the start. The database may ask for a retry, so `work`
   * may run several times: it must have no side effects outside the database and wait only for the database.
   */
  write<Value>(work: (writer: Writer) => Promise<Value>): Promise<Value>;
  /** Runs one statement as its own transaction; on PostgreSQL this takes one round trip. */
  run<Row>(statement: RawBuilder<Row>): Promise<readonly Row[]>;
  subscribe(listener: (changes: readonly StoreChange[]) => void): () => void;
  /** Notifies the subscribers of this process. */
  dispatch(changes: readonly StoreChange[]): void;
  close(): Promise<void>;
}

/** Message from one process to the others. */
export interface ChangeMessage {
  readonly origin: string;
  readonly changes: readonly StoreChange[];
}

/** PostgreSQL channel that carries change messages as JSON. */
export const changeChannel = 'adjutant_changes';

export type Clock = () => number;

/** Creates a store without connecting; it connects on first use. A SQLite file with at least the oldest schema is not updated. */
export function createStore(url: string, oldestSchema?: number): Store {
  const { engine, place, target } = locate(url);
  return new LazyStore(engine, place, async (self) => {
    if (engine === 'postgres') return (await import('./postgres.ts')).openPostgres(target, self);
    refuseUnsupported(target, place);
    return (await import('./sqlite.ts')).openSqlite(target, self, oldestSchema);
  });
}

/** Splits a database URL into the engine, the target passed to the engine, and the place shown to people. */
export function locate(url: string): Pick<Store, 'engine' | 'place'> & { readonly target: string } {
  if (!isPostgres(url))
    return { engine: 'sqlite', place: withoutPassword(filePath(url)), target: filePath(url) };
  const target = url.replace(/^postgres(ql)?(\+\w+)?:/, 'postgres:');
  return { engine: 'postgres', place: withoutPassword(url), target };
}

export function isPostgres(url: string): boolean {
  return /^postgres(ql)?(\+\w+)?:\/\//.test(url);
}

/** Throws if the path is the URL of an unsupported database; otherwise a file of that name would be created. */
export function refuseUnsupported(file: string, place: string): void {
  if (/^[a-z][\w+.-]*:\/\//i.test(file))
    throw new Failure(
      'unavailable',
      `${place} is not a supported database; use a path, sqlite:///PATH or postgres://USER:PASSWORD@HOST/DATABASE.`,
    );
}

function filePath(url: string): string {
  const path = url.replace(/^sqlite(\+\w+)?:(\/\/)?/, '');
  // `sqlite:///./x` is a relative path; all other URLs hold absolute paths, with three slashes or four.
  return path === url ? url : path.startsWith('//') ? path.slice(1) : path.replace(/^\/(?=\.)/, '');
}

/** Implementation of a store for one database engine. */
export interface Engine {
  read: Store['read'];
  write: Store['write'];
  run: Store['run'];
  /** True if the database must be opened again: its file was removed, replaced, or can be written now. */
  isOutdated?(): boolean;
  close(): Promise<void>;
}

class LazyStore implements Store {
  readonly engine: Store['engine'];
  readonly place: string;
  readonly #open: (self: Store) => Promise<Engine>;
  readonly #listeners = new Set<(changes: readonly StoreChange[]) => void>();
  #engine: Promise<Engine> | undefined;
  #origin: string | undefined;

  constructor(engine: Store['engine'], place: string, open: (self: Store) => Promise<Engine>) {
    this.engine = engine;
    this.place = place;
    this.#open = open;
  }

  get origin(): string {
    this.#origin ??= crypto.randomUUID();
    return this.#origin;
  }

  async read<Value>(work: (db: Kysely<Tables>) => Promise<Value>): Promise<Value> {
    return (await this.#current()).read(work);
  }

  async write<Value>(work: (writer: Writer) => Promise<Value>): Promise<Value> {
    return (await this.#current()).write(work);
  }

  async run<Row>(statement: RawBuilder<Row>): Promise<readonly Row[]> {
    return (await this.#current()).run(statement);
  }

  subscribe(listener: (changes: readonly StoreChange[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  dispatch(changes: readonly StoreChange[]): void {
    if (changes.length > 0) for (const listener of this.#listeners) listener(changes);
  }

  async close(): Promise<void> {
    const engine = this.#engine;
    this.#engine = undefined;
    await (await engine?.catch(() => undefined))?.close();
  }

  /** Opens the database again if it is outdated: writes to a removed file would be lost. */
  async #current(): Promise<Engine> {
    const opening = this.#openOnce();
    const engine = await opening;
    if (!engine.isOutdated?.()) return engine;
    if (this.#engine === opening) {
      this.#engine = undefined;
      await engine.close();
    }
    return this.#openOnce();
  }

  /** Opens the engine. After a failure, the next call tries again. */
  #openOnce(): Promise<Engine> {
    if (this.#engine === undefined) {
      const opening = this.#open(this);
      this.#engine = opening;
      opening.catch(() => {
        if (this.#engine === opening) this.#engine = undefined;
      });
    }
    return this.#engine;
  }
}
