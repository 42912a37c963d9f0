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
import { isBusy } from './unavailable.ts';

const rememberedStatements = 200;

/** kysely on the SQLite of Node itself: one connection, one user of it at a time. */
export function sqliteDialect(database: DatabaseSync, patienceMs: number): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () => new SqliteDriver(database, patienceMs),
  };
}

class SqliteDriver implements Driver {
  readonly #connection: SqliteConnection;
  readonly #database: DatabaseSync;
  readonly #patienceMs: number;
  #turn: Promise<void> = Promise.resolve();
  #done: () => void = () => {};

  constructor(database: DatabaseSync, patienceMs: number) {
    this.#database = database;
    this.#connection = new SqliteConnection(database);
    this.#patienceMs = patienceMs;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn = promise;
    await before;
    this.#done = resolve;
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#done();
  }

  /** Waits for the lock without holding up the process. */
  async beginTransaction(): Promise<void> {
    const deadline = performance.now() + this.#patienceMs;
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

  /** An error such as a full disk has already undone everything. */
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

  // biome-ignore lint/correctness/useYield: the interface wants a generator
  async *streamQuery<Row>(): AsyncGenerator<QueryResult<Row>> {
    throw new Error('Streaming is not used here.');
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    if (this.#statements.size >= rememberedStatements) this.#statements.clear();
    this.#statements.set(sql, statement);
    return statement;
  }
}
