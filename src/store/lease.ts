import type { SQLInputValue } from 'node:sqlite';
import { Failure } from '../failure.ts';
import type { LocalDatabase } from './local-database.ts';
import type { SqliteFile } from './sqlite-file.ts';

/** A process of this machine. The system reuses process ids, but not together with the same time of birth. */
export interface LeaseOwner {
  readonly pid: number;
  readonly born: string;
}

export interface Lease {
  readonly key: string;
  readonly owner: LeaseOwner;
  readonly fence: number;
}

/** A table whose rows are leases, and how it names their columns. It may have more columns. */
export interface LeaseTable {
  readonly name: string;
  readonly key: string;
  readonly pid: string;
  readonly born: string;
  readonly fence: string;
}

/**
 * Adds what leases need to the tables of a database. `fences` has the last fence of each table; it outlives the rows, so that no
 * fence is used twice.
 */
export function setUpLeases(file: SqliteFile, { name, fence }: LeaseTable): void {
  file.exec('CREATE TABLE IF NOT EXISTS fences (name TEXT PRIMARY KEY, last INTEGER NOT NULL)');
  // Earlier versions created the tables without fences, and their processes may still use them.
  const hasColumn = () =>
    fence === 'rowid' || file.all(`PRAGMA table_info(${name})`).some((column) => column['name'] === fence);
  if (hasColumn()) return;
  file.exec('BEGIN IMMEDIATE');
  if (!hasColumn()) file.exec(`ALTER TABLE ${name} ADD COLUMN ${fence} INTEGER NOT NULL DEFAULT 0`);
  file.exec('COMMIT');
}

/**
 * Says which process of this machine may work on something: on a folder, or on a run.
 *
 * A lease is *free* → *held* → *free*. Its owner releases it or passes it on. A lease whose owner has exited is free too: any
 * process may remove it or take it over. An owner that is only suspended keeps its lease, because it can wake up at any moment.
 *
 * Every new owner gets a higher fence. A process can be taken for dead although it is alive, for example by a process of
 * another container. It does not know that it lost its lease, so it calls `assertHeld` before each write that cannot be undone.
 */
export class Leases {
  readonly self: LeaseOwner;
  readonly #database: LocalDatabase;
  readonly #table: LeaseTable;
  readonly #isAlive: (owner: LeaseOwner) => Promise<boolean>;

  constructor(
    database: LocalDatabase,
    table: LeaseTable,
    self: LeaseOwner,
    isAlive: (owner: LeaseOwner) => Promise<boolean>,
  ) {
    this.self = self;
    this.#database = database;
    this.#table = table;
    this.#isAlive = isAlive;
  }

  /** Adds a row that this process holds. Returns `undefined` if the table has a row with the same unique value. */
  take(key: string, columns: Readonly<Record<string, SQLInputValue>>): Lease | undefined {
    const { name, key: keyColumn, pid, born, fence: fenceColumn } = this.#table;
    const { self } = this;
    return this.#database.transaction(() => {
      const fence = this.#nextFence();
      const row = { [keyColumn]: key, [pid]: self.pid, [born]: self.born, [fenceColumn]: fence, ...columns };
      const places = Object.keys(row).map(() => '?');
      const added = this.#database.run(
        `INSERT INTO ${name} (${Object.keys(row)}) VALUES (${places}) ON CONFLICT DO NOTHING`,
        ...Object.values(row),
      );
      return added > 0 ? { key, owner: self, fence } : undefined;
    });
  }

  /** Makes another process, or this one, the owner. Returns false if the lease is not as it was: another process was first. */
  pass(key: string, { owner, fence }: Omit<Lease, 'key'>, to: LeaseOwner = this.self): boolean {
    const { name, key: keyColumn, pid, born, fence: fenceColumn } = this.#table;
    return this.#database.transaction(
      () =>
        this.#database.run(
          `UPDATE ${name} SET ${pid} = ?, ${born} = ?, ${fenceColumn} = ?
           WHERE ${keyColumn} = ? AND ${pid} = ? AND ${born} = ? AND ${fenceColumn} = ?`,
          ...[to.pid, to.born, this.#nextFence(), key, owner.pid, owner.born, fence],
        ) > 0,
    );
  }

  /** Throws if another process has taken the lease over. */
  assertHeld({ key, owner, fence }: Lease): void {
    const { name, pid, born, fence: fenceColumn } = this.#table;
    const held = this.#database.all(
      `SELECT 1 FROM ${name} WHERE ${fenceColumn} = ? AND ${pid} = ? AND ${born} = ?`,
      ...[fence, owner.pid, owner.born],
    );
    if (held.length === 0)
      throw new Failure('conflict', `this process has lost its claim on ${key} to another process`);
  }

  /** The owners that have exited. The answer stays true: a dead process never comes back. */
  async findDead(owners: readonly LeaseOwner[]): Promise<(owner: LeaseOwner) => boolean> {
    const nameOf = ({ pid, born }: LeaseOwner) => `${pid} ${born}`;
    const dead = new Set<string>();
    for (const [name, owner] of new Map(owners.map((one) => [nameOf(one), one])))
      if (!(await this.#isAlive(owner))) dead.add(name);
    return (owner) => dead.has(nameOf(owner));
  }

  /** Removes the leases of processes that have exited. */
  async removeDead(): Promise<void> {
    const { name, pid, born } = this.#table;
    const owners = this.#database.all(`SELECT DISTINCT ${pid} AS pid, ${born} AS born FROM ${name}`);
    const known = owners as unknown as readonly LeaseOwner[];
    const isDead = await this.findDead(known);
    for (const owner of known.filter(isDead))
      this.#database.run(`DELETE FROM ${name} WHERE ${pid} = ? AND ${born} = ?`, owner.pid, owner.born);
  }

  /** Higher than every fence so far, also than those of rows that processes of earlier versions have added. */
  #nextFence(): number {
    const { name, fence } = this.#table;
    const [row] = this.#database.all(
      `INSERT INTO fences VALUES (?1, (SELECT coalesce(max(${fence}), 0) + 1 FROM ${name}))
       ON CONFLICT (name) DO UPDATE SET last = max(last + 1, excluded.last) RETURNING last`,
      name,
    );
    return Number(row!['last']);
  }
}
