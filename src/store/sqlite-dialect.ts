import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
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
import { TurnPace } from '../awaitable.ts';
import { isBusy } from './unavailable.ts';

const maxCachedStatements = 200;
/** SQLite answers at once, so a loop of queries would keep all other requests waiting. */
const pace = new TurnPace();

/** kysely dialect for `node:sqlite`, with one connection that one query or transaction uses at a time. */
export function sqliteDialect(database: DatabaseSync, lockTimeoutMs: number): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () => new SqliteDriver(database, lockTimeoutMs),
  };
}

class SqliteDriver implements Driver {
  readonly #connection: SqliteConnection;
  readonly #database: DatabaseSync;
  readonly #lockTimeoutMs: number;
  #turn: Promise<void> = Promise.resolve();
  #done: () => void = () => {};

  constructor(database: DatabaseSync, lockTimeoutMs: number) {
    this.#database = database;
    this.#connection = new SqliteConnection(database);
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

  /** Waits for the lock without blocking the event loop. */
  async beginTransaction(): Promise<void> {
    const deadline = performance.now() + this.#lockTimeoutMs;
    for (;;) {
      try {
        return this.#database.exec('begin immediate');
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error;
        await pause(1 + Math.random() * 20);
      }
    }
  }

  async commitTransaction(): Promise<void> {
    this.#database.exec('commit');
  }

  /** SQLite may already have rolled back, for example when the disk is full. */
  async rollbackTransaction(): Promise<void> {
    if (this.#database.isTransaction) this.#database.exec('rollback');
  }

  async destroy(): Promise<void> {
    if (this.#database.isOpen) this.#database.close();
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const statement = this.#prepare(sql);
    const values = parameters as (string | number | bigint | null)[];
    if (statement.columns().length > 0) return { rows: statement.all(...values) as Row[] };
    const { changes } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }

  // biome-ignore lint/correctness/useYield: the interface requires a generator
  async *streamQuery<Row>(): AsyncGenerator<QueryResult<Row>> {
    throw new Error('Streaming queries are not supported.');
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    if (this.#statements.size >= maxCachedStatements) this.#statements.clear();
    this.#statements.set(sql, statement);
    return statement;
  }
}
