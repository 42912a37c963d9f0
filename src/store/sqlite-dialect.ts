import type { SQLInputValue } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { TurnPace } from '../pace.ts';
import type { SqliteFile } from './sqlite-file.ts';

/** SQLite answers at once, so a loop of queries would keep all other requests waiting. */
const pace = new TurnPace();

/** kysely dialect for `node:sqlite`, with one connection that one query or transaction uses at a time. */
export function sqliteDialect(file: SqliteFile, lockTimeoutMs: number): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () => new SqliteDriver(file, lockTimeoutMs),
  };
}

class SqliteDriver implements Driver {
  readonly #connection: SqliteConnection;
  readonly #file: SqliteFile;
  readonly #lockTimeoutMs: number;
  #turn: Promise<void> = Promise.resolve();
  #done: () => void = () => {};

  constructor(file: SqliteFile, lockTimeoutMs: number) {
    this.#file = file;
    this.#connection = new SqliteConnection(file);
    this.#lockTimeoutMs = lockTimeoutMs;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn = promise;
    await before;
    // Not within a transaction: other processes wait for its lock.
    await pace.pause;
    this.#done = resolve;
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#done();
  }

  beginTransaction(): Promise<void> {
    return this.#file.begin('immediate', this.#lockTimeoutMs);
  }

  async commitTransaction(): Promise<void> {
    this.#file.exec('commit');
  }

  async rollbackTransaction(): Promise<void> {
    this.#file.rollback();
  }

  async destroy(): Promise<void> {
    this.#file.close();
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const values = parameters as readonly SQLInputValue[];
    if (this.#file.hasResult(sql)) return { rows: this.#file.all(sql, ...values) as Row[] };
    return { rows: [], numAffectedRows: BigInt(this.#file.run(sql, ...values)) };
  }

  // biome-ignore lint/correctness/useYield: the interface requires a generator
  async *streamQuery<Row>(): AsyncGenerator<QueryResult<Row>> {
    throw new Error('Streaming queries are not supported.');
  }
}
