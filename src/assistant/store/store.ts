import type { Kysely, RawBuilder, Transaction } from 'kysely';
import { Failure } from '../../failure.ts';
import { withoutPassword } from '../../without-password.ts';
import type { Tables } from './schema.ts';

/** Something in the store is not what it was. */
export interface StoreChange {
  readonly kind: 'user' | 'calendar' | 'event' | 'notification' | 'rule' | 'record';
  readonly id: string;
  readonly userId: string;
}

export interface Writer {
  readonly db: Transaction<Tables>;
  /** Told to everybody who listens, here and in other processes, once the transaction is committed. */
  changed(change: StoreChange): void;
}

/**
 * The one door to the database, on either engine. It opens with the first use. Whatever keeps the database from
 * answering is a `Failure` of kind `unavailable` that says what to do.
 */
export interface Store {
  readonly engine: 'sqlite' | 'postgres';
  /** Where it is, without secrets. */
  readonly place: string;
  /** Signs the changes made through this store, so that nobody hears of its own twice. */
  readonly origin: string;
  /** Reads never wait for a writer. */
  read<Value>(work: (db: Kysely<Tables>) => Promise<Value>): Promise<Value>;
  /**
   * One transaction; on SQLite it is the only writer from its first statement. The work may be run again when the
   * database asks for it, so it does nothing outside the database, and it waits for nothing but the database.
   */
  write<Value>(work: (writer: Writer) => Promise<Value>): Promise<Value>;
  /** One statement that is a transaction of its own: on PostgreSQL one way to the server and back. */
  run<Row>(statement: RawBuilder<Row>): Promise<readonly Row[]>;
  subscribe(listener: (changes: readonly StoreChange[]) => void): () => void;
  /** Tells the listeners of this process. */
  dispatch(changes: readonly StoreChange[]): void;
  close(): Promise<void>;
}

/** What travels from process to process. */
export interface ChangeMessage {
  readonly origin: string;
  readonly changes: readonly StoreChange[];
}

/** The channel on which PostgreSQL carries change messages, as JSON. */
export const changeChannel = 'adjutant_changes';

export type Clock = () => number;

/** Opens nothing yet: connections are made when they are first needed. */
export function createStore(url: string): Store {
  const { engine, place, target } = locate(url);
  return new LazyStore(engine, place, async (self) => {
    if (engine === 'postgres') return (await import('./postgres.ts')).openPostgres(target, self);
    refuseForeign(target, place);
    return (await import('./sqlite.ts')).openSqlite(target, self);
  });
}

/** What a database's address means: the engine, what the engine is given, and what may be shown. */
export function locate(url: string): Pick<Store, 'engine' | 'place'> & { readonly target: string } {
  if (!isPostgres(url)) return { engine: 'sqlite', place: withoutPassword(fileOf(url)), target: fileOf(url) };
  const target = url.replace(/^postgres(ql)?(\+\w+)?:/, 'postgres:');
  return { engine: 'postgres', place: withoutPassword(url), target };
}

export function isPostgres(url: string): boolean {
  return /^postgres(ql)?(\+\w+)?:\/\//.test(url);
}

/** What looks like the address of another database is not a file that is called so. */
export function refuseForeign(file: string, place: string): void {
  if (/^[a-z][\w+.-]*:\/\//i.test(file))
    throw new Failure(
      'unavailable',
      `${place} is not a database Adjutant can use; write a path, sqlite:///PATH or postgres://USER:PASSWORD@HOST/DATABASE.`,
    );
}

function fileOf(url: string): string {
  const path = url.replace(/^sqlite(\+\w+)?:(\/\/)?/, '');
  // `sqlite:///./x` is relative; with three slashes or four, anything else is not.
  return path === url ? url : path.startsWith('//') ? path.slice(1) : path.replace(/^\/(?=\.)/, '');
}

/** What an engine brings. */
export interface Engine {
  read: Store['read'];
  write: Store['write'];
  run: Store['run'];
  /** Whether what was opened is not what lies at its place any more. */
  isGone?(): boolean;
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
    return (await this.#present()).read(work);
  }

  async write<Value>(work: (writer: Writer) => Promise<Value>): Promise<Value> {
    return (await this.#present()).write(work);
  }

  async run<Row>(statement: RawBuilder<Row>): Promise<readonly Row[]> {
    return (await this.#present()).run(statement);
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

  /** A file that was removed or replaced would take writes that nobody ever reads. */
  async #present(): Promise<Engine> {
    const opening = this.#opened();
    const engine = await opening;
    if (!engine.isGone?.()) return engine;
    if (this.#engine === opening) {
      this.#engine = undefined;
      await engine.close();
    }
    return this.#opened();
  }

  /** A failed opening is tried again by the next one who asks. */
  #opened(): Promise<Engine> {
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
